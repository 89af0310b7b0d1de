"""What an article's own page says: its text, and why it stands where it stands. Pure; the template only lays out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from iscore.digest.edition import web_address
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
from iscore.views import ArticleView, WhyView
from iscore.web.listing import SAID, UNTITLED, Carrier, carriers

BAR = 100
"""Length of the longest bar, in units of its drawing."""
CATEGORIES = 6

_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*")


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
    said: str


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
        language=view.language if _LANGUAGE.fullmatch(view.language) else "",
        time=time,
        when=clock_time(time, zone),
        paragraphs=tuple(one_line(each) for each in re.split(r"\n\s*\n", view.text) if each.strip()),
        strength=strength(view.score or 0.0, view.threshold or 0.0) if judged else 0,
        strength_words=strength_words(view.score or 0.0, view.threshold or 0.0) if judged else "not judged yet",
        said=SAID.get(view.verdict, "") if view.verdict else "",
    )


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
