"""`tf.version`: the TensorFlow whose programming model this is."""

from __future__ import annotations

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]

VERSION = "2.21.0"
GIT_VERSION = "milepost"
COMPILER_VERSION = "torch"
GRAPH_DEF_VERSION = GRAPH_DEF_VERSION_MIN_CONSUMER = GRAPH_DEF_VERSION_MIN_PRODUCER = 0
