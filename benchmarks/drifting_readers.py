"""Made-up readers of Reuters whose interests change in the middle of the stream."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from iscore.evaluation.replay.stream_format import LabelledArticle

Kind = Literal["switch", "gradual", "second"]

GRADUALLY = 2_000
"""Articles over which a gradual change goes on."""


@dataclass(frozen=True, slots=True)
class DriftingReader:
    """A reader who likes one topic in the first half of the stream, and another in the second.

    A *switch* happens at once; a *gradual* change lets the new interest decide ever more often, over ``GRADUALLY``
    articles; a *second* interest joins the first.
    """

    kind: Kind
    before: str
    after: str

    @property
    def name(self) -> str:
        """What they go through, to be read."""
        return {
            "switch": f"{self.before} → {self.after}",
            "gradual": f"{self.before} ⇢ {self.after}",
            "second": f"{self.before} → {self.before} or {self.after}",
        }[self.kind]

    def likes(self, articles: Sequence[LabelledArticle]) -> npt.NDArray[np.bool_]:
        """Return their verdicts on all articles; both topics are among the labels."""
        old = np.array([article.labels[self.before] for article in articles])
        new = np.array([article.labels[self.after] for article in articles])
        if self.kind == "second":
            new = new | old
        since = np.arange(len(articles)) - middle(articles)
        if self.kind != "gradual":
            return np.where(since < 0, old, new)
        # By the article's name, so that it is the same in every run.
        chances = np.array([zlib.crc32(article.id.encode()) / 2**32 for article in articles])
        return np.where(since / GRADUALLY > chances, new, old)


def middle(articles: Sequence[LabelledArticle]) -> int:
    """Return the place of the first article after the change."""
    return len(articles) // 2


def _switches(*pairs: tuple[str, str]) -> tuple[DriftingReader, ...]:
    return tuple(DriftingReader("switch", before, after) for before, after in pairs)


TUNED = _switches(
    *(("earn", "acq"), ("acq", "earn"), ("crude", "grain"), ("grain", "crude"), ("trade", "interest")),
    *(("interest", "trade"), ("ship", "coffee"), ("money-fx", "ship"), ("sugar", "gold"), ("crude", "earn")),
)
"""On whom the detector was tuned."""

DECIDING = _switches(
    *(("acq", "crude"), ("earn", "trade"), ("grain", "money-fx"), ("money-fx", "grain"), ("trade", "crude")),
    *(("interest", "acq"), ("ship", "earn"), ("gnp", "interest"), ("coffee", "money-fx"), ("gold", "ship")),
)
"""Who decides."""

OTHERWISE = tuple(
    DriftingReader(kind, before, after)
    for kind in ("gradual", "second")
    for before, after in (("crude", "grain"), ("interest", "trade"))
)
"""Other changes than switches."""
