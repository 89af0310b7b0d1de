"""A person's digests: made once, kept as they were told, and the same ever after.

    deliveries, kept ─► of(day) ─┬─► kept: as it was told
                                 └─► not yet: candidates ─► choose ─► reasons ─► DigestView ─► deliveries, kept

What a digest delivers and what it says are written in one transaction, after all reckoning. A digest that delivers
nothing is not kept: asked again, it may have found something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from itertools import islice
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from iscore.core.clock import Clock
from iscore.core.errors import DigestError
from iscore.services.container import Composition
from iscore.services.view_builders import inbox_item, reading_minutes, story_source_views
from iscore.services.views.digests import DigestItem, DigestListView, DigestView
from storage import articles, decisions, deliveries, feed_statistics
from storage.database import Database
from storage.records import Candidate, Delivery, InboxRow, StorySource
from storage.transaction import Transaction

if TYPE_CHECKING:
    from iscore.filtering.pipeline import ReaderModel
    from iscore.services.digest_selection import Chosen
    from iscore.services.views.articles import StatusView

FEED_EDITIONS = 14
"""In a feed: a reader that is opened once in a fortnight misses nothing."""


class Digests:
    """One person's digests. ``learned`` and ``status`` are asked for only when a digest is made."""

    def __init__(
        self,
        database: Database,
        parts: Composition,
        clock: Clock,
        learned: Callable[[], ReaderModel],
        status: Callable[[], StatusView],
    ) -> None:
        self._database = database
        self._parts = parts
        self._clock = clock
        self._learned = learned
        self._status = status

    def of(self, on: date | None = None) -> DigestView:
        """Return the digest of a day, today's by default; what it holds is recorded as delivered when it is first made.

        Raises ``DigestError`` for a day to come.
        """
        now = self._clock()
        today = now.astimezone(self._parts.zone).date()
        on = on or today
        if on > today:
            raise DigestError(f"{on} is still to come; a digest is made of news that have arrived")
        view = self._kept(on) or self._made(on, today, now)
        return replace(view, serve_address=self._parts.settings.serve_address.rstrip("/"))

    @property
    def zone(self) -> tzinfo | None:
        """Where the person's day begins and times are told; None is the machine's own."""
        return self._parts.zone

    def last(self, count: int = FEED_EDITIONS, until: date | None = None) -> DigestListView:
        """Return the last digests that were made, up to a day (today by default), the newest first. Makes none."""
        user, now = self._parts.user, self._clock()
        until = until or now.astimezone(self._parts.zone).date()
        with self._database.read() as tx:
            dates = deliveries.editions_until(tx, user.id, until.isoformat(), count)
        return DigestListView(
            identity=str(uuid5(NAMESPACE_URL, f"iscore:{user.id}:{user.seed}")),
            editions=tuple(self.of(date.fromisoformat(day)) for day in dates),
            at=now,
            feed_address=self._parts.settings.feed_address,
        )

    def numbered(self, numbers: Sequence[int], on: date | None = None) -> list[str]:
        """Return the article ids behind numbers of a day's digest, of the newest by default. Raises ``DigestError``."""
        user = self._parts.user.id
        with self._database.read() as tx:
            day = on.isoformat() if on else deliveries.newest_edition(tx, user)
            if day is None:
                raise DigestError("there has been no digest yet; `iscore digest` makes one")
            by_number = {delivery.number: delivery.seq for delivery in deliveries.edition(tx, user, day)}
            if not by_number:
                raise DigestError(f"there is no digest of {day}; `iscore digest --date {day}` makes one")
            for number in numbers:
                if number not in by_number:
                    raise DigestError(f"the digest of {day} has numbers 1 to {len(by_number)}, not {number}")
            found = {article.seq: article.id for article in articles.get(tx, list(by_number.values()))}
            return [found[by_number[number]] for number in numbers]

    def _kept(self, on: date) -> DigestView | None:
        """Return a digest that was made before; one that cannot be read any more is told anew, by today's scores."""
        from iscore.services.digest_serialization import unpack

        user, day = self._parts.user.id, on.isoformat()
        with self._database.read() as tx:
            content = deliveries.kept(tx, user, day)
            delivered = deliveries.edition(tx, user, day)
        if content is not None and (view := unpack(content)) is not None:
            return view
        return self._told_anew(on, delivered) if delivered else None

    def _made(self, on: date, today: date, now: datetime) -> DigestView:
        """Make a digest, write down what it delivers and keep it, unless somebody else has meanwhile."""
        from iscore.services.digest_serialization import pack

        user, day = self._parts.user.id, on.isoformat()
        model = self._learned()
        while True:
            with self._database.read() as tx:
                chosen, considered, arrived = self._chosen(tx, on, today, now)
            view = replace(self._view(on, chosen, model), considered=considered, arrived=arrived, made=now)
            seqs = [each.seq for each in chosen.delivered]
            if not seqs:
                return view
            with self._database.write() as tx:
                if not deliveries.edition(tx, user, day) and not deliveries.delivered(tx, user, seqs):
                    rows = [Delivery(user, seq, day, number, now) for number, seq in enumerate(seqs, start=1)]
                    deliveries.add(tx, rows)
                    deliveries.keep(tx, user, day, pack(view), now)
                    return view
            if (made := self._kept(on)) is not None:
                return made

    def _chosen(self, tx: Transaction, on: date, today: date, now: datetime) -> tuple[Chosen, int, int]:
        from iscore.feeds.subscriptions.health import PACE_OVER
        from iscore.services.digest_selection import MAX_RECOMMENDED, choose, days, rarely_heard, recommended_first

        user = self._parts.user.id
        start, end = days(on, today, self._parts.window, self._parts.zone)
        candidates = deliveries.candidates(tx, user, start, end)
        likely = [each.seq for each in recommended_first(candidates)[:MAX_RECOMMENDED]]
        told = {story: len(names) for story, names in articles.story_sources(tx, likely).items()}
        rare = rarely_heard(feed_statistics.arrivals(tx, user, now - PACE_OVER), now)
        since = (deliveries.last_made(tx, user, on.isoformat()) if on == today else None) or start
        arrived = decisions.judged_count(tx, user, start, end)
        return choose(candidates, told, rare, since), len(candidates), arrived

    def _view(self, on: date, chosen: Chosen, model: ReaderModel) -> DigestView:
        """Lay out what was chosen, with reasons."""
        status = self._status()
        seqs = [each.seq for each in chosen.delivered]
        reasons = self._reasons(seqs, model)
        with self._database.read() as tx:
            rows = _rows(tx, self._parts.user.id, (*chosen.delivered, *chosen.below))
            told = articles.story_carriers(tx, seqs)
            lengths = articles.text_lengths(tx, seqs)
        numbered = (
            _item(number, rows[seq], reasons.get(seq, ()), lengths.get(seq, 0), told.get(seq, ()))
            for number, seq in enumerate(seqs, start=1)
        )
        return DigestView(
            date=on,
            recommended=tuple(islice(numbered, len(chosen.recommended))),
            stories=tuple(islice(numbered, len(chosen.stories))),
            rare=tuple(islice(numbered, len(chosen.rare))),
            explore=tuple(numbered),
            considered=len(seqs),
            status=status,
            below=tuple(inbox_item(rows[each.seq]) for each in chosen.below),
            held_back=chosen.held_back,
        )

    def _told_anew(self, on: date, delivered: Sequence[Delivery]) -> DigestView:
        """Tell what an earlier version delivered, under the same numbers."""
        seqs = [delivery.seq for delivery in delivered]
        status, reasons = self._status(), self._reasons(seqs, self._learned())
        with self._database.read() as tx:
            rows = {row.article.seq: row for row in decisions.rows(tx, self._parts.user.id, seqs)}
            told = articles.story_carriers(tx, seqs)
            lengths = articles.text_lengths(tx, seqs)
        items = [
            _item(number, rows[seq], reasons.get(seq, ()), lengths.get(seq, 0), told.get(seq, ()))
            for number, seq in ((delivery.number, delivery.seq) for delivery in delivered)
            if seq in rows
        ]
        return DigestView(
            date=on,
            recommended=tuple(item for item in items if not item.item.explore),
            explore=tuple(item for item in items if item.item.explore),
            considered=len(items),
            status=status,
            made=delivered[0].at,
        )

    def _reasons(self, seqs: Sequence[int], model: ReaderModel) -> Mapping[int, tuple[str, ...]]:
        from iscore.services.explanations import reasons_for

        parts = self._parts
        return reasons_for(self._database, parts.user.id, seqs, model, parts.article_feature_names, parts.meanings)


def _rows(tx: Transaction, user_id: int, chosen: Sequence[Candidate]) -> dict[int, InboxRow]:
    return {row.article.seq: row for row in decisions.rows(tx, user_id, [each.seq for each in chosen])}


def _item(number: int, row: InboxRow, reasons: tuple[str, ...], length: int, told: Sequence[StorySource]) -> DigestItem:
    return DigestItem(
        number=number,
        item=inbox_item(row),
        reasons=reasons,
        reading_minutes=reading_minutes(length),
        carriers=story_source_views(told),
    )
