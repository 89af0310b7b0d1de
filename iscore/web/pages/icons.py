"""Icons of feeds (GET): a user's sheets of them, with the style that says which is where; and one, for client apps.

/icons/NAME.css, /icons/NAME-0.png     of the user who is signed in; another name for each set of icons
/icon/KEY.png                          at an address that nobody can guess, for those to whom an app has given it
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.services.reading.icons import ON_A_SHEET
from iscore.web.assets import CACHE_FOREVER
from iscore.web.context import AppContext
from iscore.web.pages.pictures import HEADERS

ICON = "/icon/"
"""How the paths of single icons begin."""
FOR_OTHERS = {**HEADERS, "cache-control": CACHE_FOREVER, "cross-origin-resource-policy": "cross-origin"}
SIZE = 16
"""Of an icon in a page, in pixels of its style."""


class IconRoutes:
    """The routes of icons. ``SessionMiddleware`` has checked that somebody is signed in, but for ``icon``."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def style(self, request: Request) -> Response:
        """The style of the user's icons; 404 for a former set."""
        return await self._app.threads.page(self._style, request.path_params["name"])

    async def sheet(self, request: Request) -> Response:
        """A sheet of the user's icons."""
        return await self._app.threads.page(self._sheet, request.path_params["name"], request.path_params["number"])

    async def icon(self, request: Request) -> Response:
        """One icon, for anybody who knows its address."""
        return _picture(await self._app.threads.session(self._app.icon, request.path_params["key"]), FOR_OTHERS)

    def _style(self, name: str) -> Response:
        icons = self._app.news.icons
        if name != icons.name():
            return _none()
        return Response(style(name, list(icons.keys())), media_type="text/css", headers=HEADERS)

    def _sheet(self, name: str, number: int) -> Response:
        icons = self._app.news.icons
        return _picture(icons.sheet(number) if name == icons.name() else b"", HEADERS)


def style(name: str, feeds: Sequence[int]) -> str:
    """Return the rules for the icons of some feeds, in the order of the sheets.

    >>> style("1f", [7])
    '.i7{background:url(1f-0.png) 0 0/16px no-repeat}.i7::before{content:none}'
    """
    rules = []
    for start in range(0, len(feeds), ON_A_SHEET):
        on_it = feeds[start : start + ON_A_SHEET]
        rules.append(",".join(f".i{feed}" for feed in on_it))
        rules.append(f"{{background:url({name}-{start // ON_A_SHEET}.png) 0 0/{SIZE}px no-repeat}}")
        rules.append(",".join(f".i{feed}::before" for feed in on_it) + "{content:none}")
        rules += [f".i{feed}{{background-position-y:-{SIZE * at}px}}" for at, feed in enumerate(on_it) if at]
    return "".join(rules)


def _picture(data: bytes, headers: dict[str, str]) -> Response:
    return Response(data, media_type="image/png", headers=headers) if data else _none()


def _none() -> Response:
    return PlainTextResponse("Not found\n", 404)
