"""The state of the server, for admins; what was set aside can be tried again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore import __version__
from iscore.core.translation import gettext, gettext_noop, ngettext
from iscore.presentation.wording.stored_errors import feed_error_text
from iscore.presentation.wording.times import ago, clock_time
from iscore.services.insight.status import ServerOverview
from iscore.services.views.status import ServerView
from iscore.web.context import AppContext, notice, page, user_of, visit_of
from storage.records.server import HostState
from storage.records.users import Role
from storage.records.work import Task

ADMINS_ONLY = gettext_noop("Only admins see the state of this server.")
QUEUES = {
    "verdicts": gettext_noop("Learning verdicts"),
    "active": gettext_noop("Articles for people who are reading"),
    "poll": gettext_noop("Polling feeds"),
    "measure": gettext_noop("Analysing new articles"),
    "decide": gettext_noop("Deciding about new articles"),
    "digest": gettext_noop("Digests"),
    "mail": gettext_noop("Mails that are tried again"),
    "connect": gettext_noop("Other reader servers"),
    "icons": gettext_noop("Finding the icons of feeds"),
    "prune": gettext_noop("Deleting old data"),
}
"""What waits, in the order of the page."""
TASKS = {
    Task.POLL: gettext_noop("Polling the feeds of %(what)s"),
    Task.MEASURE: gettext_noop("Analysing new articles"),
    Task.DECIDE: gettext_noop("Deciding about articles for %(what)s"),
    Task.DIGEST: gettext_noop("The digest of %(what)s"),
    Task.CONNECT: gettext_noop("The other reader server of %(what)s"),
    Task.ICONS: gettext_noop("Finding the icons of feeds"),
    Task.PRUNE: gettext_noop("Deleting old data"),
}
LATE = timedelta(minutes=10)
"""What has been due for longer is late: feeds are collected for some minutes, workers look every few seconds."""
MOST_ROWS = 500
"""Hosts that are listed, and people."""


class ServerRoutes:
    """The page of the server's state."""

    def __init__(self, app: AppContext, overview: ServerOverview) -> None:
        self._app = app
        self._overview = overview

    async def server(self, request: Request) -> Response:
        """Show how the server is doing."""
        return await self._app.threads.page(self._page, request)

    async def try_again(self, request: Request) -> Response:
        """Let workers do again what was set aside."""
        return await self._app.threads.page(self._try_again, request)

    def _page(self, request: Request) -> Response:
        if user_of(request).role is not Role.ADMIN:
            return notice(request, 403, gettext(ADMINS_ONLY))
        shown = server_page(self._overview.view(), __version__, self._app.clock(), self._app.news.context.zone)
        people = self._app.news.people.list(MOST_ROWS)
        return page("server.html", request, state=shown, people=people, zone=self._app.news.context.zone)

    def _try_again(self, request: Request) -> Response:
        if user_of(request).role is not Role.ADMIN:
            return notice(request, 403, gettext(ADMINS_ONLY))
        form = visit_of(request).form
        try:
            self._overview.try_again(form.get("task", ""), form.get("key", ""))
        except ValueError:
            return notice(request, 400, gettext("This is not a valid form."))
        return RedirectResponse("/server", 303)


@dataclass(frozen=True, slots=True)
class Queue:
    """A kind of work that waits."""

    name: str
    waits: str
    """Since when the oldest is due."""
    late: bool


@dataclass(frozen=True, slots=True)
class Aside:
    """Work that was set aside."""

    task: str
    key: str
    name: str
    since: str
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """A host, or a feed, and how it is doing."""

    name: str
    state: str


@dataclass(frozen=True, slots=True)
class ServerPage:
    """What the page shows."""

    headline: str
    facts: tuple[tuple[str, str], ...]
    queues: tuple[Queue, ...]
    aside: tuple[Aside, ...]
    feeds: tuple[Row, ...]
    more_feeds: int
    """Broken feeds that are not listed."""
    hosts: tuple[Row, ...]
    more_hosts: int
    more_people: int


def server_page(view: ServerView, version: str, now: datetime, zone: tzinfo | None) -> ServerPage:
    """Build the page."""
    counts = view.counts
    megabytes = -(-view.size // 1_000_000)
    last = gettext("never") if counts.last_fetch is None else ago(counts.last_fetch, now)
    return ServerPage(
        headline=_headline(view),
        facts=(
            (gettext("Version"), version),
            (
                gettext("Database"),
                gettext("%(name)s, %(size)s MB", name=view.database, size=megabytes),
            ),
            (gettext("Articles"), str(counts.articles)),
            (gettext("Last fetch of a feed"), last),
        ),
        queues=_queues(view, now),
        aside=tuple(
            Aside(
                each.task,
                each.key,
                gettext(TASKS[each.task], what=each.user or each.key),
                ago(each.since, now),
                each.reason,
            )
            for each in view.set_aside
        ),
        feeds=tuple(
            Row(
                each.url,
                _joined(
                    feed_error_text(each.error),
                    ngettext("%(count)s failure in a row", "%(count)s failures in a row", each.failures)
                    if each.failures
                    else "",
                    gettext("last worked %(ago)s", ago=ago(each.last_success, now)) if each.last_success else "",
                ),
            )
            for each in view.broken
        ),
        more_feeds=max(counts.feeds_broken - len(view.broken), 0),
        hosts=tuple(Row(each.host, _host_state(each, now, zone)) for each in view.hosts[:MOST_ROWS]),
        more_hosts=max(len(view.hosts) - MOST_ROWS, 0),
        more_people=max(sum(counts.users.values()) - MOST_ROWS, 0),
    )


def _headline(view: ServerView) -> str:
    late = [name for name, seconds in view.counts.oldest_due.items() if seconds > LATE.total_seconds()]
    troubles = (
        ngettext("%(count)s piece of work set aside", "%(count)s pieces of work set aside", len(view.set_aside))
        if view.set_aside
        else "",
        gettext("work is late") if late else "",
        ngettext("%(count)s broken feed", "%(count)s broken feeds", view.counts.feeds_broken)
        if view.counts.feeds_broken
        else "",
    )
    return _joined(*troubles) or gettext("All is well.")


def _queues(view: ServerView, now: datetime) -> tuple[Queue, ...]:
    due = {name: timedelta(seconds=view.counts.oldest_due.get(name, 0.0)) for name in QUEUES}
    return tuple(
        Queue(gettext(QUEUES[name]), gettext("due %(ago)s", ago=ago(now - waited, now)), waited > LATE)
        for name, waited in due.items()
        if waited
    )


def _host_state(host: HostState, now: datetime, zone: tzinfo | None) -> str:
    return _joined(
        ngettext("%(count)s feed", "%(count)s feeds", host.feeds),
        gettext("%(number)s broken", number=host.broken) if host.broken else "",
        gettext("asked to be left alone until %(time)s", time=clock_time(host.paused_until, now, zone))
        if host.paused_until
        else "",
    )


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))
