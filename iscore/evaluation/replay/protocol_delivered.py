"""The delivered protocol: the product's life, with everything that its database knows kept in memory.

    round ─► verdicts that are due are learned ─► the last days' articles are judged again ─► what is new is judged,
             with the past counted as ``iscore.services.scoring`` counts it ─► what is delivered waits for its verdict

A story is shown once: only the article that leads it is judged, and its decision is that of all who tell it again.
What happened longer ago than the window is forgotten but for its verdicts.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from extractors.article_features import AnalysedArticle
from extractors.text.terms import TermVector
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, Labelling, Measured
from iscore.evaluation.replay.feature_cache_build import new_reader
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.progress_line import Lived
from iscore.evaluation.replay.protocol import DAY, Protocol
from iscore.evaluation.replay.stream_format import EPOCH
from iscore.filtering.batch import Past, judge_round
from iscore.filtering.decision.exploration import TODAY, RecentDeliveries, weight_of
from iscore.filtering.decision.threshold_floor import Experience
from iscore.filtering.pipeline import ReaderModel

BATCH = 5000
"""Articles judged at a time, as in ``services.scoring``: what was decided of one batch is the past of the next."""

SHOWN = 500
"""As in ``iscore.services.scoring``."""

Advanced = Callable[[int], None]


def live_delivered(
    measured: Measured,
    reader: str,
    classifier: str,
    protocol: Protocol,
    *,
    advanced: Advanced = lambda _: None,
) -> Lived:
    """Let one reader live with the filter. Raises ``ReplayError`` for a stream without times and no rounds of N."""
    if isinstance(protocol.every, timedelta) and measured.first == measured.last and measured.articles > 1:
        raise ReplayError(
            f"{measured.stream}: its articles have no times, so there are no rounds; "
            "`--every 100` makes a round of each 100 articles"
        )
    model = new_reader(measured, classifier, seed=protocol.seed, follow_changes=protocol.follow_changes)
    life = DeliveredLife(model, measured.labels(reader), protocol)
    for now, start, articles, leads in rounds(measured, protocol.every):
        life.round(now, start, articles, leads)
        advanced(len(articles))
    return Lived((life.outcome(measured, reader, classifier),), dict(model.features.failures.reasons))


def rounds(
    measured: Measured, every: timedelta | int
) -> Iterator[tuple[datetime, int, list[AnalysedArticle], list[int]]]:
    """Yield for each round its time, the place of its first article, its articles, and the places of their leaders.

    Polls are at whole multiples of ``every`` since 1970, and find what has arrived until then.
    """
    number, start = None, 0
    articles: list[AnalysedArticle] = []
    leaders: list[int] = []
    for chunk in measured.chunks():
        for row, leader in enumerate(chunk.leaders.tolist()):
            article = chunk.articles[row]
            place = chunk.start + row
            its = place // every if isinstance(every, int) else -((EPOCH - article.metadata.arrived) // every)
            if its != number and articles:
                yield _time_of(number, measured, every), start, articles, leaders
                start, articles, leaders = place, [], []
            number = its
            articles.append(article)
            leaders.append(leader)
    if articles:
        yield _time_of(number, measured, every), start, articles, leaders


def _time_of(number: int | None, measured: Measured, every: timedelta | int) -> datetime:
    assert number is not None  # noqa: S101 -- there are articles
    return measured.first + number * DAY if isinstance(every, int) else EPOCH + number * every


@dataclass(slots=True)
class _Decided:
    """An article of the last days."""

    article: AnalysedArticle
    at: datetime
    score: float
    """Of the newest model."""
    recommended: bool
    explored: bool


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What the reader will be asked about, and think."""

    due: datetime
    article: AnalysedArticle
    liked: bool
    explored: bool
    probability: float


@dataclass(slots=True)
class _Tally:
    """Verdicts so far."""

    liked: int = 0
    disliked: int = 0
    explored: list[tuple[bool, float]] = field(default_factory=list)


@dataclass(slots=True)
class _Decisions:
    """Decisions so far."""

    recommended: int = 0
    explored: int = 0
    held_back: int = 0


