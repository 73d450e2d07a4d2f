"""What every screen stands in: shell, sidebar, state, computation service, data sets."""
