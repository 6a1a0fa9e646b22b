"""Checkpoint: named objects, saved and restored together. In: objects. Out: files, and a Status.

Not here: how (`walk`, `snapshot`, `write`, `match`, `assign`), which ones to keep (`manager`).
"""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

import numpy as np

from milepost.engines import Adapter, Leaf, Misfit, Spec, Value, detect, register
from milepost.errors import RestoreError, UntrackableError, UsageError
from milepost.formats.checkpoint_state import CheckpointState
from milepost.formats.objectgraph import VARIABLE_VALUE
from milepost.storage import LocalStorage
from milepost.train import assign, pending
from milepost.train.fetch import Fetched
from milepost.train.match import Mapping_, Match, RestorePlan
from milepost.train.options import CheckpointOptions
from milepost.train.quiet import no_collection
from milepost.train.reader import CheckpointReader, resolve
from milepost.train.snapshot import Snapshot, snapshot
from milepost.train.state import write_state
from milepost.train.status import InitializationOnlyStatus, Status, report_of
from milepost.train.walk import check_coverage, uncovered, walk
from milepost.train.write import write_checkpoint
from milepost.types import PathLike

__all__ = ["Checkpoint", "SaveCounter"]

COUNTER = "save_counter"


class SaveCounter:
    """How often a Checkpoint was saved: an integer that is itself saved and restored."""

    def __init__(self, value: int = 0):
        self.value = np.array(value, np.int64)

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__

    def numpy(self) -> np.int64:
        return np.int64(self.value)

    def assign_add(self, delta: int = 1) -> SaveCounter:
        self.value += delta
        return self

    def assign(self, value: int) -> SaveCounter:
        self.value[()] = value
        return self

    def __eq__(self, other: object) -> bool:
        return int(self) == other if not isinstance(other, SaveCounter) else int(self) == int(other)

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"SaveCounter({int(self)})"


@final
class _CounterAdapter(Adapter):
    def leaves(self, obj: SaveCounter) -> Mapping[str, Leaf]:
        return {VARIABLE_VALUE: Leaf("int64", (), lambda: obj.value, COUNTER)}

    def accept(self, obj: SaveCounter, attribute: str, saved: Spec, *, cast: bool = False) -> Misfit | None:
        if attribute != VARIABLE_VALUE:
            return Misfit("attribute", attribute, VARIABLE_VALUE)
        return None if saved.shape == () and "int" in saved.dtype else Misfit("dtype", saved.dtype, "int64")

    def assign(self, obj: SaveCounter, values: Mapping[str, Value]) -> SaveCounter:
        return obj.assign(int(values[VARIABLE_VALUE].array))


