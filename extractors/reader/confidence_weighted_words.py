"""An article's words by position, and its names, in one linear learner: two features that sum to its margin.

The learner sees four vectors of an article side by side, each with coordinates of its own, so that a word in the title
can have another weight than the same word further down:

    every term's tf-idf                                         of Euclidean length 1
    that of the terms of the title, of the opening of the body  each of Euclidean length ``EMPHASIS``
    the source, the site, the author, each category             ``NAME`` for each

A margin is a sum over coordinates. The words with the bias give one feature, the names another, so that explanations
can name both.

Source: Dredze, Crammer & Pereira 2008, "Confidence-weighted linear classification", for the learner in the context; the
parts and their lengths are our own (``docs/experiments.md``).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import ClassVar, NamedTuple, Self

import numpy as np

from extractors.arrays import Float32s, Floats, Int32s, Int64s, State, array, nested
from extractors.article import Metadata
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.numba_kernel import compiled
from extractors.text.terms import IN_OPENING, IN_TITLE, N_TERMS, TermBatch, TermRows

EMPHASIS = 0.7
"""Length of the vectors of title and opening: together about that of the whole text."""
NAME = 0.3
"""Weight of a name: about that of a rare word in a short article."""

N_COORDINATES = 4 * N_TERMS
_NAMES = 3 * N_TERMS
KNOWN = 1 << 16
"""Size of the cache of names' coordinates."""

Rows = tuple[Int64s, Int32s, Float32s]
"""A compressed sparse row matrix: where rows begin, coordinates, values."""


