"""How an article stands to the articles that arrived shortly before it; one look at them serves all these
measures."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from extractors.anomaly import anomaly_mean
from extractors.coverage import coverage
from extractors.document import Document
from extractors.extractor import StreamExtractor
from extractors.freshness import freshness
from extractors.heads import Heads
from extractors.neighbours import SAME_TOPIC, Neighbours
from extractors.novelty import novelty
from extractors.state import State, array
from extractors.text import Text

RECENT = 4096
"""Articles in the window: some days of a hundred feeds; their state is less than 1 MB."""


class Neighbourhood(StreamExtractor):
    """Novelty, anomaly, coverage and freshness against the last ``RECENT`` articles.

    Each formula stands in the file of its name. Cosines are those of the articles' heaviest terms
    (``heads.py``). All are missing for an article without terms; ``novelty`` and ``anomaly_mean`` are for the
    very first one, too.
    """

    features: ClassVar[tuple[str, ...]] = ("novelty", "anomaly_mean", "coverage", "freshness")
    meanings: ClassVar[Mapping[str, str]] = {
        "novelty": "unlike any recent article",
        "anomaly_mean": "unusual among the recent news",
        "coverage": "carried by several sources",
        "freshness": "its topic has been quiet for a while",
    }

    def __init__(self) -> None:
        self._heads = Heads(RECENT)
        self._arrived = np.zeros(RECENT, dtype=np.float64)
        self._sources = np.zeros(RECENT, dtype=np.int64)

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        if len(text.terms) == 0:
            return [float("nan")] * len(self.features)
        cosines = self._heads.cosines(text.terms)
        alike = np.flatnonzero(cosines >= SAME_TOPIC)
        neighbours = Neighbours(
            cosines=cosines[alike],
            hours=np.maximum(0.0, (document.arrived.timestamp() - self._arrived[alike]) / 3600.0),
            sources=self._sources[alike],
            source=_number(document.source),
        )
        return [novelty(cosines), anomaly_mean(cosines), coverage(neighbours), freshness(neighbours)]

    def observe(self, document: Document, text: Text) -> None:
        if len(text.terms) > 0:
            row = self._heads.add(text.terms)
            self._arrived[row] = document.arrived.timestamp()
            self._sources[row] = _number(document.source)

    def state(self) -> State:
        n = len(self._heads)
        return {
            "heads": self._heads.state(),
            "arrived": self._arrived[:n].copy(),
            "sources": self._sources[:n].copy(),
        }

    def restore(self, state: State) -> None:
        heads = state["heads"]
        if not isinstance(heads, Mapping):
            raise TypeError("heads is not a state")
        self._heads.restore(heads)
        n = len(self._heads)
        self._arrived[:n] = array(state, "arrived", np.float64)
        self._sources[:n] = array(state, "sources", np.int64)


def _number(source: str) -> int:
    return zlib.crc32(source.encode("utf-8", "surrogatepass"))
