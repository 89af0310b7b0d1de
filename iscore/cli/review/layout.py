"""What a person sees of a session: the same parts on a screen and line by line."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from iscore.cli.inbox import dots
from iscore.cli.review.controller import Summary
from iscore.cli.review.key_help import KEYS
from iscore.cli.review.session import Page, Session
from iscore.cli.terminal.output import line, styled
from iscore.core.sanitizing import shortened
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.scores import strength_words, wanted_words
from iscore.presentation.wording.story import TEXT, UNTITLED, from_sources
from iscore.presentation.wording.times import age
from iscore.services.views.inbox import ListedStory
from storage.records import Kind

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text


def progress(session: Session) -> str:
    """Say where the session is, and what was said in its course: ``3 of 27 · 2 likes, 1 dislike``."""
    said = said_words(session.tally())
    place = f"{session.number:,} of {session.total:,}" if session.here is not None else "The end"
    return f"{place} · {said}" if said else place


def said_words(tally: dict[Kind, int]) -> str:
    """Count verdicts in words, likes first; empty without any."""
    kinds = ((Kind.LIKE, "like"), (Kind.DISLIKE, "dislike"), (Kind.SKIP, "skip"))
    return ", ".join(counted(tally[kind], noun) for kind, noun in kinds if tally.get(kind))


def about(story: ListedStory, now: datetime) -> str:
    """Name sources, author, age and ID."""
    item = story.item
    parts = (
        from_sources(item.sources or (item.source,)),
        item.author,
        age(item.published or item.arrived, now),
        item.id,
    )
    return " · ".join(line(part) for part in parts if part)


def judged(story: ListedStory) -> str:
    """Say what the filter thinks of a story, what a rule of the person's does with it, and what the person said."""
    item = story.item
    parts = (
        strength_words(item.score, item.threshold),
        "to explore" if item.explore else "" if item.interesting else "held back",
        item.ruling,
        f"you said: {story.verdict}" if story.verdict else "",
    )
    return " · ".join(line(part) for part in parts if part)


def article(story: ListedStory, now: datetime) -> list[RenderableType]:
    """Lay an article out: title, about it, what the filter thinks, how it begins, its address."""
    item = story.item
    lines: list[RenderableType] = [
        styled(item.title or UNTITLED, "bold"),
        styled(about(story, now), "dim"),
        dots(item).append_text(styled(judged(story), "default", indent=" ")),
    ]
    for part, style in ((shortened(line(item.summary), TEXT), ""), (item.url, "cyan")):
        if part:
            lines += ["", styled(part, style)]
    return lines


def carriers(story: ListedStory) -> list[RenderableType]:
    """List who else tells the story, with the digits that open them."""
    lines: list[RenderableType] = [styled(story.item.title or UNTITLED, "bold"), ""]
    for number, each in enumerate(story.carriers, start=1):
        lines.append(styled(each.source, "bold", indent=f"{number}  "))
        lines.append(styled(each.title, indent="   "))
        if each.url:
            lines.append(styled(each.url, "cyan", indent="   "))
    return [*lines, "", styled("A digit opens one in the browser.", "dim")]


def help_page() -> list[RenderableType]:
    """List the keys and what they do."""
    lines: list[RenderableType] = [styled(what, indent=f"{key}  ") for key, what in KEYS]
    return [
        *lines,
        "",
        styled("Arrows, Enter, Space and Backspace do what one expects. On a long page, Space and b turn it."),
        styled("What you say is on disk before the next article appears, and what you skip or leave teaches nothing."),
        styled("The order stays as it is until you refresh or begin anew."),
    ]


def question_what_to_mute(story: ListedStory) -> list[RenderableType]:
    """Ask what to mute."""
    lines: list[RenderableType] = [
        styled("Never again:", "bold"),
        styled(f"the source {story.item.source}", indent="s  "),
        *([styled(f"the author {story.item.author}", indent="a  ")] if story.item.author else []),
        styled("a word or phrase, wherever it stands", indent="w  "),
        "",
        styled("Any other key leaves things as they are.", "dim"),
    ]
    return lines


def at_end(session: Session) -> list[RenderableType]:
    """Say that all have been gone through, and what one may do."""
    left = sum(1 for _ in session.waiting)
    lines: list[RenderableType] = [styled("That was all.", "bold"), ""]
    if left:
        lines.append(styled(f"goes through {counted(left, 'article')} that you left for later", indent="n  "))
    others = (("b", "goes back"), ("r", "learns, and looks for more"), ("q", "ends"))
    return [*lines, *(styled(what, indent=f"{key}  ") for key, what in others)]


def body(session: Session, story: ListedStory | None, now: datetime) -> list[RenderableType]:
    """Lay out what the session is at, of what can be laid out at once."""
    if session.page is Page.HELP:
        return help_page()
    if story is None:
        return at_end(session)
    match session.page:
        case Page.STORY:
            return carriers(story)
        case Page.MUTE:
            return question_what_to_mute(story)
        case Page.WORD:
            return [styled("Never again an article with this word or phrase; Enter mutes it, Escape does not:", "bold")]
    return article(story, now)


def told(summary: Summary, command: str) -> list[str]:
    """Say what a session has come to, and what to do next. ``command`` began it."""
    said = said_words({Kind.LIKE: summary.likes, Kind.DISLIKE: summary.dislikes, Kind.SKIP: summary.skips})
    later = f"{counted(summary.put_off, 'article')} left for later, which will come last" if summary.put_off else ""
    lines = ["; ".join(part for part in (said or "Nothing said", later) if part) + "."]
    if summary.muted:
        lines.append(f"Muted: {', '.join(map(line, summary.muted))}. `iscore rules list` shows your rules.")
    before, after = summary.before.waiting, summary.after.waiting
    lines.append(
        f"{counted(after, 'article')} in your inbox" + (f", {before - after:,} fewer." if after < before else ".")
    )
    wanted = wanted_words(summary.after.learning)
    if wanted and said:
        lines.append(f"The filter needs {wanted} to judge on its own.")
    lines.append("`iscore inbox` shows what this changes." if said or summary.muted else f"`{command}` goes on here.")
    return lines


def heading(session: Session) -> Text:
    """Lay out the first line of a screen."""
    return styled(progress(session), "bold")
