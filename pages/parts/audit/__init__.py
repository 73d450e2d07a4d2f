"""Pieces of the Audit screen."""
