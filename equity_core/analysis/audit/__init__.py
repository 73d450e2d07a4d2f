"""The Audit screen: how unequal the recommenders' own lists are."""
