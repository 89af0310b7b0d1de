"""Static files: stylesheet, script, icons; and what makes the pages an app that a phone can install.

Each file name contains a digest of the content, so browsers can cache it forever and never show an old one. The service
worker and the manifest have fixed names, since browsers look for a new version under the same one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.presentation.html import render
from iscore.web.base_path import base_of

CACHE_FOREVER = "public, max-age=31536000, immutable"
WORKER = "service-worker.js"
MANIFEST = "manifest.webmanifest"
BACKGROUND, THEME = "#fcfbf8", "#0b6b61"
"""Colours of the app's window while it starts, and around it."""
_SCRIPTS = ("offline", "keys", "swipe")
"""Files that browsers get as one."""
_PICTURES = ("icon-192", "icon-512", "icon-maskable", "icon-apple")


@dataclass(frozen=True, slots=True)
class Assets:
    """Paths of the static files."""

    style: str
    icon: str
    apple: str
    """The icon for the home screen of a device that reads no manifest."""
    script: str
    reading: str
    """For users who let the filter learn from what they do while they read."""
    worker: str
    manifest: str


@cache
def _files() -> dict[str, tuple[str, bytes, str]]:
    """Return name with digest, content and media type of each file, by its own name."""
    static = resources.files("iscore.web") / "static"
    made = [("iscore.css", render("iscore.web", "web.css").encode(), "text/css")]
    made.append(("iscore.js", b"".join((static / f"{name}.js").read_bytes() for name in _SCRIPTS), "text/javascript"))
    made.append(("reading.js", (static / "reading.js").read_bytes(), "text/javascript"))
    made += [(f"{name}.png", (static / f"{name}.png").read_bytes(), "image/png") for name in _PICTURES]
    made.append(("icon.svg", (static / "icon.svg").read_bytes(), "image/svg+xml"))
    found = {}
    for name, content, media_type in made:
        stem, _, ending = name.partition(".")
        found[name] = f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.{ending}", content, media_type
    return found


def _path(name: str) -> str:
    return f"/static/{_files()[name][0]}"


@cache
def assets() -> Assets:
    """Return the paths."""
    style, icon, apple, script = map(_path, ("iscore.css", "icon.svg", "icon-apple.png", "iscore.js"))
    return Assets(style, icon, apple, script, _path("reading.js"), f"/static/{WORKER}", f"/static/{MANIFEST}")


@cache
def _contents() -> dict[str, tuple[bytes, str]]:
    return {name: (content, media_type) for name, content, media_type in _files().values()}


async def static(request: Request) -> Response:
    """Serve a static file."""
    name, base = request.path_params["name"], base_of(request)
    if name == WORKER:
        worker = (resources.files("iscore.web") / "static" / WORKER).read_bytes()
        headers = {"cache-control": "no-cache", "service-worker-allowed": f"{base}/"}
        return Response(worker, media_type="text/javascript", headers=headers)
    if name == MANIFEST:
        manifest = json.dumps(_manifest(base))
        return Response(manifest, media_type="application/manifest+json", headers={"cache-control": "no-cache"})
    found = _contents().get(name)
    if found is None:
        return PlainTextResponse("Not found\n", 404)
    content, media_type = found
    return Response(content, media_type=media_type, headers={"cache-control": CACHE_FOREVER})


def _manifest(base: str) -> dict[str, object]:
    sizes = {"icon-192.png": "192x192", "icon-512.png": "512x512", "icon-maskable.png": "512x512"}
    icons = [
        {
            "src": base + _path(name),
            "sizes": size,
            "type": "image/png",
            "purpose": "maskable" if "maskable" in name else "any",
        }
        for name, size in sizes.items()
    ]
    return {
        "name": "iScore",
        "short_name": "iScore",
        "description": "Your own news filter",
        "id": f"{base}/",
        "start_url": f"{base}/",
        "scope": f"{base}/",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": THEME,
        "icons": icons,
    }
