"""Static files: stylesheet, script, icons; and what makes the pages an app that a phone can install.

Each file name contains a digest of the content, so browsers can cache it forever and never show an old one. The service
worker and the manifest have fixed names, since browsers look for a new version under the same one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.core.translation import LANGUAGES, SOURCE, catalogue, gettext, language, use_language
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
_MESSAGE = re.compile(r'\bgettext\("([^"]+)"')
_NUMBERED = re.compile(r'\bngettext\("([^"]+)", "([^"]+)"')
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")
_NUMBERS = range(200)
"""The form of a larger number is that of its last two digits, in every language."""


@dataclass(frozen=True, slots=True)
class Assets:
    """Paths of the static files for pages in one language."""

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
def _files(language: str) -> dict[str, tuple[str, bytes, str]]:
    """Return name with digest, content and media type of each file, by its own name; the texts are in ``language``."""
    static = resources.files("iscore.web") / "static"
    sprite = (static / "icons.svg").read_bytes()
    with use_language(language):
        style = _small(render("iscore.web", "web.css", sprite=_hashed("icons.svg", sprite)))
    made = [("icons.svg", sprite, "image/svg+xml"), ("iscore.css", style.encode(), "text/css")]
    script = "".join((static / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    made.append(("iscore.js", with_texts(script, language), "text/javascript"))
    made.append(("reading.js", (static / "reading.js").read_bytes(), "text/javascript"))
    made += [(f"{name}.png", (static / f"{name}.png").read_bytes(), "image/png") for name in _PICTURES]
    made.append(("icon.svg", (static / "icon.svg").read_bytes(), "image/svg+xml"))
    return {name: (_hashed(name, content), content, media_type) for name, content, media_type in made}


def _small(style: str) -> str:
    """Return a style without comments and blanks.

    >>> _small("/* Text */\\np, a {\\n  margin: 0; color: red;\\n}")
    'p,a{margin:0;color:red;}'
    """
    return _BLANKS.sub(lambda found: found[1] or "", _COMMENT.sub("", style)).strip()


def _hashed(name: str, content: bytes) -> str:
    stem, _, ending = name.partition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.{ending}"


def _path(name: str, language: str = SOURCE) -> str:
    return f"/static/{_files(language)[name][0]}"


def assets() -> Assets:
    """Return the paths for pages in the present language."""
    return _assets(language())


@cache
def _assets(language: str) -> Assets:
    names = ("iscore.css", "icon.svg", "icon-apple.png", "iscore.js", "reading.js")
    style, icon, apple, script, reading = (_path(name, language) for name in names)
    wanted = "" if language == SOURCE else f"?language={language}"
    worker, manifest = f"/static/{WORKER}{wanted}", f"/static/{MANIFEST}{wanted}"
    return Assets(style, icon, apple, script, reading, worker, manifest)


@cache
def _contents() -> dict[str, tuple[bytes, str]]:
    files = [each for language in LANGUAGES for each in _files(language).values()]
    return {name: (content, media_type) for name, content, media_type in files}


@cache
def _worker(language: str) -> bytes:
    return with_texts((resources.files("iscore.web") / "static" / WORKER).read_text(encoding="utf-8"), language)


async def static(request: Request) -> Response:
    """Serve a static file."""
    name, base = request.path_params["name"], base_of(request)
    wanted = request.query_params.get("language", SOURCE)
    language = wanted if wanted in LANGUAGES else SOURCE
    if name == WORKER:
        headers = {"cache-control": "no-cache", "service-worker-allowed": f"{base}/"}
        return Response(_worker(language), media_type="text/javascript", headers=headers)
    if name == MANIFEST:
        with use_language(language):
            manifest = json.dumps(_manifest(base), ensure_ascii=False)
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
        "description": gettext("Your own news filter"),
        "id": f"{base}/",
        "start_url": f"{base}/",
        "scope": f"{base}/",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": THEME,
        "icons": icons,
    }


def with_texts(script: str, language: str) -> bytes:
    """Return a script with its messages in a language, and the functions that find them."""
    messages = catalogue(language)
    texts: dict[str, object] = {}
    for message in _MESSAGE.findall(script):
        if (text := messages.gettext(message)) != message:
            texts[message] = text
    for singular, plural in _NUMBERED.findall(script):
        texts[singular] = _forms([messages.ngettext(singular, plural, number) for number in _NUMBERS])
    constants = {"LANGUAGE": language, "TEXTS": texts}
    lines = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in constants.items()]
    functions = (resources.files("iscore.web") / "static" / "texts.js").read_text(encoding="utf-8")
    return "\n".join(['"use strict";', *lines, functions + script]).encode()


def _forms(texts: Sequence[str]) -> tuple[list[str], str]:
    """Return the different texts, and for each number which it has, as one digit.

    >>> _forms(["%(count)s marks", "1 mark", "%(count)s marks"])
    (['%(count)s marks', '1 mark'], '010')
    """
    different = list(dict.fromkeys(texts))
    return different, "".join(str(different.index(text)) for text in texts)
