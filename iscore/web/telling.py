"""What an article's own page says: its text, and why it stands where it stands. Pure; the template only lays out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from iscore.digest.addresses import web_address
from iscore.digest.why_words import (
    decision_words,
    first_words,
    judgement_words,
    moves,
    telling_words,
    value_words,
)
from iscore.digest.wording import clock_time, from_sources, one_line, signed, strength, strength_words
from iscore.reading_views import StoryCarrier
from iscore.rule_views import RuleView
from iscore.views import ArticleView, WhyView
from iscore.web.listing import SAID, UNTITLED, Carrier, carriers, language_tag

BAR = 100
"""Length of the longest bar, in units of its drawing."""
CATEGORIES = 6
DEEDS = ("always", "more", "less", "never")
"""What a rule may do with a source, an author, a category."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article, ready to be laid out."""

    id: str
    title: str
    url: str
    """An http or https address, or empty."""
    sources: str
    carriers: tuple[Carrier, ...]
    author: str
    categories: str
    language: str
    """A language tag that HTML understands, or empty."""
    time: datetime
    when: str
    paragraphs: tuple[str, ...]
    strength: int
    """0 when it was never judged."""
    strength_words: str
    ruling: str
    """What the person's own rules did with it; empty when nothing."""
    said: str


@dataclass(frozen=True, slots=True)
class Target:
    """Something of an article that a rule can be about, and the rule that is."""

    field: str
    """``source``, ``author`` or ``category``."""
    text: str
    done: str
    """What the rule does with it, among ``DEEDS``; empty when there is none."""
    words: str
    """The rule in words, if there is one."""


@dataclass(frozen=True, slots=True)
class Move:
    """One feature's part in a score."""

    meaning: str
    value: str
    contribution: str
    bar: float
    """0 to ``BAR``."""
    speaks_for: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an article stands where it stands."""

    decision: str
    judgement: str
    reasons: tuple[str, ...]
    moves: tuple[Move, ...]
    rest: str
    words: tuple[tuple[str, str], ...]
    first: str


def article(view: ArticleView, told: tuple[StoryCarrier, ...], *, zone: tzinfo | None) -> Article:
    """Word an article; times in ``zone``, None being the machine's own."""
    time = view.published or view.arrived
    judged = view.score is not None and view.threshold is not None
    return Article(
        id=view.id,
        title=one_line(view.title) or UNTITLED,
        url=web_address(view.url),
        sources=from_sources(view.sources or (view.source,)),
        carriers=carriers(told),
        author=one_line(view.author),
        categories=", ".join(one_line(each) for each in view.categories[:CATEGORIES]),
        language=language_tag(view.language),
        time=time,
        when=clock_time(time, zone),
        paragraphs=tuple(one_line(each) for each in re.split(r"\n\s*\n", view.text) if each.strip()),
        strength=strength(view.score or 0.0, view.threshold or 0.0) if judged else 0,
        strength_words=strength_words(view.score or 0.0, view.threshold or 0.0) if judged else "not judged yet",
        ruling=one_line(view.ruling),
        said=SAID.get(view.verdict, "") if view.verdict else "",
    )


def targets(view: ArticleView, rules: Sequence[RuleView]) -> tuple[Target, ...]:
    """List what of an article a rule can be about: source, author, categories, each as the feed writes it."""
    told = [("source", view.source), ("author", view.author)]
    told += [("category", each) for each in view.categories[:CATEGORIES]]
    found = []
    for field, text in dict.fromkeys((field, one_line(text)) for field, text in told):
        if text:
            rule = rule_about(field, text, rules)
            found.append(Target(field, text, _deed(rule) if rule else "", rule.words if rule else ""))
    return tuple(found)


def rule_about(field: str, text: str, rules: Sequence[RuleView]) -> RuleView | None:
    """Return the rule that is about this and nothing else; the last of several."""
    return next((rule for rule in reversed(rules) if (rule.field, rule.text) == (field, text)), None)


def _deed(rule: RuleView) -> str:
    if rule.action == "boost":
        return "more" if rule.boost > 0 else "less"
    return rule.action


def explanation(view: WhyView, now: datetime) -> Explanation:
    """Word an explanation, with a bar for each feature."""
    moved = moves(view)
    longest = max([abs(view.prior), *(abs(feature.contribution) for feature in moved.features), 1e-9])
    rows = [("before any feature", "", view.prior)] if moved.features or view.learning.warm else []
    rows += [
        (feature.meaning or feature.name, value_words(feature), feature.contribution) for feature in moved.features
    ]
    return Explanation(
        decision=decision_words(view),
        judgement=judgement_words(view),
        reasons=tuple(one_line(reason) for reason in view.reasons),
        moves=tuple(
            Move(one_line(meaning), value, signed(moved_by), round(BAR * abs(moved_by) / longest, 1), moved_by > 0)
            for meaning, value, moved_by in rows
        ),
        rest=moved.rest,
        words=telling_words(view),
        first=first_words(view, now),
    )
