"""The explanation of a score, for terminal and web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from iscore.core.translation import decimal, gettext, gettext_noop, ngettext, translated
from iscore.presentation.wording.quantities import percent, signed
from iscore.presentation.wording.scores import interest_words, learning_words, match_words, wanted_words
from iscore.presentation.wording.times import ago

if TYPE_CHECKING:
    from iscore.services.views.stories import FeatureView, WhyView

MAX_FEATURES = 12
"""Features listed one by one; the others are summed."""
STARTING_POINT = gettext_noop("starting point (how often you like anything)")
ITS_WORDS, ITS_MEANING = "its words", "its meaning"
"""The parts of all words and of the meaning in the score, beside those of families of features."""
YOUR_INTERESTS = "your interests"
"""The part of an interest in words."""
FAINT = 0.05
"""Families of features that add less are not listed."""
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
    """Return ``Recommended``, ``To explore``, ``Hidden`` or ``Archive``, as the inbox has the article."""
    if view.article.archive:
        return gettext("Archive")
    if view.interesting:
        return gettext("Recommended")
    return gettext("To explore") if view.article.explore else gettext("Hidden")


def closeness_words(view: WhyView) -> str:
    """Return how likely the article is, how close to the threshold, and its interest, to follow ``decision_words``."""
    parts = (match_words(view.score, view.threshold, view.boost), interest_words(view.interest))
    words = "; ".join(part for part in parts if part)
    learning = learning_words(view.learning)
    return f"{words} ({learning})" if learning else words


def judgement_words(view: WhyView) -> str:
    """Return score, threshold and closeness in figures and words, to follow ``decision_words``."""
    values = {"score": signed(view.score), "threshold": signed(view.threshold), "closeness": closeness_words(view)}
    if view.boost:
        boosted = signed(view.score + view.boost)
        return gettext(
            "score %(score)s (%(boosted)s by your rules), threshold %(threshold)s, %(closeness)s",
            boosted=boosted,
            **values,
        )
    return gettext("score %(score)s, threshold %(threshold)s, %(closeness)s", **values)


def family_sums(view: WhyView) -> tuple[tuple[str, float], ...]:
    """Return what words and each family of features add to the score, the largest first; without what adds little.

    Features add nothing until the classifier has a vote.
    """
    sums: dict[str, float] = {}
    if view.start is not None:
        sums[ITS_WORDS] = view.words_part
        sums[ITS_MEANING] = view.meaning_part
        sums[YOUR_INTERESTS] = view.interest_part
    for feature in view.features if view.classifier_factor else ():
        sums[feature.family] = sums.get(feature.family, 0.0) + view.classifier_factor * feature.contribution
    found = [(family, added) for family, added in sums.items() if abs(added) >= FAINT]
    return tuple(sorted(found, key=lambda each: -abs(each[1])))


def part_words(view: WhyView) -> str:
    """Return, as a sentence in figures, what the score consists of; empty before anything is liked."""
    if view.start is None:
        return ""
    named = {word.casefold() for word in (*view.words_for, *view.words_against)}
    parts = [f"{word} {signed(part)}" for word, part in view.word_parts if word.casefold() in named]
    strongest = ", ".join(parts[:MAX_WORDS])
    added = signed(view.words_part)
    words = gettext("words %(added)s", added=added)
    if strongest:
        words = gettext("words %(added)s (%(strongest)s)", added=added, strongest=strongest)
    if view.meaning_part:
        words += ", " + gettext("meaning %(added)s", added=signed(view.meaning_part))
    if view.interest_of_part:
        name, added = repr(view.interest_of_part), signed(view.interest_part)
        interest = gettext("your interest %(name)s %(added)s", name=name, added=added)
        if view.interest_words:
            own = ", ".join(view.interest_words[:MAX_WORDS])
            interest = gettext("your interest %(name)s %(added)s (%(words)s)", name=name, added=added, words=own)
        words = f"{interest}, {words}"
    vote = gettext("the classifier has no vote yet")
    if view.classifier_factor:
        vote = gettext(
            "the classifier %(added)s (its share of the vote is %(share)s)",
            added=signed(view.classifier_part),
            share=percent(view.classifier_share),
        )
    start = signed(view.start)
    return gettext("The score, in log-odds: start %(start)s, %(words)s, %(vote)s.", start=start, words=words, vote=vote)


def contributions(view: WhyView) -> Contributions:
    """Choose the features to list, and sum up the others."""
    used = [feature for feature in view.features if feature.used]
    moving = [feature for feature in used if abs(feature.contribution) >= NEGLIGIBLE]
    if not view.learning.trained:
        words = gettext("So far, only words and topics that you liked count.")
        wanted = wanted_words(view.learning)
        if wanted:
            words += " " + gettext("After %(wanted)s, everything else counts too.", wanted=wanted)
        return Contributions((), words)
    listed = moving[:MAX_FEATURES]
    rest = sum(feature.contribution for feature in used) - sum(feature.contribution for feature in listed)
    more, unused, added = len(used) - len(listed), len(view.features) - len(used), signed(rest)
    parts = []
    if more and abs(rest) >= NEGLIGIBLE:
        parts.append(
            ngettext(
                "%(count)s more feature added %(added)s together",
                "%(count)s more features added %(added)s together",
                more,
                added=added,
            )
        )
    elif more:
        parts.append(ngettext("%(count)s more feature had no effect", "%(count)s more features had no effect", more))
    if unused:
        parts.append(
            ngettext(
                "%(count)s feature not used, for predicting your verdicts less well",
                "%(count)s features not used, for predicting your verdicts less well",
                unused,
            )
        )
    return Contributions(tuple(listed), "; ".join(parts))


def feature_words(feature: FeatureView) -> str:
    """Return a feature's name, and what its value means if that is certain."""
    return f"{feature.name}: {translated(feature.phrase)}" if feature.phrase else feature.name


def value_words(feature: FeatureView) -> str:
    """Return a feature's value with three digits, or ``missing``."""
    return gettext("missing") if feature.value is None else decimal(f"{feature.value:.3g}")


def informative_words(view: WhyView) -> tuple[tuple[str, str], ...]:
    """Return headings with the typical words of the article that speak for or against it."""
    headed = (
        (gettext("Words that speak for it"), view.words_for[:MAX_WORDS]),
        (gettext("Words that speak against it"), view.words_against[:MAX_WORDS]),
    )
    return tuple((heading, ", ".join(words)) for heading, words in headed if words)


def first_words(view: WhyView, now: datetime) -> str:
    """Return when the article was first scored, and how if that has changed; empty if it never was."""
    if view.decided is None or view.first_score is None or view.first_threshold is None:
        return ""
    if (view.first_score, view.first_threshold) == (view.score, view.threshold):
        return gettext("Scored %(when)s.", when=ago(view.decided, now))
    return gettext(
        "First scored %(when)s: %(score)s, with a threshold of %(threshold)s. "
        "Your verdicts since then have changed it.",
        when=ago(view.decided, now),
        score=signed(view.first_score),
        threshold=signed(view.first_threshold),
    )
