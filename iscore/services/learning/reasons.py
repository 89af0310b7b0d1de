"""The main reasons of a score: what an article has in common with what is liked, then its features. No I/O.

Which words may be named is decided in ``iscore.filtering.ranking.typical_words``. The parts of features are exact for
naive Bayes: its score is the prior plus one weighted log-ratio for each feature in use. In the article's score they
count as much as the classifier's vote does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from extractors.arrays import Floats
from extractors.base import OTHER_FAMILY
from extractors.text.function_words import GENERAL_WORDS
from iscore.core.translation import gettext, gettext_noop, translated
from iscore.filtering.model import ReaderModel
from iscore.services.views.stories import FeatureView

CLEAR = 0.2
"""Smallest log-odds of a family of features that is a reason; they change the odds by a fifth."""
FAINT = 0.1
"""The same in a list of many stories, if the family agrees with the decision."""
STRONG = 1.5
"""Log-odds from which a reason counts strongly."""
MOST_REASONS = 3
MOST_WORDS = 3
"""Words that a reason names."""
GETTING_TO_KNOW = gettext_noop("still getting to know you")
"""The only reason while nothing is liked."""
TOPIC = "topic relevance"
"""The family whose features are all about words: naming the words says more than naming the features."""


def feature_views(model: ReaderModel, vector: Floats) -> tuple[float, int, tuple[FeatureView, ...]]:
    """Return the prior in log-odds, the size of the chosen subset, and every feature, the largest part first.

    ``vector`` is that of an article, by the model.
    """
    explanation = model.classifier.explain_one(vector)
    features = [
        FeatureView(
            name=name,
            meaning=model.features.extractor_of[name].meanings[name],
            family=model.features.extractor_of[name].families.get(name, OTHER_FAMILY),
            value=None if math.isnan(value) else value,
            contribution=contribution if used else 0.0,
            correlation=correlation,
            rank=rank + 1,
            used=used,
            phrase=phrase(model, name, value, contribution if used and model.trained else 0.0),
        )
        for name, value, contribution, correlation, rank, used in zip(
            model.names,
            vector.tolist(),
            explanation.contributions.tolist(),
            explanation.correlations.tolist(),
            explanation.ranks.tolist(),
            explanation.chosen.tolist(),
            strict=True,
        )
    ]
    features.sort(key=lambda feature: (-abs(feature.contribution), feature.rank))
    return explanation.prior, explanation.subset_size, tuple(features)


def family_reasons(features: Iterable[FeatureView], *, interesting: bool, brief: bool = False) -> tuple[str, ...]:
    """Name the families of features with the largest parts in the score, those first that agree with the decision.

    The features of a family say much the same, so a family gets one reason, for the sum of its parts: the phrase of
    its main feature that has one. A family without a certain phrase gets none.

    With ``brief`` a reason does not say which way and how strongly it points, but begins with "but" when it disagrees,
    and fainter families that agree are named.
    """
    families: dict[str, list[FeatureView]] = {}
    for feature in features:
        families.setdefault(feature.family, []).append(feature)
    totals = {family: sum(feature.contribution for feature in members) for family, members in families.items()}
    reason_of = {family: _reason(families[family], total) for family, total in totals.items()}
    known = sorted((family for family in totals if reason_of[family]), key=lambda family: -abs(totals[family]))
    agreeing = [family for family in known if (totals[family] > 0) == interesting]
    chosen = [family for family in agreeing if abs(totals[family]) >= (FAINT if brief else CLEAR)]
    chosen += [family for family in known if family not in agreeing and abs(totals[family]) >= CLEAR]
    agrees = {family: (totals[family] > 0) == interesting for family in chosen}
    return tuple(
        _with_direction(reason_of[family], totals[family], agrees=agrees[family], brief=brief)
        for family in chosen[:MOST_REASONS]
    )


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an article has of what the user likes and dislikes."""

    liked: Sequence[tuple[str, float]] = ()
    """Typical words of likes with their parts in the score, the strongest first."""
    disliked: Sequence[tuple[str, float]] = ()
    """The same of dislikes."""
    interests: Sequence[str] = ()
    """Words of the user's interests that it has."""
    nearest: str = ""
    """Title of the liked article that is nearest; may be empty."""


