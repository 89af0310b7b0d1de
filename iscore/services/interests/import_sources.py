"""Sources of imported items: addresses, files, or ``-`` for standard input; and pages, if the user asks for them.

    items without text ─► robots.txt ─► page ─► its main text, in a child process ─► items with text

Pages are fetched as politely as full texts of feeds. If a page fails, its item stays as it was.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from iscore.core.errors import IscoreError
from iscore.core.timings import Progress
from iscore.feeds.poll_settings import PollSettings
from iscore.rules.rule import Rule
from iscore.services.interests.formats.builder import MalformedError, item_of
from iscore.services.interests.formats.formats import FORMATS, LARGEST, FileContents, read
from iscore.services.interests.formats.text import is_address, read_keywords
from iscore.services.learning.imported_item import Form, ImportedItem
from iscore.services.reading.full_text import read_pages
from storage.opening.database import Database
from storage.records.articles import NewArticle

PIPE = "-"


class ImportsError(IscoreError):
    """A source that cannot be read, or has nothing to learn from. The message is one line that says what to do next."""

    def __init__(self, source: str, problem: str) -> None:
        shown = source if source.isprintable() else ascii(source)
        super().__init__(f"{shown}: {problem}")
        self.source = source


@dataclass(frozen=True, slots=True)
class Gathered:
    """What all sources have."""

    items: tuple[ImportedItem, ...]
    """Each once."""
    rules: tuple[Rule, ...]
    skipped: int
    """Entries of files that were left out: without a web address, or neither liked nor saved there."""
    problems: tuple[str, ...]
    """A line for each file that is damaged, and was read up to there."""


def gather(
    sources: Sequence[str], keywords: str = "", format_name: str = "", progress: Progress | None = None
) -> Gathered:
    """Return what all sources have. Reads files, and standard input for ``-``.

    Raises ``ImportsError`` for the first source that cannot be read; then nothing is imported.
    """
    if format_name and format_name not in FORMATS:
        raise ImportsError(format_name, f"no such format; use {', '.join(FORMATS)}")
    contents = [_read_source(source, format_name, progress) for source in sources]
    if keywords:
        try:
            contents.append(FileContents(tuple(read_keywords(keywords))))
        except MalformedError as error:
            raise ImportsError("the keywords", str(error)) from error
    found: dict[str, ImportedItem] = {}
    for item in (item for each in contents for item in each.items):
        found.setdefault(item.key, item)
    rules = tuple(rule for each in contents for rule in each.rules)
    if not (found or rules):
        raise ImportsError("nothing", "name addresses, files or keywords to learn from")
    damaged = [(source, each.problem) for source, each in zip(sources, contents, strict=False) if each.problem]
    problems = tuple(f"{_shown(source)}: {problem}" for source, problem in damaged)
    return Gathered(tuple(found.values()), rules, sum(each.skipped for each in contents), problems)


def source_names(sources: Sequence[str], keywords: str = "") -> str:
    """Return what a list of imports calls these sources, in short."""
    parts = [source if is_address(source) or source == PIPE else Path(source).name for source in sources[:3]]
    if len(sources) > 3:
        parts.append(f"{len(sources) - 3} more")
    if keywords:
        parts.append(f"keywords {keywords}")
    return ", ".join(parts)[:200]


def newest(items: Sequence[ImportedItem], limit: int) -> list[ImportedItem]:
    """Return at most ``limit`` items, the newest, oldest first; an item without a date counts as old."""
    dated = [item.added.timestamp() if item.added else 0.0 for item in items]
    order = sorted(range(len(items)), key=dated.__getitem__)
    return [items[place] for place in order[-limit:]]


def _read_source(source: str, format_name: str, progress: Progress | None) -> FileContents:
    if is_address(source):
        item = item_of(source)
        if item is None:
            raise ImportsError(source, "is not a web address")
        return FileContents((item,))
    data = _read(source)
    try:
        return read(data, format_name, "" if source == PIPE else source, progress)
    except MalformedError as error:
        raise ImportsError(_shown(source), str(error)) from error


def _shown(source: str) -> str:
    return "standard input" if source == PIPE else source


def _read(source: str) -> bytes:
    try:
        if source == PIPE:
            return sys.stdin.buffer.read(LARGEST + 1)
        with Path(source).open("rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        hint = "no such file, and not an address starting with https://; `iscore interests add` takes words"
        raise ImportsError(source, hint) from None
    except (OSError, ValueError) as error:  # a name with a zero byte
        raise ImportsError(source, str(getattr(error, "strerror", "") or error)) from error


SECONDS_A_PAGE = 5.0
LONGEST = 1800.0
"""Seconds for all pages together: five for each, half an hour at most."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Seeds after their pages were asked for."""

    items: tuple[ImportedItem, ...]
    """All, in their order."""
    pages: int
    """How many have got a text."""
    failed: int
    problem: str
    """Why, for the first that failed."""


async def with_texts(
    items: Sequence[ImportedItem],
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    progress: Callable[[int, int, str], None] | None = None,
) -> Fetched:
    """Fetch the pages of links that have no text. Needs ``full_text.is_possible``."""
    wanted = [item for item in items if item.form in (Form.TITLE, Form.ADDRESS) and item.url]
    limit = min(LONGEST, max(settings.fulltext_timeout, SECONDS_A_PAGE * len(wanted)))
    settings = replace(settings, fulltext_pages=max(len(wanted), 1), fulltext_timeout=limit, start_timeout=limit)
    found = await read_pages([_entry(item) for item in wanted], database, settings, clock, _page_progress(progress))
    read = {article.key: article.text for article in found.articles if article.text}
    return Fetched(tuple(_with(item, read.get(item.key, "")) for item in items), len(read), found.failed, found.problem)


def _page_progress(progress: Callable[[int, int, str], None] | None) -> Callable[[int, int], None]:
    return lambda done, pages: progress(done, pages, "pages") if progress is not None else None


def _with(item: ImportedItem, text: str) -> ImportedItem:
    return replace(item, form=Form.TEXT, text=text) if text else item


def _entry(item: ImportedItem) -> NewArticle:
    return NewArticle(
        key=item.key, url=item.url, title=item.title, author="", categories=(), text="", language="", published=None,
        links=0, pictures=0, content_hash=b"",
    )  # fmt: skip
