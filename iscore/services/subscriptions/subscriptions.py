"""The user's subscriptions: add, remove, import, export, and the state of each feed; and how many they may have.

``feeds.yaml`` is the truth; the database's list is updated from it when needed. On a server of several people there is
a quota of feeds for each reader. Admins have no quota, nor has somebody who is alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from iscore.core.timings import Progress
from iscore.core.translation import gettext, grouped, ngettext
from iscore.feeds.errors import OpmlError, SubscriptionsError, UnknownFeedError
from iscore.feeds.subscriptions.health import RATE_WINDOW, moved_address
from iscore.feeds.urls import has_no_scheme, typed_url, url_key, without_password
from iscore.services.session.documents import EditedText
from iscore.services.session.user_session import UserSession
from iscore.services.views.feeds import (
    AddedFeed,
    AddedFeeds,
    ExportedFeeds,
    FeedChoice,
    FeedStatistics,
    FeedView,
    FoundFeed,
    ImportedFeeds,
    RefusedFeed,
)
from iscore.services.views.view_builders import feed_view
from storage.log import history
from storage.opening.database import ARRIVALS
from storage.people import users
from storage.records.feeds import FeedOverview, Subscription
from storage.records.users import Role
from storage.stories import feed_statistics
from storage.stream import feed_names, hubs
from storage.stream import feeds as stored_feeds

if TYPE_CHECKING:
    from datetime import datetime

    from iscore.feeds.discovery import DiscoveryResult


class FeedQuota:
    """The quota of one user, by the settings ``reader_feeds`` and ``reader_interval``."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context

    def most(self) -> int | None:
        """Return how many feeds the user may follow; None: any number. Raises ``ConfigError``."""
        with self._database.read() as tx:
            role = users.get(tx, self._context.user_id).role
        return None if role is Role.ADMIN else self._context.settings.reader_feeds

    def require(self, wanted: int) -> None:
        """Raise ``SubscriptionsError`` if the user may not follow this many feeds."""
        most = self.most()
        if most is not None and wanted > most:
            message = gettext("you can follow %(most)s feeds on this server; remove some first", most=grouped(most))
            raise SubscriptionsError(self._context.feeds, message)

    def applied(self, wanted: Sequence[Subscription]) -> tuple[Sequence[Subscription], tuple[str, ...]]:
        """Return the subscriptions that the user may have, the first ones, and a warning if some are left out.

        Intervals that are too short count as the shortest.
        """
        most = self.most()
        if most is None:
            return wanted, ()
        shortest = self._context.settings.reader_interval
        allowed = [
            each if each.interval is None else replace(each, interval=max(each.interval, shortest))
            for each in wanted[:most]
        ]
        if len(wanted) <= most:
            return allowed, ()
        warning = ngettext(
            "%(count)s feed at the end of your list is not followed: you can follow %(most)s on this server",
            "%(count)s feeds at the end of your list are not followed: you can follow %(most)s on this server",
            len(wanted) - most,
            most=grouped(most),
        )
        return allowed, (warning,)


IMPORT_STEPS = ("reading the list", "writing feeds.yaml", "following")


