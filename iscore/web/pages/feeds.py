"""The pages of feeds: how each is doing; list, add, import, change, remove, export."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.sanitizing import line
from iscore.core.translation import ended, gettext, gettext_noop, ngettext
from iscore.feeds.errors import OpmlError, SubscriptionsError, UnknownFeedError, UrlError
from iscore.feeds.parsing.html_to_text import feed_name
from iscore.feeds.subscriptions.health import IN_TROUBLE, LOST, ORDER, State
from iscore.feeds.urls import without_password
from iscore.presentation.wording.quantities import hub_text
from iscore.presentation.wording.stored_errors import feed_error_text
from iscore.presentation.wording.times import ago
from iscore.services.views.feeds import AddedFeeds, FeedView, ImportedFeeds
from iscore.services.views.rules import RemovedFeed, RemovedRule
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.threads import FETCH_SECONDS, MOST_AT_ONCE
from storage.records.feeds import Priority, Subscription

UPLOAD_PATHS = ("/feeds/import",)
"""Paths of forms with a file."""
NOT_YOURS = gettext_noop("You do not follow this feed.")
MOST_FOLDERS = 20
"""Folders of one feed that the form takes."""
PRIORITIES = (
    (Priority.ALWAYS, gettext_noop("Always show"), gettext_noop("Everything of this feed, whatever its score.")),
    (Priority.FILTERED, gettext_noop("Filtered"), gettext_noop("What you would probably like.")),
    (Priority.BEST, gettext_noop("Only the best"), gettext_noop("Only what scores clearly above the threshold.")),
)
"""Each with its name and what it means, as messages."""


class FeedRoutes:
    """The pages of feeds."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def feeds(self, request: Request) -> Response:
        """List the feeds."""
        return await self._app.threads.page(self._list, request)

    async def feed(self, request: Request) -> Response:
        """One feed, to be changed."""
        return await self._app.threads.page(self._feed, request)

    async def export(self, request: Request) -> Response:
        """The list as OPML."""
        return await self._app.threads.file(self._export, request)

    async def add(self, request: Request) -> Response:
        """Follow what the form names, or undo a removal."""
        form = visit_of(request).form
        if form.get("action") == "undo":
            return await self._app.threads.page(self._undo, request)
        # Only the look at an address asks other servers.
        run = self._app.threads.fetch if form.get("action") == "add" else self._app.threads.page
        return await run(self._add, request)

    async def import_(self, request: Request) -> Response:
        """Follow the feeds of an OPML file."""
        return await self._app.threads.file(self._import, request)

    async def change(self, request: Request) -> Response:
        """Change a feed, or follow it no longer."""
        return await self._app.threads.page(self._change, request)

    def _views(self) -> tuple[dict[int, FeedView], str]:
        """Return the feeds by number, and what is wrong with feeds.yaml."""
        subscriptions, problem = self._app.news.subscriptions, ""
        try:
            subscriptions.follow()
        except SubscriptionsError as error:
            problem = str(error)
        return subscriptions.known(), problem

    def _list(self, request: Request, outcome: Outcome | None = None, error: str = "", status: int = 200) -> Response:
        views, problem = self._views()
        now, navigation = self._app.clock(), self._app.news.reader.navigation()
        links = (*navigation.feeds, *(each for folder in navigation.folders for each in folder.feeds))
        unread = {link.number: link.unread for link in links}
        urls = [view.url for view in views.values()]
        feeds = {number: feed(number, view, unread.get(number, 0), urls, now) for number, view in views.items()}
        troubled = in_trouble(views)
        key = request.query_params.get("undo", "")
        return page(
            "feeds.html",
            request,
            status=status,
            menu=self._app.menu("/feeds"),
            path="/feeds",
            headline=headline(len(feeds), len(troubled)),
            troubled=[feeds[number] for number in troubled],
            folders=folders(list(feeds.values())),
            outcome=outcome,
            error=error or problem,
            done=removed(self._app.news.removals.get(key)) if key else "",
            undo=key,
        )

    def _feed(self, request: Request, error: str = "", status: int = 200) -> Response:
        views, problem = self._views()
        number = _number(request)
        if number not in views:
            return notice(request, 404, gettext(NOT_YOURS))
        mine = self._app.news.subscriptions.subscription(number)
        urls = [each.url for each in views.values()]
        return page(
            "feed.html",
            request,
            status=status,
            menu=self._app.menu("/feeds"),
            feed=feed(number, views[number], 0, urls, self._app.clock()),
            title=mine.title,
            priorities=PRIORITIES,
            known_folders=[each.name for each in self._app.news.reader.navigation().folders],
            error=error or problem,
        )

    def _add(self, request: Request) -> Response:
        form, subscriptions = visit_of(request).form, self._app.news.subscriptions
        chosen = [value for name, value in form.items() if name.startswith("feed-")]
        wanted = chosen or form.get("address", "").split()
        if not wanted or len(wanted) > MOST_AT_ONCE:
            return self._list(
                request, error=gettext("Write an address, or up to %(number)s.", number=MOST_AT_ONCE), status=400
            )
        try:
            found = subscriptions.add(wanted, discover=not chosen, seconds=FETCH_SECONDS)
        except (UrlError, SubscriptionsError) as error:
            return self._list(request, error=gettext("Nothing was added: %(error)s.", error=error), status=400)
        return self._list(request, added(found))

    def _import(self, request: Request) -> Response:
        document = visit_of(request).files.get("file", b"")
        if not document.strip():
            return self._list(
                request, error=gettext("Choose the OPML file that your other reader has exported."), status=400
            )
        try:
            found = self._app.news.subscriptions.import_list(document)
        except (OpmlError, SubscriptionsError) as error:
            return self._list(request, error=gettext("Nothing was added: %(error)s.", error=error), status=400)
        return self._list(request, imported(found))

    def _change(self, request: Request) -> Response:
        form, subscriptions, number = visit_of(request).form, self._app.news.subscriptions, _number(request)
        actions: dict[str, Callable[[], Subscription | str]] = {
            "save": lambda: subscriptions.change(number, lambda mine: changed(mine, form)),
            "pause": lambda: subscriptions.change(number, lambda mine: replace(mine, enabled=False)),
            "resume": lambda: subscriptions.change(number, lambda mine: replace(mine, enabled=True)),
            "move": lambda: subscriptions.follow_new_address(number),
            "remove": lambda: self._app.news.removals.remove_feed(number),
        }
        action = form.get("action", "")
        if action not in actions:
            return notice(request, 400, gettext("This is not a valid form."))
        try:
            done = actions[action]()
        except UnknownFeedError:
            return notice(request, 404, gettext(NOT_YOURS))
        except SubscriptionsError as error:
            return self._feed(request, gettext("Nothing was changed: %(error)s.", error=error), 400)
        if action == "remove":
            return RedirectResponse(f"/feeds?undo={done}", 303)
        return RedirectResponse(f"/feeds#feed-{number}", 303)

    def _undo(self, request: Request) -> Response:
        try:
            if not self._app.news.removals.undo(visit_of(request).form.get("undo", "")):
                return notice(
                    request, 404, gettext("This cannot be undone any more. Add the feed again by its address.")
                )
        except SubscriptionsError as error:
            return self._list(request, error=gettext("Nothing was changed: %(error)s.", error=error), status=400)
        return RedirectResponse("/feeds", 303)

    def _export(self, request: Request) -> Response:
        try:
            found = self._app.news.subscriptions.export_opml()
        except SubscriptionsError as error:
            return notice(request, 503, str(error))
        headers = {"content-disposition": 'attachment; filename="iscore-feeds.opml"'}
        return Response(found.opml, media_type="text/x-opml", headers=headers)


