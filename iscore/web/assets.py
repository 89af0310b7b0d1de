"""Static files: one stylesheet, scripts, one icon.

Each file name contains a digest of the content, so browsers can cache it forever and never show an old one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.presentation.html import render

CACHE_FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Assets:
    """Paths of the static files."""

    style: str
    script: str
    reading: str
    """For users who let the filter learn from what they do while they read."""
    icon: str


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    static = resources.files("iscore.web") / "static"
    made = (
        ("iscore", "css", render("iscore.web", "web.css").encode(), "text/css"),
        ("keys", "js", (static / "keys.js").read_bytes(), "text/javascript"),
        ("reading", "js", (static / "reading.js").read_bytes(), "text/javascript"),
        ("icon", "svg", (static / "icon.svg").read_bytes(), "image/svg+xml"),
    )
    return {
        f"{name}-{hashlib.sha256(content).hexdigest()[:12]}.{ending}": (content, media_type)
        for name, ending, content, media_type in made
    }


@cache
def assets() -> Assets:
    """Return the paths."""
    return Assets(*(f"/static/{name}" for name in _files()))


async def static(request: Request) -> Response:
    """Serve a static file."""
    found = _files().get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("Not found\n", 404)
    content, media_type = found
    return Response(content, media_type=media_type, headers={"cache-control": CACHE_FOREVER})
