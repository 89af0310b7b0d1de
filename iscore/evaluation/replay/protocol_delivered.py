"""The delivered protocol: what the product does, with everything that its database stores kept in memory.

    poll ─► verdicts that are due are learned ─► the window's articles are scored again ─► new articles are decided on
         ─► deliveries wait for their verdicts

Decisions are those of ``iscore.filtering.decision``, as in the product. A story is shown once: only the article that
leads it is decided on, and the others share its decision. What is older than the window is forgotten except for its
verdicts. A stream has no archive: each of its articles is new when it arrives.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.lsa import Basis
from extractors.text.terms import TermBatch, TermVector
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, FeatureCache, Labelling
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.outcome import Outcome, ReaderOutcomes
from iscore.evaluation.replay.protocol import DAY, OnProgress, Protocol, ignore_progress
from iscore.evaluation.replay.stream_format import EPOCH
from iscore.filtering.decision.changes import DeliveryVerdict
from iscore.filtering.decision.decide import BATCH, Batch, Decision, can_rank, decide
from iscore.filtering.decision.delivery import DAY as TODAY
from iscore.filtering.decision.delivery import Today
from iscore.filtering.decision.evidence import (
    NEWEST_DELIVERIES,
    NEWEST_UNDELIVERED,
    NEWEST_VERDICTS,
    POOL,
    SHOWN,
    Articles,
    Labelled,
    evidence_of,
    smallest_hashes,
)
from iscore.filtering.model import ReaderModel

Floats = npt.NDArray[np.float64]


class Poll(NamedTuple):
    """The articles of a stream that one poll finds."""

    at: datetime
    start: int
    """Place of its first article in the stream."""
    articles: list[AnalysedArticle]
    leaders: list[int]
    """For each article, the place in the stream of the one that leads its story."""


def run_delivered(
    cache: FeatureCache,
    reader: str,
    classifier: str,
    protocol: Protocol,
    *,
    on_progress: OnProgress = ignore_progress,
) -> ReaderOutcomes:
    """Replay a stream for one reader. Raises ``ReplayError`` for one without times unless ``every`` is a number."""
    if isinstance(protocol.every, timedelta) and cache.first == cache.last and cache.articles > 1:
        raise ReplayError(
            f"{cache.stream}: its articles have no times, so there are no days; "
            "`--every 100` makes a day of each 100 articles"
        )
    model = new_model(cache, classifier, seed=protocol.seed, follow_changes=protocol.follow_changes)
    run = DeliveredRun(model, cache.labels(reader), protocol, cache.basis_at)
    for poll in polls(cache, protocol.every):
        run.step(poll)
        on_progress(len(poll.articles))
    return ReaderOutcomes((run.outcome(cache.stream, reader, classifier),), dict(model.features.failures.reasons))


def polls(cache: FeatureCache, every: timedelta | int) -> Iterator[Poll]:
    """Yield the polls of a stream, at whole multiples of ``every`` since 1970 or after so many articles each."""
    number, start = None, 0
    articles: list[AnalysedArticle] = []
    leaders: list[int] = []
    for chunk in cache.chunks():
        for row, leader in enumerate(chunk.leaders.tolist()):
            article = chunk.articles[row]
            place = chunk.start + row
            its = place // every if isinstance(every, int) else -((EPOCH - article.metadata.arrived) // every)
            if its != number and articles:
                yield Poll(_time_of(number, cache, every), start, articles, leaders)
                start, articles, leaders = place, [], []
            number = its
            articles.append(article)
            leaders.append(leader)
    if articles:
        yield Poll(_time_of(number, cache, every), start, articles, leaders)


def _time_of(number: int | None, cache: FeatureCache, every: timedelta | int) -> datetime:
    assert number is not None  # noqa: S101 -- there are articles
    return cache.first + number * DAY if isinstance(every, int) else EPOCH + number * every


@dataclass(slots=True)
class _Arrived:
    """An article that leads a story."""

    number: int
    """Its place in the stream, from 1, as articles are numbered in a database."""
    article: AnalysedArticle
    candidate: bool
    """Whether it may be delivered; False for archive."""
    vote: float = math.nan
    """Of the feature classifier, when the article was new."""
    delivered: bool = False
    liked: float = math.nan
    """1 or 0 by the verdict; NaN without one."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A verdict that the reader will give."""

    due: datetime
    place: int
    article: AnalysedArticle
    liked: bool
    margin: float
    """At delivery, as the next two."""
    score: float
    """NaN for an article of the diverse selection."""
    interesting: bool


