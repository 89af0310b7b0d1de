"""How the filter is doing: verdicts against decisions, the threshold, the features in use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from iscore.filtering.pipeline import ReaderModel
from iscore.services.view_builders import learning, moved, problems
from iscore.services.views.articles import FeedView, StatusView
from storage import articles, decisions, feedback
from storage.records import Tally
from storage.transaction import Transaction

Floats = npt.NDArray[np.float64]


def status(tx: Transaction, user_id: int, model: ReaderModel, feeds: list[FeedView], *, to_learn: int) -> StatusView:
    """Gather the state of the filter. Rates compare first decisions with the verdicts that stand now.

    They are None until something that was recommended has a verdict: a filter that has not begun misses nothing.
    """
    tally = feedback.tally(tx, user_id)
    begun = tally.true_positives + tally.false_positives > 0
    ever = decisions.recent_counts(tx, user_id, None)
    explanation = model.classifier.explain_one(_nothing(model.names))
    best = sorted(zip(explanation.ranks.tolist(), model.names, explanation.correlations.tolist(), strict=True))
    return StatusView(
        feeds=len(feeds),
        articles=articles.count(tx),
        judged=ever.judged,
        recommended=ever.recommended,
        explored=ever.explored,
        likes=tally.likes,
        dislikes=tally.dislikes,
        skips=tally.skips,
        f05=f05(tally) if begun else None,
        precision=_ratio(tally.true_positives, tally.true_positives + tally.false_positives),
        recall=_ratio(tally.true_positives, tally.true_positives + tally.false_negatives) if begun else None,
        threshold=decisions.newest_threshold(tx, user_id, default=model.threshold),
        subset_size=explanation.subset_size,
        n_features=len(model.names),
        best_features=tuple((name, correlation) for _, name, correlation in best[: explanation.subset_size]),
        learning=learning(tally),
        problems=problems(feeds),
        last_poll=max((feed.last_success for feed in feeds if feed.last_success is not None), default=None),
        to_learn=to_learn,
        moved=moved(feeds),
    )


def f05(tally: Tally) -> float | None:
    """F_beta with beta = 0.5 of first decisions; None while nothing was liked."""
    if tally.true_positives + tally.false_negatives == 0:
        return None
    weighted = 1.25 * tally.true_positives
    return weighted / (weighted + 0.25 * tally.false_negatives + tally.false_positives)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _nothing(names: Sequence[str]) -> Floats:
    """A vector of which everything is missing: ranks and subset do not depend on the article."""
    return np.full(len(names), np.nan)
