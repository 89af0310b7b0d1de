"""The verdicts and decisions of one reader, kept in memory for a replay as the product keeps them in its database."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.article_features import AnalysedArticle
from extractors.text.terms import TermBatch, TermVector
from iscore.filtering.decision.changes import DeliveryVerdict
from iscore.filtering.decision.decide import Decision
from iscore.filtering.decision.delivery import DAY, Today, day_began
from iscore.filtering.decision.evidence import NEWEST_UNDELIVERED, NEWEST_VERDICTS, POOL, SHOWN, smallest_hashes
from iscore.filtering.decision.labelled import NO_INTEREST, Articles, Implicit, Labelled
from storage.log.imports import UNNAMED


@dataclass(slots=True)
class Arrived:
    """An article that leads a story."""

    number: int
    """The place in the stream, from 1, as articles are numbered in a database."""
    article: AnalysedArticle
    candidate: bool
    """Whether it may be delivered; False for archive."""
    vote: float = math.nan
    """Of the feature classifier, when the article was new."""
    delivered: bool = False
    """Or an example."""
    liked: float = math.nan
    """1 or 0 by the verdict; NaN without one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict that the reader will give."""

    due: datetime
    place: int
    article: AnalysedArticle
    liked: bool
    margin: float = math.nan
    """At delivery, as the next two; NaN for an article of the diverse selection."""
    score: float = math.nan
    interesting: bool = False
    headline: bool = False
    """Whether it was a headline of the archive, and no delivery."""


class DeliveredLog:
    """The verdicts and decisions of one reader in memory: a ``DecisionLog``."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._arrived: deque[Arrived] = deque(maxlen=max(NEWEST_UNDELIVERED, POOL))
        self._by_number: dict[int, Arrived] = {}
        self._delivered: deque[tuple[datetime, bool]] = deque()
        """Time, and whether recommended, of the deliveries of the last day."""
        self._decided: deque[tuple[datetime, int]] = deque()
        """Time and size of each batch of the last day."""
        self._shown: deque[TermVector] = deque(maxlen=SHOWN)
        self._examples: list[TermVector] = []
        self._phrases: list[tuple[str, TermVector]] = []
        self.forget_verdicts()

    def forget_verdicts(self) -> None:
        self._history: list[DeliveryVerdict] = []
        self._liked: list[bool] = []
        """Of all verdicts, in order."""
        self._newest: tuple[deque[tuple[int, TermVector]], deque[tuple[int, TermVector]]] = (
            deque(maxlen=NEWEST_VERDICTS),
            deque(maxlen=NEWEST_VERDICTS),
        )
        for each in self._arrived:
            each.liked = math.nan

    def add_verdict(self, verdict: Verdict, liked: bool) -> None:
        self._liked.append(liked)
        row = len(self._liked)
        if not verdict.headline:
            self._history.append(DeliveryVerdict(row, liked, verdict.score, verdict.margin, verdict.interesting))
        self._newest[liked].append((row, verdict.article.terms))
        arrived = self._by_number.get(verdict.place + 1)
        if arrived is not None:
            arrived.liked = float(liked)

    def add_archive(self, place: int, article: AnalysedArticle) -> None:
        self._add(Arrived(place + 1, article, candidate=False))

    def add_example(self, place: int, article: AnalysedArticle) -> None:
        """Add an article of the archive as an example."""
        self._examples.append(article.terms)
        if place + 1 in self._by_number:
            self._by_number[place + 1].delivered = True

    def add_phrase(self, interest: str, terms: TermVector) -> None:
        """Add what the reader says of an interest."""
        self._phrases.append((interest, terms))

    def add_decisions(
        self,
        places: Sequence[int],
        articles: Sequence[AnalysedArticle],
        decisions: Sequence[Decision],
        votes: Floats,
        at: datetime,
        earlier: int,
    ) -> None:
        """Add the decisions on new articles, and on ``earlier`` ones, which come first."""
        self._decided.append((at, len(places) - earlier))
        rows = zip(places, articles, decisions, votes.tolist(), strict=True)
        for row, (place, article, decision, vote) in enumerate(rows):
            delivered = decision.interesting or decision.explore
            if row < earlier:
                self._by_number[place + 1].delivered = delivered
            else:
                self._add(Arrived(place + 1, article, True, vote, delivered))
            if delivered:
                self._delivered.append((at, decision.interesting))
                self._shown.append(article.terms)

    def _add(self, arrived: Arrived) -> None:
        if len(self._arrived) == self._arrived.maxlen:
            del self._by_number[self._arrived[0].number]
        self._arrived.append(arrived)
        self._by_number[arrived.number] = arrived

    def today(self, now: datetime) -> Today:
        since = day_began(now, next((at for at, _ in reversed(self._decided) if at < now), None))
        for recent in (self._delivered, self._decided):
            while recent and recent[0][0] < now - DAY:
                recent.popleft()
        delivered = [interesting for at, interesting in self._delivered if at >= since]
        return Today(
            arrived=sum(size for at, size in self._decided if at >= since),
            recommended=sum(delivered),
            explored=len(delivered) - sum(delivered),
        )

    def history(self) -> Sequence[DeliveryVerdict]:
        return self._history

    def stated(self) -> Sequence[int]:
        """Examples and interests come before the first verdict, and have no rows."""
        return [row for row, liked in enumerate(self._liked, start=1) if liked]

    def verdicts(self, after: int) -> tuple[int, int]:
        liked = self._liked[after:]
        return sum(liked), len(liked) - sum(liked)

    def labelled(self, newest: int, after: int) -> Labelled:
        likes, dislikes = (
            [each for each in self._newest[liked] if each[0] > after][-newest:] for liked in (True, False)
        )
        examples, phrases = ([], []) if after else (self._examples, self._phrases)
        names = tuple(dict.fromkeys([*[UNNAMED] * bool(examples), *(name for name, _ in phrases)]))
        known = [*((0, terms) for terms in examples), *likes, *dislikes]
        n_examples, n = len(examples), len(known)
        return Labelled(
            terms=TermBatch.of([terms for _, terms in known]),
            liked=np.arange(n) < n_examples + len(likes),
            weights=np.ones(n),
            rows=np.array([row for row, _ in known], dtype=np.int64),
            phrases=TermBatch.of([terms for _, terms in phrases]),
            phrase_weights=np.ones(len(phrases)),
            names=names,
            interests=np.where(np.arange(n) < n_examples, 0, NO_INTEREST),
            phrase_interests=np.array([names.index(name) for name, _ in phrases], dtype=np.int64),
        )

    def undelivered(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        found = [each for each in list(self._arrived)[-newest:] if not each.delivered and math.isnan(each.liked)]
        chosen = smallest_hashes(np.array([each.number for each in found], dtype=np.int64), sample, self._seed)
        return TermBatch.of([found[place].article.terms for place in chosen.tolist()]), len(found)

    def pool(self, newest: int) -> tuple[Articles, Floats, Bools]:
        found = list(self._arrived)[-newest:]
        delivered = np.array([each.delivered for each in found], dtype=np.bool_)
        return articles_of(found), np.array([each.liked for each in found]), delivered

    def earlier(self, since: datetime) -> list[Arrived]:
        """List the articles that arrived ``since``, were not delivered and have no verdict."""
        hidden = (each for each in self._arrived if each.candidate and not each.delivered and math.isnan(each.liked))
        return [each for each in hidden if each.article.metadata.arrived >= since]

    def implicit(self, newest: int, after: int) -> Implicit:  # noqa: ARG002 -- a stream has verdicts only
        return Implicit.none()

    def shown(self) -> Sequence[TermVector]:
        return list(self._shown)


def articles_of(arrived: Sequence[Arrived]) -> Articles:
    return Articles(TermBatch.of([each.article.terms for each in arrived]), np.array([each.vote for each in arrived]))