class DeliveredLife:
    """A reader, their filter, and the days behind them.

    Parameters
    ----------
    says
        What the reader says of an article, given whether they like it; the truth unless told otherwise.
    """

    def __init__(
        self, model: ReaderModel, labels: Labelling, protocol: Protocol, *, says: Callable[[bool], bool] = bool
    ) -> None:
        n = len(labels)
        self._says = says
        self._model = model
        self._labels = labels
        self._protocol = protocol
        self._recent: deque[_Decided] = deque()
        self._waiting: deque[_Verdict] = deque()
        self._tally = _Tally()
        self._decided = _Decisions()
        self._shown: deque[TermVector] = deque(maxlen=SHOWN)
        self._log: list[tuple[_Verdict, bool]] = []
        self._seconds = 0.0
        self._scores = np.empty(n)
        self._thresholds = np.empty(n)
        self._recommended = np.zeros(n, dtype=np.bool_)
        self._explored = np.zeros(n, dtype=np.bool_)
        self._warm = np.zeros(n, dtype=np.bool_)
        self._last_explored: datetime | None = None

    def round(self, now: datetime, start: int, articles: Sequence[AnalysedArticle], leaders: Sequence[int]) -> None:
        """Live through one round; ``leaders`` are places in the stream, and ``start`` that of the first article."""
        began = time.process_time()
        since = now - self._protocol.window
        while self._recent and self._recent[0].at < since:
            self._recent.popleft()
        if self._learn(now):
            self._judge_again()
        leading = [row for row, leader in enumerate(leaders) if leader == start + row]
        for first in range(0, len(leading), BATCH):
            rows = leading[first : first + BATCH]
            self._judge(now, [start + row for row in rows], [articles[row] for row in rows])
        for row, leader in enumerate(leaders):
            self._follow(start + row, leader)
        self._seconds += time.process_time() - began

    def undo(self, places: Collection[int], model: ReaderModel) -> None:
        """Take back verdicts, by their places in the order in which they were learned.

        ``model`` has learned nothing; it learns the others and judges from now on.
        """
        kept = [entry for place, entry in enumerate(self._log) if place not in places]
        self._model, self._tally, self._log = model, _Tally(), []
        for verdict, said in kept:
            self._take_in(verdict, said)

    def _learn(self, now: datetime) -> bool:
        learned = False
        while self._waiting and self._waiting[0].due <= now:
            verdict = self._waiting.popleft()
            self._take_in(verdict, self._says(verdict.liked))
            learned = True
        return learned

    def _take_in(self, verdict: _Verdict, said: bool) -> None:
        if verdict.explored:
            self._tally.explored.append((said, verdict.probability))
        elif said:
            self._tally.liked += 1
        else:
            self._tally.disliked += 1
        weight = weight_of(verdict.probability) if verdict.explored else weight_of(1.0)
        self._model.learn(verdict.article, said, weight=weight)
        self._log.append((verdict, said))

    def _judge_again(self) -> None:
        judgements = self._model.judge_many([decided.article for decided in self._recent])
        for decided, judgement in zip(self._recent, judgements, strict=True):
            decided.score = judgement.score

    def _judge(self, now: datetime, places: Sequence[int], articles: Sequence[AnalysedArticle]) -> None:
        protocol = self._protocol
        judged = judge_round(
            self._model, articles, self._past(now), share=protocol.explore_share, seed=protocol.seed, now=now
        )
        for place, article, (judgement, draw) in zip(places, articles, judged, strict=True):
            self._scores[place] = judgement.score
            self._thresholds[place] = judgement.threshold
            self._recommended[place] = judgement.interesting
            self._explored[place] = draw.explore
            self._warm[place] = judgement.warm
            self._recent.append(_Decided(article, now, judgement.score, judgement.interesting, draw.explore))
            self._decided.recommended += judgement.interesting
            self._decided.explored += draw.explore
            self._decided.held_back += not (judgement.interesting or draw.explore)
            if draw.explore:
                self._last_explored = now
            if not self._model.warm and (judgement.interesting or draw.explore):
                self._shown.append(article.terms)
            if (judgement.interesting or draw.explore) and self._labels[place] != NO_VERDICT:
                liked = bool(self._labels[place] == LIKED)
                self._waiting.append(_Verdict(now + protocol.delay, article, liked, draw.explore, draw.probability))

    def _past(self, now: datetime) -> Past:
        recommended = sum(decided.recommended for decided in self._recent)
        explored = sum(decided.explored for decided in self._recent)
        others = len(self._recent) - recommended - explored
        today = [decided for decided in self._recent if decided.at >= now - TODAY]
        # The database asks for the last exploration of the window only.
        last = self._last_explored if explored else None
        ever = self._decided
        return Past(
            Experience(
                self._tally.liked,
                self._tally.disliked,
                self._tally.explored,
                ever.recommended,
                ever.explored,
                ever.held_back,
                days=1.0 + (self._recent[-1].at - self._recent[0].at) / DAY if self._recent else 1.0,
            ),
            RecentDeliveries(
                recommended,
                explored,
                others,
                last,
                sum(decided.recommended for decided in today),
                sum(decided.explored for decided in today),
            ),
            np.array([decided.score for decided in self._recent]),
            list(self._shown),
        )

    def _follow(self, place: int, leader: int) -> None:
        """Give an article what was decided of its story."""
        for column in (self._scores, self._thresholds, self._recommended, self._explored, self._warm):
            column[place] = column[leader]

    def outcome(self, measured: Measured, reader: str, classifier: str) -> Outcome:
        """Return what became of the articles that the reader has a verdict on."""
        mine = self._labels != NO_VERDICT
        return Outcome(
            stream=measured.stream,
            reader=reader,
            classifier=classifier,
            protocol="delivered",
            liked=self._labels[mine] == LIKED,
            scores=self._scores[mine],
            thresholds=self._thresholds[mine],
            recommended=self._recommended[mine],
            explored=self._explored[mine],
            warm=self._warm[mine],
            verdicts=len(self._log),
            seconds=self._seconds,
        )
