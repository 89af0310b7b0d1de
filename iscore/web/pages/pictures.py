"""Pictures of articles (GET), fetched by the server, so that browsers ask publishers for nothing.

An answer holds a raster picture and nothing that a browser could run: its type is that of its first bytes, and its own
policy forbids everything, for the case that somebody opens it as a page.
"""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.core.errors import IscoreError
from iscore.web.context import AppContext, visit_of
from iscore.web.security.signed_addresses import SignedPictures
from iscore.web.threads import Places

PICTURE_TIMEOUT = 30.0
"""Seconds that a browser waits: a fetch has half of it, and others may be before it."""
PICTURES = 4
"""That a user waits for at a time: fewer than are fetched at once for all."""
HEADERS = {
    "cache-control": "private, max-age=604800, immutable",
    "content-disposition": "inline",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


class PictureRoutes:
    """The route of pictures. ``SessionMiddleware`` has checked that somebody is signed in."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._places = Places(PICTURES)

    async def picture(self, request: Request) -> Response:
        """A picture of an article; 404 for every reason why there is none."""
        signature, article_id, name = (request.path_params[each] for each in ("signature", "article_id", "name"))
        if not SignedPictures(visit_of(request).secret).matches(signature, article_id, name):
            return _none()
        try:
            source = await self._app.threads.page(self._app.news.contents.picture, article_id, name)
            if source is None:
                return _none()
            async with asyncio.timeout(PICTURE_TIMEOUT), self._places.take():
                picture = await asyncio.wrap_future(self._app.pictures.get(source))
        except (IscoreError, TimeoutError):
            return _none()
        return Response(picture.data, media_type=picture.media_type, headers=HEADERS)


def _none() -> Response:
    return PlainTextResponse("Not found\n", 404)
