"""An explanation in the words that people read, the same on the terminal and on every page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from iscore.presentation.wording.quantities import counted, signed
from iscore.presentation.wording.scores import learning_words, strength_words, wanted_words
from iscore.presentation.wording.times import ago
from iscore.services.views.articles import FeatureView, WhyView

MOST = 12
"""Features that are listed; what the others add is told in one sum."""
NOTHING = 0.005
"""Contributions below this read 0.00."""
WORDS = 8
"""Words for, and words against, that are named."""


@dataclass(frozen=True, slots=True)
class Moves:
    """What moved a score, as far as it is listed, and a sentence on the rest."""

    features: tuple[FeatureView, ...]
    """The weightiest; empty while no single feature counts."""
    rest: str


def decision_words(view: WhyView) -> str:
    """Return ``Recommended`` or ``Held back``."""
    return "Recommended" if view.interesting else "Held back"


def judgement_words(view: WhyView) -> str:
    """Return score, threshold, and what that means, to stand behind ``decision_words``."""
    strength = strength_words(view.score + view.boost, view.threshold)
    boosted = f" ({signed(view.score + view.boost)} by your rules)" if view.boost else ""
    words = f"score {signed(view.score)}{boosted}, threshold {signed(view.threshold)}, {strength}"
    learning = learning_words(view.learning)
    return f"{words} ({learning})" if learning else words


def moves(view: WhyView) -> Moves:
    """Choose the features that are worth a line, and word the others together."""
    used = [feature for feature in view.features if feature.used]
    moving = [feature for feature in used if abs(feature.contribution) >= NOTHING]
    if not view.learning.warm:  # whatever the classifier makes of a few verdicts, it has no part in the score yet
        wanted = wanted_words(view.learning)
        more = f" Single features count after {wanted}." if wanted else ""
        return Moves((), f"Likeness to what you liked, and its source.{more}")
    listed = moving[:MOST]
    rest = sum(feature.contribution for feature in used) - sum(feature.contribution for feature in listed)
    moved = f"by {signed(rest)} together" if abs(rest) >= NOTHING else "by nothing"
    parts = (
        (len(used) - len(listed), "more feature", f"moved it {moved}"),
        (len(view.features) - len(used), "feature", "predicted your verdicts less well and did not count"),
    )
    return Moves(tuple(listed), "; ".join(f"{counted(number, noun)} {what}" for number, noun, what in parts if number))


def value_words(feature: FeatureView) -> str:
    """Return what was measured, in three digits, or ``missing``."""
    return "missing" if feature.value is None else f"{feature.value:.3g}"


def telling_words(view: WhyView) -> tuple[tuple[str, str], ...]:
    """Return headings with the words of the article that speak for or against it; without words, no heading."""
    speaking_for = [word for word, weight in view.words if weight > 0][:WORDS]
    against = [word for word, weight in view.words if weight < 0][:WORDS]
    headed = (("Words that speak for it", speaking_for), ("Words that speak against it", against))
    return tuple((heading, ", ".join(words)) for heading, words in headed if words)


def first_words(view: WhyView, now: datetime) -> str:
    """Say when it was first judged, and how, if that has changed; nothing when it never was."""
    if view.decided is None or view.first_score is None or view.first_threshold is None:
        return ""
    if (view.first_score, view.first_threshold) == (view.score, view.threshold):
        return f"Judged {ago(view.decided, now)}."
    return (
        f"First judged {ago(view.decided, now)}: score {signed(view.first_score)}, "
        f"threshold {signed(view.first_threshold)}. Your verdicts since then have moved it."
    )
