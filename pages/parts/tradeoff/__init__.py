"""Pieces of the Trade-off screen."""