def reasons(
    grounds: Grounds, features: Iterable[FeatureView], factor: float, *, interesting: bool, brief: bool = False
) -> tuple[str, ...]:
    """Name what an article has in common with what the user likes, or dislikes, then families of features.

    What agrees with the decision comes first; for the others see ``family_reasons``.

    Parameters
    ----------
    factor
        What one of the classifier's log-odds adds to the score; 0 if it has no vote.
    """
    agreeing, disagreeing = (
        _words(grounds, liked=side, brief=brief, agrees=side == interesting) for side in (interesting, not interesting)
    )
    first = agreeing or (_instead(grounds) if interesting else _too_little(grounds))
    others = (replace(each, contribution=factor * each.contribution) for each in features if each.family != TOPIC)
    families = family_reasons(others, interesting=interesting, brief=brief) if factor else ()
    last = [disagreeing] if disagreeing else []
    return (first, *families[: MOST_REASONS - 1 - len(last)], *last)


def _words(grounds: Grounds, *, liked: bool, agrees: bool, brief: bool) -> str:
    """Name the typical words of one side; empty without any."""
    words = (grounds.liked if liked else grounds.disliked)[:MOST_WORDS]
    if not words:
        return ""
    named = ", ".join(word for word, _ in words)
    text = (
        gettext("words you like: %(words)s", words=named)
        if liked
        else gettext("words you do not like: %(words)s", words=named)
    )
    return _with_direction(text, sum(part for _, part in words), agrees=agrees, brief=brief)


def _instead(grounds: Grounds) -> str:
    """Say what speaks for an article without a typical word."""
    if grounds.interests:
        return gettext("words of your interests: %(words)s", words=", ".join(grounds.interests[:MOST_WORDS]))
    if grounds.nearest:
        return gettext("like “%(title)s”", title=grounds.nearest)
    return gettext(GETTING_TO_KNOW)


def _too_little(grounds: Grounds) -> str:
    """Say why an article without a word that is disliked is hidden."""
    if grounds.liked or grounds.interests:
        return gettext("too little else counts for it")
    return gettext("none of its words counts clearly for it")


def _with_direction(reason: str, total: float, *, agrees: bool, brief: bool) -> str:
    """Say of a reason which way it points and whether strongly; or, in brief, only whether it disagrees."""
    if brief:
        return reason if agrees else gettext("but %(reason)s", reason=reason)
    return _with_weight(reason, total)


def _with_weight(reason: str, total: float) -> str:
    """Say which way a reason points, and whether strongly."""
    if total > 0:
        if total >= STRONG:
            return gettext("%(reason)s (counts strongly for it)", reason=reason)
        return gettext("%(reason)s (counts for it)", reason=reason)
    if total <= -STRONG:
        return gettext("%(reason)s (counts strongly against it)", reason=reason)
    return gettext("%(reason)s (counts against it)", reason=reason)


def phrase(model: ReaderModel, name: str, value: float, contribution: float) -> str:
    """Say what a feature's value means; empty if nothing certain, or what contradicts the contribution."""
    extractor = model.features.extractor_of[name]
    found = model.features.phrase(name, value)
    # A reader feature says what the user likes: where it counts the other way, its phrase would explain nothing.
    high = found == extractor.meanings[name]
    return "" if extractor.scope == "reader" and contribution and high != (contribution > 0) else found


def _reason(family: list[FeatureView], total: float) -> str:
    """Return what a family says by its sum: the phrase of the feature that adds most to it.

    Empty if no feature that agrees with the sum has a phrase.
    """
    explained = [feature for feature in family if feature.contribution * total > 0 and feature.phrase]
    if not explained:
        return ""
    return translated(max(explained, key=lambda feature: abs(feature.contribution)).phrase)


def can_be_named(word: str) -> bool:
    """Whether a word names a subject by itself."""
    return len(word) > 1 and not word.isdigit() and word.casefold() not in GENERAL_WORDS


def as_named(word: str) -> str:
    """Return a word as it is named: not in capitals if it is too long for an abbreviation."""
    return word.capitalize() if word.isupper() and len(word) > 4 else word
