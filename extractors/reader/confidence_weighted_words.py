"""An article's words by where they stand, and the names it comes under, to one linear learner: two features that sum
up to its margin.

What the learner sees of an article are four vectors side by side, each with coordinates of its own, so that a word of
the title can tell something else than the same word further down:

    every term's tf-idf                                         of Euclidean length 1
    that of the terms of the title, of the opening of the body  each of Euclidean length ``EMPHASIS``
    the source, the site, the author, each category             ``NAME`` for each

A margin is a sum over coordinates. What the words add, with the bias, is one feature, and what the names add another,
so that a person who asks why is told of both.

Source: Dredze, Crammer & Pereira 2008, "Confidence-weighted linear classification", for the learner that is handed in;
the parts and their lengths are ours (``docs/experiments.md``).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from extractors.article import Metadata
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import Context, Floats, ReaderExtractor, Verdicts
from extractors.numba_kernel import compiled
from extractors.state import State, array
from extractors.text.terms import IN_OPENING, IN_TITLE, N_TERMS, TermBatch

EMPHASIS = 0.7
"""Length of the vectors of title and opening: together they weigh as much as the whole text."""
NAME = 0.3
"""Weight of a name, like that of a rather rare word in a short article."""

N_COORDINATES = 4 * N_TERMS
_NAMES = 3 * N_TERMS
_NAMELESS = {-1}
KNOWN = 1 << 16
"""Names whose coordinates are remembered, which changes the speed and nothing else."""

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""A compressed sparse row matrix: where rows begin, coordinates, values."""


