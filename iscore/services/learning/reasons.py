"""Explain a score by its words and features: the part of each in the score, and the main reasons. No I/O.

The parts of words are exact (``iscore.filtering.ranking.contributions``). Those of features are exact for naive Bayes:
its score is the prior plus one weighted log-ratio for each feature in use. In the article's score they count as much as
the classifier's vote does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from extractors.arrays import Floats
from extractors.base import OTHER_FAMILY
from iscore.core.translation import gettext, translated
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


def reasons(
    features: Iterable[FeatureView],
    *,
    interesting: bool,
    words: Sequence[tuple[str, float]] = (),
    brief: bool = False,
) -> tuple[str, ...]:
    """Name the families of features with the largest parts in the score, those first that agree with the decision.

    The features of a family say much the same, so a family gets one reason, for the sum of its parts: the phrase of
    its main feature that has one, or for the topic the article's ``words`` that point the same way, the strongest
    first. A family without a certain phrase gets none.

    With ``brief`` a reason does not say which way and how strongly it points, but begins with "but" when it disagrees;
    and when no family is clear, a fainter one is named.
    """
    families: dict[str, list[FeatureView]] = {}
    for feature in features:
        families.setdefault(feature.family, []).append(feature)
    totals = {family: sum(feature.contribution for feature in members) for family, members in families.items()}
    reason_of = {family: _reason(families[family], total, words) for family, total in totals.items()}
    known = sorted((family for family in totals if reason_of[family]), key=lambda family: -abs(totals[family]))
    agreeing = [family for family in known if (totals[family] > 0) == interesting]
    chosen = [family for family in agreeing if abs(totals[family]) >= (FAINT if brief else CLEAR)]
    if brief and not chosen:
        chosen = agreeing[:1]
    chosen += [family for family in known if family not in agreeing and abs(totals[family]) >= CLEAR]
    found = []
    for family in chosen[:MOST_REASONS]:
        total = totals[family]
        if brief:
            found.append(reason_of[family] if (total > 0) == interesting else _but(reason_of[family]))
        else:
            found.append(_with_weight(reason_of[family], total))
    return tuple(found)


def reasons_with_words(
    words: Sequence[tuple[str, float]],
    features: Iterable[FeatureView],
    factor: float,
    *,
    interesting: bool,
    brief: bool = False,
) -> tuple[str, ...]:
    """Name the words with the largest parts in the score, then families of features as ``reasons`` does.

    Parameters
    ----------
    words
        Words of the article with their parts in the score, in any order.
    factor
        What one of the classifier's log-odds adds to the score; 0 if it has no vote.
    """
    for_it, against_it = (_strongest(words, liked=liked) for liked in (True, False))
    agreeing, disagreeing = (for_it, against_it) if interesting else (against_it, for_it)
    families: tuple[str, ...] = ()
    if factor:
        others = (each for each in features if each.family != TOPIC)
        scaled = [replace(each, contribution=factor * each.contribution) for each in others]
        families = reasons(scaled, interesting=interesting, brief=brief)
    found = [_counting(agreeing)] if _sum(agreeing) >= (FAINT if brief else CLEAR) else []
    against = _sum(disagreeing) >= CLEAR
    found += families[: MOST_REASONS - len(found) - against]
    if against:
        found.append(_but(_counting(disagreeing)) if brief else _counting(disagreeing))
    if not found and words and not interesting:
        found.append(gettext("none of its words counts clearly for it"))
    return tuple(found)


def _strongest(words: Sequence[tuple[str, float]], *, liked: bool) -> list[tuple[str, float]]:
    """Return the words with the largest parts on one side, the strongest first."""
    found = sorted((each for each in words if (each[1] > 0) == liked), key=lambda each: (-abs(each[1]), each[0]))
    return [each for each in found if _can_be_named(each[0])][:MOST_WORDS]


def _sum(words: Sequence[tuple[str, float]]) -> float:
    return sum(abs(value) for _, value in words)


def _counting(words: Sequence[tuple[str, float]]) -> str:
    named, strong = ", ".join(_spelled(word) for word, _ in words), _sum(words) >= STRONG
    if words[0][1] > 0:
        if strong:
            return gettext("words that count strongly for it: %(words)s", words=named)
        return gettext("words that count for it: %(words)s", words=named)
    if strong:
        return gettext("words that count strongly against it: %(words)s", words=named)
    return gettext("words that count against it: %(words)s", words=named)


def _with_weight(reason: str, total: float) -> str:
    """Say which way a reason points, and whether strongly."""
    if total > 0:
        if total >= STRONG:
            return gettext("%(reason)s (counts strongly for it)", reason=reason)
        return gettext("%(reason)s (counts for it)", reason=reason)
    if total <= -STRONG:
        return gettext("%(reason)s (counts strongly against it)", reason=reason)
    return gettext("%(reason)s (counts against it)", reason=reason)


def _but(reason: str) -> str:
    return gettext("but %(reason)s", reason=reason)


def cold_start_reasons(features: Iterable[FeatureView], words: Sequence[tuple[str, float]] = ()) -> tuple[str, ...]:
    """Return the reason for a score while the classifier has too few verdicts: words and topic alone count."""
    topic = next((feature for feature in features if feature.name == "rocchio"), None)
    if topic is None or not topic.phrase:
        return (gettext("still getting to know you"),)
    return (_word_reason(words, liked=topic.phrase == topic.meaning) or translated(topic.phrase),)


def phrase(model: ReaderModel, name: str, value: float, contribution: float) -> str:
    """Say what a feature's value means; empty if nothing certain, or what contradicts the contribution."""
    extractor = model.features.extractor_of[name]
    found = model.features.phrase(name, value)
    # A reader feature says what the user likes: where it counts the other way, its phrase would explain nothing.
    high = found == extractor.meanings[name]
    return "" if extractor.scope == "reader" and contribution and high != (contribution > 0) else found


def _reason(family: list[FeatureView], total: float, words: Sequence[tuple[str, float]]) -> str:
    """Return what a family says by its sum: the words of a topic, or the phrase of the feature that adds most to it.

    Empty if no feature that agrees with the sum has a phrase.
    """
    agreeing = [feature for feature in family if feature.contribution * total > 0]
    reason = _word_reason(words, liked=total > 0) if agreeing and family[0].family == TOPIC else ""
    explained = [feature for feature in agreeing if feature.phrase]
    if reason or not explained:
        return reason
    return translated(max(explained, key=lambda feature: abs(feature.contribution)).phrase)


def _word_reason(words: Sequence[tuple[str, float]], *, liked: bool) -> str:
    """Name the strongest words of one side; empty when there is none."""
    named = [_spelled(word) for word, weight in words if (weight > 0) == liked and _can_be_named(word)]
    if not named:
        return ""
    first = ", ".join(named[:MOST_WORDS])
    if liked:
        return gettext("words you like: %(words)s", words=first)
    return gettext("words you do not like: %(words)s", words=first)


def _can_be_named(word: str) -> bool:
    return len(word) > 1 and not word.isdigit()


def _spelled(word: str) -> str:
    """Return a word as it is named: not in capitals if it is too long for an abbreviation."""
    return word.capitalize() if word.isupper() and len(word) > 4 else word
