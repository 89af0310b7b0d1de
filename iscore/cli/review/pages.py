"""The pages of an article that have to be asked for: its text, and why it stands where it stands."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from iscore.cli.review.layout import body
from iscore.cli.review.session import Page

if TYPE_CHECKING:
    from rich.console import RenderableType

    from iscore.cli.review.controller import Desk
    from iscore.services.news_filter import NewsFilter


def page(desk: Desk, news: NewsFilter, now: datetime) -> list[RenderableType]:
    """Lay out the page that a session is at. Raises what ``NewsFilter`` raises."""
    from iscore.cli import show, why

    if desk.story is not None and desk.session.page is Page.TEXT:
        return show.article(news.show(desk.story.item.id), now)
    if desk.story is not None and desk.session.page is Page.WHY:
        return why.explanation(news.why(desk.story.item.id), now)
    return body(desk.session, desk.story, now)
