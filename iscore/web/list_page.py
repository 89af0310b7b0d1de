"""What the lists of stories say, in which order and in which words. Pure; templates only lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.scores import explore_words, learning_words, wanted_words
from iscore.presentation.wording.story import Story, story, title_line
from iscore.services.views.inbox import InboxItem, InboxView, Learning, ListedStory
from storage.records import Kind, RecentVerdict

SAID = {Kind.LIKE: "Liked", Kind.DISLIKE: "Disliked", Kind.SKIP: "Skipped", Kind.IMPORTED: "Liked elsewhere"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One story of a list, ready to be laid out."""

    story: Story
    said: str
    """What was said of it; empty while it waits."""


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a list."""

    name: str
    heading: str
    introduction: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """What became of the verdict that led here."""

    text: str
    title: str
    undo: str
    """Id of the article whose verdict can be taken back; empty when nothing can."""


def order(items: Sequence[InboxItem], now: datetime, zone: tzinfo | None) -> list[str]:
    """Return ids in the order of reading: today's, earlier ones, what is to be explored; each the best first."""
    return [item.id for item in sorted(items, key=lambda item: _part(item, now, zone))]


def sections(
    stories: Sequence[ListedStory],
    reasons: Mapping[str, tuple[str, ...]],
    *,
    learning: Learning,
    now: datetime,
    zone: tzinfo | None,
) -> tuple[Section, ...]:
    """Lay out what waits, in the given order; times in ``zone``, None being the machine's own."""
    headed = (
        ("today", "Today", "Best first. What several feeds carried is told once."),
        ("earlier", "Earlier", "Has waited since before today."),
        ("explore", "Explore", explore_words(learning)),
    )
    parts: list[list[Entry]] = [[], [], []]
    for each in stories:
        parts[_part(each.item, now, zone)].append(entry(each, reasons.get(each.item.id, ()), zone))
    return tuple(
        Section(name, heading, words, tuple(entries))
        for (name, heading, words), entries in zip(headed, parts, strict=True)
        if entries
    )


def held_back(
    stories: Sequence[ListedStory], reasons: Mapping[str, tuple[str, ...]], *, zone: tzinfo | None
) -> tuple[Section, ...]:
    """Lay out what was held back."""
    words = "Below your threshold, the nearest to it first. Verdicts here teach most: they say where it should be."
    entries = tuple(entry(each, reasons.get(each.item.id, ()), zone) for each in stories)
    return (Section("held-back", "Below the line", words, entries),) if entries else ()


def entry(listed: ListedStory, reasons: Sequence[str], zone: tzinfo | None) -> Entry:
    """Word one story."""
    item = listed.item
    told = story(
        item,
        zone,
        text=item.summary,
        carriers=listed.carriers,
        reasons=reasons,
        reading_minutes=listed.reading_minutes,
    )
    return Entry(told, said_words(listed.verdict))


def said_words(kind: Kind | None) -> str:
    """Return what was said of a story; empty while it waits."""
    return SAID.get(kind, "") if kind else ""


def message(spoken: RecentVerdict | None) -> Message | None:
    """Say what became of a verdict, with the way back as long as there is one; nothing about what was never said."""
    if spoken is None:
        return None
    title = title_line(spoken.title)
    if spoken.is_current:
        return Message(SAID[spoken.kind], title, spoken.article_id)
    if spoken.kind is Kind.UNDO and spoken.current is None:
        return Message("Taken back", title, "")
    holds = SAID[spoken.current].lower() if spoken.current else "nothing is said of it"
    said = "Taken back" if spoken.kind is Kind.UNDO else SAID[spoken.kind]
    return Message(f"{said} before, and changed since: now {holds}", title, "")


def headline(view: InboxView) -> str:
    """Say how much waits, and how far learning is."""
    waits = counted(view.waiting, "story waits", "stories wait") if view.waiting else "Nothing waits for you"
    held = f"{view.held_back:,} held back" if view.held_back else ""
    return " · ".join(part for part in (waits, held, learning_words(view.learning)) if part)


def learning_note(view: InboxView) -> str:
    """Say, while the filter still gets to know its reader, what it lacks."""
    wanted = wanted_words(view.learning)
    if view.learning.warm or not wanted or not view.articles:
        return ""
    return f"The filter is still learning. It needs {wanted} to judge on its own."


def why_empty(view: InboxView) -> str:
    """Say why there is nothing, commands between backticks."""
    if not view.feeds and not view.articles:
        return "You follow no feeds yet. `iscore feeds add URL` follows one, `iscore poll` fetches its news."
    if not view.articles:
        return "No news has been fetched yet. `iscore poll` fetches it."
    if view.held_back:
        return "You have seen all that is recommended. What was held back is waiting for a verdict of yours."
    return "You have seen everything. `iscore poll` looks for more."


def day(now: datetime, zone: tzinfo | None) -> str:
    """Return the date in words: ``Monday, 6 October``."""
    local = now.astimezone(zone)
    return f"{local:%A}, {local.day} {local:%B}"


def _part(item: InboxItem, now: datetime, zone: tzinfo | None) -> int:
    if item.explore and not item.interesting:
        return 2
    return int(item.arrived.astimezone(zone).date() < now.astimezone(zone).date())
