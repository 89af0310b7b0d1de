"""The daily digests: each is made once and stored. Shown again, it leaves out what has been rated since.

    get(day) ─┬─► stored before ───────────────────────────┬─► without the stories that were rated since
              └─► not yet: candidates ─► choose ─► reasons ┘
                           stored with its deliveries

The digest and its deliveries are stored in one transaction. A digest that delivers nothing is not stored: asked for
again, it may have found something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from iscore.core.errors import DigestError
from iscore.services.insight.status import Status
from iscore.services.learning.model_store import ModelStore
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.views.digests import DigestListView, DigestView
from iscore.services.views.stories import StoryView
from iscore.services.views.view_builders import listed_stories, story_view
from storage.engine.transaction import Transaction
from storage.log import decisions, feedback
from storage.people import deliveries
from storage.records.deliveries import Delivery
from storage.stories import article_filter, feed_statistics, inbox
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stream import articles

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from iscore.services.digests.digest_selection import Chosen
    from iscore.services.learning.loaded_model import LoadedModel

IN_FEED = 14
"""Digests in a feed: a feed reader that is opened once in a fortnight misses nothing."""


class Digests:
    """One user's digests."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._extractors = session.service(ExtractorFactory)
        self._models = session.service(ModelStore)
        self._status = session.service(Status)

    def get(self, on: date | None = None, *, only: ArticleFilter = EVERYTHING) -> DigestView:
        """Return the digest of a day, today's by default, without the stories that were rated since it was made.

        With ``only``, stories that do not fit are left out as well. Its articles are recorded as delivered when it is
        first made. Raises ``DigestError`` for a day in the future, and for a stored digest that cannot be read;
        ``StorageError`` for a filter with an unknown name.
        """
        return self._fitting(self._without_rated(self._whole(on or self._context.today())), only)

    def last(
        self, count: int = IN_FEED, until: date | None = None, *, only: ArticleFilter = EVERYTHING
    ) -> DigestListView:
        """Return the last digests that were made, up to a day (today by default), newest first. Makes none."""
        user = self._context.user
        until = until or self._context.today()
        with self._database.read() as tx:
            dates = deliveries.digests_until(tx, user.id, until.isoformat(), count)
        return DigestListView(
            identity=str(uuid5(NAMESPACE_URL, f"iscore:{user.id}:{user.seed}")),
            digests=tuple(self._fitting(view, only) for view in self._readable(dates)),
            at=self._context.clock(),
            feed_address=self._context.settings.feed_address,
        )

    def days(self, count: int) -> list[date]:
        """List the days of the last digests that were made, newest first."""
        with self._database.read() as tx:
            made = deliveries.digests_until(tx, self._context.user_id, self._context.today().isoformat(), count)
        return [date.fromisoformat(day) for day in made]

    def numbered(self, numbers: Sequence[int], on: date | None = None) -> list[str]:
        """Return the article ids behind numbers of a day's digest, of the newest by default. Raises ``DigestError``."""
        user = self._context.user_id
        with self._database.read() as tx:
            day = on.isoformat() if on else deliveries.newest_digest(tx, user)
            if day is None:
                raise DigestError("no digest yet; `iscore digest` makes one")
            by_number = {delivery.number: delivery.seq for delivery in deliveries.digest(tx, user, day)}
            if not by_number:
                raise DigestError(f"no digest of {day} was made; `iscore digest` makes today's")
            for number in numbers:
                if number not in by_number:
                    raise DigestError(f"the digest of {day} has numbers 1 to {len(by_number)}, not {number}")
            found = {article.seq: article.id for article in articles.get(tx, list(by_number.values()))}
            return [found[by_number[number]] for number in numbers]

    def _whole(self, on: date) -> DigestView:
        """Return the digest of a day as it was made, or make it."""
        now, today = self._context.clock(), self._context.today()
        if on > today:
            raise DigestError(f"{on} is in the future; a digest needs news that has arrived")
        view = self._stored(on) or self._make(on, today, now)
        return replace(view, serve_address=self._context.settings.serve_address.rstrip("/"))

    def _readable(self, dates: Iterable[str]) -> Iterator[DigestView]:
        for day in dates:
            with suppress(DigestError):  # a damaged one keeps no other out of a feed
                yield self._whole(date.fromisoformat(day))

    def _without_rated(self, view: DigestView) -> DigestView:
        with self._database.read() as tx:
            seqs = articles.seqs(tx, self._context.user_id, _ids(view))
            verdicts = feedback.verdicts(tx, self._context.user_id, list(seqs.values()))
        rated = {each for each, seq in seqs.items() if seq in verdicts}
        return replace(_without(view, rated), rated=sum(each.id in rated for each in view.numbered))

    def _fitting(self, view: DigestView, only: ArticleFilter) -> DigestView:
        if only == EVERYTHING:
            return view
        with self._database.read() as tx:
            seqs = articles.seqs(tx, self._context.user_id, _ids(view))
            stories = article_filter.stories(tx, self._context.user_id, list(seqs.values()), only)
        return replace(_without(view, {each for each, seq in seqs.items() if seq not in stories}), filtered=True)

    def _stored(self, on: date) -> DigestView | None:
        """Return a digest that was made before; None if there is none. Raises ``DigestError`` if it cannot be read."""
        user, day = self._context.user_id, on.isoformat()
        with self._database.read() as tx:
            content = deliveries.content(tx, user, day)
            was_made = content is not None or deliveries.digest(tx, user, day)
        view = None if content is None else unpack(content)
        if was_made and view is None:
            raise DigestError(f"the digest of {day} cannot be read: what is stored of it is damaged")
        return view

    def _make(self, on: date, today: date, now: datetime) -> DigestView:
        """Make a digest and store it with its deliveries, unless another process has done so meanwhile."""
        user, day = self._context.user_id, on.isoformat()
        loaded = self._models.up_to_date()
        while True:
            with self._database.read() as tx:
                chosen, considered, arrived = self._chosen(tx, on, today, now)
            view = replace(self._view(on, chosen, loaded), considered=considered, arrived=arrived, made=now)
            seqs = [each.seq for each in chosen.delivered]
            if not seqs:
                return view
            with self._database.write(user) as tx:
                if not deliveries.digest(tx, user, day) and not deliveries.delivered(tx, user, seqs):
                    rows = [Delivery(user, seq, day, number, now) for number, seq in enumerate(seqs, start=1)]
                    deliveries.add(tx, rows)
                    content = pack(view)
                    deliveries.store_content(tx, user, day, content, now)
                    return unpack(content) or view
            if (made := self._stored(on)) is not None:
                return made

    def _chosen(self, tx: Transaction, on: date, today: date, now: datetime) -> tuple[Chosen, int, int]:
        from iscore.feeds.subscriptions.health import RATE_WINDOW
        from iscore.services.digests.digest_selection import (
            MAX_RECOMMENDED,
            choose,
            days,
            rare_feeds,
            recommended_first,
        )

        user = self._context.user_id
        start, end = days(on, today, self._context.inbox_period, self._context.zone)
        candidates = inbox.candidates(tx, user, start, end)
        likely = [each.seq for each in recommended_first(candidates)[:MAX_RECOMMENDED]]
        sources = {story: len(found) for story, found in articles.story_sources(tx, user, likely).items()}
        rare = rare_feeds(feed_statistics.arrivals(tx, user, now - RATE_WINDOW), now)
        since = (deliveries.last_made(tx, user, on.isoformat()) if on == today else None) or start
        arrived = decisions.decided_count(tx, user, start, end)
        chosen = choose(candidates, sources, rare, since, by_interest=self._context.settings.digest_interests)
        return chosen, len(candidates), arrived

    def _view(self, on: date, chosen: Chosen, loaded: LoadedModel) -> DigestView:
        """Return the chosen stories with their reasons."""
        seqs = [each.seq for each in chosen.delivered]
        stories = self._stories(seqs, loaded)
        below = [each.seq for each in chosen.below]
        with self._database.read() as tx:
            rows = {row.article.seq: row for row in inbox.rows(tx, self._context.user_id, below)}
        in_order = iter([replace(stories[seq], number=number) for number, seq in enumerate(seqs, start=1)])
        return DigestView(
            date=on,
            recommended=tuple(islice(in_order, len(chosen.recommended))),
            by_interest=tuple(islice(in_order, len(chosen.by_interest))),
            stories=tuple(islice(in_order, len(chosen.stories))),
            rare=tuple(islice(in_order, len(chosen.rare))),
            explore=tuple(in_order),
            considered=len(seqs),
            status=self._status.view(loaded.model),
            below=tuple(story_view(rows[seq]) for seq in below),
            hidden=chosen.hidden,
        )

    def _stories(self, seqs: Sequence[int], loaded: LoadedModel) -> dict[int, StoryView]:
        """Return stories with their reasons; a digest has no verdicts."""
        from iscore.services.learning.explanations import Reasons

        names = self._extractors.article_feature_names
        reasons = Reasons(self._database, self._context.user, names).of(seqs, loaded)
        with self._database.read() as tx:
            stories = listed_stories(tx, self._context.user_id, seqs)
        return {seq: replace(story, reasons=reasons.get(seq, ()), verdict=None) for seq, story in stories.items()}


