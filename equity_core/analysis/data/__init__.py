"""The Data screen: what the data set is built on."""
