"""The frame behind every figure and table, and the sentence above it. Nothing here draws."""