class _Log:
    """The verdicts and decisions of one reader in memory: a ``DecisionLog``."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._arrived: deque[_Arrived] = deque(maxlen=max(NEWEST_UNDELIVERED, POOL))
        self._by_number: dict[int, _Arrived] = {}
        self._delivered: deque[tuple[datetime, bool]] = deque()
        """Time, and whether recommended, of the deliveries of the last day."""
        self._decided: deque[tuple[datetime, int]] = deque()
        """Time and size of each batch of the last day."""
        self._last_delivery: datetime | None = None
        self._shown: deque[TermVector] = deque(maxlen=SHOWN)
        self.examples: list[tuple[TermVector, float]] = []
        self.forget_verdicts()

    def forget_verdicts(self) -> None:
        self._history: list[DeliveryVerdict] = []
        self._newest: tuple[deque[tuple[int, TermVector]], deque[tuple[int, TermVector]]] = (
            deque(maxlen=NEWEST_VERDICTS),
            deque(maxlen=NEWEST_VERDICTS),
        )
        self._verdicts: deque[tuple[float, bool]] = deque(maxlen=NEWEST_DELIVERIES)
        for each in self._arrived:
            each.liked = math.nan

    def add_verdict(self, verdict: _Verdict, liked: bool) -> None:
        row = len(self._history) + 1
        self._history.append(DeliveryVerdict(row, liked, verdict.score, verdict.interesting))
        self._newest[liked].append((row, verdict.article.terms))
        if not math.isnan(verdict.margin):
            self._verdicts.append((verdict.margin, liked))
        arrived = self._by_number.get(verdict.place + 1)
        if arrived is not None:
            arrived.liked = float(liked)

    def add_archive(self, place: int, article: AnalysedArticle) -> None:
        self._add(_Arrived(place + 1, article, candidate=False))

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
                self._add(_Arrived(place + 1, article, True, vote, delivered))
            if delivered:
                self._delivered.append((at, decision.interesting))
                self._last_delivery = at
                self._shown.append(article.terms)

    def _add(self, arrived: _Arrived) -> None:
        if len(self._arrived) == self._arrived.maxlen:
            del self._by_number[self._arrived[0].number]
        self._arrived.append(arrived)
        self._by_number[arrived.number] = arrived

    def today(self, now: datetime) -> Today:
        for recent in (self._delivered, self._decided):
            while recent and recent[0][0] < now - TODAY:
                recent.popleft()
        recommended = sum(interesting for _, interesting in self._delivered)
        return Today(
            arrived=sum(size for _, size in self._decided),
            recommended=recommended,
            explored=len(self._delivered) - recommended,
            last_delivery=self._last_delivery,
        )

    def history(self) -> Sequence[DeliveryVerdict]:
        return self._history

    def verdicts(self, after: int) -> tuple[int, int]:
        liked = [verdict.liked for verdict in self._history if verdict.row > after]
        return sum(liked), len(liked) - sum(liked)

    def labelled(self, newest: int, after: int) -> Labelled:
        likes, dislikes = (
            [terms for row, terms in self._newest[liked] if row > after][-newest:] for liked in (True, False)
        )
        examples = [] if after else self.examples
        terms = [*(terms for terms, _ in examples), *likes, *dislikes]
        n_examples, n = len(examples), len(terms)
        return Labelled(
            terms=TermBatch.of(terms),
            liked=np.arange(n) < n_examples + len(likes),
            weights=np.array([*(weight for _, weight in examples), *[1.0] * (n - n_examples)]),
            examples=np.arange(n) < n_examples,
        )

    def undelivered(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        found = [each for each in list(self._arrived)[-newest:] if not each.delivered and math.isnan(each.liked)]
        chosen = smallest_hashes(np.array([each.number for each in found], dtype=np.int64), sample, self._seed)
        return TermBatch.of([found[place].article.terms for place in chosen.tolist()]), len(found)

    def pool(self, newest: int) -> tuple[Articles, Floats]:
        found = list(self._arrived)[-newest:]
        return _articles(found), np.array([each.liked for each in found])

    def earlier(self, since: datetime) -> list[_Arrived]:
        """List the articles that arrived ``since`` and were not delivered."""
        return [
            each
            for each in self._arrived
            if each.candidate and not each.delivered and each.article.metadata.arrived >= since
        ]

    def deliveries(self, newest: int) -> Sequence[tuple[float, bool]]:
        return list(self._verdicts)[-newest:]

    def shown(self) -> Sequence[TermVector]:
        return list(self._shown)


def _articles(arrived: Sequence[_Arrived]) -> Articles:
    return Articles(TermBatch.of([each.article.terms for each in arrived]), np.array([each.vote for each in arrived]))


class DeliveredRun:
    """One reader's filter on its way through a stream.

    Parameters
    ----------
    basis_at
        Returns the basis of the vectors when so many articles have arrived.
    answer
        Returns the verdict on an article, given whether the reader likes it; the truth by default.
    """

    def __init__(
        self,
        model: ReaderModel,
        labels: Labelling,
        protocol: Protocol,
        basis_at: Callable[[int], Basis | None],
        *,
        answer: Callable[[bool], bool] = bool,
    ) -> None:
        n = len(labels)
        self._answer = answer
        self._model = model
        self._labels = labels
        self._protocol = protocol
        self._basis_at = basis_at
        self._log = _Log(protocol.seed)
        self._waiting: deque[_Verdict] = deque()
        self._learned: list[tuple[_Verdict, bool]] = []
        self._seconds = 0.0
        self._scores = np.empty(n)
        self._thresholds = np.empty(n)
        self._recommended = np.zeros(n, dtype=np.bool_)
        self._explored = np.zeros(n, dtype=np.bool_)
        self._trained = np.zeros(n, dtype=np.bool_)
        self._leaders = np.arange(n)

    def step(self, poll: Poll) -> None:
        """Learn the verdicts that are due, and decide on the articles of a poll."""
        began = time.process_time()
        self._learn_due(poll.at)
        leading = [row for row, leader in enumerate(poll.leaders) if leader == poll.start + row]
        for first in range(0, len(leading), BATCH):
            rows = leading[first : first + BATCH]
            self._decide(poll.at, [poll.start + row for row in rows], [poll.articles[row] for row in rows])
        for row, leader in enumerate(poll.leaders):
            self._leaders[poll.start + row] = leader
        self._seconds += time.process_time() - began

    def undo(self, places: Collection[int], model: ReaderModel) -> None:
        """Undo verdicts, by their places in the order in which they were learned.

        ``model`` has learned nothing; it learns the other verdicts and replaces the present one.
        """
        others = [entry for place, entry in enumerate(self._learned) if place not in places]
        self._model, self._learned = model, []
        self._log.forget_verdicts()
        for verdict, liked in others:
            self._learn(verdict, liked)

    def _learn_due(self, now: datetime) -> None:
        while self._waiting and self._waiting[0].due <= now:
            verdict = self._waiting.popleft()
            self._learn(verdict, self._answer(verdict.liked))

    def _learn(self, verdict: _Verdict, liked: bool) -> None:
        self._log.add_verdict(verdict, liked)
        self._model.learn(verdict.article, liked)
        self._learned.append((verdict, liked))

    def _decide(self, now: datetime, places: Sequence[int], articles: Sequence[AnalysedArticle]) -> None:
        evidence = evidence_of(self._log, self._basis_at(places[0]), self._model)
        old = self._log.earlier(now - self._protocol.window)
        new = places[0]
        places, articles = [*(each.number - 1 for each in old), *places], [*(each.article for each in old), *articles]
        sources = [article.metadata.source for article in articles]
        candidates = Articles.joined(_articles(old), Articles.new(AnalysedBatch.of(articles[len(old) :]), self._model))
        batch = Batch(candidates, sources, len(old), np.zeros(len(articles)))
        decisions = decide(batch, evidence, self._log.today(now), self._log.shown(), now=now)
        for place, article, decision in zip(places, articles, decisions, strict=True):
            if place >= new:
                self._scores[place] = decision.score
                self._thresholds[place] = decision.threshold
                self._trained[place] = can_rank(evidence)
            self._recommended[place] = decision.interesting
            self._explored[place] = decision.explore
            if (decision.interesting or decision.explore) and self._labels[place] != NO_VERDICT:
                liked = bool(self._labels[place] == LIKED)
                score = math.nan if math.isnan(decision.margin) else decision.score
                self._waiting.append(
                    _Verdict(
                        now + self._protocol.delay, place, article, liked, decision.margin, score, decision.interesting
                    )
                )
        self._log.add_decisions(places, articles, decisions, candidates.votes, now, len(old))

    def outcome(self, stream: str, reader: str, classifier: str) -> Outcome:
        """Return what was decided on the articles that the reader has a verdict on."""
        mine = self._leaders[self._labels != NO_VERDICT]
        return Outcome(
            stream=stream,
            reader=reader,
            classifier=classifier,
            protocol="delivered",
            liked=self._labels[self._labels != NO_VERDICT] == LIKED,
            scores=self._scores[mine],
            thresholds=self._thresholds[mine],
            recommended=self._recommended[mine],
            explored=self._explored[mine],
            trained=self._trained[mine],
            verdicts=len(self._learned),
            seconds=self._seconds,
        )
