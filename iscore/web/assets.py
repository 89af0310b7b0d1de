"""What the pages load, all of it from here: one style, one script, one picture.

Each file's name holds a digest of what is in it, so that browsers may keep it for ever and never have an old one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.presentation.html import render

KEPT_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Look:
    """Addresses of what the pages load."""

    style: str
    script: str
    icon: str


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    static = resources.files("iscore.web") / "static"
    made = (
        ("iscore", "css", render("iscore.web", "web.css").encode(), "text/css"),
        ("keys", "js", (static / "keys.js").read_bytes(), "text/javascript"),
        ("icon", "svg", (static / "icon.svg").read_bytes(), "image/svg+xml"),
    )
    return {
        f"{name}-{hashlib.sha256(content).hexdigest()[:12]}.{ending}": (content, media_type)
        for name, ending, content, media_type in made
    }


@cache
def look() -> Look:
    """Return the addresses."""
    return Look(*(f"/static/{name}" for name in _files()))


def static(request: Request) -> Response:
    """Serve one of the files."""
    found = _files().get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.\n", 404)
    content, media_type = found
    return Response(content, media_type=media_type, headers={"cache-control": KEPT_FOR_EVER})
