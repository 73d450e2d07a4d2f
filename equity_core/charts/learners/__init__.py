"""Charts of the Learners screen."""
