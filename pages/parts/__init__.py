"""Pieces of single screens, under the names of their subjects."""
