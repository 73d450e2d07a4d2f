"""Charts of the Trade-off screen."""
