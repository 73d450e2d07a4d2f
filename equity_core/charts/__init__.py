"""Charts: frames in, Altair figures out. Used by the pages and by the report alike; nothing here
computes a measure or knows Streamlit."""
