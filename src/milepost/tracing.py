"""`trace_on / trace_export / trace_off`: graph and profile of a stretch of a program. In: calls. Out: an event and a capture.

This joins three rooms of one floor (summary, profiler, modelgraph) that do not know each other, so it stands outside the
floors, at the public door; `milepost.summary` shows these names and loads them when they are first used.
Not here: capturing (`profiler`), graphs (`modelgraph`), writers (`summary`).
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from milepost import modelgraph
from milepost import profiler as _capture  # `profiler` is TensorFlow's name for an argument
from milepost.errors import UsageError
from milepost.formats.event import Event, PluginData, Summary, SummaryMetadata, SummaryValue, TensorProto, TensorShape
from milepost.formats.plugins import GRAPH_KERAS_MODEL, GRAPH_RUN_METADATA_GRAPH
from milepost.modelgraph.graph import Graph, Watch, run_metadata
from milepost.summary import context
from milepost.types import PathLike

__all__ = ["graph", "keras_model", "note", "record", "trace_export", "trace_off", "trace_on", "tracing"]

_STRING = 7  # DT_STRING


@dataclass(slots=True)
class _Traced:
    graphs: list[Graph] | None  # None: the graph is not wanted
    watch: Watch | None
    profiling: bool
    outdir: PathLike | None
    functions: set[str] = field(default_factory=set)


_lock = threading.Lock()
_traced: _Traced | None = None


def tracing() -> bool:
    """Whether graphs are being collected; `@tf.function` asks before each call."""
    return _traced is not None and _traced.graphs is not None


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: PathLike | None = None) -> None:
    """Begin to collect the graphs of what is called and, with `profiler=True`, a profile.

    `trace_export` writes both, `trace_off` throws them away. The place of the profile may be named here or there.
    """
    global _traced
    with _lock:
        if _traced is not None:
            warnings.warn("the trace is already on; it goes on as it is")
            return
        _traced = _Traced([] if graph else None, None, False, profiler_outdir)
        if graph:
            _traced.watch = Watch()
            _traced.watch.start()
        if profiler:
            if _capture.active():
                warnings.warn("a capture is already running; the trace goes on without a profile of its own")
            else:
                _capture.start(profiler_outdir)
                _traced.profiling = True


def _end() -> _Traced | None:
    global _traced
    with _lock:
        traced, _traced = _traced, None
        if traced is not None and traced.watch is not None:
            found = traced.watch.stop()
            if traced.graphs is not None:
                traced.graphs += found
        return traced


def trace_export(name: str, step: Any = None, profiler_outdir: PathLike | None = None) -> None:
    """End the trace: the graph goes to the default writer under `name`, the profile under `profiler_outdir`.

    The profile's place is, in this order, the one named here, in `trace_on`, or the default writer's directory.
    """
    if _traced is None:
        raise UsageError("no trace is on", todo="call trace_on() first")
    writer = context.current.writer
    recording = context.should_record_summaries()
    number = context.resolve_step(step) if recording else 0  # a missing step leaves the trace on, to be exported again
    traced = _end()
    if traced is None:
        return
    if traced.profiling and _capture.active():
        outdir = profiler_outdir or traced.outdir or getattr(writer, "logdir", None)
        if outdir is None:
            _capture.stop(save=False)
            raise UsageError("the profile has no place to go", todo="name profiler_outdir, or set a default writer")
        _capture.stop(logdir=outdir)
    if recording and writer is not None and traced.graphs is not None:
        tag = context.current.scope + name
        writer.append(_string_event(tag, number, run_metadata(traced.graphs), GRAPH_RUN_METADATA_GRAPH))


def trace_off() -> None:
    """End the trace and forget what it saw."""
    traced = _end()
    if traced is not None and traced.profiling and _capture.active():
        _capture.stop(save=False)


def note(found: Graph) -> None:
    """Add a graph to the trace that is on."""
    traced = _traced
    if traced is not None and traced.graphs is not None:
        traced.graphs.append(found)


def record(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`function`; while a trace is on, the ops of its first call are noted under `name`.

    This is what `@tf.function` wraps around a function, so that its graph is in the trace.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        traced = _traced
        if traced is None or traced.graphs is None or name in traced.functions:
            return function(*args, **kwargs)
        traced.functions.add(name)
        with traced.watch.aside() if traced.watch is not None else nullcontext():
            result, found = modelgraph.record(function, name)(*args, **kwargs)
        if found is not None:
            traced.graphs.append(found)
        return result

    return run


def graph(graph_data: Any, *inputs: Any) -> bool:
    """Write a graph for the board's and TensorBoard's graph page. True if it was written.

    `graph_data` is a `modelgraph.Graph`, a serialized GraphDef, or a model (with example `inputs` where it needs them).
    """
    writer = context.current.writer
    if writer is None or not context.should_record_summaries():
        return False
    if isinstance(graph_data, bytes):
        payload = graph_data
    elif hasattr(graph_data, "SerializeToString"):
        payload = graph_data.SerializeToString()
    else:
        found = graph_data if isinstance(graph_data, Graph) else modelgraph.graph(graph_data, *inputs)
        payload = found.graph_def()
    return writer.append(Event(wall_time=time.time(), graph_def=payload).encode())


def keras_model(name: str, model: Any, step: Any = None) -> bool:
    """Write a Keras model's configuration for the conceptual view. False if it has none (a subclassed model)."""
    writer = context.current.writer
    if writer is None or not context.should_record_summaries():
        return False
    text = model if isinstance(model, str) else modelgraph.graph(model).keras_json
    if text is None:
        return False
    tag = context.current.scope + name
    return writer.append(_string_event(tag, context.resolve_step(step), text.encode(), GRAPH_KERAS_MODEL))


def _string_event(tag: str, step: int, content: bytes, plugin: str) -> bytes:
    metadata = SummaryMetadata(plugin_data=PluginData(plugin_name=plugin, content=b"1"))
    tensor = TensorProto(dtype=_STRING, shape=TensorShape(), string_val=[content])
    value = SummaryValue(tag=tag, tensor=tensor, metadata=metadata)
    return Event(wall_time=time.time(), step=step, summary=Summary(value=[value])).encode()
