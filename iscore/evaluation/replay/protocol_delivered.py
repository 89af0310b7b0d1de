"""The delivered protocol: what the product does, with everything that its database stores kept in memory.

    poll ─► verdicts that are due are learned ─► the window's articles are scored again ─► new articles are decided on
         ─► deliveries wait for their verdicts

Decisions are those of ``iscore.filtering.decision``, as in the product. A story is shown once: only the article that
leads it is decided on, and the others share its decision. What is older than the window is forgotten except for its
verdicts. A stream has no archive: each of its articles is new when it arrives.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.text.terms import TermVector
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, FeatureCache, Labelling
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.outcome import Outcome, ReaderOutcomes
from iscore.evaluation.replay.protocol import DAY, OnProgress, Protocol, ignore_progress
from iscore.evaluation.replay.stream_format import EPOCH
from iscore.filtering.decision.decide import BATCH, Batch, Decision, decide
from iscore.filtering.decision.exploration import weight_of
from iscore.filtering.decision.past import SHOWN, DecisionCounts, VerdictCounts, past_of
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
    run = DeliveredRun(model, cache.labels(reader), protocol)
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
class _Decided:
    """An article of the window."""

    article: AnalysedArticle
    at: datetime
    score: float
    """By the newest model."""
    recommended: bool
    explored: bool


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A verdict that the reader will give."""

    due: datetime
    article: AnalysedArticle
    liked: bool
    explored: bool
    probability: float


class _Log:
    """The verdicts and decisions of one reader in memory: a ``DecisionLog``."""

    def __init__(self) -> None:
        self.recent: deque[_Decided] = deque()
        """The window's articles."""
        self._ever = DecisionCounts()
        self._shown: deque[TermVector] = deque(maxlen=SHOWN)
        self.forget_verdicts()

    def forget_verdicts(self) -> None:
        self._liked = 0
        self._disliked = 0
        self._explored: list[tuple[bool, float]] = []

    def forget_before(self, since: datetime) -> None:
        while self.recent and self.recent[0].at < since:
            self.recent.popleft()

    def add_verdict(self, verdict: _Verdict, liked: bool) -> None:
        if verdict.explored:
            self._explored.append((liked, verdict.probability))
        elif liked:
            self._liked += 1
        else:
            self._disliked += 1

    def add_decision(self, article: AnalysedArticle, decision: Decision, at: datetime) -> None:
        added = _Decided(article, at, decision.score, decision.interesting, decision.explore)
        self.recent.append(added)
        self._ever = _counted([added], self._ever)
        if decision.interesting or decision.explore:
            self._shown.append(article.terms)

    def verdicts(self) -> VerdictCounts:
        return VerdictCounts(self._liked, self._disliked, self._explored)

    def counts(self, since: datetime | None) -> DecisionCounts:
        return self._ever if since is None else _counted(self._since(since))

    def span(self, since: datetime) -> tuple[datetime, datetime] | None:
        found = self._since(since)
        return (found[0].at, found[-1].at) if found else None

    def scores(self, since: datetime) -> Floats:
        return np.array([each.score for each in self._since(since)])

    def shown(self, limit: int) -> Sequence[TermVector]:
        return list(self._shown)[-limit:]

    def _since(self, since: datetime) -> list[_Decided]:
        return [each for each in self.recent if each.at >= since]


def _counted(decided: Sequence[_Decided], before: DecisionCounts = DecisionCounts()) -> DecisionCounts:  # noqa: B008 -- frozen
    return DecisionCounts(
        recommended=before.recommended + sum(each.recommended for each in decided),
        explored=before.explored + sum(each.explored for each in decided),
        hidden=before.hidden + sum(not (each.recommended or each.explored) for each in decided),
        last_explored=max((each.at for each in decided if each.explored), default=before.last_explored),
    )


