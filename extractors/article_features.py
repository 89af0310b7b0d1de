"""What is kept of an article for judging and learning, when its text may long be gone."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from extractors.article import Metadata
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch, TermVector

Floats = npt.NDArray[np.float64]


def _no_pairs() -> npt.NDArray[np.int32]:
    return np.empty(0, dtype=np.int32)


def _no_values() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedArticle:
    """One article: metadata, term vector, pairs of terms, document and stream features. All frozen at arrival."""

    metadata: Metadata
    terms: TermVector
    pairs: npt.NDArray[np.int32] = field(default_factory=_no_pairs)
    """Buckets of its different pairs of neighbouring terms, ascending."""
    names: tuple[str, ...] = ()
    values: Floats = field(default_factory=_no_values)
    """Document and stream features, one per name; NaN is missing."""

    def value(self, name: str) -> float:
        """Return one document or stream feature; NaN if it is missing or there is none of that name."""
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
        """Put articles together that have the same names of values; what is a batch already stays as it is."""
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
        """Return the document or stream features of these names, NaN for one that there is not; shape (articles,
        names)."""
        columns = np.full((len(self), len(names)), np.nan)
        for column, name in enumerate(names):
            if name in self.names:
                columns[:, column] = self.values[:, self.names.index(name)]
        return columns


def __getattr__(name: str) -> type:
    """Resolve the former names of the classes, for extractors that other packages wrote against them."""
    former = {"FrozenArticle": AnalysedArticle, "FrozenBatch": AnalysedBatch}
    if name in former:
        message = f"extractors.article_features.{name} is now called {former[name].__name__}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return former[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
