"""Pulls what is new from another reader server: items with their contents, and what the user has set there.

    numbers of items (recent, unread, starred, with our labels) ─► new, or set differently? ─► items ─► articles

Contents are taken in batches, each stored in one transaction. Only an item itself says what is set on it: FreshRSS
answers with everything when it is asked for a label that was just deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from iscore.core.timings import Progress
from iscore.feeds.archive import mark_archive
from iscore.feeds.errors import FeedError
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.remote import answers
from iscore.feeds.remote.answers import DISLIKES, LIKES, READ, READING_LIST, STARRED, FoundItem
from iscore.feeds.remote.client import CONTENTS, ReaderClient
from storage.exchange import connections, remote_items
from storage.opening.database import ARRIVALS, Database
from storage.records.articles import NewArticle
from storage.records.connections import Connection, ReaderKind, RemoteFeed, RemoteItem
from storage.stream import articles, feeds

OVERLAP = timedelta(hours=1)
"""Numbers are asked for from so long before the newest item."""
OVERLAP_PUBLISHED = timedelta(days=7)
"""The same for Miniflux, which goes by publication; older articles are archive when they arrive."""
MOST_NEW = 5000
"""New items that one synchronisation takes, the oldest first; the next one goes on."""
MOST_HISTORY = 1000
"""Stars and likes from before the connection whose articles are imported, the newest."""


@dataclass
class Pulled:
    """What was found there."""

    found: dict[int, FoundItem] = field(default_factory=dict)
    """New items, and those whose stars or labels differ from those seen last; without their contents."""
    gone: set[int] = field(default_factory=set)
    """Starred or labelled when they were seen last, and not there any more."""
    unread: frozenset[int] = frozenset()
    history: list[FoundItem] = field(default_factory=list)
    """Starred or liked before the connection, to be imported."""
    newest: datetime | None = None
    """Arrival of the newest item, by the other server's clock."""
    added: int = 0
    """Articles that were stored."""
    note: str = ""
    """What was left out, and why; empty if nothing was."""


@dataclass(frozen=True, slots=True)
class _Lists:
    """Numbers of items there."""

    recent: list[int]
    unread: list[int]
    starred: list[int]
    liked: list[int]
    disliked: list[int]

    @property
    def marked(self) -> dict[int, tuple[bool, bool, bool]]:
        """Whether each item that is starred, liked or disliked is so."""
        sets = set(self.starred), set(self.liked), set(self.disliked)
        every = dict.fromkeys((*self.starred, *self.liked, *self.disliked))
        return {item: (item in sets[0], item in sets[1], item in sets[2]) for item in every}