class DeliveredRun:
    """One reader's filter on its way through a stream.

    Parameters
    ----------
    answer
        Returns the verdict on an article, given whether the reader likes it; the truth by default.
    """

    def __init__(
        self, model: ReaderModel, labels: Labelling, protocol: Protocol, *, answer: Callable[[bool], bool] = bool
    ) -> None:
        n = len(labels)
        self._answer = answer
        self._model = model
        self._labels = labels
        self._protocol = protocol
        self._log = _Log()
        self._waiting: deque[_Verdict] = deque()
        self._learned: list[tuple[_Verdict, bool]] = []
        self._seconds = 0.0
        self._scores = np.empty(n)
        self._thresholds = np.empty(n)
        self._recommended = np.zeros(n, dtype=np.bool_)
        self._explored = np.zeros(n, dtype=np.bool_)
        self._trained = np.zeros(n, dtype=np.bool_)

    def step(self, poll: Poll) -> None:
        """Learn the verdicts that are due, and decide on the articles of a poll."""
        began = time.process_time()
        self._log.forget_before(poll.at - self._protocol.window)
        if self._learn_due(poll.at):
            self._rescore()
        leading = [row for row, leader in enumerate(poll.leaders) if leader == poll.start + row]
        for first in range(0, len(leading), BATCH):
            rows = leading[first : first + BATCH]
            self._decide(poll.at, [poll.start + row for row in rows], [poll.articles[row] for row in rows])
        for row, leader in enumerate(poll.leaders):
            for column in (self._scores, self._thresholds, self._recommended, self._explored, self._trained):
                column[poll.start + row] = column[leader]
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

    def _learn_due(self, now: datetime) -> bool:
        learned = False
        while self._waiting and self._waiting[0].due <= now:
            verdict = self._waiting.popleft()
            self._learn(verdict, self._answer(verdict.liked))
            learned = True
        return learned

    def _learn(self, verdict: _Verdict, liked: bool) -> None:
        self._log.add_verdict(verdict, liked)
        weight = weight_of(verdict.probability) if verdict.explored else weight_of(1.0)
        self._model.learn(verdict.article, liked, weight=weight)
        self._learned.append((verdict, liked))

    def _rescore(self) -> None:
        scores = self._model.score_many([decided.article for decided in self._log.recent])
        for decided, score in zip(self._log.recent, scores.tolist(), strict=True):
            decided.score = score

    def _decide(self, now: datetime, places: Sequence[int], articles: Sequence[AnalysedArticle]) -> None:
        protocol, model = self._protocol, self._model
        past = past_of(self._log, model.summary, now=now, window=protocol.window)
        analysed = AnalysedBatch.of(articles)
        batch = Batch.of(analysed, model.score_many(analysed))
        decisions = decide(batch, past, explore_share=protocol.explore_share, seed=protocol.seed, now=now)
        for place, article, decision in zip(places, articles, decisions, strict=True):
            self._scores[place] = decision.score
            self._thresholds[place] = decision.threshold
            self._recommended[place] = decision.interesting
            self._explored[place] = decision.explore
            self._trained[place] = model.trained
            self._log.add_decision(article, decision, now)
            if (decision.interesting or decision.explore) and self._labels[place] != NO_VERDICT:
                liked = bool(self._labels[place] == LIKED)
                self._waiting.append(
                    _Verdict(now + protocol.delay, article, liked, decision.explore, decision.probability)
                )

    def outcome(self, stream: str, reader: str, classifier: str) -> Outcome:
        """Return what was decided on the articles that the reader has a verdict on."""
        mine = self._labels != NO_VERDICT
        return Outcome(
            stream=stream,
            reader=reader,
            classifier=classifier,
            protocol="delivered",
            liked=self._labels[mine] == LIKED,
            scores=self._scores[mine],
            thresholds=self._thresholds[mine],
            recommended=self._recommended[mine],
            explored=self._explored[mine],
            trained=self._trained[mine],
            verdicts=len(self._learned),
            seconds=self._seconds,
        )
