"""A digest: what one day's digest says, in the words and the order in which it says it.

    DigestView ─► build_digest() ─► Digest ─► render_text, render_html, render_mail
                                     └──► with those before it: render_atom, render_json_feed

``build_digest`` decides and words, each story by ``iscore.presentation.wording.story``; the renderers only lay out.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import groupby

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, ngettext
from iscore.presentation.digest.summary import Figure, figures, headline, learning, troubles, why_empty
from iscore.presentation.wording.dates import full_day
from iscore.presentation.wording.scores import explore_words
from iscore.presentation.wording.story import Story, story
from iscore.services.views.digests import DigestView
from iscore.services.views.inbox import InboxItem, ListedStory


@dataclass(frozen=True, slots=True)
class Entry:
    """One story of a digest."""

    number: int
    """The number for ``iscore like --digest``; 0 for stories below the threshold."""
    answer: str
    """URL of the story in the web app; empty if the app has no public URL."""
    story: Story


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a digest with a heading."""

    name: str
    """``recommended``, ``interest-1`` and so on, ``stories``, ``rare`` or ``explore``."""
    heading: str
    introduction: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """One day's digest."""

    date: dt.date
    day: str
    """The date in words."""
    made: datetime
    headline: str
    sections: tuple[Section, ...]
    """Without empty ones."""
    below: tuple[Entry, ...]
    """Stories just below the threshold."""
    below_words: str
    """Their introduction; commands are in backticks."""
    empty: str
    """Why the digest is empty and what to do; commands are in backticks. Empty if it has stories."""
    learning: str
    """What the filter still needs to learn; empty once it is trained."""
    voting: str
    """How to vote by number; commands are in backticks. Empty without stories."""
    figures: tuple[Figure, ...]
    troubles: tuple[str, ...]
    """One sentence for each feed whose last attempt failed."""


def build_digest(view: DigestView, *, zone: tzinfo | None = UTC) -> Digest:
    """Build a digest; times in ``zone``, None for the machine's. Pure."""
    made = view.made or datetime.combine(view.date, dt.time(), UTC)
    sections = [
        Section(name, heading, introduction, tuple(_entry(each, made, zone, view.serve_address) for each in items))
        for name, heading, introduction, items in (
            (
                "recommended",
                gettext("Top stories"),
                gettext("What you most likely want to read, best first."),
                view.recommended,
            ),
            *_interests(view.by_interest),
            (
                "stories",
                gettext("In several feeds"),
                gettext("Recommended, and reported by more than one of your feeds."),
                view.stories,
            ),
            ("rare", gettext("Rare sources"), gettext("From feeds that publish rarely."), view.rare),
            ("explore", gettext("Explore"), explore_words(view.status.learning), view.explore),
        )
        if items
    ]
    return Digest(
        date=view.date,
        day=full_day(view.date),
        made=made,
        headline=headline(view),
        sections=tuple(sections),
        below=tuple(_missed(item, made, zone, view.serve_address) for item in view.below),
        below_words=_below_words(view),
        empty=why_empty(view, zone),
        learning=learning(view.status),
        voting=_voting(view),
        figures=figures(view.status),
        troubles=troubles(view.status),
    )


def _interests(stories: Sequence[ListedStory]) -> list[tuple[str, str, str, tuple[ListedStory, ...]]]:
    """Return name, heading, introduction and stories of the section of each interest."""
    groups = groupby(stories, key=lambda each: each.item.interest)
    return [
        (f"interest-{number}", line(name), gettext("Recommended, on an interest of yours."), tuple(items))
        for number, (name, items) in enumerate(groups, 1)
    ]


def _entry(each: ListedStory, now: datetime, zone: tzinfo | None, serve_address: str) -> Entry:
    item = each.item
    built = story(
        item,
        now,
        zone,
        text=item.summary,
        sources=each.sources,
        reasons=each.reasons,
        reading_minutes=each.reading_minutes,
    )
    return Entry(each.number, _answer(item, serve_address), built)


def _missed(item: InboxItem, now: datetime, zone: tzinfo | None, serve_address: str) -> Entry:
    return Entry(0, _answer(item, serve_address), story(item, now, zone, text=item.summary))


def _answer(item: InboxItem, serve_address: str) -> str:
    return f"{serve_address}/article/{item.id}" if serve_address else ""


def _below_words(view: DigestView) -> str:
    if not view.below:
        return ""
    hidden = ngettext(
        "%(count)s story was hidden; these came closest.",
        "%(count)s stories were hidden; these came closest.",
        view.hidden,
    )
    example = gettext("If you like one, say so with `iscore like %(id)s`.", id=view.below[0].id)
    return f"{hidden} {example}"


def _voting(view: DigestView) -> str:
    if not view.numbered:
        return ""
    first, last = view.numbered[0].number, view.numbered[-1].number
    return gettext(
        "Rate by number: `iscore like --digest %(first)s` or `iscore dislike --digest %(last)s`. "
        "After a newer digest, add `--date %(day)s`.",
        first=first,
        last=last,
        day=view.date,
    )
