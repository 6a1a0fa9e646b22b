"""Graphs of models. In: a Keras model, a torch module, or a jax function, with example inputs. Out: a `Graph`.

    >>> from milepost import modelgraph
    >>> modelgraph.graph(model, x).graph_def()      # doctest: +SKIP

Not here: writing it (`SummaryWriter.graph`), drawing it (the board).
"""

from __future__ import annotations

from milepost.modelgraph.graph import Graph, Node, graph, ops, record

__all__ = ["Graph", "Node", "graph", "ops", "record"]
