"""An article and its story in words: whatever shows one, on paper, on a page or in a feed, says the same of it.

    what the facade answers ─► story() ─► Story ─► digest (text, HTML, mail, Atom, JSON Feed), pages of `iscore serve`

Foreign texts are one line each here, and steer nothing; who lays them out still hands them to the encoder of its sink.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from iscore.core.sanitizing import line, one_line
from iscore.presentation.wording.addresses import web_address
from iscore.presentation.wording.scores import strength, strength_words
from iscore.presentation.wording.times import clock_time
from iscore.services.views.articles import ArticleView
from iscore.services.views.inbox import InboxItem
from storage.records import StorySource

MAX_REASONS = 3
"""More reasons are read by nobody."""
LONGEST_TITLE = 300
LONGEST_NAME = 120
"""Of a source or an author."""
TEXT = 590
"""Characters: a little less than the database gives, so that what was cut there shows an ellipsis."""
SUMMARY = 220
"""Characters: three lines on a desk, six on a phone."""
UNTITLED = "(untitled)"
NAMELESS = "(no name)"

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Telling:
    """One feed's telling of a story."""

    source: str
    title: str
    url: str
    """An http or https address, or empty."""


@dataclass(frozen=True, slots=True)
class Story:
    """One story, ready to be laid out."""

    id: str
    title: str
    language: str
    """Of title and text, as HTML names languages; empty when it is not known."""
    url: str
    """An http or https address, or empty."""
    source: str
    """Who is linked."""
    sources: str
    """Everyone who carried the story, in words."""
    tellings: tuple[Telling, ...]
    """Everyone who carried it, by name; empty when not even one is named."""
    author: str
    time: datetime
    """Publication, or arrival when the feed names none."""
    when: str
    """``time`` in words."""
    reading: str
    """Reading time in words."""
    strength: int
    """1 to ``standing.STRENGTHS``; 0 when it was never judged."""
    strength_words: str
    ruling: str
    """What the person's own rules say of it; mostly empty."""
    text: str
    """The beginning of the article."""
    summary: str
    """The beginning of that."""
    reasons: tuple[str, ...]

    @property
    def others(self) -> tuple[Telling, ...]:
        """Everyone who carried it but ``source``."""
        return tuple(each for each in self.tellings if each.source != self.source)


def story(
    item: InboxItem | ArticleView,
    zone: tzinfo | None,
    *,
    text: str = "",
    carriers: Sequence[StorySource] = (),
    reasons: Sequence[str] = (),
    reading_minutes: int = 1,
) -> Story:
    """Word one story. Times are told in ``zone``; None is the machine's own. Pure.

    ``text`` is the article's beginning. Without ``carriers`` the item says who told the story, without their addresses.
    """
    source = line(item.source, LONGEST_NAME) or NAMELESS
    told = tellings(carriers or [StorySource(name, "", "") for name in item.sources])
    time = item.published or item.arrived
    judged = item.score is not None and item.threshold is not None
    score, threshold = item.score or 0.0, item.threshold or 0.0
    return Story(
        id=item.id,
        title=title_line(item.title),
        language=language_tag(item.language) if item.title.strip() else "",
        url=web_address(item.url),
        source=source,
        sources=from_sources([source, *(each.source for each in told if each.source != source)]),
        tellings=told,
        author=line(item.author, LONGEST_NAME),
        time=time,
        when=clock_time(time, zone),
        reading=f"{max(1, reading_minutes)} min read",
        strength=strength(score, threshold) if judged else 0,
        strength_words=strength_words(score, threshold) if judged else "not judged yet",
        ruling=line(item.ruling, LONGEST_TITLE),
        text=line(text, TEXT),
        summary=line(text, SUMMARY),
        reasons=tuple(line(reason, LONGEST_TITLE) for reason in reasons[:MAX_REASONS]),
    )


def tellings(carriers: Sequence[StorySource]) -> tuple[Telling, ...]:
    """Word who carried a story, each name once, as it told it first; who has no name is left out."""
    told: dict[str, Telling] = {}
    for each in carriers:
        name = line(each.source, LONGEST_NAME)
        told.setdefault(name, Telling(name, title_line(each.title), web_address(each.url)))
    told.pop("", None)
    return tuple(told.values())


def title_line(title: str) -> str:
    """Return a title as one line that is never empty."""
    return line(title, LONGEST_TITLE) or UNTITLED


def language_tag(language: str) -> str:
    """Return a language as HTML may name it; empty when it is none."""
    return language if _LANGUAGE.fullmatch(language) else ""


def from_sources(sources: Sequence[str]) -> str:
    """Return who carried a story: ``Energy Wire``, ``A and B``, ``A, B and 3 more``."""
    names = [one_line(source) for source in sources]
    if len(names) > 3:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