def _number(request: Request) -> int:
    """Return the number of a feed; 0 for what can be none."""
    text = request.path_params["number"]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


@dataclass(frozen=True, slots=True)
class Feed:
    """One feed."""

    number: int
    name: str
    url: str
    folders: tuple[str, ...]
    enabled: bool
    fulltext: bool
    priority: str
    unread: int
    last: str
    """When its newest article was published, and how often it has one."""
    health: str
    """What is wrong with it; empty if nothing is."""
    advice: str
    """What to do about that."""
    is_lost: bool
    """Whether it brings nothing any more, so that pausing it is suggested."""
    moved_to: str
    """The address to follow instead; empty if there is none, or it is followed already."""
    site: str
    """Where its new address may be found; empty unless it is lost."""
    hub: str
    """Whether a hub pushes it; empty if it is only polled."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A part of the list."""

    name: str
    """Empty for the feeds that are in no folder."""
    feeds: tuple[Feed, ...]


def feed(number: int, view: FeedView, unread: int, followed: Sequence[str], now: datetime) -> Feed:
    """Build one feed; ``followed`` are the addresses of all."""
    state = State(view.state)
    health, advice = _health(view, state, now)
    moved_to = view.moved_to if state is State.MOVED and view.moved_to not in followed else ""
    is_lost = state in (State.GONE, State.DEAD)
    return Feed(
        number=number,
        name=line(view.name),
        url=view.url,
        folders=view.tags,
        enabled=view.enabled,
        fulltext=view.fulltext,
        priority=view.priority,
        unread=unread,
        last=_last(view, now),
        health=health,
        advice=advice,
        is_lost=is_lost,
        moved_to=moved_to,
        site=view.site if is_lost else "",
        hub=hub_text(view.hub) if view.hub else "",
    )


