"""Series: which points to draw, smoothed and aggregated, packed as binary columns."""
