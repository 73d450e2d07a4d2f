"""The sidebar: what to look at, and the policy."""
