"""Each feature's part in a score, and the few words about it that a person wants to hear. No I/O.

Naive Bayes makes this exact: the score is the prior plus one weighted log-ratio per feature that is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from extractors.article_features import AnalysedArticle
from extractors.families import family_of
from extractors.low_value_meanings import opposite_of
from iscore.filtering.model import ReaderModel
from iscore.services.views.articles import FeatureView

CLEAR = 0.2
"""Log-odds from which a family of features is worth a word: odds move by a fifth."""
FAINT = 0.1
"""Log-odds that are worth a word in a list of many stories, if they agree with the decision."""
SPOKEN = 3
"""More reasons are read by nobody."""
NAMED = 3
"""Words that a reason names."""
TOPIC = "topic relevance"
"""The family whose features are all about words: naming these says more than any of their meanings."""


def feature_views(
    model: ReaderModel, article: AnalysedArticle, meanings: Mapping[str, str]
) -> tuple[float, int, tuple[FeatureView, ...]]:
    """Return the prior in log-odds, the size of the chosen subset, and every feature, the weightiest first."""
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
    """Put the weightiest families of features into words, those first that agree with the decision.

    The features of a family say much the same, so that they get one reason: all that they add, in the words of the one
    that adds most of it; or, where the topic speaks, the article's ``words`` that speak that way, the strongest first.
    If ``brief``, a reason does not say which way and how strongly it speaks, but begins with "but" when it disagrees;
    and when nothing is clear, something fainter is told.
    """
    families: dict[str, list[FeatureView]] = {}
    for feature in features:
        families.setdefault(feature.family, []).append(feature)
    totals = {family: sum(feature.contribution for feature in members) for family, members in families.items()}
    agreeing = [family for family, total in totals.items() if (total > 0) == interesting]
    agreeing.sort(key=lambda family: -abs(totals[family]))
    enough = FAINT if brief else CLEAR
    told = [family for family in agreeing if abs(totals[family]) >= enough]
    if brief and not told:
        told = [family for family in agreeing[:1] if totals[family] != 0.0]
    against = [family for family, total in totals.items() if (total > 0) != interesting and abs(total) >= CLEAR]
    told += sorted(against, key=lambda family: -abs(totals[family]))
    said = []
    for family in told[:SPOKEN]:
        total = totals[family]
        reason = (_wording(words, liked=total > 0) if family == TOPIC else "") or _reason(families[family], total)
        if brief:
            said.append(reason if (total > 0) == interesting else f"but {reason}")
        else:
            strength = "strongly " if abs(total) >= 1.5 else ""
            said.append(f"{reason} (speaks {strength}{'for' if total > 0 else 'against'} it)")
    return tuple(said)


def cold_reasons(
    features: Iterable[FeatureView], liked_share: float, words: Sequence[tuple[str, float]] = ()
) -> tuple[str, ...]:
    """Say what ranks an article while there are too few verdicts.

    ``liked_share`` is the reputation, in (0, 1), of a source of which nothing is known.
    """
    by_name = {feature.name: feature for feature in features}
    said = []
    topic = by_name.get("rocchio")
    if topic is not None and topic.value is not None and abs(topic.value) > 0.1:
        liked = topic.value > 0
        said.append(_wording(words, liked=liked) or (topic.meaning if liked else "like what you disliked"))
    source = by_name.get("source_reputation")
    if source is not None and source.value is not None:
        better = _log_odds(source.value) - _log_odds(liked_share)
        if abs(better) >= CLEAR:
            said.append(f"from a source you like {'more' if better > 0 else 'less'} than others")
    return tuple(said) or ("still getting to know you",)


def _log_odds(share: float) -> float:
    return math.log(share / (1.0 - share))


def _reason(family: list[FeatureView], total: float) -> str:
    feature = max(family, key=lambda feature: feature.contribution * total)
    # What speaks against an article although it goes with liking, or the reverse, is there too little of.
    much = (total > 0) == (feature.correlation > 0)
    return feature.meaning if much else opposite_of(feature.name, feature.meaning)


def _wording(words: Sequence[tuple[str, float]], *, liked: bool) -> str:
    """Name the strongest words of one side; nothing when there is none worth naming."""
    telling = [
        word.capitalize() if word.isupper() and len(word) > 4 else word  # loud, but hardly an abbreviation
        for word, weight in words
        if (weight > 0) == liked and len(word) > 1 and not word.isdigit()
    ]
    return f"words you {'like' if liked else 'do not like'}: {', '.join(telling[:NAMED])}" if telling else ""
