"""What is not there: an AttributeError that names the nearest thing and the page that lists everything."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["no_such_name"]

PAGE = "docs/reference/tf.md"


def no_such_name(name: str, inside: str = "tf", known: Iterable[str] | None = None) -> AttributeError:
    """The error for `tf.<name>`."""
    if known is None:
        from milepost.tf.names import NAMES, SPACES

        known = {*NAMES, *SPACES}
    near = difflib.get_close_matches(name, list(known), n=2, cutoff=0.6)
    hint = f" Did you mean {' or '.join(f'{inside}.{n}' for n in near)}?" if near else ""
    return AttributeError(f"module 'milepost.{inside}' has no attribute {name!r}.{hint} {PAGE} lists what is there.")