class ConfidenceWeightedWords(BatchReaderExtractor):
    """The margin under confidence-weighted learning, in two parts; any size, positive means liked.

    Missing before there is a verdict of either kind, without terms, and without a learner in the context; ``names_cw``
    also without names. Memory is the learner's: bounded by the number of coordinates.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article, Context
    >>> from iscore.learners import ConfidenceWeighted
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> make = lambda: ConfidenceWeighted(n_features=N_COORDINATES)
    >>> extractor = ConfidenceWeightedWords(Context(term_learners={"confidence-weighted": make}))
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> extractor.extract(ferry)[0] > extractor.extract(tram)[0]
    True
    """

    features: ClassVar[tuple[str, ...]] = ("words_cw", "names_cw")
    meanings: ClassVar[Mapping[str, str]] = {
        "words_cw": "contains words typical of your likes",
        "names_cw": "source, author or section you tend to like",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "words_cw": "contains words typical of your dislikes",
        "names_cw": "source, author or section you tend to dislike",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"words_cw": (-0.5, 0.5), "names_cw": (-0.1, 0.1)}
    families: ClassVar[Mapping[str, str]] = {"words_cw": "topic relevance", "names_cw": "source"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        make = self.context.term_learners.get("confidence-weighted")
        self._learner = make() if make is not None else None
        self._verdicts = np.zeros(2, dtype=np.int64)

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        n = len(articles)
        margins = np.full((n, 2), np.nan)
        if self._learner is not None and self._verdicts.all() and n:
            names = Names.of(articles.metadata)
            if n == 1:  # one article's coordinates are all different: none is looked up twice
                scores = self._learner.score_rows(*side_by_side(articles.terms, names))
            else:
                scores = self._learner.score_words(*of_vocabulary(articles.terms, names))
            written = np.diff(articles.terms.indptr) > 0
            named = written & (np.diff(names.indptr) > 0)
            margins[written, 0] = scores[:-1:2][written]
            margins[named, 1] = scores[1:-1:2][named] - scores[-1]
        return margins

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        margins = np.full((len(articles), 2), np.nan)
        written = np.diff(articles.terms.indptr) > 0
        if self._learner is not None and written.any():
            learned = articles if written.all() else articles.at(np.flatnonzero(written))
            names = Names.of(learned.metadata)
            indptr, coordinates, values = side_by_side(learned.terms, names)
            labels, weights = verdicts.interesting[written], verdicts.weights[written]
            parts = self._learner.learn_parts(indptr[:-1], coordinates, values, labels, weights)
            of_words, of_names, of_nothing = parts.T
            margins[written, 0] = of_words
            margins[written, 1] = np.where(np.diff(names.indptr) > 0, of_names - of_nothing, np.nan)
            margins[~verdicts.known_before(self._verdicts, written)] = np.nan
        return margins

    def state(self) -> State:
        learned = {} if self._learner is None else self._learner.state()
        return {"verdicts": self._verdicts.copy(), "learner": learned}

    def restore(self, state: State) -> None:
        learned = nested(state, "learner")
        self._verdicts = array(state, "verdicts", np.int64)
        if self._learner is not None:
            self._learner.restore(learned)


class Names(NamedTuple):
    """The names of articles' sources, sites, authors and categories, ignoring case, as coordinates."""

    indptr: Int64s
    """Article ``i`` owns ``coordinates[indptr[i]:indptr[i + 1]]``; shape (articles + 1,)."""
    coordinates: Int32s
    """Ascending within an article, each once."""

    @classmethod
    def of(cls, articles: Sequence[Metadata]) -> Self:
        """Collect the names of each article; none gives an empty row."""
        rows = [_coordinates(article) for article in articles]
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        return cls(indptr, np.array(list(chain.from_iterable(rows)), dtype=np.int32))


def side_by_side(terms: TermBatch, names: Names) -> Rows:
    """Return the rows of m articles' words and names in turn, and an empty one: 2m + 1 rows.

    Coordinates ascend within a row, and from the words of an article to its names: together they are a row too.
    """
    return _rows(terms.rows(), N_TERMS, names)


def of_vocabulary(terms: TermBatch, names: Names) -> tuple[Int32s, *Rows]:
    """Return coordinates, and the rows of ``side_by_side`` with indices into these coordinates."""
    known = terms.vocabulary
    n = len(known)
    in_title, in_opening = known.terms + np.int32(N_TERMS), known.terms + np.int32(2 * N_TERMS)
    vocabulary = np.concatenate([known.terms, in_title, in_opening, names.coordinates])
    places = np.arange(3 * n, len(vocabulary), dtype=np.int32)
    return vocabulary, *_rows(terms.rows()._replace(ids=known.places), n, names._replace(coordinates=places))


def _rows(terms: TermRows, block: int, names: Names) -> Rows:
    """Build the rows; a term in the title has a coordinate ``block`` further than elsewhere, one in the opening twice
    that."""
    room = 3 * len(terms.ids) + len(names.coordinates)
    rows = np.zeros(2 * len(terms.indptr), dtype=np.int64), np.empty(room, dtype=np.int32), np.empty(room, np.float32)
    indptr, coordinates, values = rows
    _fill(terms, block, names, rows)
    end = indptr[-1]
    return indptr, coordinates[:end], values[:end]


def _coordinates(article: Metadata) -> list[int]:
    named = [_coordinate("category", category) for category in article.categories]
    named += (_coordinate("source", article.source), _coordinate("site", article.site))
    named.append(_coordinate("author", article.author))
    return sorted(set(named) - {-1})


@lru_cache(maxsize=KNOWN)
def _coordinate(kind: str, name: str) -> int:
    """Return the coordinate of a name, −1 if it is empty."""
    name = name.strip()
    spelled = f"{kind} {name.casefold()}".encode(errors="surrogatepass")
    return _NAMES + zlib.crc32(spelled) % N_TERMS if name else -1


@compiled
def _fill(terms: TermRows, block: int, names: Names, rows: Rows) -> None:
    indptr, coordinates, values = rows
    ids, weights, parts = terms.ids, terms.weights, terms.parts
    n = 0
    for row in range(len(terms.indptr) - 1):
        begin, end = terms.indptr[row], terms.indptr[row + 1]
        for entry in range(begin, end):
            coordinates[n] = ids[entry]
            values[n] = weights[entry]
            n += 1
        for number, part in enumerate((IN_TITLE, IN_OPENING)):
            squares = 0.0
            for entry in range(begin, end):
                if parts[entry] & part:
                    squares += weights[entry] * weights[entry]
            if squares > 0.0:
                scale = EMPHASIS / squares**0.5
                for entry in range(begin, end):
                    if parts[entry] & part:
                        coordinates[n] = ids[entry] + (number + 1) * block
                        values[n] = weights[entry] * scale
                        n += 1
        indptr[2 * row + 1] = n
        for entry in range(names.indptr[row], names.indptr[row + 1]):
            coordinates[n] = names.coordinates[entry]
            values[n] = NAME
            n += 1
        indptr[2 * row + 2] = n
    indptr[-1] = n
