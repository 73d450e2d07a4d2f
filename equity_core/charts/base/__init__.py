"""What charts of several subjects share: colours, marks, grids, labels, panels."""
