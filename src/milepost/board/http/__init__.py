"""HTTP itself: who may ask, in which shape answers go out, the page, the stream of changes. Nothing about runs or series."""
