"""A digest as plain text for terminal, mail and files, as one HTML page, and as the HTML part of a mail.

The terminal output escapes control characters (``iscore.cli.terminal.output``).
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

from iscore.core.translation import gettext
from iscore.presentation.digest.layout import Digest, Section
from iscore.presentation.wording.scores import STRENGTHS
from iscore.presentation.wording.story import StoryEntry

WIDTH = 80
_INDENT = 5
_NO_BREAK = "\xa0"


def render_text(digest: Digest, *, width: int = WIDTH) -> str:
    """Return the digest as lines of at most ``width`` columns, ending in a line break.

    Wide characters (Chinese, emoji) count as two columns. URLs are never broken, so they can be longer.
    """
    return "\n".join(line.rstrip() for line in _lines(digest, width)) + "\n"


def fold(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Wrap ``text`` at blanks to ``width`` columns.

    The first line starts with ``first``, the others with ``rest``. A word wider than a line is split.
    """
    available = max(8, width - max(cell_len(first), cell_len(rest)))
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        for piece in chop_cells(word, available) if cell_len(word) > available else [word]:
            if line and cell_len(line) + 1 + cell_len(piece) > available:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    lines.append(line)
    return [(rest if number else first) + line for number, line in enumerate(lines)]


def dots(strength: int) -> str:
    """Return a strength as dots: ``●●●○○``."""
    return "●" * strength + "○" * (STRENGTHS - strength)


def _lines(digest: Digest, width: int) -> Iterator[str]:
    yield f"iScore · {digest.day}"
    yield from fold(digest.headline, width)
    yield "═" * width
    if digest.learning:
        yield ""
        yield from fold(digest.learning, width)
    if digest.empty:
        yield ""
        yield from fold(digest.empty, width)
    for section in digest.sections:
        yield from _section(section, width)
    if digest.below:
        yield ""
        yield gettext("HIDDEN")
        yield from fold(digest.below_words, width)
        yield ""
        for missed in digest.below:
            yield from _missed(missed, width)
    yield from _status(digest, width)


def _section(section: Section, width: int) -> Iterator[str]:
    yield ""
    yield section.heading.upper()
    yield from fold(section.introduction, width)
    for entry in section.entries:
        yield ""
        yield from _entry(entry, width)


def _entry(story: StoryEntry, width: int) -> Iterator[str]:
    margin = " " * _INDENT
    yield from fold(story.title, width, first=f"{story.number:>3}. ", rest=margin)
    # Keep each time on one line.
    unbroken = (part.replace(" ", _NO_BREAK) for part in (story.when, story.reading))
    about = " · ".join(part for part in (story.sources, story.author, *unbroken) if part)
    yield from (line.replace(_NO_BREAK, " ") for line in fold(about, width, first=margin, rest=margin))
    yield f"{margin}{dots(story.strength)} {story.strength_words}"
    if story.rule:
        yield from fold(story.rule, width, first=f"{margin}– ", rest=f"{margin}  ")
    for reason in story.reasons:
        yield from fold(reason, width, first=f"{margin}– ", rest=f"{margin}  ")
    if story.url:
        yield margin + story.url
    for other in story.others:
        if other.url:
            yield from fold(gettext("also %(source)s:", source=other.source), width, first=margin, rest=margin)
            yield f"{margin}  {other.url}"
    if story.answer:
        yield margin + gettext("vote: %(address)s", address=story.answer)


def _missed(missed: StoryEntry, width: int) -> Iterator[str]:
    head = f"  {missed.id}  "
    yield from fold(f"{missed.title} · {missed.source}", width, first=head, rest=" " * len(head))


def _status(digest: Digest, width: int) -> Iterator[str]:
    if digest.figures:
        yield ""
        yield "─" * width
        yield gettext("FILTER STATUS")
    for figure in digest.figures:
        head = f"  {figure.name:<10} {figure.value:>8}  "
        yield from fold(figure.meaning, width, first=head, rest=" " * len(head))
    if digest.troubles:
        yield ""
        yield gettext("FAILING FEEDS")
        for trouble in digest.troubles:
            yield from fold(trouble, width, first="  – ", rest="    ")
    if digest.voting:
        yield ""
        yield from fold(digest.voting, width)


def render_html(digest: Digest) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Texts are escaped by the template engine; URLs have passed ``addresses.web_address``.
    """
    from iscore.presentation.html import render  # the text needs no template engine

    return render("iscore.presentation.digest", "digest.html", digest=digest, strengths=STRENGTHS)


def render_mail(digest: Digest) -> str:
    """Return a complete HTML document, to be sent as UTF-8.

    Many mail programs drop style sheets, so every element has inline styles, in one column; the style sheet only adds
    dark mode.
    """
    from iscore.presentation.html import render

    return render("iscore.presentation.digest", "mail.html", digest=digest, strengths=STRENGTHS).lstrip()
