"""Postponed articles: a file with one article id a line, the last postponed last.

The file only says what the review queue shows last. If it is lost, the order changes and nothing else. Lines are only
appended, so that an interrupted write loses no earlier line.
"""

from __future__ import annotations

from pathlib import Path

from iscore.core.file_access import private_opener, write

LONGEST = 10_000
"""Lines from which on the older half is dropped; far more than anyone postpones in a week."""


def read(file: Path) -> list[str]:
    """List the ids, each once, ordered by when they were postponed last; empty when there is no such file."""
    try:
        lines = file.read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return []
    return list(dict.fromkeys(reversed(lines)))[::-1]


def add(file: Path, article_id: str) -> None:
    """Append an id. Raises ``OSError``."""
    with open(file, "a", encoding="ascii", opener=private_opener) as opened:
        opened.write(f"{article_id}\n")


def truncate(file: Path) -> None:
    """Drop the older half of a file that is too long."""
    known = read(file)
    if len(known) > LONGEST:
        unfinished = file.with_name(f"{file.name}.unfinished-new")
        write(unfinished, "".join(f"{each}\n" for each in known[-LONGEST // 2 :]).encode())
        unfinished.replace(file)
