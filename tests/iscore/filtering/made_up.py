"""Made-up articles of a few words, and a reader of them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.stream.word_vectors import DIMENSIONS, Basis
from extractors.text.pairs import Pairs
from extractors.text.terms import N_TERMS, TermBatch, TermVector
from iscore.filtering.delivery.changes import evidence_of
from iscore.filtering.model import ReaderModel
from iscore.filtering.ranking.evidence import DeliveryVerdict, Evidence, smallest_hashes
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles, Implicit, Labelled, Phrase
from iscore.learners import LEARNERS
from tests.iscore.conftest import Piece

NOW = datetime(2026, 3, 2, 7, tzinfo=UTC)


def terms(text: str) -> TermVector:
    """Return the term vector of a text in which each word counts alike."""
    buckets = sorted({zlib.crc32(word.encode()) % N_TERMS for word in text.split()})
    n = len(buckets)
    weights = np.full(n, 1 / math.sqrt(max(n, 1)), dtype=np.float32)
    return TermVector(np.array(buckets, dtype=np.int32), np.ones(n, dtype=np.float32), weights)


def article(text: str, *, source: str = "Wire", mood: float = math.nan) -> AnalysedArticle:
    """Return an article with one feature besides its words."""
    piece = Piece(text, text, "", "", source, "", "", (), "en", NOW, NOW)
    return AnalysedArticle(piece, terms(text), Pairs.of([]).ids, ("mood",), np.array([mood]))


def articles(texts: Sequence[str], *, source: str = "Wire", moods: Sequence[float] = ()) -> AnalysedBatch:
    """Return several articles of one source."""
    given = moods or [math.nan] * len(texts)
    rows = [article(text, source=source, mood=mood) for text, mood in zip(texts, given, strict=True)]
    return AnalysedBatch.of(rows) if rows else AnalysedBatch([], TermBatch.of([]), Pairs.of([]), ("mood",), EMPTY)


EMPTY = np.empty((0, 1))


def about(topic: str, count: int, *, seed: int = 0) -> list[str]:
    """Return this many texts: three of six words of their topic, and three of twenty that all topics share."""
    random = np.random.default_rng([seed, *topic.encode()])
    return [
        " ".join(
            [
                *(f"{topic}{word}" for word in random.choice(6, 3, replace=False)),
                *(f"common{word}" for word in random.choice(20, 3, replace=False)),
            ]
        )
        for _ in range(count)
    ]


def basis_of(*topics: str) -> Basis:
    """Return a basis in which the words of each topic point one way."""
    directions = {int(terms(word).ids[0]): place for place, topic in enumerate(topics) for word in topic.split()}
    known = np.array(sorted(directions), dtype=np.int32)
    vectors = np.zeros((len(known), DIMENSIONS), dtype=np.float32)
    vectors[np.arange(len(known)), [directions[bucket] for bucket in known.tolist()]] = 2.0
    return Basis(1, 500, known, vectors)


def meant(batch: TermBatch, *synonyms: tuple[str, str]) -> TermBatch:
    """Return articles with meanings, sums over their words; ``synonyms`` mean the same."""
    same = {int(terms(one).ids[0]): int(terms(other).ids[0]) for one, other in synonyms}
    found = np.zeros((len(batch), 16))
    for row in range(len(batch)):
        for word in batch[row].ids.tolist():
            found[row] += np.random.default_rng(same.get(word, word)).standard_normal(16)
    return replace(batch, meanings=np.round(20.0 * found).clip(-127, 127).astype(np.int8))


def with_meanings(evidence: Evidence, *synonyms: tuple[str, str]) -> Evidence:
    """Return the same where all articles have meanings."""
    return replace(
        evidence,
        labelled=replace(evidence.labelled, terms=meant(evidence.labelled.terms, *synonyms)),
        hidden_sample=meant(evidence.hidden_sample, *synonyms),
        pool=replace(evidence.pool, terms=meant(evidence.pool.terms, *synonyms)),
    )


def new_model() -> ReaderModel:
    """Return a model of one feature of articles, that has learned nothing."""
    return ReaderModel(("mood",), {}, LEARNERS["weighted-naive-bayes"]())


@dataclass
class Arrived:
    """An article that was scored."""

    terms: TermVector
    vote: float
    known: float
    delivered: bool
    row: int
    """Of its verdict in the log; 0 without one."""


class Reader:
    """A reader with a model, and what they were shown and said: a ``DecisionLog``."""

    def __init__(self) -> None:
        self.model = new_model()
        self.arrived: list[Arrived] = []
        self.examples: list[tuple[TermVector, float]] = []
        self.phrases: list[tuple[str, Phrase]] = []
        self.log: list[DeliveryVerdict] = []
        self.parts: list[tuple[str, float]] = []

    def rate(
        self,
        texts: Sequence[str],
        liked: bool,
        *,
        margin: float = math.nan,
        score: float = -9.0,
        recommended: bool = True,
        mood: float = math.nan,
    ) -> None:
        """Give verdicts on deliveries, which perhaps had this margin and score."""
        for text in texts:
            delivery = article(text, mood=mood)
            self.log.append(DeliveryVerdict(len(self.log) + 1, liked, score, margin, recommended))
            self._arrive([delivery], known=float(liked), delivered=True, row=len(self.log))
            self.model.learn(delivery, liked)

    def like(self, *texts: str, **more: float) -> None:
        self.rate(texts, True, **more)

    def dislike(self, *texts: str, **more: float) -> None:
        self.rate(texts, False, **more)

    def pass_over(self, *texts: str, mood: float = math.nan) -> None:
        """Let articles arrive that are not delivered."""
        self._arrive([article(text, mood=mood) for text in texts], known=math.nan, delivered=False)

    def deliver(self, *texts: str, mood: float = math.nan) -> None:
        """Let articles be delivered that get no verdict."""
        self._arrive([article(text, mood=mood) for text in texts], known=math.nan, delivered=True)

    def _arrive(self, found: Sequence[AnalysedArticle], *, known: float, delivered: bool, row: int = 0) -> None:
        votes = Articles.new(AnalysedBatch.of(found), self.model).votes.tolist() if found else []
        self.arrived += [
            Arrived(each.terms, vote, known, delivered, row) for each, vote in zip(found, votes, strict=True)
        ]

    def new(self, texts: Sequence[str], **more: Any) -> Articles:
        """Return articles to be scored."""
        return Articles.new(articles(texts, **more), self.model)

    def add_examples(self, *texts: str, weight: float = 1.0) -> None:
        self.examples += [(terms(text), weight) for text in texts]

    def add_phrase(self, text: str, *, weight: float = 1.0, interest: str = "") -> None:
        parts = [terms(part).ids for part in text.split(",")]
        self.phrases.append((interest or text, Phrase(terms(text.replace(",", "")), parts, weight=weight)))

    def evidence(self, basis: Basis | None = None, *, new: Articles | None = None) -> Evidence:
        return evidence_of(self, basis, self.model, new=new)

    def history(self) -> Sequence[DeliveryVerdict]:
        return self.log

    def labelled(self, newest: int, after: int) -> Labelled:
        judged = [each for each in self.arrived if each.row > after]
        verdicts = [[each for each in judged if each.known == kind][-newest:] for kind in (1, 0)]
        n, n_examples = len(self.examples) + sum(map(len, verdicts)), len(self.examples)
        names = [*dict.fromkeys([*["examples"] * (n_examples > 0), *(interest for interest, _ in self.phrases)])]
        return Labelled(
            TermBatch.of(
                [*(example for example, _ in self.examples), *(each.terms for kind in verdicts for each in kind)]
            ),
            np.arange(n) < n_examples + len(verdicts[0]),
            np.array([*(weight for _, weight in self.examples), *[1.0] * (n - n_examples)]),
            np.array([*[0] * n_examples, *(each.row for kind in verdicts for each in kind)], dtype=np.int64),
            [replace(phrase, interest=names.index(interest)) for interest, phrase in self.phrases],
            tuple(names),
            np.where(np.arange(n) < n_examples, 0, NO_INTEREST),
        )

    def verdicts(self, after: int) -> tuple[int, int]:
        judged = [each.known for each in self.arrived if each.row > after]
        return judged.count(1.0), judged.count(0.0)

    def hidden_sample(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        found = [each.terms for each in self.arrived[-newest:] if not each.delivered]
        chosen = smallest_hashes(np.arange(len(found)), sample, seed=3).tolist()
        return TermBatch.of([found[place] for place in chosen]), len(found)

    def stated(self) -> Sequence[int]:
        return [each.row for each in self.arrived if each.known == 1.0]

    def pool(self, newest: int) -> tuple[Articles, Floats, Bools]:
        found = self.arrived[-newest:]
        votes = np.array([each.vote for each in found])
        delivered = np.array([each.delivered for each in found], dtype=np.bool_)
        articles = Articles(TermBatch.of([each.terms for each in found]), votes)
        return articles, np.array([each.known for each in found]), delivered

    def read(self, text: str, weight: float) -> None:
        """Give implicit feedback on an article that has no verdict."""
        self.parts.append((text, weight))

    def implicit(self, newest: int, after: int) -> Implicit:  # noqa: ARG002 -- all of it is new
        return Implicit(self.new([text for text, _ in self.parts]), np.array([weight for _, weight in self.parts]))
