"""What remains of an article for scoring and learning after its text has been pruned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from extractors.arrays import Floats, Int32s
from extractors.article import Document, Metadata
from extractors.text.analysis import analyse
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch, TermVector


def _no_pairs() -> Int32s:
    return np.empty(0, dtype=np.int32)


def _no_values() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedArticle:
    """One article: metadata, term vector, pairs of terms, document and stream features, all as of its arrival."""

    metadata: Metadata
    terms: TermVector
    pairs: Int32s = field(default_factory=_no_pairs)
    """Buckets of its different pairs of neighbouring terms, ascending."""
    names: tuple[str, ...] = ()
    values: Floats = field(default_factory=_no_values)
    """Document and stream features, one per name; NaN is missing."""

    @classmethod
    def of(cls, document: Document) -> Self:
        """Analyse a single article outside any stream; it has terms and pairs, and no features."""
        text = analyse(document)
        return cls(document, text.terms, text.pairs)

    def value(self, name: str) -> float:
        """Return one document or stream feature; NaN if it is missing or the name is unknown."""
        return float(self.values[self.names.index(name)]) if name in self.names else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedBatch:
    """Many articles, column by column."""

    metadata: Sequence[Metadata]
    terms: TermBatch
    pairs: Pairs
    names: tuple[str, ...]
    values: Floats
    """Document and stream features; shape (articles, names)."""

    def __len__(self) -> int:
        return len(self.metadata)

    def __getitem__(self, row: int) -> AnalysedArticle:
        return AnalysedArticle(self.metadata[row], self.terms[row], self.pairs[row], self.names, self.values[row])

    def at(self, rows: npt.NDArray[np.intp]) -> AnalysedBatch:
        """Return the articles in these rows."""
        return AnalysedBatch(
            [self.metadata[row] for row in rows.tolist()],
            TermBatch.of([self.terms[row] for row in rows.tolist()]),
            Pairs.of([self.pairs[row] for row in rows.tolist()]),
            self.names,
            self.values[rows],
        )

    @classmethod
    def of(cls, articles: AnalysedBatch | Sequence[AnalysedArticle]) -> AnalysedBatch:
        """Combine articles that have the same feature names; a batch is returned as it is."""
        if isinstance(articles, AnalysedBatch):
            return articles
        names = articles[0].names if articles else ()
        return cls(
            metadata=[article.metadata for article in articles],
            terms=TermBatch.of([article.terms for article in articles]),
            pairs=Pairs.of([article.pairs for article in articles]),
            names=names,
            values=np.array([article.values for article in articles]).reshape(len(articles), len(names)),
        )

    def columns(self, names: Sequence[str]) -> Floats:
        """Return these document or stream features, NaN for unknown names; shape (articles, names)."""
        columns = np.full((len(self), len(names)), np.nan)
        for column, name in enumerate(names):
            if name in self.names:
                columns[:, column] = self.values[:, self.names.index(name)]
        return columns
