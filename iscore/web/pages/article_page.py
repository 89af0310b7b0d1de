"""The article page: text, explanation, rules. Pure: views in, what the template shows out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote, urlsplit

from markupsafe import Markup

from iscore.core.sanitizing import line, one_line
from iscore.core.translation import gettext
from iscore.presentation.wording.explanation import (
    STARTING_POINT,
    closeness_words,
    contributions,
    decision_words,
    feature_words,
    first_words,
    informative_words,
    judgement_words,
    part_words,
    value_words,
)
from iscore.presentation.wording.quantities import file_size, signed
from iscore.services.views.explanations import WhyView
from iscore.services.views.rules import RuleView
from iscore.services.views.stories import ContentView, EnclosureView, StoryView

BAR = 100
"""Length of the longest bar, in units of its drawing."""
CATEGORIES = 6
LONGEST_NAME = 80
"""Characters of an enclosure's name."""
ACTIONS = ("always", "more", "less", "never")
"""What a rule can do with a source, an author or a category."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that comes with an article."""

    url: str
    name: str
    about: str
    """Its type and size; empty if the publisher gives neither."""


@dataclass(frozen=True, slots=True)
class Body:
    """What the page shows of an article beside its entry."""

    categories: str
    html: Markup
    """Sanitised HTML; empty if there are only ``paragraphs``."""
    paragraphs: tuple[str, ...]
    picture: str
    """What is loaded above the text; empty for nothing."""
    icon: str
    """What is loaded beside the source; empty for nothing."""
    enclosures: tuple[Enclosure, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A property of an article that a rule can match, with the rule that matches it."""

    field: str
    """``source``, ``author`` or ``category``."""
    text: str
    action: str
    """The rule's action, one of ``ACTIONS``; empty without a rule."""
    words: str
    """The rule in words; empty without a rule."""


@dataclass(frozen=True, slots=True)
class Move:
    """One feature's contribution to a score."""

    meaning: str
    value: str
    contribution: str
    bar: float
    """0 to ``BAR``."""
    positive: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an article has its score."""

    heading: str
    decision: str
    """In words."""
    judgement: str
    """In figures."""
    parts: str
    """What the score consists of, in figures; may be empty."""
    reasons: tuple[str, ...]
    moves: tuple[Move, ...]
    rest: str
    words: tuple[tuple[str, str], ...]
    first: str


def body(view: StoryView, content: ContentView) -> Body:
    """Build the body of an article."""
    return Body(
        categories=", ".join(line(each) for each in view.categories[:CATEGORIES]),
        html=Markup(content.html),  # noqa: S704 -- ``Contents.view`` has cleaned it
        picture=content.picture,
        icon=content.icon,
        enclosures=tuple(map(_enclosure, content.enclosures)),
        paragraphs=tuple(line(each) for each in re.split(r"\n\s*\n", view.text) if each.strip()),
    )


def _enclosure(view: EnclosureView) -> Enclosure:
    parts = urlsplit(view.url)
    name = line(unquote(parts.path.rpartition("/")[2])) or parts.netloc
    about = (view.type, file_size(view.length) if view.length else "")
    return Enclosure(view.url, name[:LONGEST_NAME], ", ".join(filter(None, about)))


def explanation_error(problem: str) -> str:
    """Return why the explanation failed, as a sentence; empty if it did not."""
    return gettext("Explanation failed: %(problem)s", problem=line(problem)) if problem else ""


def targets(view: StoryView, rules: Sequence[RuleView]) -> tuple[Target, ...]:
    """List what a rule can match in an article: source, author, categories, each as the feed writes it."""
    properties = [("source", view.source), ("author", view.author)]
    properties += [("category", each) for each in view.categories[:CATEGORIES]]
    found = []
    for field, text in dict.fromkeys((field, one_line(text)) for field, text in properties):
        if text:
            rule = rule_matching(field, text, rules)
            found.append(Target(field, text, _action(rule) if rule else "", rule.words if rule else ""))
    return tuple(found)


def rule_matching(field: str, text: str, rules: Sequence[RuleView]) -> RuleView | None:
    """Return the rule that matches exactly this; the last of several."""
    return next((rule for rule in reversed(rules) if (rule.field, rule.text) == (field, text)), None)


def _action(rule: RuleView) -> str:
    if rule.action == "boost":
        return "more" if rule.boost > 0 else "less"
    return rule.action


def explanation(view: WhyView, now: datetime) -> Explanation:
    """Build an explanation, with a bar for each feature."""
    moved = contributions(view)
    longest = max([abs(view.prior), *(abs(feature.contribution) for feature in moved.features), 1e-9])
    rows = [(gettext(STARTING_POINT), "", view.prior)] if moved.features or view.learning.trained else []
    rows += [(feature_words(feature), value_words(feature), feature.contribution) for feature in moved.features]
    return Explanation(
        heading=gettext("Why you see this")
        if view.interesting or view.article.explore
        else gettext("Why this is hidden"),
        decision=f"{decision_words(view)}: {closeness_words(view)}",
        judgement=judgement_words(view),
        parts=line(part_words(view)),
        reasons=tuple(line(reason) for reason in view.reasons),
        moves=tuple(
            Move(line(meaning), value, signed(moved_by), round(BAR * abs(moved_by) / longest, 1), moved_by > 0)
            for meaning, value, moved_by in rows
        ),
        rest=moved.rest,
        words=informative_words(view),
        first=first_words(view, now),
    )
