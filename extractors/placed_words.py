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
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.compiled import compiled
from extractors.document import Metadata
from extractors.extractor import Context, Floats, ReaderExtractor
from extractors.frozen import FrozenArticle, FrozenBatch
from extractors.state import State, array
from extractors.terms import IN_OPENING, IN_TITLE, N_TERMS, TermBatch

EMPHASIS = 0.7
"""Length of the vectors of title and opening: together they weigh as much as the whole text."""
NAME = 0.3
"""Weight of a name, like that of a rather rare word in a short article."""

N_COORDINATES = 4 * N_TERMS
_NAMES = 3 * N_TERMS
KNOWN = 1 << 12
"""Combinations of names whose coordinates are remembered, which changes the speed and nothing else."""

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""A compressed sparse row matrix: where rows begin, coordinates, values."""


class PlacedWords(ReaderExtractor):
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

    def extract_many(self, articles: FrozenBatch) -> Floats:
        n = len(articles)
        margins = np.full((n, 2), np.nan)
        if self._learner is not None and self._verdicts.all() and n:
            names = [names_of(article) for article in articles.metadata]
            scores = self._learner.score_rows(*side_by_side(articles.terms, names))
            written = np.diff(articles.terms.indptr) > 0
            named = written & np.array([len(each) > 0 for each in names])
            margins[written, 0] = scores[:n][written]
            margins[named, 1] = scores[n : 2 * n][named] - scores[2 * n]
        return margins

    def learn(self, article: FrozenArticle, interesting: bool, weight: float) -> None:
        if self._learner is not None and len(article.terms):
            _, coordinates, values = side_by_side(TermBatch.of([article.terms]), [names_of(article.metadata)])
            self._learner.learn_row(coordinates, values, interesting, weight)
            self._verdicts[int(interesting)] += 1

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


def side_by_side(terms: TermBatch, names: Sequence[npt.NDArray[np.int32]]) -> Rows:
    """Return the vectors of m articles' words, those of their names, and one of nothing: 2m + 1 rows.

    Coordinates ascend within a row, and, of a single article, from its words to its names: together they are a row too.
    """
    m = len(terms)
    indptr = np.zeros(2 * m + 2, dtype=np.int64)
    of_names = names[0] if m == 1 else np.concatenate(names)
    room = 3 * len(terms.ids) + len(of_names)
    coordinates, values = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.float32)
    _place(terms.indptr, terms.ids, terms.weights, terms.parts, indptr, coordinates, values)
    n = int(indptr[m])
    indptr[m + 1 : -1] = n + np.cumsum([len(each) for each in names])
    end = indptr[-1] = indptr[-2]
    coordinates[n:end] = of_names
    values[n:end] = NAME
    return indptr, coordinates[:end], values[:end]


def names_of(article: Metadata) -> npt.NDArray[np.int32]:
    """Return the coordinates of the names that an article comes under, in any case, ascending and each once."""
    return _coordinates(article.source, article.site, article.author, *article.categories)


@lru_cache(maxsize=KNOWN)
def _coordinates(source: str, site: str, author: str, *categories: str) -> npt.NDArray[np.int32]:
    named = [("source", source), ("site", site), ("author", author)]
    named += [("category", category) for category in categories]
    return np.array(sorted({_coordinate(kind, name) for kind, name in named if name.strip()}), dtype=np.int32)


def _coordinate(kind: str, name: str) -> int:
    spelled = f"{kind} {name.strip().casefold()}".encode(errors="surrogatepass")
    return _NAMES + zlib.crc32(spelled) % N_TERMS


@compiled
def _place(
    starts: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    parts: npt.NDArray[np.uint8],
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
                        coordinates[n] = ids[entry] + (block + 1) * N_TERMS
                        values[n] = weights[entry] * scale
                        n += 1
        indptr[row + 1] = n