class ConfidenceWeightedWords(ReaderExtractor):
    """The margin by confidence-weighted learning, in two parts; any size, positive speaks for liking.

    Missing before there is a verdict of either kind, without terms, and where no learner was handed in; names besides
    where there are none. Memory is the learner's: bounded by the number of coordinates.
    """

    features: ClassVar[tuple[str, ...]] = ("words_cw", "names_cw")
    meanings: ClassVar[Mapping[str, str]] = {
        "words_cw": "full of words that tell what you like",
        "names_cw": "from sources and authors you often like",
    }

    def __init__(self, context: Context) -> None:
        make = context.term_learners.get("confidence-weighted")
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

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        if self._learner is not None and len(article.terms):
            _, coordinates, values = side_by_side(TermBatch.of([article.terms]), Names.of([article.metadata]))
            self._learner.learn_row(coordinates, values, interesting, weight)
            self._verdicts[int(interesting)] += 1

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        margins = np.full((len(articles), 2), np.nan)
        written = np.diff(articles.terms.indptr) > 0
        if self._learner is not None and written.any():
            learned = articles if written.all() else articles.at(np.flatnonzero(written))
            names = Names.of(learned.metadata)
            said = verdicts.interesting[written], verdicts.weights[written]
            words, named, nothing = self._learner.learn_parts(*_articles(learned.terms, names), *said).T
            margins[written, 0] = words
            margins[written, 1] = np.where(np.diff(names.indptr) > 0, named - nothing, np.nan)
            margins[~verdicts.known_before(self._verdicts, written)] = np.nan
        return margins

    def state(self) -> State:
        learned = {} if self._learner is None else self._learner.state()
        return {"verdicts": self._verdicts.copy(), "learner": learned}

    def restore(self, state: State) -> None:
        learned = state["learner"]
        if not isinstance(learned, Mapping):
            raise TypeError("learner is not a state")
        self._verdicts = array(state, "verdicts", np.int64)
        if self._learner is not None:
            self._learner.restore(learned)


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The names that articles come under, in any case, as coordinates."""

    indptr: npt.NDArray[np.int64]
    """Article ``i`` owns ``coordinates[indptr[i]:indptr[i + 1]]``; shape (articles + 1,)."""
    coordinates: npt.NDArray[np.int32]
    """Ascending within an article, each once."""

    @classmethod
    def of(cls, articles: Sequence[Metadata]) -> Self:
        """Collect the names of each article; none gives an empty row."""
        rows = [_coordinates(article) for article in articles]
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        return cls(indptr, np.array(list(chain.from_iterable(rows)), dtype=np.int32))


def side_by_side(terms: TermBatch, names: Names) -> Rows:
    """Return the vectors of each of m articles' words, then of its names, and one of nothing: 2m + 1 rows.

    Coordinates ascend within a row, and from the words of an article to its names: together they are a row too.
    """
    return _rows(terms, terms.ids, N_TERMS, names, names.coordinates)


def _articles(terms: TermBatch, names: Names) -> Rows:
    """Return the rows of ``side_by_side`` but the last: two parts for each article."""
    indptr, coordinates, values = side_by_side(terms, names)
    return indptr[:-1], coordinates, values


def of_vocabulary(terms: TermBatch, names: Names) -> tuple[npt.NDArray[np.int32], *Rows]:
    """Return coordinates, and the rows of ``side_by_side`` with where each of theirs stands among these."""
    known = terms.vocabulary
    n = len(known)
    in_title, in_opening = known.terms + np.int32(N_TERMS), known.terms + np.int32(2 * N_TERMS)
    vocabulary = np.concatenate([known.terms, in_title, in_opening, names.coordinates])
    of_names = np.arange(3 * n, len(vocabulary), dtype=np.int32)
    return vocabulary, *_rows(terms, known.places, n, names, of_names)


def _rows(
    terms: TermBatch,
    of_terms: npt.NDArray[np.int32],
    next_block: int,
    names: Names,
    of_names: npt.NDArray[np.int32],
) -> Rows:
    """Lay the rows out; a term of the title has a coordinate ``next_block`` further than elsewhere, one of the opening
    twice that."""
    room = 3 * len(terms.ids) + len(of_names)
    indptr = np.zeros(2 * len(terms) + 2, dtype=np.int64)
    coordinates, values = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.float32)
    _place(
        *(terms.indptr, of_terms, terms.weights, terms.parts, next_block, names.indptr, of_names),
        *(indptr, coordinates, values),
    )
    end = indptr[-1]
    return indptr, coordinates[:end], values[:end]


def _coordinates(article: Metadata) -> list[int]:
    named = [_coordinate("category", category) for category in article.categories]
    named += (_coordinate("source", article.source), _coordinate("site", article.site))
    named.append(_coordinate("author", article.author))
    return sorted(set(named) - _NAMELESS)


@lru_cache(maxsize=KNOWN)
def _coordinate(kind: str, name: str) -> int:
    """Return the coordinate of a name, -1 of one that is empty."""
    name = name.strip()
    spelled = f"{kind} {name.casefold()}".encode(errors="surrogatepass")
    return _NAMES + zlib.crc32(spelled) % N_TERMS if name else -1


@compiled
def _place(
    starts: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    parts: npt.NDArray[np.uint8],
    next_block: int,
    names_starts: npt.NDArray[np.int64],
    names: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    coordinates: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> None:
    n = 0
    for row in range(len(starts) - 1):
        begin, end = starts[row], starts[row + 1]
        for entry in range(begin, end):
            coordinates[n] = ids[entry]
            values[n] = weights[entry]
            n += 1
        for block, part in enumerate((IN_TITLE, IN_OPENING)):
            squares = 0.0
            for entry in range(begin, end):
                if parts[entry] & part:
                    squares += weights[entry] * weights[entry]
            if squares > 0.0:
                scale = EMPHASIS / squares**0.5
                for entry in range(begin, end):
                    if parts[entry] & part:
                        coordinates[n] = ids[entry] + (block + 1) * next_block
                        values[n] = weights[entry] * scale
                        n += 1
        indptr[2 * row + 1] = n
        for entry in range(names_starts[row], names_starts[row + 1]):
            coordinates[n] = names[entry]
            values[n] = NAME
            n += 1
        indptr[2 * row + 2] = n
    indptr[-1] = n
