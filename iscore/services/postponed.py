"""Articles that a person has put off while going through them: a file with an ID a line, the last put off last.

It only says what comes last the next time, so it is no part of the log: if it is lost, the order changes, and nothing
else. Lines are only added, so that what was written survives whatever happens next.
"""

from __future__ import annotations

from pathlib import Path

from iscore.core.file_permissions import for_owner, write

LONGEST = 10_000
"""Lines at which the older half is forgotten; far more than anybody puts off in a week."""


def put_off(file: Path) -> list[str]:
    """List the IDs, each once, in the order in which they were put off last; empty when there is no such file."""
    try:
        lines = file.read_text(encoding="ascii", errors="replace").split()
    except OSError:  # what cannot be read has been lost
        return []
    return list(dict.fromkeys(reversed(lines)))[::-1]


def put_off_too(file: Path, article_id: str) -> None:
    """Add one. Raises ``OSError``."""
    with open(file, "a", encoding="ascii", opener=for_owner) as opened:
        opened.write(f"{article_id}\n")


def forget_oldest(file: Path) -> None:
    """Keep the file short."""
    known = put_off(file)
    if len(known) > LONGEST:
        unfinished = file.with_name(f"{file.name}.unfinished-new")
        write(unfinished, "".join(f"{each}\n" for each in known[-LONGEST // 2 :]).encode())
        unfinished.replace(file)
