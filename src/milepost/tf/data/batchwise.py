"""A map's function on a whole batch at once. In: a user's function and some elements. Out: the same for batches, or the knowledge that there is none.

The function is recorded on one element, once, as TensorFlow does when a map is made; `batched_trace` says whether what it did can be done
to a batch at once, and the result must equal the element-wise one, bit for bit, on the elements at hand. Everything else runs as Python, one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import structure as nest
from milepost.tf import tensor
from milepost.tf.data import edge
from milepost.tf.data.batched_trace import over_batches
from milepost.tf.data.cursor import Element, stack
from milepost.tf.data.structure import flatten, map_structure
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor
from milepost.tf.trace import Trace, Writing

__all__ = ["Batchwise"]


class Batchwise:
    """What is known about one map's function; shared by all passes over the dataset."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.refused = False
        self._run: Callable[[list[Any], int], list[Any]] | None = None
        self._pack: Callable[[list[Any]], Element] | None = None

    @property
    def ready(self) -> bool:
        return self._run is not None

    def decide(self, elements: list[Element], results: list[Element]) -> None:
        """Looks once whether the function can do these elements together, as it did one by one."""
        if self.refused or self.ready or len(elements) < 2:
            return
        self.refused = True
        if not all(type(part) is np.ndarray and part.dtype.kind in "fiub" for part in flatten(elements[0])):
            return
        if NOW.trace is not None or NOW.recording or threading.current_thread() is not threading.main_thread():
            self.refused = False  # not now: somebody else may be recording
            return
        try:
            self._record(elements[0])
            if self._run is not None and not _equal(self.apply(stack(elements)), stack(results)):
                self._run = None
        except Exception:  # whatever it was, it did not happen element by element: that is the way to go on
            self._run = None
        self.refused = self._run is None

    def _record(self, element: Element) -> None:
        trace = Trace()
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        given = map_structure(lambda part: tensor.wrap(trace.argument(torch.from_numpy(np.array(part)))), element)
        NOW.trace = trace
        try:
            with Writing(trace):
                result = self.function(*given) if type(given) is tuple else self.function(given)
        finally:
            NOW.trace = None
            torch.set_grad_enabled(before)
        if trace.eager_because is not None or trace.made_variables:
            return
        if isinstance(result, list):
            result = tuple(result)
        leaves = nest.flatten(result)
        if not all(type(leaf) is Tensor and isinstance(leaf._t, torch.Tensor) for leaf in leaves):
            return
        self._run = over_batches(trace, [leaf._t for leaf in leaves])
        self._pack = lambda parts: nest.pack_as(result, parts)

    def apply(self, batch: Element) -> Element:
        assert self._run is not None
        assert self._pack is not None
        parts = [torch.from_numpy(np.ascontiguousarray(part)) for part in flatten_as_given(batch)]
        count = len(parts[0])
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        try:
            made = self._run(parts, count)
        finally:
            torch.set_grad_enabled(before)
        return self._pack([tensor.host(t) for t in made])


def flatten_as_given(element: Element) -> list[Any]:
    """The components in the order `map_structure` meets them: that of the recorded arguments."""
    found: list[Any] = []
    map_structure(found.append, element)
    return found


def _equal(ours: Element, theirs: Element) -> bool:
    """The same structure, dtypes, shapes and bits."""
    same = map_structure(
        lambda a, b: a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), ours, edge.unwrap(theirs)
    )
    return all(flatten(same))
