"""The Decisions screen: scenarios side by side, and as files."""
