"""The page of ``iscore stats --html``: how the filter has learned, one file without scripts or external files."""
