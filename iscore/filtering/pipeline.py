"""A stream and its user in memory: for the library, with the decisions of the product.

pipeline.decide_many(documents, at=now)        a round: what a poll does
pipeline.learn(document, interesting, at=now)  a verdict
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Extractor
from extractors.stream.near_duplicates import Stories
from extractors.text.meaning import Encoder
from iscore.filtering.delivery.decide import Candidates, Decision
from iscore.filtering.delivery.tuning import BETA, WINDOW
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.loop import Filter
from iscore.filtering.memory_log import Bases, MemoryLog
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_reader
from iscore.filtering.paper import PaperFilter, Thresholder
from iscore.learners import Learner

REMEMBERED = 100_000
"""Articles whose features a ``Pipeline`` keeps until their verdicts come."""


@dataclass(slots=True)
class _Known:
    """An article of the stream."""

    number: int
    """From 1."""
    story: int
    """The number of the article that leads its story."""
    id: str
    article: AnalysedArticle
    decision: Decision | None = None


class Pipeline:
    """One stream and one reader: decide about articles as they arrive, learn from every verdict.

    Copies of an article are one story, unless there is a thresholder: its first article is decided about, and the
    decision is that of all.

    Parameters
    ----------
    extractors
        By name, as ``extractors.registry()`` has them, made.
    classifier
        One of ``iscore.learners.LEARNERS``, or its name.
    thresholder
        Where every article gets a verdict, what finds the threshold on the classifier's scores, as in the paper:
        usually ``ExpectedThreshold()``; ``AdaptiveThreshold()`` for classifiers whose scores are no log-odds. None to
        decide as the product does, which learns from what it delivers.
    beta
        Weight of recall against precision; smaller recommends less. Positive.
    window
        How long a hidden article is decided about again.
    seed
        Decides which hidden articles stand for all.
    """

    def __init__(
        self,
        extractors: Mapping[str, Extractor],
        classifier: Learner | str = "stacking",
        thresholder: Thresholder | None = None,
        *,
        beta: float = BETA,
        window: timedelta = WINDOW,
        seed: int = 0,
    ) -> None:
        self.arrivals = ArticleFeatures(extractors, Encoder.installed())
        names = self.arrivals.names
        self.reader = (
            make_reader(names, extractors, classifier)
            if isinstance(classifier, str)
            else ReaderModel(names, extractors, classifier)
        )
        self.late: dict[str, Decision] = {}
        """What the last round delivered of articles that were hidden before, by id."""
        self._log = MemoryLog(seed)
        self._filter = Filter(self.reader, self._log, beta, window)
        self._paper = None if thresholder is None else PaperFilter(self.reader, thresholder)
        self._stories, self._sources, self._bases = Stories(), dict[str, int](), Bases()
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._ids: dict[int, str] = {}
        self._arrived = 0

    def decide(self, document: Document, *, at: datetime) -> Decision:
        """Decide about an article, which joins the stream the first time: a round of one."""
        return self.decide_many([document], at=at)[0]

    def decide_many(self, documents: Sequence[Document], *, at: datetime) -> list[Decision]:
        """Decide about articles that arrive together, in their order; ``late`` has what else is delivered now.

        A decision is a fact: an article that has one keeps it until a later round delivers it.
        """
        self._arrive(documents)
        if self._paper is not None:
            return [self._paper.decide(self._known[each.id].article, at=at) for each in documents]
        leaders = {each.number: each for each in (self._leader(document.id) for document in documents)}
        new = [each for _, each in sorted(leaders.items()) if each.decision is None]
        self.late = {}
        if new:
            self._round(new, at)
        return [self._decision(document.id) for document in documents]

    def learn(
        self,
        document: Document,
        interesting: bool,
        *,
        at: datetime,  # noqa: ARG002 -- for learners that forget with time
        weight: float = 1.0,
    ) -> None:
        """Learn a verdict, at any time after the article was decided about. Its story's first article teaches."""
        self._arrive([document])
        if self._paper is not None:
            self._paper.learn(self._known[document.id].article, interesting, weight=weight)
            return
        known = self._leader(document.id)
        delivery = known.decision if known.decision is not None and known.decision.delivered else None
        self._log.add_verdict(known.number, known.article.terms, interesting, delivery)
        self._filter.learn(known.article, interesting, weight=weight)

    def _round(self, leaders: Sequence[_Known], at: datetime) -> None:
        articles = [each.article for each in leaders]
        batch = AnalysedBatch.of(articles)
        numbers, sources = [each.number for each in leaders], [each.article.metadata.source for each in leaders]
        vectors = self.reader.vectors(batch)
        new = Candidates(numbers, self._filter.score(batch), sources, np.zeros(len(leaders)))
        made = self._filter.decide(new, at)
        self._log.add_decisions(made.candidates, made.decisions, articles, at)
        for place, decision in made.late():
            known = self._known.get(self._ids.get(made.candidates.numbers[place], ""))
            if known is not None:
                first = known.decision or decision
                known.decision = decision._replace(names=first.names, features=first.features, at=at)
                self.late[known.id] = known.decision
        for each, vector, decision in zip(leaders, vectors, made.decisions[made.earlier :], strict=True):
            each.decision = decision._replace(names=self.reader.names, features=vector, at=at)

    def _arrive(self, documents: Sequence[Document]) -> None:
        """Add those that are new to the stream."""
        fresh = list({each.id: each for each in documents if each.id not in self._known}.values())
        found = []
        for document, article in zip(fresh, self.arrivals.analyse_many(fresh), strict=True):
            self._arrived += 1
            feed = self._sources.setdefault(document.source, len(self._sources))
            page = document.url.partition("://")[2]
            story, _ = self._stories.place(self._arrived, document, article.terms, page, feed, document.arrived)
            found.append(_Known(self._arrived, story, document.id, article))
            self._known[document.id] = found[-1]
            self._ids[self._arrived] = document.id
            if len(self._known) > REMEMBERED:
                _, oldest = self._known.popitem(last=False)
                del self._ids[oldest.number]
        for basis in self._bases.learned([each.article for each in found]):
            self._log.basis = basis

    def _leader(self, id_: str) -> _Known:
        """Return the article that leads a story; the article itself where the leader is forgotten."""
        known = self._known[id_]
        return self._known.get(self._ids.get(known.story, ""), known)

    def _decision(self, id_: str) -> Decision:
        decision = self._leader(id_).decision
        assert decision is not None  # noqa: S101 -- leaders are decided about when they arrive, or in a round of their own
        return decision
