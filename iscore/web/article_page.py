"""What an article's own page says: its text, and why it stands where it stands. Pure; the template only lays out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from iscore.core.sanitizing import line, one_line
from iscore.presentation.wording.explanation import (
    decision_words,
    first_words,
    judgement_words,
    moves,
    telling_words,
    value_words,
)
from iscore.presentation.wording.quantities import signed
from iscore.presentation.wording.story import Story, story
from iscore.services.view_builders import reading_minutes
from iscore.services.views.articles import ArticleView, WhyView
from iscore.services.views.rules import RuleView
from iscore.web.list_page import said_words
from storage.records import StorySource

BAR = 100
"""Length of the longest bar, in units of its drawing."""
CATEGORIES = 6
DEEDS = ("always", "more", "less", "never")
"""What a rule may do with a source, an author, a category."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article, ready to be laid out."""

    story: Story
    categories: str
    paragraphs: tuple[str, ...]
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


def article(view: ArticleView, carriers: tuple[StorySource, ...], *, zone: tzinfo | None) -> Article:
    """Word an article; times in ``zone``, None being the machine's own."""
    return Article(
        story=story(view, zone, carriers=carriers, reading_minutes=reading_minutes(len(view.text))),
        categories=", ".join(line(each) for each in view.categories[:CATEGORIES]),
        paragraphs=tuple(line(each) for each in re.split(r"\n\s*\n", view.text) if each.strip()),
        said=said_words(view.verdict),
    )


def why_not(problem: str) -> str:
    """Say that an article cannot be explained, and why; empty while that is not known."""
    return f"It cannot be explained: {line(problem)}" if problem else ""


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
        reasons=tuple(line(reason) for reason in view.reasons),
        moves=tuple(
            Move(line(meaning), value, signed(moved_by), round(BAR * abs(moved_by) / longest, 1), moved_by > 0)
            for meaning, value, moved_by in rows
        ),
        rest=moved.rest,
        words=telling_words(view),
        first=first_words(view, now),
    )
