"""Rare phrases: the share of an article's pairs of words that are new to the stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from extractors.arrays import Bytes, Floats, Int32s, Int64s, State, array
from extractors.article import Document
from extractors.base import BatchStreamExtractor, Context
from extractors.numba_kernel import compiled
from extractors.text.terms import N_TERMS
from extractors.text.text import Texts

GENERATION: Final = N_TERMS // 8
"""Different pairs after which the older of two generations is forgotten: those of some 4,000 reports of Reuters. So
both together never fill more than a quarter of the buckets."""


class RarePhrases(BatchStreamExtractor):
    """Share of the article's pairs of neighbouring terms (``pairs.py``) that are new to the stream; in [0, 1].

    Recent pairs are remembered in two bitmaps over their buckets, a Bloom filter with one hash function
    and two generations (Bloom 1970, "Space/time trade-offs in hash coding with allowable errors"; the ageing is that
    of Yoon 2010, "Aging Bloom filter with two active buffers for dynamic sets"): pairs enter the younger one; when that
    has ``GENERATION`` of them it becomes the older one, whose pairs are forgotten, and an empty one follows. If a share
    f of all buckets is taken, a new pair looks old with probability f, so the share that looks new is divided by 1 − f.
    Missing for an article without pairs, and for the very first one with pairs.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse_many
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> articles = [Article(id=t, arrived=now, title=t, text="") for t in ("Ferry strike", "Ferry strike", "Tram line")]
    >>> RarePhrases().extract_and_observe(articles, analyse_many(articles))[:, 0].tolist()
    [nan, 0.0, 1.0]
    """

    features: ClassVar[tuple[str, ...]] = ("rare_phrases",)
    meanings: ClassVar[Mapping[str, str]] = {"rare_phrases": "mostly unusual phrases"}

    low_value_meanings: ClassVar[Mapping[str, str]] = {"rare_phrases": "mostly common phrases"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"rare_phrases": (0.2, 0.6)}
    families: ClassVar[Mapping[str, str]] = {"rare_phrases": "uniqueness"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._younger = np.zeros(N_TERMS // 8, dtype=np.uint8)
        self._older = np.zeros(N_TERMS // 8, dtype=np.uint8)
        self._counts = np.zeros(2, dtype=np.int64)
        """Pairs of the younger generation; pairs of both together."""

    def extract_and_observe(self, documents: Sequence[Document], texts: Texts) -> Floats:
        values = np.full((len(documents), 1), np.nan)
        pairs = texts.pairs
        _extract_and_observe(pairs.indptr, pairs.ids, self._younger, self._older, self._counts, values[:, 0])
        return values

    def state(self) -> State:
        return {"younger": self._younger.copy(), "older": self._older.copy()}

    def restore(self, state: State) -> None:
        self._younger = array(state, "younger", np.uint8)
        self._older = array(state, "older", np.uint8)
        together = np.bitwise_count(self._younger | self._older).sum()
        self._counts[:] = np.bitwise_count(self._younger).sum(), together


@compiled
def _extract_and_observe(
    indptr: Int64s, ids: Int32s, younger: Bytes, older: Bytes, counts: Int64s, values: Floats
) -> None:
    for article in range(len(values)):
        pairs = ids[indptr[article] : indptr[article + 1]]
        if len(pairs) > 0 and counts[1] > 0:
            new = 0
            for pair in pairs:
                new += (((younger[pair >> 3] | older[pair >> 3]) >> (pair & 7)) & 1) == 0
            values[article] = min(1.0, new / len(pairs) / (1.0 - counts[1] / N_TERMS))
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
