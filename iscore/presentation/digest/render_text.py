"""An edition as plain text: for the terminal, for mail, for a file. 80 columns, and no markup of any kind.

The caller's sink still has to encode control characters (``iscore.cli.terminal.output``): this module lays out.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

from iscore.presentation.digest.layout import Edition, Entry, Section
from iscore.presentation.wording.scores import STRENGTHS

WIDTH = 80
_INDENT = 5
_NO_BREAK = "\xa0"


def render_text(edition: Edition, *, width: int = WIDTH) -> str:
    """Return the edition as lines of at most ``width`` columns, ending in a line break.

    Wide characters (Chinese, emoji) count as the two columns that they take. Addresses are never broken, so
    that they can be followed: they may be longer than the width.
    """
    return "\n".join(line.rstrip() for line in _lines(edition, width)) + "\n"


def fold(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Break one line of ``text`` at its blanks into lines of at most ``width`` columns.

    The lines begin with ``first`` and ``rest``. A word wider than a line is cut.
    """
    room = max(8, width - max(cell_len(first), cell_len(rest)))
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        for piece in chop_cells(word, room) if cell_len(word) > room else [word]:
            if line and cell_len(line) + 1 + cell_len(piece) > room:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    lines.append(line)
    return [(rest if number else first) + line for number, line in enumerate(lines)]


def dots(strength: int) -> str:
    """Return a strength as dots: ``●●●○○``."""
    return "●" * strength + "○" * (STRENGTHS - strength)


def _lines(edition: Edition, width: int) -> Iterator[str]:
    yield f"iScore · {edition.day}"
    yield from fold(edition.headline, width)
    yield "═" * width
    if edition.learning:
        yield ""
        yield from fold(edition.learning, width)
    if edition.empty:
        yield ""
        yield from fold(edition.empty, width)
    for section in edition.sections:
        yield from _section(section, width)
    if edition.below:
        yield ""
        yield "BELOW THE LINE"
        yield from fold(edition.below_words, width)
        yield ""
        for missed in edition.below:
            yield from _missed(missed, width)
    yield from _standing(edition, width)


def _section(section: Section, width: int) -> Iterator[str]:
    yield ""
    yield section.heading.upper()
    yield from fold(section.introduction, width)
    for entry in section.entries:
        yield ""
        yield from _entry(entry, width)


def _entry(entry: Entry, width: int) -> Iterator[str]:
    told, margin = entry.story, " " * _INDENT
    yield from fold(told.title, width, first=f"{entry.number:>3}. ", rest=margin)
    # A time broken over two lines reads badly: its blanks are held together while folding.
    kept = (part.replace(" ", _NO_BREAK) for part in (told.when, told.reading))
    about = " · ".join(part for part in (told.sources, told.author, *kept) if part)
    yield from (line.replace(_NO_BREAK, " ") for line in fold(about, width, first=margin, rest=margin))
    yield f"{margin}{dots(told.strength)} {told.strength_words}"
    if told.ruling:
        yield from fold(told.ruling, width, first=f"{margin}– ", rest=f"{margin}  ")
    for reason in told.reasons:
        yield from fold(reason, width, first=f"{margin}– ", rest=f"{margin}  ")
    if told.url:
        yield margin + told.url
    for other in told.others:
        if other.url:
            yield from fold(f"also {other.source}:", width, first=margin, rest=margin)
            yield f"{margin}  {other.url}"
    if entry.answer:
        yield f"{margin}answer: {entry.answer}"


def _missed(missed: Entry, width: int) -> Iterator[str]:
    head = f"  {missed.story.id}  "
    yield from fold(f"{missed.story.title} · {missed.story.source}", width, first=head, rest=" " * len(head))


def _standing(edition: Edition, width: int) -> Iterator[str]:
    yield ""
    yield "─" * width
    yield "HOW THE FILTER IS DOING"
    for figure in edition.figures:
        head = f"  {figure.name:<10} {figure.value:>8}  "
        yield from fold(figure.meaning, width, first=head, rest=" " * len(head))
    if edition.troubles:
        yield ""
        yield "FEEDS IN TROUBLE"
        for trouble in edition.troubles:
            yield from fold(trouble, width, first="  – ", rest="    ")
    if edition.teach:
        yield ""
        yield from fold(edition.teach, width)
