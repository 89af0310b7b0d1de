"""One round of judging: what is new is judged as a batch, the threshold is kept open, some of the rest is explored.

    articles ─► ReaderModel ─► threshold (generous, or adaptive and kept open) ─► delivered, explored, held back

Pure: what has happened so far comes in as figures, so that the product, which counts in its database, and a replay,
which counts in memory, decide alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from extractors.frozen import FrozenArticle
from iscore.cold_start import generous_threshold, seeded_threshold
from iscore.exploration import Draw, RecentDeliveries, explore
from iscore.pipeline import Judgement, ReaderModel
from iscore.ratchet import Experience, liked_share, open_threshold

Floats = npt.NDArray[np.float64]

CERTAIN = Draw(explore=False, probability=1.0)
"""What is interesting is delivered."""


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """What a round has to know of the days before it."""

    experience: Experience
    """All verdicts, and the deliveries of the last days."""
    recent: RecentDeliveries
    """The deliveries of the last days."""
    scores: Floats
    """Scores of the other articles of the last days, as they were judged."""


def judge_round(
    model: ReaderModel, articles: Sequence[FrozenArticle], past: Past, *, share: float, seed: int, now: datetime
) -> list[tuple[Judgement, Draw]]:
    """Judge articles and draw among those that are held back; changes nothing.

    ``share`` is the largest part of explored articles among all deliveries, in [0, 1); ``seed`` the reader's.
    """
    judgements = judge_openly(model, articles, past.experience, past.scores)
    held_back = [
        (article.metadata.id, judgement.threshold - judgement.score)
        for article, judgement in zip(articles, judgements, strict=True)
        if not judgement.interesting
    ]
    drawn = iter(
        explore(
            held_back,
            recommended=len(articles) - len(held_back),
            recent=past.recent,
            share=share,
            seed=seed,
            now=now,
        )
    )
    return [(judgement, CERTAIN if judgement.interesting else next(drawn)) for judgement in judgements]


def judge_openly(
    model: ReaderModel, articles: Sequence[FrozenArticle], experience: Experience, others: Floats
) -> list[Judgement]:
    """Judge articles with a threshold that lets enough pass; ``others`` are scores of the last days' other articles."""
    judgements = model.judge_many(articles)
    scores = np.array([judgement.score for judgement in judgements])
    if model.warm:
        pool = np.concatenate([scores, others])
        threshold = open_threshold(model.threshold, pool, liked_share(experience))
    elif model.seeds:
        threshold = seeded_threshold(scores, model.likes, model.dislikes)
    else:
        threshold = generous_threshold(scores, model.likes + model.dislikes)
    return [replace(j, threshold=threshold, interesting=j.score >= threshold) for j in judgements]
