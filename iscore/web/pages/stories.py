"""The page of a list of stories, which all lists share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from iscore.web.base_path import base_of
from iscore.web.context import AppContext, page, visit_of
from iscore.web.pages import reader_page
from iscore.web.pages.list_page import Section
from iscore.web.pages.reader_page import Address
from iscore.web.security.signed_addresses import SignedPictures

SHOWN = 40
"""Stories on a page of a list."""


def address_of(app: AppContext, request: Request) -> Address | None:
    """Return the list that a request names, shown as its user saw it last; None for any other address."""
    path = reader_page.path_as_linked(request.scope["path"])
    return reader_page.as_remembered(path, request.query_params, app.news.list_views.state(path))


def thumbnails(app: AppContext, request: Request, view: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the addresses of the thumbnails that a view shows, by the ids of stories."""
    if view == "headlines":
        return {}
    signed = SignedPictures(visit_of(request).secret, base_of(request))
    return app.news.contents.thumbnails(list(ids), lambda each: signed.address(each, "thumbnail"))


def stories_page(
    app: AppContext, request: Request, where: Address, sections: Sequence[Section], **shown: Any
) -> Response:
    """Render a list; what else the template needs is in ``shown``."""
    kinds: tuple[tuple[str, str, int, str, bool], ...] = ()
    if where.has_order:
        kinds = where.kinds(app.news.reader.kinds(reader_page.story_list(where).only))
    return page(
        "stories.html",
        request,
        menu=app.menu(where.path),
        path=where.path,
        where=where,
        sections=sections,
        kinds=kinds,
        total=sum(number for _, _, number, _, _ in kinds),
        thumbs=thumbnails(app, request, where.view, [each.id for part in sections for each in part.entries]),
        more=request.query_params.get("more", ""),
        **shown,
    )
