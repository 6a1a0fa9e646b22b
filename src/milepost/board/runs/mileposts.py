"""api/checkpoints, api/checkpoint. In: the checkpoints the board knows. Out: their list with the run each belongs to, and one in full."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import ApiError, answer
from milepost.board.live import Live

__all__ = ["checkpoint", "checkpoints", "checkpoints_data"]


def checkpoints(live: Live, request: Request) -> Response:
    return answer(request, checkpoints_data(live, request.query_params.get("run")), live.cursor)


def checkpoints_data(live: Live, wanted: str | None = None) -> dict[str, Any]:
    return {
        "checkpoints": [
            one.as_json(run) | {"id": identity}
            for run, identity, one in live.checkpoints()
            if wanted is None or run == wanted
        ]
    }


def checkpoint(live: Live, request: Request) -> Response:
    wanted = request.query_params.get("id", "")
    for run, identity, one in live.checkpoints():
        if identity == wanted:
            root = live.options.roots[0][0] if len(live.options.roots) == 1 else wanted.partition("/")[0]
            detail = live.checkpoint_detail(root, one.id)
            if detail is not None:
                return answer(request, one.as_json(run) | {"id": identity} | detail, live.cursor)
    raise ApiError(
        "not_found", f"no checkpoint {wanted!r}", where=wanted, todo="see api/checkpoints for those there are"
    )
