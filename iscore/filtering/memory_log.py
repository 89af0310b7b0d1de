"""The verdicts and decisions of one user in memory, as the product keeps them in its database."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.article import Document
from extractors.article_features import AnalysedArticle
from extractors.stream import word_vectors
from extractors.stream.word_vectors import Basis
from extractors.text.terms import TermBatch, TermVector
from iscore.filtering.delivery.decide import Candidates, Decision
from iscore.filtering.delivery.limits import Today, day_began
from iscore.filtering.delivery.tuning import DAY, DAYS_BEFORE
from iscore.filtering.ranking.evidence import (
    NEWEST_HIDDEN,
    NEWEST_VERDICTS,
    POOL,
    SHOWN,
    DeliveryVerdict,
    smallest_hashes,
)
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles, Implicit, Labelled, Phrase

EXAMPLES = "imported"
"""The interest of examples."""


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


class Bases:
    """Learns the bases of stream vectors, when the product does."""

    def __init__(self) -> None:
        self._newest: deque[TermVector] = deque(maxlen=word_vectors.NEWEST)
        self._articles = 0

    def learned(self, articles: Sequence[AnalysedArticle]) -> Iterator[word_vectors.Basis]:
        """Yield the bases that these next articles of the stream make due."""
        for article in articles:
            self._newest.append(article.terms)
            self._articles += 1
            number = word_vectors.due(self._articles)
            if number and self._articles == word_vectors.articles_for(number):
                yield word_vectors.fit(TermBatch.of(self._newest), number)


class MemoryLog:
    """A ``loop.Log`` in memory. Of articles older than the newest few thousand only the verdicts are kept.

    Articles have numbers, from 1 in order of arrival. An article is there once it is archive, an example, or decided.
    ``seed`` decides which hidden articles stand for all.
    """

    def __init__(self, seed: int = 0) -> None:
        self.basis: Basis | None = None
        """The basis of stream vectors in force."""
        self._seed = seed
        self._arrived: deque[Arrived] = deque(maxlen=max(NEWEST_HIDDEN, POOL))
        self._by_number: dict[int, Arrived] = {}
        self._delivered: deque[tuple[datetime, bool]] = deque()
        """Time, and whether recommended, of the deliveries of the last days."""
        self._decided: deque[tuple[datetime, int]] = deque()
        """Time and size of each batch of the last days."""
        self._shown: deque[TermVector] = deque(maxlen=SHOWN)
        self._examples: list[TermVector] = []
        self._phrases: list[tuple[str, Phrase]] = []
        self.forget_verdicts()

    def forget_verdicts(self) -> None:
        """Forget all verdicts, so that others can be added."""
        self._history: list[DeliveryVerdict] = []
        self._liked: list[bool] = []
        """Of all verdicts, in order."""
        self._newest: tuple[deque[tuple[int, TermVector]], deque[tuple[int, TermVector]]] = (
            deque(maxlen=NEWEST_VERDICTS),
            deque(maxlen=NEWEST_VERDICTS),
        )
        for each in self._arrived:
            each.liked = math.nan

    def add_verdict(self, number: int, terms: TermVector, liked: bool, delivery: Decision | None) -> None:
        """Add a verdict; ``delivery`` is the decision that showed the article, None if it was hidden."""
        self._liked.append(liked)
        row = len(self._liked)
        if delivery is not None:
            self._history.append(DeliveryVerdict(row, liked, delivery.score, delivery.margin, delivery.interesting))
        self._newest[liked].append((row, terms))
        if number in self._by_number:
            self._by_number[number].liked = float(liked)

    def add_archive(self, number: int, article: AnalysedArticle) -> None:
        """Add an article that is never delivered."""
        self._add(Arrived(number, article, candidate=False))

    def add_example(self, number: int, article: AnalysedArticle) -> None:
        """Make an article of the archive an example."""
        self._examples.append(article.terms)
        if number in self._by_number:
            self._by_number[number].delivered = True

    def add_phrase(self, interest: str, words: AnalysedArticle) -> None:
        """Add what the reader says of an interest, measured as an article."""
        self._phrases.append((interest, Phrase.of(words.terms, cast(Document, words.metadata))))

    def add_decisions(
        self, candidates: Candidates, decisions: Sequence[Decision], new: Sequence[AnalysedArticle], at: datetime
    ) -> None:
        """Add what was decided about candidates: some that were hidden before, and the ``new`` articles after them."""
        earlier = len(candidates) - len(new)
        self._decided.append((at, len(new)))
        votes = candidates.articles.votes.tolist()
        for place, (number, decision) in enumerate(zip(candidates.numbers, decisions, strict=True)):
            if place < earlier:
                arrived = self._by_number[number]
                arrived.delivered = decision.delivered
            else:
                arrived = Arrived(number, new[place - earlier], True, votes[place], decision.delivered)
                self._add(arrived)
            if decision.delivered:
                self._delivered.append((at, decision.interesting))
                self._shown.append(arrived.article.terms)

    def _add(self, arrived: Arrived) -> None:
        if len(self._arrived) == self._arrived.maxlen:
            del self._by_number[self._arrived[0].number]
        self._arrived.append(arrived)
        self._by_number[arrived.number] = arrived

    def article(self, number: int) -> AnalysedArticle:
        """Return one of the newest articles. Raises ``KeyError``."""
        return self._by_number[number].article

    def today(self, now: datetime) -> Today:
        """See ``loop.Log``."""
        since = day_began(now, next((at for at, _ in reversed(self._decided) if at < now), None))
        for recent in (self._delivered, self._decided):
            while recent and recent[0][0] < now - (1 + DAYS_BEFORE) * DAY:
                recent.popleft()
        delivered = [interesting for at, interesting in self._delivered if at >= since]
        first = since - DAYS_BEFORE * DAY
        days = Counter(
            (at - since) // DAY for at, interesting in self._delivered if interesting and first <= at < since
        )
        is_third = any(first <= at < since - DAY for at, _ in self._decided)
        return Today(
            arrived=sum(size for at, size in self._decided if at >= since),
            recommended=sum(delivered),
            explored=len(delivered) - sum(delivered),
            before=max(days.values(), default=0) if is_third else None,
        )

    def history(self) -> Sequence[DeliveryVerdict]:
        """See ``loop.Log``."""
        return self._history

    def stated(self) -> Sequence[int]:
        """Examples and interests come before the first verdict, and have no rows."""
        return [row for row, liked in enumerate(self._liked, start=1) if liked]

    def verdicts(self, after: int) -> tuple[int, int]:
        """See ``loop.Log``."""
        liked = self._liked[after:]
        return sum(liked), len(liked) - sum(liked)

    def labelled(self, newest: int, after: int) -> Labelled:
        """See ``loop.Log``."""
        likes, dislikes = (
            [each for each in self._newest[liked] if each[0] > after][-newest:] for liked in (True, False)
        )
        examples, phrases = ([], []) if after else (self._examples, self._phrases)
        names = tuple(dict.fromkeys([*[EXAMPLES] * bool(examples), *(name for name, _ in phrases)]))
        known = [*((0, terms) for terms in examples), *likes, *dislikes]
        n_examples, n = len(examples), len(known)
        return Labelled(
            terms=TermBatch.of([terms for _, terms in known]),
            liked=np.arange(n) < n_examples + len(likes),
            weights=np.ones(n),
            rows=np.array([row for row, _ in known], dtype=np.int64),
            phrases=[replace(phrase, interest=names.index(name)) for name, phrase in phrases],
            names=names,
            interests=np.where(np.arange(n) < n_examples, 0, NO_INTEREST),
        )

    def hidden_sample(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        """See ``loop.Log``."""
        found = [each for each in list(self._arrived)[-newest:] if not each.delivered and math.isnan(each.liked)]
        chosen = smallest_hashes(np.array([each.number for each in found], dtype=np.int64), sample, self._seed)
        return TermBatch.of([found[place].article.terms for place in chosen.tolist()]), len(found)

    def pool(self, newest: int) -> tuple[Articles, Floats, Bools]:
        """See ``loop.Log``."""
        found = list(self._arrived)[-newest:]
        delivered = np.array([each.delivered for each in found], dtype=np.bool_)
        return _articles(found), np.array([each.liked for each in found]), delivered

    def hidden(self, since: datetime) -> Candidates:
        """See ``loop.Log``."""
        found = self._hidden(since)
        sources = [each.article.metadata.source for each in found]
        return Candidates([each.number for each in found], _articles(found), sources, np.zeros(len(found)))

    def _hidden(self, since: datetime) -> list[Arrived]:
        hidden = (each for each in self._arrived if each.candidate and not each.delivered and math.isnan(each.liked))
        return [each for each in hidden if each.article.metadata.arrived >= since]

    def n_hidden(self, since: datetime) -> int:
        """See ``loop.Log``."""
        return len(self._hidden(since))

    def implicit(self, newest: int, after: int) -> Implicit:  # noqa: ARG002 -- a stream has verdicts only
        """See ``loop.Log``."""
        return Implicit.none()

    def shown(self) -> Sequence[TermVector]:
        """See ``loop.Log``."""
        return list(self._shown)


def _articles(arrived: Sequence[Arrived]) -> Articles:
    return Articles(TermBatch.of([each.article.terms for each in arrived]), np.array([each.vote for each in arrived]))
