"""The Overview and Trade-off screens: what a policy gives and costs."""
