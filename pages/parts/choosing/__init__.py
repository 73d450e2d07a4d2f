"""The chooser, and how sensitive its answer is."""
