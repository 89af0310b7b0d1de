"""The delivered protocol: what the product does, with everything that its database stores kept in memory.

    poll ─► verdicts that are due are learned ─► new articles are decided on, and those of the window that were hidden
         ─► deliveries wait for their verdicts

Decisions are those of ``iscore.filtering.loop``, as in the product. A story is shown once: only the article that
leads it is decided on, and the others share its decision. What is older than the window is forgotten except for its
verdicts. The articles of the archive are the past when the reader begins (``starts``).
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple, cast

import numpy as np

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.stream.word_vectors import Basis
from extractors.text.frequencies import Frequencies
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, FeatureCache, Labelling
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.outcome import Outcome, ReaderOutcomes
from iscore.evaluation.replay.protocol import DAY, OnProgress, Protocol, ignore_progress
from iscore.evaluation.replay.starts import Archived, examples, headline_page, phrase
from iscore.evaluation.replay.stream_format import EPOCH, LabelledArticle
from iscore.filtering.delivery.decide import Candidates, Decision
from iscore.filtering.delivery.limits import UNKNOWN_THRESHOLD
from iscore.filtering.delivery.tuning import BATCH, UNKNOWN_SCORE
from iscore.filtering.loop import Filter
from iscore.filtering.memory_log import MemoryLog
from iscore.filtering.model import ReaderModel
from iscore.services.learning.imported_item import WEIGHTS, Form

FEWEST_HEADLINES = 500
"""Without an archive the page of headlines comes when this many articles are there."""


class Verdict(NamedTuple):
    """A verdict that the reader will give."""

    due: datetime
    place: int
    article: AnalysedArticle
    liked: bool
    delivery: Decision | None
    """None for a headline of the archive, which was not delivered."""


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
    model = new_model(cache, classifier, seed=protocol.seed, rankers=protocol.rankers)
    interests = [(text, text) for name, text in protocol.interests if name == reader]
    run = DeliveredRun(model, cache.labels(reader), protocol, cache.basis_at, interests=interests)
    for poll in polls(cache, protocol.every):
        run.step(poll)
        on_progress(len(poll.articles))
    return ReaderOutcomes((run.outcome(cache.stream, reader, classifier),), dict(model.features.failures.reasons))


def polls(cache: FeatureCache, every: timedelta | int) -> Iterator[Poll]:
    """Yield the polls of a stream, at whole multiples of ``every`` since 1970, or each of ``every`` articles."""
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


def says(article: AnalysedArticle, one_in: int) -> bool:
    """Return whether the reader gives a verdict on a delivery, by a hash of the article's name."""
    name = cast(LabelledArticle, article.metadata).id
    digest = blake2b(f"verdict {name}".encode(), digest_size=8).digest()
    return one_in == 1 or int.from_bytes(digest) % one_in == 0


