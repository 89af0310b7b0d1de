"""All metrics of an outcome in one record, and their means over readers.

An undefined metric is ``None``. Unless a metric says otherwise it is about *deliveries*, recommended or explored,
because the reader has to look through both. Metrics count all articles that the reader has a verdict on, whether the
filter learned the verdict or not.

    Outcome ─► counts ─► precision, recall, F0.5, T11SU
            ├► windows ─► the first thousands, articles until useful
            └► score_metrics ─► AUC, the best fixed threshold, Brier, log-loss, calibration error
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from iscore.evaluation.replay.outcome import Flags, Floats, Outcome
from iscore.evaluation.replay.score_metrics import auc, best_static_threshold, largest_gap, reliability
from iscore.evaluation.replay.windows import USEFUL_LIKES, WINDOW, articles_until_useful
from iscore.filtering.metrics import count

EARLY = 1000
"""Articles by which a reader gets a first impression."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The metrics of one reader and one classifier."""

    stream: str
    reader: str
    classifier: str
    protocol: str
    n: int
    """Articles with a verdict."""
    positives: int
    """Liked articles."""
    delivered: int
    explored: int
    """Deliveries from below the threshold."""
    verdicts: int
    """Verdicts that the filter learned."""
    warm_from: int | None
    """The position, from 1, of the first article that the classifier scored; ``None`` if none."""
    f05: float | None
    """F0.5 of the deliveries, over the whole stream; ``None``, like every F-measure, when nothing is liked."""
    precision: float | None
    """``None`` when nothing was delivered."""
    recall: float | None
    """``None`` when nothing is liked."""
    f05_first_1000: float | None
    """As ``f05``, over the first 1,000 articles; over all of them when there are fewer."""
    f05_first_5000: float | None
    t11su: float | None
    """TREC-11's scaled utility, ``counts.Counts.t11su``."""
    deliveries_per_like: float | None
    """Articles that the reader looks at for each that they like; ``None`` when nothing that was delivered is liked."""
    f05_recommended: float | None
    """As ``f05``, without explored articles. The same in the full protocol."""
    precision_recommended: float | None
    recall_recommended: float | None
    f05_even_odds: float | None
    """As ``f05_recommended``, with the threshold 0 for the classifier's scores; other decisions are unchanged."""
    f05_even_odds_first_1000: float | None
    f05_best_static: float | None
    """The same with the fixed threshold that is best in hindsight."""
    best_static_threshold: float | None
    """That threshold, in the classifier's log-odds; infinite, as ``None``, when nothing should have been delivered."""
    auc: float | None
    """Area under the ROC curve of the scores at arrival, over all articles; ties count half. ``None`` unless some are
    liked and some not."""
    auc_warm: float | None
    """The same over the articles that the classifier scored: earlier scores are on another scale."""
    brier: float | None
    """Calibration over the articles that the classifier scored: ``score_metrics.Reliability``. ``None`` if there are
    none."""
    log_loss: float | None
    calibration_error: float | None
    calibration_gap: float | None
    """``score_metrics.largest_gap`` over the same articles: how far from the truth a shown probability can be."""
    calibration_gap_delivered: float | None
    """The same over those of them that were delivered."""
    calibration_gap_hidden: float | None
    """The same over the others."""
    articles_until_useful: int | None
    """See ``windows.articles_until_useful``; ``None`` if it never was, or there are too few likes to tell."""
    seconds: float
    """Processor time for scoring and learning."""


METRICS: tuple[str, ...] = tuple(
    field.name for field in fields(Summary) if field.name not in ("stream", "reader", "classifier", "protocol")
)
"""The names of the metrics, in the order of ``Summary``."""


def summary(outcome: Outcome) -> Summary:
    """Compute the metrics of an outcome, which may be empty."""
    liked, delivered, recommended = outcome.liked, outcome.delivered, outcome.recommended
    whole, wanted = count(delivered, liked), count(recommended, liked)
    at_even_odds = np.where(outcome.trained, outcome.scores >= 0.0, recommended)
    best = best_static_threshold(pinned_scores(outcome), liked)
    trained = outcome.trained
    calibration = reliability(outcome.scores[trained], liked[trained])
    return Summary(
        stream=outcome.stream,
        reader=outcome.reader,
        classifier=outcome.classifier,
        protocol=outcome.protocol,
        n=whole.articles,
        positives=whole.liked,
        delivered=whole.delivered,
        explored=whole.delivered - wanted.delivered,
        verdicts=outcome.verdicts,
        warm_from=int(np.argmax(trained)) + 1 if trained.any() else None,
        f05=whole.f_beta(),
        precision=whole.precision,
        recall=whole.recall,
        f05_first_1000=_first(EARLY, delivered, liked),
        f05_first_5000=_first(WINDOW, delivered, liked),
        t11su=whole.t11su,
        deliveries_per_like=whole.delivered / whole.hits if whole.hits else None,
        f05_recommended=wanted.f_beta(),
        precision_recommended=wanted.precision,
        recall_recommended=wanted.recall,
        f05_even_odds=count(at_even_odds, liked).f_beta(),
        f05_even_odds_first_1000=_first(EARLY, at_even_odds, liked),
        f05_best_static=best[1] if best else None,
        best_static_threshold=best[0] if best and np.isfinite(best[0]) else None,
        auc=auc(outcome.scores, liked),
        auc_warm=auc(outcome.scores[trained], liked[trained]),
        brier=calibration.brier,
        log_loss=calibration.log_loss,
        calibration_error=calibration.error,
        calibration_gap=largest_gap(outcome.scores[trained], liked[trained]),
        calibration_gap_delivered=largest_gap(outcome.scores[trained & delivered], liked[trained & delivered]),
        calibration_gap_hidden=largest_gap(outcome.scores[trained & ~delivered], liked[trained & ~delivered]),
        articles_until_useful=articles_until_useful(delivered, liked),
        seconds=outcome.seconds,
    )


def mean(summaries: Sequence[Summary]) -> dict[str, float | None]:
    """Return the mean of every metric over readers, each reader counting the same.

    A reader for whom a metric is undefined is left out of its mean; ``None`` when that leaves nobody. In the mean of
    ``articles_until_useful`` a reader whose filter never became useful counts with the stream's length; one with too
    few likes to tell is left out.
    """
    means: dict[str, float | None] = {}
    for name in METRICS:
        values = [_counted(each, name) for each in summaries]
        defined = [value for value in values if value is not None]
        means[name] = float(np.mean(defined)) if defined else None
    return means


def pinned_scores(outcome: Outcome) -> Floats:
    """Return the scores that a fixed threshold applies to, shape (n,).

    Where the score is not the classifier's the decision is final: infinity if recommended, else minus infinity.
    """
    return np.where(outcome.trained, outcome.scores, np.where(outcome.recommended, np.inf, -np.inf))


def _counted(each: Summary, name: str) -> float | None:
    value: float | None = getattr(each, name)
    if value is None and name == "articles_until_useful" and each.positives >= 2 * USEFUL_LIKES:
        return each.n
    return value


def _first(size: int, delivered: Flags, liked: Flags) -> float | None:
    return count(delivered[:size], liked[:size]).f_beta()
