"""The chooser: from what one accepts, or asks for, to a policy."""
