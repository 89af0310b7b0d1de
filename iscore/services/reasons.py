"""Explain a score by its features: the part of each in the score, and the main reasons in words. No I/O.

The parts are exact for naive Bayes: its score is the prior plus one weighted log-ratio for each feature in use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from extractors import family_of, low_value_meaning
from extractors.article_features import AnalysedArticle
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


def feature_views(
    model: ReaderModel, article: AnalysedArticle, meanings: Mapping[str, str]
) -> tuple[float, int, tuple[FeatureView, ...]]:
    """Return the prior in log-odds, the size of the chosen subset, and every feature, the largest part first."""
    vector = model.vector(article)
    explanation = model.classifier.explain_one(vector)
    features = [
        FeatureView(
            name=name,
            meaning=meanings.get(name, name),
            family=family_of(name),
            value=None if math.isnan(value) else value,
            contribution=contribution if used else 0.0,
            correlation=correlation,
            rank=rank + 1,
            used=used,
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

    The features of a family say much the same, so a family gets one reason, for the sum of its parts: the meaning of
    its main feature, or for the topic the article's ``words`` that point the same way, the strongest first.

    With ``brief`` a reason does not say which way and how strongly it points, but begins with "but" when it disagrees;
    and when no family is clear, a fainter one is named.
    """
    families: dict[str, list[FeatureView]] = {}
    for feature in features:
        families.setdefault(feature.family, []).append(feature)
    totals = {family: sum(feature.contribution for feature in members) for family, members in families.items()}
    agreeing = [family for family, total in totals.items() if (total > 0) == interesting]
    agreeing.sort(key=lambda family: -abs(totals[family]))
    chosen = [family for family in agreeing if abs(totals[family]) >= (FAINT if brief else CLEAR)]
    if brief and not chosen:
        chosen = [family for family in agreeing[:1] if totals[family] != 0.0]
    against = [family for family, total in totals.items() if (total > 0) != interesting and abs(total) >= CLEAR]
    chosen += sorted(against, key=lambda family: -abs(totals[family]))
    found = []
    for family in chosen[:MOST_REASONS]:
        total = totals[family]
        reason = (_word_reason(words, liked=total > 0) if family == TOPIC else "") or _reason(families[family], total)
        if brief:
            found.append(reason if (total > 0) == interesting else f"but {reason}")
        else:
            strength = "strongly " if abs(total) >= 1.5 else ""
            found.append(f"{reason} (speaks {strength}{'for' if total > 0 else 'against'} it)")
    return tuple(found)


def cold_start_reasons(
    features: Iterable[FeatureView], liked_share: float, words: Sequence[tuple[str, float]] = ()
) -> tuple[str, ...]:
    """Return the reasons for a score while there are too few verdicts.

    ``liked_share`` is the reputation, in (0, 1), of an unknown source.
    """
    by_name = {feature.name: feature for feature in features}
    found = []
    topic = by_name.get("rocchio")
    if topic is not None and topic.value is not None and abs(topic.value) > 0.1:
        liked = topic.value > 0
        found.append(_word_reason(words, liked=liked) or (topic.meaning if liked else "like what you disliked"))
    source = by_name.get("source_reputation")
    if source is not None and source.value is not None:
        better = _log_odds(source.value) - _log_odds(liked_share)
        if abs(better) >= CLEAR:
            found.append(f"from a source you like {'more' if better > 0 else 'less'} than others")
    return tuple(found) or ("still getting to know you",)


def _log_odds(share: float) -> float:
    return math.log(share / (1.0 - share))


def _reason(family: list[FeatureView], total: float) -> str:
    feature = max(family, key=lambda feature: feature.contribution * total)
    # A feature that counts against an article although liked articles have much of it, or the reverse, is low here.
    high = (total > 0) == (feature.correlation > 0)
    return feature.meaning if high else low_value_meaning(feature.name, feature.meaning)


def _word_reason(words: Sequence[tuple[str, float]], *, liked: bool) -> str:
    """Name the strongest words of one side; empty when there is none."""
    named = [
        word.capitalize() if word.isupper() and len(word) > 4 else word  # in capitals, but too long for an abbreviation
        for word, weight in words
        if (weight > 0) == liked and len(word) > 1 and not word.isdigit()
    ]
    return f"words you {'like' if liked else 'do not like'}: {', '.join(named[:MOST_WORDS])}" if named else ""
