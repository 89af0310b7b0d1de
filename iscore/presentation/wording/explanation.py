"""The explanation of a score, for terminal and web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from iscore.presentation.wording.quantities import counted, signed
from iscore.presentation.wording.scores import learning_words, strength_words, wanted_words
from iscore.presentation.wording.times import ago

if TYPE_CHECKING:
    from iscore.services.views.articles import FeatureView, WhyView

MAX_FEATURES = 12
"""Features listed one by one; the others are summed."""
NEGLIGIBLE = 0.005
"""Smaller contributions print as 0.00."""
MAX_WORDS = 8
"""Words for and against."""


@dataclass(frozen=True, slots=True)
class Contributions:
    """The largest contributions to a score, and a sentence on the rest."""

    features: tuple[FeatureView, ...]
    """The largest first; empty until the filter is trained."""
    rest: str


def decision_words(view: WhyView) -> str:
    """Return ``Recommended`` or ``Below the threshold``."""
    return "Recommended" if view.interesting else "Below the threshold"


def judgement_words(view: WhyView) -> str:
    """Return score, threshold and strength, to follow ``decision_words``."""
    strength = strength_words(view.score + view.boost, view.threshold)
    boosted = f" ({signed(view.score + view.boost)} by your rules)" if view.boost else ""
    words = f"score {signed(view.score)}{boosted}, threshold {signed(view.threshold)}, {strength}"
    learning = learning_words(view.learning)
    return f"{words} ({learning})" if learning else words


def contributions(view: WhyView) -> Contributions:
    """Choose the features to list, and sum up the others."""
    used = [feature for feature in view.features if feature.used]
    moving = [feature for feature in used if abs(feature.contribution) >= NEGLIGIBLE]
    if not view.learning.warm:
        wanted = wanted_words(view.learning)
        more = f" Single features count after {wanted}." if wanted else ""
        return Contributions((), f"Scored by similarity to what you liked, and by source.{more}")
    listed = moving[:MAX_FEATURES]
    rest = sum(feature.contribution for feature in used) - sum(feature.contribution for feature in listed)
    effect = f"added {signed(rest)} together" if abs(rest) >= NEGLIGIBLE else "had no effect"
    parts = (
        (len(used) - len(listed), "more feature", effect),
        (len(view.features) - len(used), "feature", "predicted your verdicts less well and were not used"),
    )
    return Contributions(
        tuple(listed), "; ".join(f"{counted(number, noun)} {what}" for number, noun, what in parts if number)
    )


def value_words(feature: FeatureView) -> str:
    """Return a feature's value with three digits, or ``missing``."""
    return "missing" if feature.value is None else f"{feature.value:.3g}"


def informative_words(view: WhyView) -> tuple[tuple[str, str], ...]:
    """Return headings with the words of the article that raised or lowered its score."""
    positive = [word for word, weight in view.words if weight > 0][:MAX_WORDS]
    negative = [word for word, weight in view.words if weight < 0][:MAX_WORDS]
    headed = (("Words that raised the score", positive), ("Words that lowered the score", negative))
    return tuple((heading, ", ".join(words)) for heading, words in headed if words)


def first_words(view: WhyView, now: datetime) -> str:
    """Return when the article was first scored, and how if that has changed; empty if it never was."""
    if view.decided is None or view.first_score is None or view.first_threshold is None:
        return ""
    if (view.first_score, view.first_threshold) == (view.score, view.threshold):
        return f"Scored {ago(view.decided, now)}."
    return (
        f"First scored {ago(view.decided, now)}: score {signed(view.first_score)}, "
        f"threshold {signed(view.first_threshold)}. Your verdicts since then have changed it."
    )
