"""Keep the learned threshold low enough that a filter goes on delivering.

A filter learns only from what it delivers. Verdicts on articles below the threshold are rare, so a learned threshold
creeps up: fewer deliveries, fewer verdicts, less evidence against it. The correction uses what is known without
verdicts on everything: the share of liked articles among all, and the distribution of all current scores. The threshold
is never above the score that delivers

- as many articles as were liked so far, and one more a day, or
- ``AT_LEAST`` of the articles that are probably liked, those below the threshold included,

whichever is more. The first follows success: as long as the last deliveries are liked, more are delivered. The second
helps at the beginning, when much is liked and little has been found. Neither goes below ``LOWEST``, except for one
article a day, because without any delivery the filter would learn nothing more.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from iscore.filtering.decision.past import Past, VerdictCounts

AT_LEAST = 0.4
"""Share of the probably liked articles that is delivered at least. At 1 the filter would aim at equal precision and
recall; F0.5 wants fewer of the doubtful ones."""
MORE_A_DAY = 1.0
"""Articles a day beyond as many as are liked."""
LOWEST = -2.0
"""Log-odds; a probability of one in eight. Liked articles come in bursts; on days without any, none is forced. At -1
steady readers have a little more, but a filter that learned 200 wrong verdicts does not recover
(``docs/experiments.md``)."""
PRIOR_VERDICTS = 4.0
"""Verdicts on explored articles that the first guess about the hidden articles is worth."""

Floats = npt.NDArray[np.float64]


def found_share(past: Past) -> float:
    """Estimate which share of all articles was liked and delivered, in [0, 1].

    Deliveries without a verdict are assumed to be liked as often as those with one.
    """
    ever, verdicts = past.ever, past.verdicts
    decided = ever.recommended + ever.explored + ever.hidden + ever.muted
    if decided == 0:
        return 0.0
    given = verdicts.recommended_liked + verdicts.recommended_disliked
    liked = ever.recommended * verdicts.recommended_liked / given if given else 0.0
    if verdicts.explored:
        likes = sum(like for like, _ in verdicts.explored)
        liked += ever.explored * likes / len(verdicts.explored)
    return liked / decided


def likeable_share(verdicts: VerdictCounts) -> float:
    """Estimate which share of all articles is liked from the diverse selection alone, in [0, 1).

    One like is subtracted: the selection is shown until one is liked, so the first like says little about how many
    there are.
    """
    likes = [like for like, probability in verdicts.explored if probability >= 1.0]
    return max(0, sum(likes) - 1) / max(len(likes), 1)


def missed_share(verdicts: VerdictCounts) -> float:
    """Estimate which share of the hidden articles would be liked, in [0, 1]."""
    drawn = [(like, 1.0 / probability) for like, probability in verdicts.explored if probability < 1.0]
    # Exploration prefers articles near the threshold, so each verdict is weighted by its inverse probability; such an
    # average is worth fewer verdicts than went into it (Kish's effective size).
    total = sum(weight for _, weight in drawn)
    size = total * total / sum(weight * weight for _, weight in drawn) if drawn else 0.0
    mean = sum(weight for like, weight in drawn if like) / total if drawn else 0.0
    return (size * mean + PRIOR_VERDICTS * likeable_share(verdicts)) / (size + PRIOR_VERDICTS)


def floored_threshold(threshold: float, scores: Floats, past: Past) -> float:
    """Return ``threshold``, or the lower one that delivers enough of ``scores``."""
    if len(scores) == 0:
        return threshold
    found = found_share(past)
    more = MORE_A_DAY * past.days / len(scores)
    wanted = _quantile(scores, max(found + more, AT_LEAST * (found + missed_share(past.verdicts))))
    return min(threshold, max(LOWEST, wanted), _quantile(scores, more))


def _quantile(scores: Floats, share: float) -> float:
    """Return the score that ``share`` of these reach, or all."""
    return float(np.quantile(scores, max(0.0, 1.0 - share)))
