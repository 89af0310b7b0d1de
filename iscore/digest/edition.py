"""An edition: what one day's digest says, in the words and the order in which it says it.

    DigestView ─► edition() ─► Edition ─► render_text, render_html

``edition`` decides and words; the renderers only lay out. Foreign texts come as they are, with white space
folded: each renderer hands them to the encoder of its own sink.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from iscore.digest.wording import (
    clock_time,
    counted,
    from_sources,
    one_line,
    percent,
    signed,
    strength,
    strength_words,
    two_decimals,
    verdict_words,
    wanted_words,
)
from iscore.views import DigestItem, DigestView, StatusView

MAX_REASONS = 3
"""More reasons are read by nobody."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One story of a digest, ready to be laid out."""

    number: int
    """What ``iscore like --digest`` takes."""
    id: str
    title: str
    url: str
    """An http or https address, or empty."""
    sources: str
    """Everyone who carried the story, in words."""
    author: str
    time: datetime
    """Publication, or arrival when the feed names none."""
    when: str
    """``time`` in words."""
    reading: str
    """Reading time in words."""
    strength: int
    """1 to ``wording.STRENGTHS``."""
    strength_words: str
    summary: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a digest."""

    name: str
    """``recommended`` or ``explore``."""
    heading: str
    introduction: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of how the filter is doing, and what it means."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Edition:
    """A day's digest in words."""

    date: dt.date
    day: str
    """The date in words."""
    headline: str
    sections: tuple[Section, ...]
    """Only those that have entries."""
    empty: str
    """Why there is nothing and what to do, commands between backticks; empty when there is something."""
    learning: str
    """A sentence while the filter still gets to know its reader; empty afterwards."""
    figures: tuple[Figure, ...]
    troubles: tuple[str, ...]
    """One sentence for each feed whose last attempt failed."""


def edition(view: DigestView, *, zone: tzinfo | None = UTC) -> Edition:
    """Word a digest. Times are told in ``zone``; None is the machine's own.

    Pure: the same view gives the same edition.
    """
    sections = (
        Section(
            "recommended",
            "Recommended",
            "Best first. What several feeds carried is told once.",
            tuple(_entry(each, zone) for each in view.recommended),
        ),
        Section(
            "explore",
            "Explore",
            "Held back by your threshold and drawn by lot. A verdict here teaches most.",
            tuple(_entry(each, zone) for each in view.explore),
        ),
    )
    return Edition(
        date=view.date,
        day=f"{view.date:%A}, {view.date.day} {view.date:%B %Y}",
        headline=_headline(view),
        sections=tuple(section for section in sections if section.entries),
        empty=_why_empty(view),
        learning=_learning(view.status),
        figures=_figures(view.status),
        troubles=tuple(
            f"{one_line(problem.title or problem.url)}: {one_line(problem.error)}" for problem in view.status.problems
        ),
    )


def _entry(each: DigestItem, zone: tzinfo | None) -> Entry:
    item = each.item
    time = item.published or item.arrived
    return Entry(
        number=each.number,
        id=item.id,
        title=one_line(item.title) or "(untitled)",
        url=web_address(item.url),
        sources=from_sources(item.sources or (item.source,)),
        author=one_line(item.author),
        time=time,
        when=clock_time(time, zone),
        reading=f"{max(1, each.reading_minutes)} min read",
        strength=strength(item.score, item.threshold),
        strength_words=strength_words(item.score, item.threshold),
        summary=one_line(item.summary),
        reasons=tuple(one_line(reason) for reason in each.reasons[:MAX_REASONS]),
    )


def web_address(url: str) -> str:
    """Return the address if it is safe to follow (http, https, no blanks, no controls), else nothing."""
    safe = url.lower().startswith(("http://", "https://")) and url.isprintable() and not any(map(str.isspace, url))
    return url if safe else ""


def _headline(view: DigestView) -> str:
    picked = counted(len(view.recommended), "story", "stories") if view.recommended else "Nothing"
    explored = f", {len(view.explore)} to explore" if view.explore else ""
    # A digest that is read again no longer knows what it was chosen from.
    known = view.considered > len(view.recommended) + len(view.explore)
    return f"{picked} for you{explored}" + (f", out of {counted(view.considered, 'article')}" if known else "")


def _why_empty(view: DigestView) -> str:
    if view.recommended or view.explore:
        return ""
    if not view.status.feeds:
        return "You follow no feeds yet. `iscore feeds add URL` follows one, `iscore poll` fetches its news."
    if not view.status.articles:
        return "No news has been fetched yet. `iscore poll` fetches it."
    if not view.considered:
        return "Nothing new has arrived that you have not been shown before. `iscore poll` looks for more."
    return (
        f"{counted(view.considered, 'article')} arrived, and none passed your threshold of "
        f"{signed(view.status.threshold)}. `iscore inbox --all` lists what was held back."
    )


def _learning(status: StatusView) -> str:
    learning = status.learning
    if learning.warm:
        return ""
    so_far = counted(learning.likes + learning.dislikes, "verdict")
    wanted = wanted_words(learning)
    until = f" It needs {wanted} to judge on its own." if wanted else ""
    return f"The filter is still learning: {so_far} so far, so it shows you more than it will later.{until}"


def _figures(status: StatusView) -> tuple[Figure, ...]:
    return (
        Figure("Verdicts", str(status.likes + status.dislikes), verdict_words(status)),
        Figure("Precision", percent(status.precision), "of what was recommended and judged, you liked this much"),
        Figure("Recall", percent(status.recall), "of what you liked, this much had been recommended"),
        Figure("F0.5", two_decimals(status.f05), "both in one figure, precision counting double; 1 is perfect"),
        Figure(
            "Threshold",
            signed(status.threshold),
            "the score, in log-odds, from which an article is recommended",
        ),
        Figure(
            "Features",
            f"{status.subset_size} of {status.n_features}",
            "of an article's measures that predict your verdicts best today",
        ),
    )