def in_trouble(feeds: Mapping[int, FeedView]) -> list[int]:
    """Return the numbers of the feeds about which something can be done, the worst first."""
    found = [number for number, view in feeds.items() if view.state in LOST | IN_TROUBLE | {State.SILENT}]
    return sorted(found, key=lambda number: ORDER.index(State(feeds[number].state)))


def folders(feeds: Sequence[Feed]) -> tuple[Folder, ...]:
    """Return the list by folders, each feed in its first one; those in none come last."""
    found: dict[str, list[Feed]] = {}
    for each in sorted(feeds, key=lambda one: one.name.casefold()):
        found.setdefault(each.folders[0] if each.folders else "", []).append(each)
    names = sorted(found, key=lambda name: (not name, name.casefold()))
    return tuple(Folder(name, tuple(found[name])) for name in names)


def headline(feeds: int, troubled: int) -> str:
    """Return how many feeds there are, and how many need attention."""
    words = ngettext("%(count)s feed", "%(count)s feeds", feeds) if feeds else gettext("You follow no feeds yet.")
    to_look_at = ngettext("%(count)s to look at", "%(count)s to look at", troubled)
    return f"{words} · {to_look_at}" if troubled else words


def changed(mine: Subscription, form: Mapping[str, str]) -> Subscription:
    """Return a subscription as the form of its page wants it."""
    named = (line(each) for each in form.get("folders", "").split(","))
    return replace(
        mine,
        title=feed_name(form.get("title", "")),
        tags=tuple(dict.fromkeys(filter(None, named)))[:MOST_FOLDERS],
        fulltext="fulltext" in form,
        enabled="paused" not in form,
        priority=Priority(wanted) if (wanted := form.get("priority", "")) in list(Priority) else mine.priority,
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of feeds that were added."""

    words: str
    added: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    """What was refused, and why."""
    choices: tuple[tuple[str, str], ...] = ()
    """Feeds that a page offers, and addresses that did not answer: address and name."""


def added(view: AddedFeeds) -> Outcome:
    """Say what became of addresses that a user gave."""
    names = tuple(feed_name(each.title) or each.url for each in view.feeds)
    refused = tuple((each.url, feed_error_text(each.reason)) for each in view.refused)
    choices = tuple((each.url, line(each.title) or each.url) for choice in view.choices for each in choice.feeds)
    anyway = tuple((each.url, gettext("add it without an answer")) for each in view.unseen)
    parts = [ngettext("Added %(count)s feed.", "Added %(count)s feeds.", len(names)) if names else ""]
    if view.already_there:
        parts.append(
            ngettext(
                "You follow %(count)s feed of these already.",
                "You follow %(count)s feeds of these already.",
                view.already_there,
            )
        )
    parts += [gettext("This page has several feeds. Choose those that you want.") if choices else ""]
    parts += [gettext("Nothing was added.") if refused and not (names or choices) else ""]
    return Outcome(" ".join(filter(None, parts)), names, refused, (*choices, *anyway))


def imported(view: ImportedFeeds) -> Outcome:
    """Say what became of a list of feeds."""
    refused = len(view.refused) + view.more_refused
    numbers = (
        (len(view.added), ngettext("Added %(count)s feed.", "Added %(count)s feeds.", len(view.added))),
        (
            view.already_there,
            ngettext("%(count)s feed was there already.", "%(count)s feeds were there already.", view.already_there),
        ),
        (refused, ngettext("%(count)s feed was refused.", "%(count)s feeds were refused.", refused)),
        (
            view.left_out,
            ngettext("%(count)s feed more than the limit.", "%(count)s feeds more than the limit.", view.left_out),
        ),
    )
    parts = [words for place, (number, words) in enumerate(numbers) if number or not place]
    return Outcome(
        " ".join(parts), view.added, tuple((each.url, feed_error_text(each.reason)) for each in view.refused)
    )


def removed(view: RemovedFeed | RemovedRule | None) -> str:
    """Say which feed was removed; empty if it was none, or cannot be brought back any more."""
    if not isinstance(view, RemovedFeed):
        return ""
    return gettext("You no longer follow %(feed)s.", feed=view.name)


def _last(view: FeedView, now: datetime) -> str:
    if not view.articles:
        return gettext("no article yet")
    when = ago(view.newest, now) if view.newest else gettext("without a date")
    if view.per_week is None:
        return gettext("last article %(when)s", when=when)
    if view.per_week < 1:
        return gettext("last article %(when)s, seldom", when=when)
    return gettext("last article %(when)s, %(number)s a week", when=when, number=f"{view.per_week:.0f}")


def _health(view: FeedView, state: State, now: datetime) -> tuple[str, str]:
    """Return what is wrong with a feed, and what its user can do."""
    worked = gettext("It never worked.")
    if view.last_success:
        worked = gettext("It last worked %(when)s.", when=ago(view.last_success, now))
    error = ended(feed_error_text(line(view.error).rstrip(".")))
    newest = gettext("It has had no new article for a long time.")
    if view.newest:
        newest = gettext("Its newest article was published %(when)s.", when=ago(view.newest, now))
    tries = ngettext("%(count)s failure in a row.", "%(count)s failures in a row.", view.failures)
    words = {
        State.GONE: (gettext("Its publisher has removed it for good."), gettext("Pause or remove it.")),
        State.DEAD: (f"{error} {worked} {tries}", gettext("Look for its new address, pause it or remove it.")),
        State.FAILING: (f"{error} {worked}", gettext("iScore tries again by itself.")),
        State.MOVED: (
            gettext("It has moved to %(address)s.", address=without_password(view.moved_to)),
            gettext("Follow the new address."),
        ),
        State.SILENT: (newest, gettext("Pause it if it has ended.")),
        State.OFF: (gettext("Paused."), ""),
        State.NEW: (gettext("Not fetched yet."), gettext("iScore fetches it within a minute or two.")),
    }
    return words.get(state, ("", ""))
