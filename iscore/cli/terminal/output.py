"""Everything written to the terminal goes through here, and untrusted text is cleaned here.

Titles come from strangers. They may contain escape sequences that move the cursor, write the clipboard (OSC 52) or fake
links (OSC 8). These are removed as a whole, other control characters by ``iscore.core.sanitizing``: for pipes and files
too, since a pipe often ends in a terminal. rich gets ``Text``, so ``[/x]`` in a title is not markup.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from iscore.core import sanitizing
from iscore.presentation.wording.quantities import first_few

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.constrain import Constrain
    from rich.text import Text

    from iscore.services.views.feeds import FeedProblem

_SEQUENCES = re.compile(
    # OSC, DCS, APC, PM and SOS with their text, when it ends.
    "(?:\x1b[\\]P_^X]|[\x9d\x90\x9f\x9e\x98])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, screen
    "|\x1b[ -/]*[0-~]"  # all other escapes
)
_LINKS = re.compile("\x1b\\]8;[^\x1b]*\x1b\\\\")


def paragraphs(text: str) -> str:
    """Remove control characters and sequences from untrusted text; line feeds stay."""
    return sanitizing.paragraphs(_SEQUENCES.sub("", text))


def line(text: str) -> str:
    """Clean untrusted text and make it one line."""
    return sanitizing.one_line(paragraphs(text))


def styled(text: str, style: str = "", *, indent: str = "") -> Text:
    """Return one line of untrusted text for rich, without markup, after ``indent``."""
    from rich.text import Text  # `like` needs no rich

    return Text(indent + line(text), style)


def address(url: str, style: str = "") -> Constrain:
    """Return an address that stays on one line, so that it can be copied."""
    from rich.constrain import Constrain

    text = styled(url, style)
    text.no_wrap, text.overflow = True, "ignore"
    return Constrain(text, None)  # a console would make a new text of it, which wraps


def linked(text: str, url: str, style: str = "") -> Text:
    """Return a title as a terminal hyperlink, if its address is printable ASCII."""
    plain = re.fullmatch(r"https?://[!-~]+", url) is not None
    return styled(text, f"{style} link {url}".strip() if plain else style)


def console(*, error: bool = False) -> Console:
    """Return a console on standard output (or error) without markup and highlighting."""
    from rich.console import Console  # `like` needs no rich

    return Console(stderr=error, markup=False, emoji=False, highlight=False)


def render(*renderables: RenderableType) -> None:
    """Print renderables made of ``styled`` texts on standard output."""
    out = console()
    if out.is_terminal:
        for each in renderables:
            out.print(each, crop=False)  # an address that is longer than a line stays whole
        return
    with out.capture() as captured:
        for each in renderables:
            out.print(each, crop=False)
    # No padding of columns in a file or a pipe.
    print("\n".join(row.rstrip() for row in captured.get().splitlines()))


def rows(width: int, *renderables: RenderableType) -> list[str]:
    """Return the lines of renderables made of ``styled`` texts, at most ``width`` wide.

    Without hyperlinks, which not every terminal supports.
    """
    from rich.console import Console  # `like` needs no rich

    out = Console(width=width, markup=False, emoji=False, highlight=False)
    with out.capture() as captured:
        for each in renderables:
            out.print(each)
    return [row.rstrip() for row in _LINKS.sub("", captured.get()).splitlines()]


def problem_line(problem: FeedProblem) -> str:
    """Return a feed's problem with advice."""
    advice = f"; {problem.advice}" if problem.advice else ""
    return f"{problem.title or problem.url}: {problem.error}{advice}"


def problem_lines(problems: Sequence[FeedProblem]) -> list[str]:
    """Return the problems of a few feeds, and the number of the others."""
    return first_few([problem_line(problem) for problem in problems], "iscore feeds --failing")


def write(text: str = "") -> None:
    """Print clean text on standard output: results."""
    print(paragraphs(text))


def message(text: str) -> None:
    """Print one clean line on standard error: progress, hints and errors."""
    print(f"{line(text)}\n", end="", file=sys.stderr)  # at once: threads print beside each other
