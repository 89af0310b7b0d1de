"""Rare phrases: how much of an article puts words together that have not stood together lately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from extractors.article import Document
from extractors.extractor import Floats, StreamExtractor
from extractors.numba_kernel import compiled
from extractors.state import State, array
from extractors.text.terms import N_TERMS
from extractors.text.text import Text, Texts

GENERATION: Final = N_TERMS // 8
"""Different pairs after which the older of two generations is forgotten: those of some 4,000 reports of Reuters. So
both together never fill more than a quarter of the buckets. Half of it told as much and forgot sooner."""


class RarePhrases(StreamExtractor):
    """Share of the article's pairs of neighbouring terms (``pairs.py``) that are new to the stream; in [0, 1].

    Which pairs have come lately is remembered in two bitmaps over their buckets, a Bloom filter with one hash function
    and two generations (Bloom 1970, "Space/time trade-offs in hash coding with allowable errors"; the ageing is that
    of Yoon 2010, "Aging Bloom filter with two active buffers for dynamic sets"): pairs enter the younger one; when that
    has ``GENERATION`` of them it becomes the older one, whose pairs are forgotten, and an empty one follows. If a share
    f of all buckets is taken, a new pair looks old with probability f, so the share that looks new is divided by 1 − f.
    Missing for an article without pairs, and for the very first one with pairs.
    """

    features: ClassVar[tuple[str, ...]] = ("rare_phrases",)
    meanings: ClassVar[Mapping[str, str]] = {"rare_phrases": "puts words together that seldom meet"}

    def __init__(self) -> None:
        self._younger = np.zeros(N_TERMS // 8, dtype=np.uint8)
        self._older = np.zeros(N_TERMS // 8, dtype=np.uint8)
        self._counts = np.zeros(2, dtype=np.int64)
        """Pairs of the younger generation; pairs of both together."""

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        values: list[float] = self._walk([document], Texts.of(text), measures=True, observes=False)[0].tolist()
        return values

    def observe(self, document: Document, text: Text) -> None:
        self._walk([document], Texts.of(text), measures=False, observes=True)

    def follow(self, documents: Sequence[Document], texts: Texts) -> Floats:
        return self._walk(documents, texts, measures=True, observes=True)

    def state(self) -> State:
        return {"younger": self._younger.copy(), "older": self._older.copy()}

    def restore(self, state: State) -> None:
        self._younger = array(state, "younger", np.uint8)
        self._older = array(state, "older", np.uint8)
        together = np.bitwise_count(self._younger | self._older).sum()
        self._counts[:] = np.bitwise_count(self._younger).sum(), together

    def _walk(self, documents: Sequence[Document], texts: Texts, *, measures: bool, observes: bool) -> Floats:
        values = np.full((len(documents), 1), np.nan)
        pairs = texts.pairs
        _walk(pairs.indptr, pairs.ids, measures, observes, self._younger, self._older, self._counts, values)
        return values


@compiled
def _walk(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    measures: bool,
    observes: bool,
    younger: npt.NDArray[np.uint8],
    older: npt.NDArray[np.uint8],
    counts: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
) -> None:
    for article in range(len(indptr) - 1):
        pairs = ids[indptr[article] : indptr[article + 1]]
        if measures and len(pairs) > 0 and counts[1] > 0:
            new = 0
            for pair in pairs:
                new += (((younger[pair >> 3] | older[pair >> 3]) >> (pair & 7)) & 1) == 0
            values[article, 0] = min(1.0, new / len(pairs) / (1.0 - counts[1] / N_TERMS))
        if observes:
            for pair in pairs:
                byte, bit = pair >> 3, np.uint8(1 << (pair & 7))
                counts[0] += (younger[byte] & bit) == 0
                counts[1] += ((younger[byte] | older[byte]) & bit) == 0
                younger[byte] |= bit
            if counts[0] >= GENERATION:
                for byte in range(len(younger)):
                    older[byte] = younger[byte]
                    younger[byte] = 0
                counts[0], counts[1] = 0, counts[0]
