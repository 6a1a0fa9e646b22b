"""What a restore did, for programs and people. In: a Match. Out: assertions and a report.

Not here: the matching itself (`match`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from milepost.errors import UnmatchedError
from milepost.train import pending
from milepost.train.match import Match, Mismatch
from milepost.train.walk import walk

__all__ = ["InitializationOnlyStatus", "RestoreReport", "Status", "report_of"]

SHOWN = 10  # paths in a message; the report has all


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """Paths, sorted. `unexpected`: saved, but no live object took it; while it may still come, it is `waiting`, too."""

    checkpoint: str
    matched: tuple[str, ...]
    missing: tuple[str, ...]  # live values the checkpoint does not have
    unexpected: tuple[str, ...]
    waiting: tuple[str, ...]
    shape: tuple[str, ...] = ()  # "path: got (2,), wanted (3,)"
    dtype: tuple[str, ...] = ()
    inconsistent: tuple[str, ...] = ()  # one saved object met two live ones; both took the value
    hints: tuple[str, ...] = ()  # renames that would match more, ready for mapping=

    @property
    def complete(self) -> bool:
        return not (self.missing or self.unexpected or self.shape or self.dtype)

    def __str__(self) -> str:
        lines = [f"{self.checkpoint}: {len(self.matched)} values restored"]
        names = ("missing", "unexpected", "waiting", "shape", "dtype", "inconsistent", "hints")
        for name in names:
            found = getattr(self, name)
            if found and not (name == "unexpected" and found == self.waiting):
                lines.append(f"  {name} ({len(found)}):")
                lines += [f"    {path}" for path in found]
        return "\n".join(lines)


def _unmatched_saved(match: Match) -> list[tuple[int, str]]:
    """(saved node, path) of all saved values that found no place."""
    return [
        (number, match.paths[number])
        for number, (name, _, _) in match.saved.attributes()
        if number not in match.bound or (number, name) not in match.used
    ]


def _unmatched_live(match: Match, root: Any) -> list[tuple[Any, str]]:
    """(leaf, path) of live values that got none, as the objects are now."""
    out = []
    for node in walk(root).nodes:
        if not node.leaves:
            continue
        identity = node.adapter.identity(node.obj)
        known = match.live.by_identity.get(identity) if identity is not None else None
        if known is None or match.live.nodes[known].obj is not node.obj:
            # a value without identity, or an object that took another's place: its path says which one it is
            known = match.live.find(node.path)
        for name, leaf in node.leaves.items():
            if known is None or (known, name) not in match.filled:
                out.append((leaf, node.path))
    return out


def report_of(match: Match, root: Any, mismatches: list[Mismatch], *, waiting: bool) -> RestoreReport:
    lost = {m.key for m in mismatches}
    saved = [
        (number, path)
        for number, path in _unmatched_saved(match)
        if not any(key in lost for _, _, key in match.saved.nodes[number].attributes)
    ]
    live = [(leaf, path) for leaf, path in _unmatched_live(match, root) if path not in {m.path for m in mismatches}]
    unexpected = tuple(sorted(path for _, path in saved))
    return RestoreReport(
        match.reader.where,
        tuple(sorted({match.live.nodes[number].path for number, _ in match.filled})),
        tuple(sorted(path for _, path in live)),
        unexpected,
        unexpected if waiting else (),
        shape=_spelled(mismatches, "shape"),
        dtype=_spelled(mismatches, "dtype"),
        inconsistent=tuple(f"{a} and {b}" for a, b in match.inconsistent),
        hints=_hints(match, saved, live),
    )


def _spelled(mismatches: list[Mismatch], kind: str) -> tuple[str, ...]:
    return tuple(f"{m.path}: got {m.misfit.got}, wanted {m.misfit.want}" for m in mismatches if m.misfit.kind == kind)


def _hints(match: Match, saved: list[tuple[int, str]], live: list[tuple[Any, str]]) -> tuple[str, ...]:
    """Beginnings of paths whose exchange would bring unmatched values of one shape together."""
    by_end: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for number, path in saved:
        for _, _, key in match.saved.nodes[number].attributes:
            by_end.setdefault((path.rsplit("/", 1)[-1], match.reader.entry(key).shape), []).append(path)
    rules: Counter[tuple[str, str]] = Counter()
    for leaf, path in live:
        best: tuple[int, str, str] | None = None
        for other in by_end.get((path.rsplit("/", 1)[-1], leaf.shape), ())[:200]:
            a, b = other.split("/"), path.split("/")
            same = 0
            while same < min(len(a), len(b)) and a[-1 - same] == b[-1 - same]:
                same += 1
            rule = ("/".join(a[: len(a) - same]), "/".join(b[: len(b) - same]))
            if best is None or same > best[0]:
                best = (same, *rule)
        if best is not None:
            rules[best[1:]] += 1

    def spell(begin: str) -> str:
        return f"{begin}/" if begin else ""

    return tuple(
        f"mapping={{{spell(old)!r}: {spell(new)!r}}} would match {count} more"
        for (old, new), count in rules.most_common(5)
    )


class Status:
    """The outcome of `read` or `restore`. Each assertion returns the status itself, or raises UnmatchedError."""

    def __init__(self, match: Match, root: Callable[[], Any], waits: Callable[[], bool]):
        self._match, self._root, self._waits = match, root, waits

    def report(self) -> RestoreReport:
        """What matched and what did not, as of now: deferred values move to `matched` when their object appears."""
        pending.poke()
        return report_of(self._match, self._root(), [], waiting=self._waits())

    def assert_consumed(self) -> Status:
        """Every value in the checkpoint found a place, and every live value got one."""
        self.assert_existing_objects_matched()
        left = sorted(path for _, path in _unmatched_saved(self._match))
        left += [self._match.paths[slot[3]] for slot in self._match.waiting_slots]
        if left:
            raise self._error("values of the checkpoint have no object", left)
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Every live value got one from the checkpoint."""
        pending.poke()
        left = sorted(path for _, path in _unmatched_live(self._match, self._root()))
        if left:
            raise self._error("live values are not in the checkpoint", left)
        return self

    def assert_nontrivial_match(self) -> Status:
        """Something beside the root matched."""
        if len(self._match.bound) < 2 and not self._match.filled:
            raise UnmatchedError("nothing but the root object matched", where=self._match.reader.where)
        return self

    def expect_partial(self) -> Status:
        """Says that a partial match is fine. Milepost does not warn at exit, so this only documents the intent."""
        return self

    def initialize_or_restore(self, session: object = None) -> None:
        """Nothing to do: values are restored when `restore` returns."""

    run_restore_ops = initialize_or_restore

    def _error(self, what: str, paths: list[str]) -> UnmatchedError:
        shown = ", ".join(path or "(root)" for path in paths[:SHOWN])
        more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
        hints = self.report().hints
        return UnmatchedError(
            f"{len(paths)} {what}: {shown}{more}",
            where=self._match.reader.where,
            todo=(hints[0] if hints else "see status.report() for all paths"),
        )


class InitializationOnlyStatus:
    """The outcome of `restore(None)`: nothing was restored, so nothing can be asserted."""

    def _nothing(self) -> Any:
        raise UnmatchedError("no checkpoint was given to restore, so nothing can have matched")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _nothing

    def expect_partial(self) -> InitializationOnlyStatus:
        return self

    def initialize_or_restore(self, session: object = None) -> None:
        """Nothing to do: live objects have their values."""

    run_restore_ops = initialize_or_restore