class DeliveredRun:
    """One reader's filter on its way through a stream.

    Parameters
    ----------
    basis_at
        Returns the basis of stream vectors that is in force after a number of articles.
    answer
        Returns the verdict on an article, given whether the reader likes it; the truth by default.
    interests
        What the reader is interested in: names with texts, several of which may have one name.
    """

    def __init__(
        self,
        model: ReaderModel,
        labels: Labelling,
        protocol: Protocol,
        basis_at: Callable[[int], Basis | None],
        *,
        answer: Callable[[bool], bool] = bool,
        interests: Sequence[tuple[str, str]] = (),
    ) -> None:
        n = len(labels)
        self._answer = answer
        self._archive: list[Archived] = []
        """Until the reader begins."""
        self._interests = interests
        self._words = Frequencies()
        """Of the archive."""
        self._language = ""
        """Of most of the archive."""
        self._page: set[int] = set()
        """Places of the headlines that the reader marked."""
        self._imported: list[tuple[AnalysedArticle, float]] = []
        """Examples and interests, with their weights."""
        self._model = model
        self._labels = labels
        self._protocol = protocol
        self._basis_at = basis_at
        self._log = MemoryLog(protocol.seed)
        self._waiting: deque[Verdict] = deque()
        self._learned: list[tuple[Verdict, bool]] = []
        self._seconds = 0.0
        self._scores = np.full(n, UNKNOWN_SCORE)
        self._thresholds = np.full(n, UNKNOWN_THRESHOLD)
        self._recommended = np.zeros(n, dtype=np.bool_)
        self._explored = np.zeros(n, dtype=np.bool_)
        self._trained = np.zeros(n, dtype=np.bool_)
        self._leaders = np.arange(n)

    def step(self, poll: Poll) -> None:
        """Learn the verdicts that are due, and decide on the articles of a poll that are not archive."""
        began = time.process_time()
        self._learn_due(poll.at)
        leading = [row for row, leader in enumerate(poll.leaders) if leader == poll.start + row]
        archived = [row for row in leading if poll.start + row < self._protocol.archive]
        for row in archived:
            self._archive.append(Archived(poll.start + row, poll.articles[row]))
            self._log.add_archive(poll.start + row + 1, poll.articles[row])
        for article in poll.articles[: max(self._protocol.archive - poll.start, 0)]:
            self._words.observe(article.terms)
        if self._protocol.archive and poll.start + len(poll.articles) > self._protocol.archive and self._archive:
            self._begin(poll.at)
        if self._protocol.headlines and not self._protocol.archive and not self._page:
            if len(self._archive) >= FEWEST_HEADLINES:
                self._mark_headlines(poll.at)
            self._archive += [Archived(poll.start + row, poll.articles[row]) for row in leading]
        # What the reader has no label for is not in their stream, as in the full protocol.
        news = [row for row in leading[len(archived) :] if self._labels[poll.start + row] != NO_VERDICT]
        for first in range(0, len(news), BATCH):
            rows = news[first : first + BATCH]
            self._decide(poll.at, [poll.start + row for row in rows], [poll.articles[row] for row in rows])
        for row, leader in enumerate(poll.leaders):
            self._leaders[poll.start + row] = leader
        self._seconds += time.process_time() - began

    def add_interest(self, name: str, text: str, now: datetime) -> None:
        """Learn what the reader says of an interest; the archive must be complete."""
        article = phrase(text, self._words, self._language, now)
        self._log.add_phrase(name, article)
        self._imported.append((article, WEIGHTS[Form.KEYWORDS]))
        self._model.learn_imported(article, weight=WEIGHTS[Form.KEYWORDS])

    def undo(self, places: Collection[int], model: ReaderModel) -> None:
        """Undo verdicts, by their places in the order in which they were learned.

        ``model`` has learned nothing; it learns the other verdicts and replaces the present one.
        """
        others = [entry for place, entry in enumerate(self._learned) if place not in places]
        self._model, self._learned = model, []
        for article, weight in self._imported:
            model.learn_imported(article, weight=weight)
        self._log.forget_verdicts()
        for verdict, liked in others:
            self._learn(verdict, liked)

    def _begin(self, now: datetime) -> None:
        """Learn what the reader begins with; the archive is complete."""
        if self._protocol.examples:
            mine = [each for each in self._archive if self._labels[each.place] == LIKED]
            for place, article in examples(mine, self._protocol.examples, self._protocol.draw):
                self._log.add_example(place + 1, article)
                self._imported.append((article, WEIGHTS[Form.TEXT]))
        languages = Counter(each.article.metadata.language for each in self._archive)
        self._language = languages.most_common(1)[0][0]
        for article, weight in self._imported:
            self._model.learn_imported(article, weight=weight)
        for name, text in self._interests:
            self.add_interest(name, text, now)
        if self._protocol.headlines:
            self._mark_headlines(now)
        self._archive.clear()

    def _mark_headlines(self, now: datetime) -> None:
        """Learn what the reader says of a page of headlines, of articles that were not delivered."""
        hidden = [each for each in self._archive if not (self._recommended | self._explored)[each.place]]
        for place, article in headline_page(hidden):
            self._page.add(place)
            if self._labels[place] != NO_VERDICT:
                liked = bool(self._labels[place] == LIKED)
                self._learn(Verdict(now, place, article, liked, None), liked)

    def _learn_due(self, now: datetime) -> None:
        while self._waiting and self._waiting[0].due <= now:
            verdict = self._waiting.popleft()
            self._learn(verdict, self._answer(verdict.liked))

    def _learn(self, verdict: Verdict, liked: bool) -> None:
        self._log.add_verdict(verdict.place + 1, verdict.article.terms, liked, verdict.delivery)
        self._model.learn(verdict.article, liked)
        self._learned.append((verdict, liked))

    def _decide(self, now: datetime, places: Sequence[int], articles: Sequence[AnalysedArticle]) -> None:
        new, log = places[0], self._log
        log.basis = self._basis_at(new)
        decider = Filter(self._model, log, self._protocol.beta, self._protocol.window)
        sources = [article.metadata.source for article in articles]
        scored = decider.score(AnalysedBatch.of(articles))
        arrived = Candidates([place + 1 for place in places], scored, sources, np.zeros(len(places)))
        made = decider.decide(arrived, now)
        log.add_decisions(made.candidates, made.decisions, articles, now)
        for number, decision in zip(made.candidates.numbers, made.decisions, strict=True):
            place = number - 1
            if place >= new:
                self._scores[place] = decision.score
                self._thresholds[place] = decision.threshold
                self._trained[place] = made.evidence.can_rank
            self._recommended[place] = decision.interesting
            self._explored[place] = decision.explore
            article = log.article(number)
            if (
                decision.delivered
                and self._labels[place] != NO_VERDICT
                and says(article, self._protocol.one_verdict_in)
            ):
                liked = bool(self._labels[place] == LIKED)
                self._waiting.append(Verdict(now + self._protocol.delay, place, article, liked, decision))

    def outcome(self, stream: str, reader: str, classifier: str) -> Outcome:
        """Return what was decided on the articles that the reader has a verdict on; the archive is left out."""
        counted = self._labels != NO_VERDICT
        counted[: self._protocol.archive] = False
        counted[list(self._page)] = False
        mine = self._leaders[counted]
        return Outcome(
            stream=stream,
            reader=reader,
            classifier=classifier,
            protocol="delivered",
            liked=self._labels[counted] == LIKED,
            scores=self._scores[mine],
            thresholds=self._thresholds[mine],
            recommended=self._recommended[mine],
            explored=self._explored[mine],
            trained=self._trained[mine],
            verdicts=len(self._learned),
            seconds=self._seconds,
        )
