"""Requests of Miniflux's API: numbers in addresses, JSON in bodies, and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from iscore.core.errors import IscoreError
from iscore.web.api.requests import Call, Run, number, route, to_json
from iscore.web.request_log import Route


class ApiError(IscoreError):
    """A request cannot be answered: ``status`` says why, the text says it to people."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def bad_request(message: str) -> ApiError:
    """Return the error of a request that makes no sense."""
    return ApiError(400, message)


def no_resource() -> ApiError:
    """Return the error of what does not exist, or is another user's."""
    return ApiError(404, "resource not found")


def answer(value: Any, status: int = 200) -> Response:
    """Answer with JSON."""
    return Response(to_json(value), status, media_type="application/json")


def error(status: int, message: str) -> Response:
    """Answer with an error."""
    return answer({"error_message": message}, status)


def nothing() -> Response:
    """Answer that something was done."""
    return Response(status_code=204)


def v1_route(path: str, work: Callable[[Call], Response], run: Run, method: str = "GET") -> Route:
    """Return a route below ``/v1/`` whose errors are JSON."""

    def guarded(call: Call) -> Response:
        try:
            if method != "GET" and path != "import":  # some send OPML as a form
                _require_json(call)
            return work(call)
        except ApiError as found:
            return error(found.status, str(found))

    return route(f"/v1/{path}", guarded, run, method)


def _require_json(call: Call) -> None:
    """Raise ``ApiError`` for a body of another type: browsers ask the server before a page of another site sends JSON.

    Apps that are no pages may send JSON without a type, and with PUT as a form, as newsboat does.
    """
    headers = call.request.headers
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_page = "origin" in headers
    known = kind == "application/json" or (not kind and not (is_page and call.body))
    if not known and (is_page or call.request.method != "PUT"):
        raise ApiError(415, "the body has to be application/json")


def number_in(call: Call, name: str, what: str) -> int:
    """Return a number in the address. Raises ``ApiError``."""
    found = number(call.request.path_params[name])
    if not found:
        raise bad_request(f"invalid {what} ID")
    return found


def body_of(call: Call) -> dict[str, Any]:
    """Return the object that a request sends. Raises ``ApiError``."""
    try:
        found = json.loads(call.body)
    except (ValueError, RecursionError) as problem:
        raise bad_request(f"the body is no JSON: {problem}") from problem
    if not isinstance(found, dict):
        raise bad_request("the body is no JSON object")
    return found


def text_in(body: dict[str, Any], name: str) -> str | None:
    """Return a text of a body; None without it. Raises ``ApiError``."""
    found = body.get(name)
    if found is not None and not isinstance(found, str):
        raise bad_request(f"{name} is no text")
    return found


def switch_in(body: dict[str, Any], name: str) -> bool | None:
    """Return a switch of a body; None without it. Raises ``ApiError``."""
    found = body.get(name)
    if found is not None and not isinstance(found, bool):
        raise bad_request(f"{name} is neither true nor false")
    return found


def number_of(body: dict[str, Any], name: str) -> int | None:
    """Return a number of a body; None without it. Raises ``ApiError``."""
    found = body.get(name)
    if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
        raise bad_request(f"{name} is no number")
    return found