class Pull:
    """One synchronisation's reading part. Stores feeds, articles and items; learns nothing."""

    def __init__(
        self,
        database: Database,
        connection: Connection,
        client: ReaderClient,
        pool: ParserPool,
        clock: Callable[[], datetime],
        *,
        period: timedelta,
        most_feeds: int | None,
        progress: Progress | None,
    ) -> None:
        """``period`` is how long articles are news; ``most_feeds``, how many feeds the user may follow in all."""
        self._database = database
        self._connection = connection
        self._client = client
        self._pool = pool
        self._clock = clock
        self._period = period
        self._most_feeds = most_feeds
        self._left_out: set[str] = set()
        self._progress = progress or (lambda _done, _total, _what: None)

    async def run(self) -> Pulled:
        """Pull. Raises ``ReaderServerError``, ``StorageError``; what was stored until then stays."""
        user = self._connection.user_id
        self._progress(0, 0, "asking the other server")
        there = await self._client.feeds()
        followed = self._allowed(there)
        with self._database.write(user) as tx:
            numbers = connections.follow(tx, self._connection, followed)
        folders = {folder.casefold() for each in there for folder in each.folders}
        lists = await self._lists(folders)
        with self._database.read() as tx:
            before = remote_items.with_verdicts(tx, user)
            known = remote_items.get(tx, user, list({*lists.recent, *lists.marked}))
        marked = lists.marked
        changed = [item for item, flags in marked.items() if item not in known or _flags(known[item]) != flags]
        changed += [item for item in before if item not in marked]
        new = [item for item in lists.recent if item not in known]
        waiting = set(new[:-MOST_NEW])  # the newest come first
        new = new[len(waiting) :]
        # Else the next synchronisation would begin with the newest item that was changed.
        changed = [item for item in changed if item not in waiting]
        note = self._note(len(waiting))
        pulled = Pulled(unread=frozenset(lists.unread), newest=self._connection.newest, note=note)
        old = set()
        if self._connection.synced is None:
            old = set(changed).difference(lists.recent)
            asked = [item for item in changed if item in old][:MOST_HISTORY]
            changed = [*asked, *(item for item in changed if item not in old)]
        wanted = list(dict.fromkeys([*new, *changed]))
        for start in range(0, len(wanted), CONTENTS):
            self._progress(start, len(wanted), "fetching items")
            batch = wanted[start : start + CONTENTS]
            found = await self._client.items(batch, folders)
            pulled.gone |= set(batch).difference(each.item for each in found) & before.keys()
            pulled.history += [each for each in found if each.item in old and not each.disliked]
            await self._store([each for each in found if each.item not in old or each.disliked], numbers, pulled)
        if self._connection.synced is None:
            rest = [RemoteItem(item, None, *marked[item], read=True) for item in old if item not in wanted]
            with self._database.write(user) as tx:
                remote_items.add(tx, user, rest)
        return pulled

    def _allowed(self, there: list[RemoteFeed]) -> list[RemoteFeed]:
        """Return the feeds that the user may follow besides those of feeds.yaml, the first ones."""
        if self._most_feeds is None:
            return there
        user = self._connection.user_id
        with self._database.read() as tx:
            rest = max(self._most_feeds - feeds.count_listed(tx, [user]).get(user, 0), 0)
        self._left_out = {each.stream for each in there[rest:]}
        return there[:rest]

    def _note(self, waiting: int) -> str:
        notes = []
        if self._left_out:
            notes.append(
                f"feeds there that are not followed: {len(self._left_out):,}, since you can follow "
                f"{self._most_feeds:,} on this server"
            )
        if waiting:
            notes.append(f"new articles that come with the next synchronisations: {waiting:,}")
        return "; ".join(notes)

    async def _lists(self, folders: set[str]) -> _Lists:
        newest, now = self._connection.newest, self._clock()
        overlap = OVERLAP_PUBLISHED if self._connection.kind is ReaderKind.MINIFLUX else OVERLAP
        since = newest - overlap if newest else now - self._period
        # Twice: an article that came with the first synchronisation had arrived there up to a period before.
        unread_since = (newest or now) - 2 * self._period
        recent = await self._client.numbers(READING_LIST, since=since)
        unread = await self._client.numbers(READING_LIST, since=unread_since, without=READ)
        starred = await self._client.numbers(STARRED)
        liked, disliked = [], []
        if self._connection.kind is not ReaderKind.MINIFLUX:
            for name in await self._client.labels():
                if name.casefold() in folders:
                    continue
                if name.casefold() in LIKES:
                    liked += await self._client.label(name)
                elif name.casefold() in DISLIKES:
                    disliked += await self._client.label(name)
        return _Lists(recent, unread, starred, liked, disliked)

    async def _store(self, found: Sequence[FoundItem], numbers: dict[str, int], pulled: Pulled) -> None:
        """Store new items with their articles, as if nothing were set on them: that is learned later."""
        user, now = self._connection.user_id, self._clock()
        arrivals = [each.arrived for each in found if each.arrived is not None]
        pulled.newest = max([*arrivals, *([pulled.newest] if pulled.newest else [])], default=None)
        pulled.found |= {each.item: replace(each, markup="", files=()) for each in found}
        with self._database.read() as tx:
            known = remote_items.get(tx, user, [each.item for each in found])
        by_feed: dict[str, list[FoundItem]] = {}
        for each in found:
            if each.item not in known:
                by_feed.setdefault(each.stream, []).append(each)
        unwanted = [each.item for stream in self._left_out for each in by_feed.pop(stream, [])]
        parsed = [
            (stream, await self._parsed(items, now, first_time=self._connection.synced is None))
            for stream, items in by_feed.items()
        ]
        # What is older than the list of unread items is not known to be unread.
        unknown_before = (pulled.newest or now) - self._period
        with self._database.write(ARRIVALS) as tx:
            addresses = connections.feed_addresses(tx, user)
            remote_items.add(tx, user, [RemoteItem(item, None, read=True) for item in unwanted])  # not asked for again
            for stream, entries in parsed:
                number = numbers.get(stream)
                if number is None or number not in addresses:
                    continue  # of a feed that is not followed any more
                pulled.added += articles.store(tx, number, addresses[number], entries, now).added
                seqs = articles.seqs_by_key(tx, number, [each.key for each in entries])
                items = {f"id:{each.item}": each for each in by_feed[stream]}
                remote_items.add(
                    tx,
                    user,
                    [
                        RemoteItem(items[key].item, seq, read=_first_seen(items[key]) < unknown_before)
                        for key, seq in seqs.items()
                    ],
                )

    async def _parsed(self, items: Sequence[FoundItem], now: datetime, *, first_time: bool) -> tuple[NewArticle, ...]:
        """Make articles of the items of one feed, in a process for documents of strangers; none if that fails."""
        job = FeedJob(answers.json_feed(items), items[0].feed_site, "application/feed+json", now)
        try:
            feed = await self._pool.parse(job)
        except FeedError:
            if len(items) == 1:
                return ()
            halves = items[: len(items) // 2], items[len(items) // 2 :]
            parts = [await self._parsed(half, now, first_time=first_time) for half in halves]
            return tuple(entry for part in parts for entry in part)
        return mark_archive(feed.entries, now, first_fetch=first_time)


def sign_in(client: ReaderClient, name: str, password: str) -> list[RemoteFeed]:
    """Sign in, and return the feeds that are followed there: the proof that it works. Raises ``ReaderServerError``."""

    async def tried() -> list[RemoteFeed]:
        async with client:
            await client.sign_in(name, password)
            return await client.feeds()

    return asyncio.run(tried())


def _flags(item: RemoteItem) -> tuple[bool, bool, bool]:
    return item.starred, item.liked, item.disliked


def _first_seen(item: FoundItem) -> datetime:
    """Return when an item appeared at the latest: servers list by arrival or by publication."""
    times = [each for each in (item.arrived, item.published) if each is not None]
    return min(times, default=datetime.max.replace(tzinfo=UTC))
