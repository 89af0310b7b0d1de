"""One round of judging: what is new is judged as a batch, the threshold is kept open, some of the rest is explored.

    articles ─► ReaderModel ─┬─► warm: adaptive threshold, kept open ─► recommended, explored, held back
                             └─► cold: the best so far, and representatives of the stream, which count as explored

Pure: what has happened so far comes in as figures, so that the product, which counts in its database, and a replay,
which counts in memory, decide alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedBatch
from extractors.text.terms import TermVector
from iscore.filtering.decision.cold_start import (
    cut_after,
    recommended_at_most,
    representatives_at_most,
    seeded_threshold,
)
from iscore.filtering.decision.diverse_selection import representatives
from iscore.filtering.decision.exploration import Draw, RecentDeliveries, explore
from iscore.filtering.decision.threshold_floor import Experience, likeable_share, open_threshold
from iscore.filtering.pipeline import Articles, Judgement, ReaderModel

Floats = npt.NDArray[np.float64]

CERTAIN = Draw(explore=False, probability=1.0)
"""What is interesting is delivered."""
ASKED = Draw(explore=True, probability=1.0)
"""A representative: no chance is involved."""
HELD_BACK = Draw(explore=False, probability=0.0)


def _nothing(_: Sequence[Judgement]) -> Collection[int]:
    return ()


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """What a round has to know of the days before it."""

    experience: Experience
    """All verdicts and decisions."""
    recent: RecentDeliveries
    """The deliveries of the last days."""
    scores: Floats
    """Scores of the other articles of the last days, as they were judged."""
    shown: Sequence[TermVector] = ()
    """Articles delivered so far; needed only as long as representatives are chosen."""


def judge_round(
    model: ReaderModel,
    articles: Articles,
    past: Past,
    *,
    share: float,
    seed: int,
    now: datetime,
    muted: Collection[int] = (),
    settled: Callable[[Sequence[Judgement]], Collection[int]] = _nothing,
) -> list[tuple[Judgement, Draw]]:
    """Judge articles and draw among those that are held back; changes nothing.

    ``share`` is the largest part of explored articles among all deliveries, in [0, 1); ``seed`` the reader's. While the
    filter knows next to nothing it has to ask, whatever the share.

    The reader's own rules never show what stands in the ``muted`` places: it takes no place among the best of a cold
    start. They decide alone, once all is judged, what stands in those that ``settled`` returns: it counts neither as
    recommended nor as held back, and nothing is drawn there.
    """
    cold = not model.warm and not model.seeds
    already = past.recent.recommended_today
    batch = AnalysedBatch.of(articles)
    judgements = judge_openly(model, batch, past.experience, past.scores, already=already, muted=muted)
    apart = frozenset(settled(judgements))
    held_back = [place for place, each in enumerate(judgements) if not each.interesting and place not in apart]
    recommended = [place for place, each in enumerate(judgements) if each.interesting and place not in apart]
    if cold:
        count = representatives_at_most(model.likes, model.likes + model.dislikes, past.recent.explored_today)
        shown = [*past.shown, *(batch.terms[place] for place in recommended)]
        chosen = representatives([batch.terms[place] for place in held_back], shown, count)
        draws = [HELD_BACK] * len(held_back)
        for place in chosen:
            draws[place] = ASKED
    else:
        draws = explore(
            [(batch.metadata[place].id, judgements[place].threshold - judgements[place].score) for place in held_back],
            recommended=len(recommended),
            recent=past.recent,
            share=share,
            seed=seed,
            now=now,
        )
    drawn = dict(zip(held_back, draws, strict=True))
    return [
        (judgement, CERTAIN if judgement.interesting else drawn.get(place, HELD_BACK))
        for place, judgement in enumerate(judgements)
    ]


def judge_openly(
    model: ReaderModel,
    articles: Articles,
    experience: Experience,
    others: Floats,
    *,
    already: int = 0,
    days: float = 1.0,
    muted: Collection[int] = (),
) -> list[Judgement]:
    """Judge articles with a threshold that lets enough pass, and no more than what was liked so far warrants.

    ``others`` are scores of the last days' other articles; ``already`` so many were recommended today. ``days`` says of
    how many days the articles are, once the classifier judges. What stands in the ``muted`` places takes none of those
    that are given to the best.
    """
    judgements = model.judge_many(articles)
    scores = np.array([judgement.score for judgement in judgements])
    threshold = open_cut(model, scores, experience, others, already=already, days=days, muted=muted)
    return [replace(j, threshold=threshold, interesting=j.score >= threshold) for j in judgements]


def open_cut(
    model: ReaderModel,
    scores: Floats,
    experience: Experience,
    others: Floats,
    *,
    already: int = 0,
    days: float = 1.0,
    muted: Collection[int] = (),
) -> float:
    """Return the threshold for articles of these scores; see ``judge_openly``."""
    rivals = np.delete(scores, list(muted))
    likeable = likeable_share(experience)
    if not model.warm and model.seeds:
        return seeded_threshold(rivals, model.likes, model.dislikes)
    if not model.warm:
        return cut_after(rivals, recommended_at_most(model.likes, likeable, len(rivals), already))
    threshold = open_threshold(model.threshold, np.concatenate([scores, others]), experience)
    if not model.seeds:
        most = recommended_at_most(model.likes, likeable, len(rivals), already, warm=True, days=days)
        if most < len(rivals):
            threshold = max(threshold, cut_after(rivals, most))
    return threshold
