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
from iscore.presentation.wording.story import StoryEntry, story_entry
from iscore.services.views.digests import DigestView
from iscore.services.views.stories import StoryView


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a digest with a heading."""

    name: str
    """``recommended``, ``interest-1`` and so on, ``stories``, ``rare`` or ``explore``."""
    heading: str
    introduction: str
    entries: tuple[StoryEntry, ...]


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
    below: tuple[StoryEntry, ...]
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

    def entry(story: StoryView) -> StoryEntry:
        answer = f"{view.serve_address}/article/{story.id}" if view.serve_address else ""
        return story_entry(story, made, zone, answer=answer)

    sections = [
        Section(name, heading, introduction, tuple(map(entry, items)))
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
        below=tuple(map(entry, view.below)),
        below_words=_below_words(view),
        empty=why_empty(view, zone),
        learning=learning(view.status),
        voting=_voting(view),
        figures=figures(view.status),
        troubles=troubles(view.status),
    )


def _interests(stories: Sequence[StoryView]) -> list[tuple[str, str, str, tuple[StoryView, ...]]]:
    """Return name, heading, introduction and stories of the section of each interest."""
    groups = groupby(stories, key=lambda each: each.interest)
    return [
        (f"interest-{number}", line(name), gettext("Recommended, on an interest of yours."), tuple(items))
        for number, (name, items) in enumerate(groups, 1)
    ]


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
