"""The daily digest: what is in an edition, and how it looks as text and as a page."""
