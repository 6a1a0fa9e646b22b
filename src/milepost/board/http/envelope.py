"""The one JSON shape of answers and the one of errors. In: plain values. Out: Starlette responses, compressed and tagged. No routes here."""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["STATUS", "ApiError", "answer", "encode", "error", "finite", "frame", "gzipped"]

STATUS = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "read_only": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "gone": 410,
    "too_large": 413,
    "unsupported_media": 415,
    "internal": 500,
}
# Below this a compressed answer is not faster, only another thing to decode.
GZIP_FROM_BYTES = 1400
FRAME_TYPE = "application/vnd.milepost.frame"


class ApiError(Exception):
    """An answer that is an error: raised anywhere below a route, shown in the one error shape."""

    def __init__(self, code: str, message: str, *, where: str | None = None, todo: str | None = None):
        super().__init__(message)
        self.code, self.message, self.where, self.todo = code, message, where, todo


def finite(value: float | None) -> float | str | None:
    """A number as JSON can hold it: NaN and infinities as words."""
    if value is None:
        return None
    number = float(value)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")


def _cleaned(value: Any) -> Any:
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, dict):
        return {str(k): _cleaned(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(v) for v in value]
    return value


def encode(value: Any) -> bytes:
    """JSON bytes. The usual answer holds no NaN: only when one turns up is the whole value walked."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_cleaned(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # a lone surrogate (a tag that was not UTF-8) must not break the answer
    return text.encode("utf-8", "replace")


def gzipped(body: bytes, level: int = 4) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return packer.compress(body) + packer.flush()


def send(
    request: Request,
    body: bytes,
    media_type: str,
    *,
    compress: bool,
    headers: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    """Body bytes with an ETag; 304 when the client has them; gzip when it pays."""
    out = dict(headers or {})
    if request.method in ("GET", "HEAD") and status == 200:
        tag = f'W/"{hashlib.blake2b(body, digest_size=9).hexdigest()}"'
        out.setdefault("Cache-Control", "no-cache")
        out["ETag"] = tag
        if tag in (part.strip() for part in request.headers.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=out)
    if compress and len(body) >= GZIP_FROM_BYTES:
        out["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("accept-encoding", ""):
            out["Content-Encoding"] = "gzip"
            body = gzipped(body)
    return Response(body, status_code=status, media_type=media_type, headers=out)


def answer(request: Request, data: Any, cursor: int) -> Response:
    """{"ok": true, "data": …, "cursor": N}."""
    return send(request, encode({"ok": True, "data": data, "cursor": cursor}), "application/json", compress=True)


def frame(request: Request, body: bytes) -> Response:
    """Binary columns."""
    return send(request, body, FRAME_TYPE, compress=False)


def error(
    code: str, message: str, *, where: str | None = None, todo: str | None = None, status: int | None = None
) -> Response:
    """{"ok": false, "error": {…}} with the status that belongs to the code."""
    body = {"ok": False, "error": {"code": code, "message": message, "where": where, "todo": todo}}
    return Response(
        encode(body),
        status_code=status or STATUS.get(code, 500),
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