class Checkpoint:
    """Objects of a run under names, saved and restored as one.

    >>> import numpy as np, tempfile
    >>> weights = {"w": np.ones(3)}
    >>> checkpoint = Checkpoint(weights=weights, step=7)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> path[-6:]
    'ckpt-1'
    >>> weights["w"][:] = 0
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> weights["w"]
    array([1., 1., 1.])

    `root`: its own children become the checkpoint's, beside the named objects. More objects may be added later, as attributes.
    Values that cannot change in place (numbers, strings, tuples, jax arrays) are replaced: read them from the checkpoint's
    attributes, or from the container that holds them.
    """

    _objects: dict[str, Any]
    _root: Any
    _counter: SaveCounter | None
    _restored_from: str | None  # the last checkpoint that was read

    def __init__(self, root: Any = None, **objects: Any):
        if isinstance(root, weakref.ref):
            root = root()
        set_ = object.__setattr__
        set_(self, "_root", root)
        set_(self, "_objects", {})
        set_(self, "_counter", None)
        set_(self, "_restored_from", None)
        own: dict[str, Any] = {}
        if root is not None:
            adapter = detect(root)
            if adapter is None:
                raise UntrackableError(f"a {type(root).__name__} cannot be the root of a checkpoint", where="root")
            own = dict(adapter.children(root))
        for name in sorted(objects):
            if name in own and own[name] is not objects[name]:
                raise UsageError(f"root already has another object named {name!r}", todo="choose another name")
            if name not in own:
                self._track(name, objects[name])

    def _track(self, name: str, value: Any) -> None:
        if name == COUNTER:
            raise UsageError(f"{COUNTER!r} is the checkpoint's own", todo="choose another name")
        if detect(value) is None:
            raise UntrackableError(
                f"objects of type {type(value).__module__}.{type(value).__qualname__} cannot be saved",
                where=name,
                todo="give arrays, numbers, strings, containers or engine objects, or a class with state_dict() and "
                "load_state_dict()",
            )
        self._objects[name] = value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).__dict__ or name.startswith("__"):
            raise AttributeError(f"{name!r} is a method of Checkpoint and cannot name an object")
        self._track(name, value)
        pending.poke()

    def __getattr__(self, name: str) -> Any:
        # only reached for what is no method: the tracked objects, then those of the root
        objects: dict[str, Any] = object.__getattribute__(self, "_objects")
        if name in objects:
            return objects[name]
        root = object.__getattribute__(self, "_root")
        if root is not None:
            adapter = detect(root)
            for child, value in adapter.children(root) if adapter else ():
                if child == name:
                    return value
        raise AttributeError(f"Checkpoint has no object named {name!r}")

    def __delattr__(self, name: str) -> None:
        if name not in self._objects:
            raise AttributeError(f"Checkpoint has no object named {name!r}")
        del self._objects[name]

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._objects]

    @property
    def save_counter(self) -> SaveCounter:
        """How often this checkpoint was saved; restored with it."""
        if self._counter is None:
            object.__setattr__(self, "_counter", SaveCounter())
        assert self._counter is not None
        return self._counter

    def save(self, file_prefix: PathLike, options: CheckpointOptions | None = None) -> str:
        """Write `file_prefix-N`, N counting up, and name it in the directory's `checkpoint` file. Returns the full prefix."""
        self.save_counter.assign_add(1)
        prefix = f"{os.fspath(file_prefix)}-{int(self.save_counter)}"
        try:
            self.write(prefix, options)
        except BaseException:
            self.save_counter.assign_add(-1)  # this number is still free
            raise
        storage = LocalStorage(options.durability if options else "full")
        write_state(storage, os.path.dirname(prefix), CheckpointState(prefix, (prefix,)))
        return prefix

    def write(self, file_prefix: PathLike, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint named exactly `file_prefix`: no number, no `checkpoint` file. An existing one is replaced in one step."""
        options = options or CheckpointOptions()
        prefix = os.fspath(file_prefix)
        if not os.path.basename(prefix):
            raise UsageError("a checkpoint needs a name", got=prefix, todo=f"give {os.path.join(prefix, 'ckpt')!r}")
        write_checkpoint(LocalStorage(options.durability), prefix, self._snapshot(options), alignment=options.alignment)
        return prefix

    def _snapshot(self, options: CheckpointOptions) -> Snapshot:
        with no_collection():
            return self._take(options)

    def _take(self, options: CheckpointOptions) -> Snapshot:
        pending.poke()  # what has come since the last restore is saved with the value it was waiting for
        graph = walk(self)
        if options.coverage == "strict":
            check_coverage(graph)
        elif options.coverage == "warn":
            missing = uncovered(graph)
            if missing:
                warnings.warn(f"state that is not saved: {'; '.join(missing[:10])}")
        return snapshot(graph, tf_layout=options.tf_layout)

    def read(
        self,
        save_path: PathLike,
        options: CheckpointOptions | None = None,
        *,
        mapping: Mapping_ | None = None,
        cast: bool = False,
    ) -> Status:
        """Restore values, all of them or, on an error, none.

        mapping: saved path -> live path: a dict of whole paths or beginnings (`{"module/": ""}`), or a function.
        cast:    let numbers change their type to the live value's.
        """
        with no_collection():
            return self._read(save_path, options or CheckpointOptions(), mapping, cast)

    def _read(self, save_path: PathLike, options: CheckpointOptions, mapping: Mapping_ | None, cast: bool) -> Status:
        reader = CheckpointReader(resolve(save_path), verify=options.verify)
        live = walk(self)
        match = Match(reader, live, cast=cast, mapping=mapping)
        plan = match.advance()

        def refuse(plan: RestorePlan) -> None:
            report = report_of(match, self, plan.mismatches, waiting=False)
            shown = "; ".join((*report.shape, *report.dtype)[:10])
            error = RestoreError(
                f"{len(plan.mismatches)} saved values do not fit the live ones: {shown}",
                where=reader.where,
                todo="nothing was changed" + ("; cast=True would convert numbers" if report.dtype and not cast else ""),
            )
            error.report = report  # type: ignore[attr-defined]
            raise error

        if plan.mismatches:
            refuse(plan)
        assign.apply(Fetched(reader, plan.assignments), plan, live)
        object.__setattr__(self, "_restored_from", reader.prefix)
        for a, b in match.inconsistent:
            warnings.warn(f"{a} and {b} were one object when {reader.where} was saved; both were given its value")
        deferred = pending.Deferred(match, self, refuse)
        if match.waiting:
            deferred.note(plan)
        if match.waiting and not match.by_name:
            object.__setattr__(self, "_deferred", deferred)
            pending.keep(deferred)
        return Status(match, lambda: self, lambda: pending.waits(deferred))

    def restore(
        self,
        save_path: PathLike | None,
        options: CheckpointOptions | None = None,
        *,
        mapping: Mapping_ | None = None,
        cast: bool = False,
    ) -> Status | InitializationOnlyStatus:
        """`read`, for what `save` wrote: numbering goes on from there. `restore(None)` restores nothing and says so."""
        if save_path is None:
            return InitializationOnlyStatus()
        _ = self.save_counter  # tracked from here on, so that its value is restored
        return self.read(save_path, options, mapping=mapping, cast=cast)


@final
class _CheckpointAdapter(Adapter):
    """The root's children first, then the named objects, then the counter: TensorFlow's order."""

    def children(self, obj: Checkpoint) -> Iterable[tuple[str, Any]]:
        out: list[tuple[str, Any]] = []
        root = obj._root
        if root is not None:
            adapter = detect(root)
            assert adapter is not None
            out += adapter.children(root)
        named = dict(obj._objects)
        if root is not None:
            named["root"] = obj
        order = [*sorted(n for n in named if n in obj._objects or n == "root")] if root is not None else list(named)
        out += [(name, named[name]) for name in order]
        if obj._counter is not None:
            out.append((COUNTER, obj._counter))
        return out

    def watch(self, obj: Checkpoint, poke: Callable[[], None]) -> Callable[[], None] | None:
        adapter = detect(obj._root) if obj._root is not None else None
        return adapter.watch(obj._root, poke) if adapter else None

    def glance(self, obj: Checkpoint) -> Any:
        """Of the root object alone: named objects announce themselves when they are set."""
        adapter = detect(obj._root) if obj._root is not None else None
        return adapter.glance(obj._root) if adapter else None

    def leaves(self, obj: Checkpoint) -> Mapping[str, Leaf]:
        adapter = detect(obj._root) if obj._root is not None else None
        return adapter.leaves(obj._root) if adapter else {}

    def assign(self, obj: Checkpoint, values: Mapping[str, Value]) -> Any:
        adapter = detect(obj._root)
        assert adapter is not None
        object.__setattr__(obj, "_root", adapter.assign(obj._root, values))
        return obj

    def identity(self, obj: Checkpoint) -> int | None:
        adapter = detect(obj._root) if obj._root is not None else None
        return adapter.identity(obj._root) if adapter else id(obj)

    def replace(self, obj: Checkpoint, children: Mapping[str, Any]) -> Any:
        rest = {}
        for name, child in children.items():
            if name in obj._objects:
                obj._objects[name] = child
            elif name != "root" and name != COUNTER:
                rest[name] = child
        if rest and obj._root is not None:
            adapter = detect(obj._root)
            assert adapter is not None
            object.__setattr__(obj, "_root", adapter.replace(obj._root, rest))
        return obj

    def coverage(self, obj: Checkpoint) -> Iterable[tuple[str, Any]]:
        adapter = detect(obj._root) if obj._root is not None else None
        return adapter.coverage(obj._root) if adapter else ()


register(SaveCounter, _CounterAdapter())
register(Checkpoint, _CheckpointAdapter())
