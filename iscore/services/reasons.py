"""Explain a score by its features: the part of each in the score, and the main reasons in words. No I/O.

The parts are exact for naive Bayes: its score is the prior plus one weighted log-ratio for each feature in use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from extractors.article_features import AnalysedArticle
from extractors.extractor import OTHER_FAMILY
from iscore.filtering.model import ReaderModel
from iscore.services.views.articles import FeatureView

CLEAR = 0.2
"""Smallest log-odds of a family of features that is a reason; they change the odds by a fifth."""
FAINT = 0.1
"""The same in a list of many stories, if the family agrees with the decision."""
MOST_REASONS = 3
MOST_WORDS = 3
"""Words that a reason names."""
TOPIC = "topic relevance"
"""The family whose features are all about words: naming the words says more than naming the features."""


def feature_views(model: ReaderModel, article: AnalysedArticle) -> tuple[float, int, tuple[FeatureView, ...]]:
    """Return the prior in log-odds, the size of the chosen subset, and every feature, the largest part first."""
    vector = model.vector(article)
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
            found.append(reason_of[family] if (total > 0) == interesting else f"but {reason_of[family]}")
        else:
            strength = "strongly " if abs(total) >= 1.5 else ""
            found.append(f"{reason_of[family]} (counts {strength}{'for' if total > 0 else 'against'} it)")
    return tuple(found)


def cold_start_reasons(features: Iterable[FeatureView], words: Sequence[tuple[str, float]] = ()) -> tuple[str, ...]:
    """Return the reason for a score while the classifier has too few verdicts: words and topic alone count."""
    topic = next((feature for feature in features if feature.name == "rocchio"), None)
    if topic is None or not topic.phrase:
        return ("still getting to know you",)
    return (_word_reason(words, liked=topic.phrase == topic.meaning) or topic.phrase,)


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
    return reason or (max(explained, key=lambda feature: abs(feature.contribution)).phrase if explained else "")


def _word_reason(words: Sequence[tuple[str, float]], *, liked: bool) -> str:
    """Name the strongest words of one side; empty when there is none."""
    named = [
        word.capitalize() if word.isupper() and len(word) > 4 else word  # in capitals, but too long for an abbreviation
        for word, weight in words
        if (weight > 0) == liked and len(word) > 1 and not word.isdigit()
    ]
    return f"words you {'like' if liked else 'do not like'}: {', '.join(named[:MOST_WORDS])}" if named else ""
