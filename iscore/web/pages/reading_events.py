"""What the script of a page reports that its user did while they read."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.core.translation import gettext
from iscore.services.learning.reading_events import SENT_BY_PAGES, Done, TooManyEventsError
from iscore.web.context import AppContext, notice, visit_of
from iscore.web.pages.verdicts import NONCE
from storage.records.reading_events import Act

MOST = 100
"""Lines of a report."""
_OTHERS = "|".join(act.value for act in SENT_BY_PAGES if act is not Act.READ)
_LINE = re.compile(rf"(?P<act>read(?= \S+ )|{_OTHERS}(?= \S+$)) (?P<article>\S{{1,64}})(?: (?P<seconds>[0-9]{{1,6}}))?")


class ReadingEventRoutes:
    """The route for reports."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def report(self, request: Request) -> Response:
        """Record a report, if the user lets the filter learn from it."""
        return await self._app.threads.verdict(self._report, request)

    def _report(self, request: Request) -> Response:
        form = visit_of(request).form
        visit, done = form.get("visit", ""), parsed(form.get("done", ""))
        if done is None or not NONCE.fullmatch(visit):
            return notice(request, 400, gettext("This is not a valid report."))
        try:
            self._app.news.reading_events.record(visit, done)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist any more; nothing was recorded."))
        except TooManyEventsError as error:
            return PlainTextResponse(f"{error}\n", 429)
        return Response(status_code=204)


def parsed(text: str) -> list[Done] | None:
    """Read a report: one act a line, its article, and for ``read`` the seconds. None if it is none.

    >>> [each.seconds for each in parsed("read k3f9a2x1 240\\npassed m1c8d2aa")]
    [240.0, 0.0]
    """
    found = [_LINE.fullmatch(line) for line in text.splitlines()]
    if not 0 < len(found) <= MOST or None in found:
        return None
    return [Done(Act(each["act"]), each["article"], float(each["seconds"] or 0)) for each in found if each]
