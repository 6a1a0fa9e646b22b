"""What kind of thing a tag holds. In: its metadata and how its first value was written. Out: one word.

The one place that knows plugin names and the older ways of writing (TF 1, torch, tensorboardX write no plugin name).
"""

from __future__ import annotations

__all__ = ["KINDS", "kind_of"]

KINDS = (
    "scalars", "images", "audio", "texts", "histograms", "pr_curves", "hparams", "graphs", "meshes", "custom_scalars", "tensors",
)  # fmt: skip

_PLUGINS = {
    "scalars": "scalars",
    "images": "images",
    "audio": "audio",
    "text": "texts",
    "histograms": "histograms",
    "pr_curves": "pr_curves",
    "hparams": "hparams",
    "mesh": "meshes",
    "custom_scalars": "custom_scalars",
    "graphs": "graphs",
    "graph_run_metadata": "graphs",
    "graph_run_metadata_graph": "graphs",
    "graph_tagged_run_metadata": "graphs",
    "graph_keras_model": "graphs",
}
# field of Summary.Value that held the value -> kind
_LEGACY = {4: "images", 5: "histograms", 6: "audio"}
# no field of Summary.Value holds values by this number: the scan gives it to string tensors of which no plugin is known
_STRINGS = 7
# field of Event that held it -> (kind, tag); the tags are TensorBoard's
EVENT_FIELDS = {
    4: ("graphs", "__run_graph__"),
    8: ("graphs", "__run_metadata__"),
    9: ("graphs", "__meta_graph__"),
}


def kind_of(plugin: str, field: int) -> str:
    """The kind of a blob that was in `field` of a summary value."""
    if field in _LEGACY:
        return _LEGACY[field]
    if field == _STRINGS and not plugin:
        return "texts"  # a log whose first records are lost still shows its texts
    known = _PLUGINS.get(plugin, "tensors")
    return "tensors" if known == "scalars" else known  # a scalar that is no single number
