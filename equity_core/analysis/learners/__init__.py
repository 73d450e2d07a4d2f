"""The Learners screen: what changes for a person, and for everybody."""
