"""All metrics of an outcome in one record, and their means over readers.

An undefined metric is ``None``. Unless a metric says otherwise it is about *deliveries*, recommended or explored,
because the reader has to look through both. Metrics count all articles that the reader has a verdict on, whether the
filter learned the verdict or not.

    Outcome ─► counts ─► precision, recall, F0.5, T11SU
            ├► windows ─► the first thousands, articles until useful
            └► scores ─► AUC, the best fixed threshold, Brier, log-loss, calibration error

Scores are those at arrival, of a filter that went on learning: an article's score is compared with the score of another
by an earlier or later model. That is what a fixed threshold over the stream would see, and it ranks less well than the
model of any one moment. For the calibration a score is taken as log-odds, so the posterior is 1 / (1 + e^-score): of
the articles with 80 %, eight in ten should be liked. It is measured only on scores of the classifier; those of the cold
start rank, and claim no probability. For a classifier whose scores are margins it shows how far they are from log-odds.

A score that is NaN leaves every metric of scores undefined. Infinite scores are at the ends of the ranking.
scikit-learn computes what it defines (``sklearn.metrics``); it takes neither infinite scores nor a single class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from iscore.evaluation.replay.outcome import Flags, Floats, Outcome
from iscore.evaluation.replay.windows import USEFUL_LIKES, WINDOW, articles_until_useful
from iscore.filtering.metrics import BETA, count
from iscore.learners.online_classifier import probabilities

EARLY = 1000
"""Articles by which a reader gets a first impression."""
N_BINS = 10
FEWEST_IN_BIN = 100
"""Articles of a bin that are needed to say how far its posterior is from the truth."""
_LARGEST_LOG_ODDS = 36.0
"""Log-odds beyond which double precision cannot tell the posterior from 0 or 1; log-loss stays finite."""
RECALLS: Floats = np.arange(1, 101) / 100.0
"""Levels of recall: 0.01, 0.02 … 1."""


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
    """Calibration over the articles that the classifier scored: ``Reliability``. ``None`` if there are
    none."""
    log_loss: float | None
    calibration_error: float | None
    calibration_gap: float | None
    """``largest_gap`` over the same articles: how far from the truth a shown probability can be."""
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


def auc(scores: Floats, liked: Flags) -> float | None:
    """Return the probability that a liked article has a higher score than one that is not, in [0, 1].

    Equal scores count half (Mann and Whitney 1947; Hanley and McNeil 1982), so a filter that gives all articles the
    same score has 0.5. ``None`` unless there are articles of both kinds. Shapes (n,).
    """
    from sklearn.metrics import roc_auc_score

    if not liked.any() or liked.all() or np.isnan(scores).any():
        return None
    return float(roc_auc_score(liked, np.unique(scores, return_inverse=True)[1]))


def precision_at_recalls(scores: Floats, liked: Flags, recalls: Floats = RECALLS) -> Floats:
    """Return the precision of the highest static threshold whose recall is at least each of ``recalls``.

    Shape of ``recalls``, values in [0, 1]; all NaN when nothing is liked. Nothing is interpolated, so precision may
    rise with recall. Pon, Cardenas, Buttler 2008, Figure 5.
    """
    if not liked.any() or np.isnan(scores).any():
        return np.full(len(recalls), np.nan)
    hits, passed, _ = _static_thresholds(scores, liked)
    # Slightly below the level: 0.07 * 100 hits is 7.000000000000001.
    first = np.searchsorted(hits, recalls * hits[-1] - 1e-9)
    precision: Floats = hits[first] / passed[first]
    return precision


def best_static_threshold(scores: Floats, liked: Flags, *, beta: float = BETA) -> tuple[float, float] | None:
    """Return the static threshold with the best F-beta in hindsight, and that F-beta; shapes (n,).

    Ties go to the higher threshold. An article with a score of minus infinity is never delivered; if no liked
    article can be, the threshold is infinite and F-beta 0. ``None`` when nothing is liked or a score is not a number.
    """
    if not liked.any() or np.isnan(scores).any():
        return None
    hits, passed, thresholds = _static_thresholds(scores, liked)
    f = (1.0 + beta * beta) * hits / (passed + beta * beta * np.count_nonzero(liked))
    f[np.isneginf(thresholds)] = 0.0
    best = int(np.argmax(f))
    return (float(thresholds[best]), float(f[best])) if f[best] > 0.0 else (float("inf"), 0.0)


def _static_thresholds(scores: Floats, liked: Flags) -> tuple[Floats, Floats, Floats]:
    """Return hits, deliveries and threshold at each different score, the highest first."""
    from sklearn.metrics import confusion_matrix_at_thresholds

    different, places = np.unique(scores, return_inverse=True)
    _, misses, _, hits, found = confusion_matrix_at_thresholds(liked, places)
    return hits, hits + misses, different[found]


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Posteriors against what was liked, in bins of equal width over [0, 1]; arrays of shape (bins,)."""

    articles: npt.NDArray[np.int64]
    """Number of articles with their posterior in the bin; the last bin includes 1."""
    posterior: Floats
    """Mean posterior in the bin; NaN when it is empty."""
    liked: Floats
    """Share of liked articles in the bin; NaN when it is empty."""
    brier: float | None
    """Mean squared distance of posterior and verdict (Brier 1950), in [0, 1]; 0 is best."""
    log_loss: float | None
    """Mean negative log-likelihood of the verdicts in nats, 0 or more; scores count up to ±36."""
    error: float | None
    """Expected calibration error: distance of share and posterior, averaged over bins by their articles, in [0, 1]
    (Naeini, Cooper, Hauskrecht 2015). The three are ``None`` without articles."""


def reliability(scores: Floats, liked: Flags, *, bins: int = N_BINS) -> Reliability:
    """Measure the calibration of log-odds; shapes (n,). A score that is not a number leaves everything undefined."""
    from sklearn.metrics import brier_score_loss, log_loss

    if np.isnan(scores).any():
        scores, liked = scores[:0], liked[:0]
    both = probabilities(np.clip(scores, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS))
    posterior = both[:, 1]
    # scikit-learn's ``calibration_curve`` says neither how many articles a bin has nor which bins are empty.
    bin_ = np.minimum((posterior * bins).astype(np.int64), bins - 1)
    articles = np.bincount(bin_, minlength=bins)
    there = np.where(articles > 0, articles, np.nan)
    mean = np.bincount(bin_, posterior, minlength=bins) / there
    share = np.bincount(bin_, liked, minlength=bins) / there
    if not len(scores):
        return Reliability(articles, mean, share, None, None, None)
    return Reliability(
        articles=articles,
        posterior=mean,
        liked=share,
        brier=float(brier_score_loss(liked, posterior, pos_label=True)),
        log_loss=float(log_loss(liked, both, labels=[False, True])),
        error=float(np.nansum(np.abs(share - mean) * articles) / len(scores)),
    )


def largest_gap(scores: Floats, liked: Flags) -> float | None:
    """Return the largest distance of mean posterior and share of liked articles in a bin; shapes (n,).

    Bins are a tenth wide. The first, and bins of fewer than ``FEWEST_IN_BIN`` articles, do not count; ``None`` when no
    other is left.
    """
    found = reliability(scores, liked)
    enough = found.articles >= FEWEST_IN_BIN
    enough[0] = False
    return float(np.abs(found.posterior - found.liked)[enough].max()) if enough.any() else None
