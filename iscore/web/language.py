"""The language of a page: what its user has set, or what the browser asks for."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from iscore.core.translation import LANGUAGES, SOURCE, use_language

MOST_WANTED = 20
"""Languages of a header that are read."""


class BrowserLanguage:
    """Lets each request speak the language that the browser prefers, until it is known whose the request is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wanted = Headers(scope=scope).get("accept-language", "") if scope["type"] == "http" else ""
        with use_language(preferred(wanted)):
            await self._app(scope, receive, send)


def preferred(accept_language: str) -> str:
    """Return the language that a header ``Accept-Language`` prefers among ``LANGUAGES``, English if there is none.

    >>> preferred("fr;q=0.9, de-AT, en;q=0.8")
    'de'
    """
    found: list[tuple[float, str]] = []
    for each in accept_language.split(",")[:MOST_WANTED]:
        tag, _, weight = each.replace(" ", "").partition(";q=")
        name = tag.partition("-")[0].lower()
        if name in LANGUAGES:
            found.append((_weight(weight), name))
    best = max(found, key=lambda each: each[0], default=(0.0, SOURCE))
    return best[1] if best[0] > 0.0 else SOURCE


def _weight(text: str) -> float:
    """Return a weight from 0 to 1; 1 without one, 0 for what is none."""
    digits = text.replace(".", "", 1)
    return min(1.0, float(text)) if digits.isascii() and digits.isdigit() else float(not text)
