"""Charts of the Audit screen."""
