"""The API's description. In: the route table. Out: an OpenAPI 3.1 document, and one plain page of it for people. No handlers here."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Door", "document", "readable"]


@dataclass(frozen=True)
class Door:
    """One route: what it answers is said here once, for the router, the OpenAPI document and the readable page."""

    method: str
    path: str
    handler: str  # "module:function" below milepost.board, imported when first asked for: the start does not pay for every page
    summary: str
    query: tuple[
        tuple[str, str, str], ...
    ] = ()  # name, type, meaning; a trailing "*" on the type = may repeat, "!" = required
    answers: str = "application/json"
    body: str = ""


def parameter(name: str, kind: str, meaning: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": kind.rstrip("*!")}
    if kind.endswith("*"):
        schema = {"type": "array", "items": schema}
    return {
        "name": name,
        "in": "query",
        "required": kind.endswith("!"),
        "description": meaning,
        "schema": schema,
        "explode": True,
    }


def document(doors: Sequence[Door], *, title: str, version: str, prefix: str) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for door in doors:
        success: dict[str, Any] = {"description": "done"}
        if door.answers == "application/json":
            success["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/Success"}}}
        else:
            success["content"] = {door.answers: {"schema": {"type": "string", "format": "binary"}}}
        operation: dict[str, Any] = {
            "summary": door.summary,
            "operationId": f"{door.method.lower()}_{door.path.strip('/').replace('/', '_').replace('{', '').replace('}', '')}",
            "parameters": [parameter(*q) for q in door.query],
            "responses": {
                "200": success,
                "default": {
                    "description": "an error",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                },
            },
        }
        for part in door.path.split("/"):
            if part.startswith("{"):
                operation["parameters"].append(
                    {"name": part.strip("{}"), "in": "path", "required": True, "schema": {"type": "string"}}
                )
        if door.body:
            operation["requestBody"] = {
                "required": True,
                "description": door.body,
                "content": {"application/json": {"schema": {"type": "object"}}},
            }
        if door.method != "GET":
            operation["parameters"].append(
                {"name": "X-Milepost", "in": "header", "required": True, "schema": {"const": "1"}}
            )
        paths.setdefault(door.path, {})[door.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": version,
            "description": "What `milepost board` serves. See docs/reference/http-api.md.",
        },
        "servers": [{"url": prefix or "/"}],
        "paths": paths,
        "components": {
            "schemas": {
                "Success": {
                    "type": "object",
                    "required": ["ok", "data", "cursor"],
                    "properties": {"ok": {"const": True}, "data": {}, "cursor": {"type": "integer"}},
                },
                "Error": {
                    "type": "object",
                    "required": ["ok", "error"],
                    "properties": {
                        "ok": {"const": False},
                        "error": {
                            "type": "object",
                            "required": ["code", "message", "where", "todo"],
                            "properties": {
                                "code": {"type": "string"},
                                "message": {"type": "string"},
                                "where": {"type": ["string", "null"]},
                                "todo": {"type": ["string", "null"]},
                            },
                        },
                    },
                },
            },
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "token": {"type": "apiKey", "in": "query", "name": "token"},
            },
        },
    }


def readable(doors: Sequence[Door], *, title: str) -> str:
    """The same for people: one page without script or style of its own."""
    rows = []
    for door in doors:
        wants = "".join(
            f"<li><code>{html.escape(n)}</code> ({html.escape(k.rstrip('*!'))}{', repeats' if k.endswith('*') else ''}): {html.escape(m)}"
            for n, k, m in door.query
        )
        rows.append(
            f"<dt><code>{door.method} {html.escape(door.path.lstrip('/'))}</code> <small>{html.escape(door.answers)}</small>"
            f"<dd>{html.escape(door.summary)}{f'<p>Body: {html.escape(door.body)}' if door.body else ''}<ul>{wants}</ul>"
        )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}: API</title>'
        f'<h1>{html.escape(title)}: API</h1><p><a href="openapi.json">openapi.json</a> · <a href="../">the board</a><dl>{"".join(rows)}</dl></html>'
    )
