"""What all pages share: the news filter behind them, the frame around them, the way a page is told off."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from iscore.core.clock import Clock
from iscore.presentation.html import render
from iscore.services.news_filter import NewsFilter
from iscore.web.assets import look
from iscore.web.background_worker import Study
from iscore.web.list_cache import Shelves
from iscore.web.security.credentials import Vault
from iscore.web.security.passwords import Guesses
from iscore.web.security.session_middleware import Visit


@dataclass(frozen=True)
class Room:
    """The parts that the pages are made of."""

    news: NewsFilter
    study: Study
    vault: Vault
    clock: Clock
    shelves: Shelves = field(default_factory=Shelves)
    guesses: Guesses = field(default_factory=Guesses)


def page(
    template: str,
    request: Request,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """Return a page in the common frame, with what its forms carry."""
    visit: Visit | None = getattr(request.state, "visit", None)
    frame = {
        "look": look(),
        "path": request.url.path,
        "token": visit.token if visit else "",
        "nonce": secrets.token_urlsafe(16),
        "signed_in": bool(visit and visit.session.signed_in),
        "open": bool(visit and (visit.session.signed_in or not visit.password)),
    }
    return HTMLResponse(render("iscore.web", template, **(frame | context)), status, headers)


def notice(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Return a page that says one thing: what is wrong."""
    return page("notice.html", request, status=status, headers=headers, status_code=status, sentence=sentence)


def visit_of(request: Request) -> Visit:
    """Return who asks; the doorkeeper has found out."""
    visit: Visit = request.state.visit
    return visit
