"""``iscore report``: how the filter has learned, as one HTML page without scripts or external files."""
