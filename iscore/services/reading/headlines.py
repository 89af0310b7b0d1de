"""A page of headlines on which a user marks what they like: the quickest start when nothing is known of them.

    newest stories without a verdict ─► sixty that differ ─► numbers of those liked ─► verdicts, one batch

What is marked becomes a like, everything else a dislike. Up to half of them are the best for each of the user's
interests, which shows what these may mean; the rest represents everything else.

A *check* is such a page of ten hidden stories, drawn at random: only these say what the filter misses, so the ids of
their verdicts begin with ``feedback.CHECK``.
"""

from __future__ import annotations

import heapq
import uuid
from collections.abc import Sequence
from hashlib import blake2b
from itertools import zip_longest
from typing import TYPE_CHECKING

from iscore.core.errors import HeadlinesError
from iscore.services.learning.verdicts import Verdicts
from iscore.services.session.user_session import UserSession
from iscore.services.views.interests import HeadlineView
from iscore.services.views.status import HiddenCheck
from iscore.services.views.stories import VerdictView
from iscore.services.views.view_builders import hidden_check
from storage.log import decisions, feedback
from storage.records.decisions import CurrentScore
from storage.records.users import Kind
from storage.stories import headlines
from storage.stream import articles, feed_names
from storage.stream.headings import heading

if TYPE_CHECKING:
    from extractors.text.terms import TermVector

COUNT = 60
"""Headlines on the page: two minutes of reading."""
FOR_INTERESTS = 30
"""How many of them are for interests at most."""
CHECKED = 10
"""Hidden stories of a check."""
NEWEST = 3000
"""Stories from which they are chosen."""


class Headlines:
    """One user's headlines."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._verdicts = session.service(Verdicts)

    def show(self, *, check: bool = False) -> list[HeadlineView]:
        """Choose headlines, or draw hidden ones, and keep the list: numbers in ``answer_last`` refer to it."""
        ids = self.draw() if check else self.choose()
        if self._database.writable:
            with self._database.write(self._context.user_id) as tx:
                headlines.save_shown(tx, self._context.user_id, [feedback.CHECK, *ids] if check and ids else ids)
        return self.views(ids)

    def draw(self) -> list[str]:
        """Draw the ids of hidden stories at random, by the user's seed and the day; those with a verdict are left out.

        So nobody gets other stories by asking again.
        """
        seed = f"{self._context.user.seed} {self._context.today()}"

        def lot(seq: int) -> bytes:
            return blake2b(f"{seed} {seq}".encode(), digest_size=8).digest()

        with self._database.read() as tx:
            hidden = headlines.hidden(tx, self._context.user_id, self._context.inbox_start())
            return [each.id for each in articles.get(tx, heapq.nsmallest(CHECKED, hidden, key=lot))]

    def choose(self) -> list[str]:
        """Choose the ids of headlines; empty before there is any news."""
        from extractors.text.terms import TermVector  # the pages load no numbers

        with self._database.read() as tx:
            found = headlines.candidates(tx, self._context.user_id, NEWEST)
            if len(found) < COUNT:  # as on the first day with few feeds
                found = headlines.candidates(tx, self._context.user_id, NEWEST, with_inbox=True)
            if len(found) < COUNT:
                found = headlines.candidates(tx, self._context.user_id, COUNT, with_inbox=True, with_archive=True)
            scores = decisions.scores(tx, self._context.user_id, [each.seq for each in found])
        vectors = [TermVector.from_bytes(each.terms) for each in found]
        place_of = {each.seq: place for place, each in enumerate(found)}
        first = [place_of[seq] for seq in for_interests([score for score, _ in scores])]
        return [found[place].id for place in chosen(vectors, [each.source for each in found], first)]

    def checked(self) -> HiddenCheck:
        """Return what all checks say of hidden stories."""
        with self._database.read() as tx:
            return hidden_check(tx, self._context.user_id)

    def views(self, ids: Sequence[str]) -> list[HeadlineView]:
        """Return these headlines, numbered; unknown ids are left out."""
        with self._database.read() as tx:
            seqs = articles.seqs(tx, self._context.user_id, ids)
            known = {each.id: each for each in articles.get(tx, sorted(seqs.values()))}
            names = feed_names.shown(tx, self._context.user_id, [each.feed_id for each in known.values()])
        found = [known[each] for each in ids if each in known]
        return [
            HeadlineView(number, each.id, heading(each.title, each.text), names[each.feed_id], each.url, each.published)
            for number, each in enumerate(found, start=1)
        ]

    def answer_last(self, liked: Sequence[int]) -> list[VerdictView]:
        """Answer, like ``answer``, for the list that was shown last. Raises ``HeadlinesError`` without one."""
        with self._database.read() as tx:
            ids = headlines.shown(tx, self._context.user_id)
        if not ids:
            raise HeadlinesError("no headlines are waiting for an answer; `iscore interests headlines` shows some")
        if ids[0] == feedback.CHECK:
            return self.answer(ids[1:], liked, request=feedback.CHECK + uuid.uuid4().hex)
        return self.answer(ids, liked)

    def answer(self, ids: Sequence[str], liked: Sequence[int], *, request: str = "") -> list[VerdictView]:
        """Record a like for the headlines with these numbers, from 1, and a dislike for the others, as one batch.

        Stories that have got a verdict meanwhile keep it. ``request`` is as in ``Verdicts.record``; that
        of a check begins with ``feedback.CHECK``. Raises
        ``HeadlinesError`` for a number that is not on the list, and ``UnknownArticleError``, with nothing recorded.
        """
        wrong = next((number for number in liked if not 1 <= number <= len(ids)), None)
        if wrong is not None:
            raise HeadlinesError(f"there is no headline {wrong}; their numbers are 1 to {len(ids)}")
        user = self._context.user_id
        with self._database.read() as tx:
            seqs = articles.seqs(tx, self._context.user_id, ids)
            stories = {each: feedback.story(tx, self._context.user_id, seq) for each, seq in seqs.items()}
            judged = feedback.verdicts(tx, user, list(stories.values()))
        given = [
            (Kind.LIKE if number in liked else Kind.DISLIKE, each)
            for number, each in enumerate(ids, start=1)
            if stories.get(each) not in judged
        ]
        views = self._verdicts.record(given, request=request or uuid.uuid4().hex) if given else []
        with self._database.write(self._context.user_id) as tx:
            headlines.save_shown(tx, user, [])
        return views


def for_interests(scores: Sequence[CurrentScore]) -> list[int]:
    """Return the numbers of the best stories for each interest in turn, at most ``FOR_INTERESTS``."""
    named: dict[str, list[int]] = {}
    for each in sorted(scores, key=lambda each: (-each.score, -each.seq)):
        if each.interest:
            named.setdefault(each.interest, []).append(each.seq)
    turns = zip_longest(*named.values())
    return [seq for turn in turns for seq in turn if seq is not None][:FOR_INTERESTS]


def chosen(vectors: Sequence[TermVector], sources: Sequence[str], first: Sequence[int] = ()) -> list[int]:
    """Return the places of these stories, then of those whose headlines represent all others best."""
    from iscore.filtering.delivery.selection import diverse_selection  # loads numbers

    rest = sorted(set(range(len(vectors))).difference(first))
    given, shown = [vectors[place] for place in rest], [vectors[place] for place in first]
    more = diverse_selection(given, [sources[place] for place in rest], shown, COUNT - len(first))
    return [*first, *(rest[place] for place in more)]