class Subscriptions:
    """One user's subscriptions."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._quota = session.service(FeedQuota)
        self._file = session.context.feeds

    @property
    def text(self) -> EditedText:
        """The text of feeds.yaml, to be edited."""
        from iscore.feeds.subscriptions.feeds_yaml import parse

        return EditedText(self._file, lambda text: parse(text, self._file), self.follow)

    def add(
        self,
        urls: Sequence[str],
        *,
        discover: bool = True,
        progress: Progress | None = None,
        seconds: float | None = None,
    ) -> AddedFeeds:
        """Follow feeds, given by their own address or by that of a page that has one, with or without ``https://``.

        What does not answer, or not within ``seconds`` for all together, is refused like what has no feed. Without
        ``discover`` nothing is asked for, and every address is followed as it is. Raises ``UrlError`` and
        ``SubscriptionsError`` with nothing changed.
        """
        from iscore.feeds.subscriptions import editing
        from iscore.services.subscriptions.feed_discovery import discovered

        checked = {typed_url(url): has_no_scheme(url) for url in urls}
        before = [feed.url for feed in editing.load(self._file)]
        known = {*map(url_key, before)}
        strangers = {url: guessed for url, guessed in checked.items() if url_key(url) not in known}
        if strangers:
            self._quota.require(len(known) + len(strangers))
        if not discover or not strangers:
            added = editing.add(self._file, [*checked])
            self.follow()
            shown = tuple(map(without_password, added))
            return AddedFeeds(shown, len(urls) - len(added), feeds=tuple(AddedFeed(url, "", None) for url in shown))
        wanted: dict[str, AddedFeed] = {}
        choices: list[FeedChoice] = []
        refused: list[RefusedFeed] = []
        unseen: list[RefusedFeed] = []
        found_now = discovered(strangers, self._context, progress, seconds)
        for url, found in zip(strangers, found_now, strict=True):
            if len(found.feeds) > 1:
                named = tuple(FoundFeed(without_password(feed.url), feed.title) for feed in found.feeds)
                choices.append(FeedChoice(without_password(url), named))
            elif found.feeds:
                (feed,) = found.feeds
                wanted[feed.url] = AddedFeed(without_password(feed.url), feed.title, feed.articles)
            else:
                refused.append(RefusedFeed(without_password(url), found.problem))
                if not found.looked:
                    unseen.append(refused[-1])
        new = editing.add(self._file, [*wanted])
        self.follow()
        if self._database.writable:
            with self._database.write(ARRIVALS) as tx:
                stored_feeds.set_first_titles(tx, {url: wanted[url].title for url in new})
        followed = tuple(wanted[url] for url in new)
        rest = len(urls) - len(followed) - len(choices) - len(refused)
        shown, there = tuple(feed.url for feed in followed), tuple(wanted[url].url for url in wanted if url not in new)
        return AddedFeeds(shown, rest, tuple(choices), tuple(refused), tuple(unseen), followed, there)

    def discover(self, url: str, *, seconds: float | None = None) -> DiscoveryResult:
        """Look for the feeds of an address within ``seconds``, and follow none. Raises ``UrlError``."""
        from iscore.services.subscriptions.feed_discovery import discovered

        return discovered({typed_url(url): has_no_scheme(url)}, self._context, None, seconds)[0]

    def remove(self, urls: Sequence[str]) -> list[str]:
        """Follow feeds no longer; return those that were followed. Their articles stay."""
        from iscore.feeds.subscriptions import editing

        removed = editing.remove(self._file, urls)
        self.follow()
        return [without_password(url) for url in removed]

    def starter_packs(self) -> dict[str, tuple[Subscription, ...]]:
        """Return the feeds of a new data folder by their first tag."""
        from iscore.core.data_folder import default_feeds
        from iscore.feeds.subscriptions import editing

        packs: dict[str, tuple[Subscription, ...]] = {}
        for feed in editing.load(default_feeds()):
            packs[feed.tags[0]] = (*packs.get(feed.tags[0], ()), feed)
        return packs

    def follow_packs(self, names: Collection[str], unwanted: Collection[str] = ()) -> int:
        """Follow feeds of some packs, of others no longer; return how many are new. Raises ``SubscriptionsError``."""
        from iscore.feeds.subscriptions import editing

        packs = self.starter_packs().items()
        editing.remove(self._file, [feed.url for name, feeds in packs if name in unwanted for feed in feeds])
        wanted = [feed for name, feeds in packs if name in names for feed in feeds]
        self._quota.require(len({url_key(feed.url) for feed in (*editing.load(self._file), *wanted)}))
        added = editing.add_all(self._file, wanted)
        self.follow()
        return len(added)

    def subscription(self, number: int) -> Subscription:
        """Return the subscription to a feed, as feeds.yaml has it: with passwords. Raises ``UnknownFeedError``."""
        return self._overview(number).subscription

    def change(self, number: int, changed: Callable[[Subscription], Subscription]) -> Subscription:
        """Replace the subscription to a feed by what ``changed`` makes of it; return it as it was.

        Raises ``UnknownFeedError``, and ``SubscriptionsError`` with nothing changed.
        """
        from iscore.feeds.subscriptions import editing

        before = editing.change(self._file, self._overview(number).subscription.url, changed)
        if before is None:
            raise UnknownFeedError
        self.follow()
        return before

    def rename_folder(self, old: str, new: str = "") -> int:
        """Give a folder, found in any case, another name, or with an empty one take it from its feeds.

        Returns how many feeds were in it. Raises ``SubscriptionsError`` with nothing changed.
        """
        from iscore.feeds.subscriptions import editing

        def renamed(mine: Subscription) -> Subscription:
            tags = (new if tag.casefold() == old.casefold() else tag for tag in mine.tags)
            return replace(mine, tags=tuple(dict.fromkeys(filter(None, tags))))

        changed = editing.change_each(self._file, renamed)
        self.follow()
        return changed

    def follow_new_address(self, number: int) -> Subscription:
        """Follow a feed at the address that it has moved to; return the subscription as it was.

        Raises as ``change`` does.
        """
        feed = self._overview(number).feed
        return self.change(number, lambda mine: replace(mine, url=moved_address(mine, feed) or mine.url))

    def unfollow(self, number: int) -> Subscription:
        """Follow a feed no longer; return the subscription as it was, which ``restore`` takes.

        Raises ``UnknownFeedError``, ``SubscriptionsError``.
        """
        from iscore.feeds.subscriptions import editing

        mine = self._overview(number).subscription
        editing.remove(self._file, [mine.url])
        self.follow()
        return mine

    def restore(self, mine: Subscription) -> None:
        """Follow a feed again as it was followed. Raises ``SubscriptionsError``."""
        from iscore.feeds.subscriptions import editing

        self._quota.require(len({url_key(feed.url) for feed in (*editing.load(self._file), mine)}))
        editing.add_all(self._file, [mine])
        self.follow()

    def _overview(self, number: int) -> FeedOverview:
        with self._database.read() as tx:
            followed = stored_feeds.overview(tx, self._context.user_id)
        found = next((each for each in followed if each.feed.id == number), None)
        if found is None:
            raise UnknownFeedError
        return found

    def import_opml(self, source: str, *, progress: Progress | None = None) -> ImportedFeeds:
        """Follow what another reader's list names, a file or ``-`` for standard input. See ``import_list``."""
        from iscore.feeds.subscriptions.opml import read_source

        if progress is not None:
            progress(0, len(IMPORT_STEPS), IMPORT_STEPS[0])
        try:
            return self.import_list(read_source(source), progress=progress)
        except OpmlError as error:
            raise error.in_file(source if source != "-" else "standard input") from error

    def import_list(self, document: bytes, *, progress: Progress | None = None) -> ImportedFeeds:
        """Follow what an OPML document names.

        What is followed already stays as it is. The list of subscriptions changes at once, or not at all. Raises
        ``OpmlError``, ``SubscriptionsError`` and ``OSError`` with nothing changed.
        """
        from iscore.feeds.subscriptions import editing
        from iscore.feeds.subscriptions.opml import MAX_FEEDS, read_opml

        def begin(step: int) -> None:
            if progress is not None:
                progress(step, len(IMPORT_STEPS), IMPORT_STEPS[step])

        found = read_opml(document)
        begin(1)
        before = editing.load(self._file)
        added = editing.add_all(self._file, found.feeds, most=min(self._quota.most() or MAX_FEEDS, MAX_FEEDS))
        begin(2)
        self.follow([*before, *added])
        known = {url_key(feed.url) for feed in before}
        there = sum(url_key(feed.url) in known for feed in found.feeds)
        return ImportedFeeds(
            tuple(without_password(feed.url) for feed in added),
            there,
            tuple(RefusedFeed(url, reason) for url, reason in found.refused),
            found.more_refused,
            found.left_out + len(found.feeds) - len(added) - there,
        )

    def export_opml(self, *, with_passwords: bool = False) -> ExportedFeeds:
        """Write what is followed as other readers understand it; user names and passwords only if asked for."""
        from iscore.feeds.subscriptions.editing import load
        from iscore.feeds.subscriptions.opml import write_opml

        followed = load(self._file)
        public = [feed if with_passwords else replace(feed, url=without_password(feed.url)) for feed in followed]
        self.follow()
        with self._database.read() as tx:
            stored = {each.subscription.url: each.feed for each in stored_feeds.overview(tx, self._context.user_id)}
        known = {
            mine.url: stored[theirs.url] for mine, theirs in zip(public, followed, strict=True) if theirs.url in stored
        }
        opml = write_opml(public, known)
        without = sum(mine.url != theirs.url for mine, theirs in zip(followed, public, strict=True))
        return ExportedFeeds(opml, len(followed), without)

    def feeds(self) -> list[FeedView]:
        """List the subscriptions in the order of feeds.yaml, each with how its feed is doing."""
        self.follow()
        return [*self.known().values()]

    def statistics(self) -> list[FeedStatistics]:
        """Return what each feed delivered and the user's verdicts on it, in the order of feeds.yaml."""
        from iscore.core.statistics import hint
        from storage.records.users import FeedVerdicts

        followed = self.feeds()
        user = self._context.user_id
        with self._database.read() as tx:
            verdict_counts = feed_statistics.verdict_counts(tx, user)
            tally = history.tally(tx, user)
            numbers = [each.feed.id for each in stored_feeds.overview(tx, user)]
        rows = []
        for feed, number in zip(followed, numbers, strict=True):
            here = verdict_counts.get(number, FeedVerdicts())
            verdicts, all_verdicts = here.likes + here.dislikes, tally.likes + tally.dislikes
            share = here.likes / verdicts if verdicts else None
            advice = hint(here.likes, verdicts, tally.likes - here.likes, all_verdicts - verdicts)
            counts = (feed.articles, here.recommended, here.likes, here.dislikes, here.skips)
            rows.append(FeedStatistics(feed.url, feed.title, *counts, share, advice, feed.name))
        return rows

    def follow(self, known: Sequence[Subscription] | None = None) -> tuple[str, ...]:
        """Update the database's list of subscriptions from feeds.yaml, if it can be written; return its warnings.

        Of a user's feeds at most as many are followed as the server allows. Raises ``SubscriptionsError``.
        ``known`` are its subscriptions if they have been read already: long lists take seconds.
        """
        from iscore.feeds.subscriptions.feeds_yaml import read

        warnings: tuple[str, ...] = ()
        if known is None:
            file = read(self._file)
            known, warnings = file.distinct, file.warnings()
        known, refused = self._quota.applied(known)
        if self._database.writable:
            self._subscribe(known)
        return (*warnings, *refused)

    def _subscribe(self, wishes: Sequence[Subscription]) -> None:
        """Write the list only if it has changed: pages and polls ask. Only new feeds concern other users."""
        user = self._context.user_id
        with self._database.read() as tx:
            if stored_feeds.are_followed(tx, user, wishes):
                return
            concerned = user if stored_feeds.are_known(tx, user, wishes) else None
        with self._database.write(concerned) as tx:
            stored_feeds.subscribe(tx, user, wishes)

    def is_due(self) -> bool:
        """Whether a poll would ask a feed. It goes by the database's list, which the last poll made."""
        with self._database.read() as tx:
            return stored_feeds.any_due(tx, self._context.clock())

    def next_due(self) -> datetime | None:
        """Return when the first feed is due, now at the earliest; None without subscriptions. From the same list."""
        with self._database.read() as tx:
            return stored_feeds.next_due(tx, self._context.clock())

    def known(self) -> dict[int, FeedView]:
        """Show the subscriptions that the database knows, by number of feed, in their order."""
        now, user = self._context.clock(), self._context.user_id
        with self._database.read() as tx:
            followed = stored_feeds.overview(tx, user)
            arrived = feed_statistics.arrivals(tx, user, now - RATE_WINDOW)
            pushed = hubs.of_feeds(tx, [each.feed.id for each in followed])
            names = feed_names.followed(tx, user)
        others = {url_key(each.subscription.url) for each in followed}
        return {
            feed: feed_view(each, names[feed].shown, arrived.get(feed), others, now, pushed.get(feed))
            for feed, each in ((each.feed.id, each) for each in followed)
        }