def _ids(view: DigestView) -> list[str]:
    return [each.id for each in view.numbered] + [each.id for each in view.below]


def _without(view: DigestView, ids: Collection[str]) -> DigestView:
    """Return a digest without some of its stories; the others keep their numbers."""

    def left(stories: Sequence[StoryView]) -> tuple[StoryView, ...]:
        return tuple(each for each in stories if each.id not in ids)

    return replace(
        view,
        recommended=left(view.recommended),
        by_interest=left(view.by_interest),
        stories=left(view.stories),
        rare=left(view.rare),
        explore=left(view.explore),
        below=left(view.below),
    )


def pack(view: DigestView) -> str:
    """Return a digest as JSON, so that a later version, or a user, can read it.

    The address of ``iscore serve`` is left out: it is a setting.
    """
    return _form().dump_json(replace(view, serve_address="")).decode()


def unpack(content: str) -> DigestView | None:
    """Return the digest that ``pack`` was given; None for what cannot be read.

    What an earlier version did not write has its default; what a later one wrote beside is passed over.
    """
    try:
        return _form().validate_json(content)
    except ValueError:
        return None


@cache
def _form() -> TypeAdapter[DigestView]:
    from pydantic import TypeAdapter  # takes a while to load

    return TypeAdapter(DigestView)
