"""The one place where foreign text becomes safe for a terminal, and where anything is written to one.

Titles come from strangers. A title may hold escape sequences that colour the screen, move the cursor, write the
clipboard (OSC 52) or make a link say one thing and open another (OSC 8). They are removed here, whole; the other
characters that steer, by ``iscore.core.sanitizing``.
That happens whether a terminal, a pipe or a file receives the text:
a pipe often ends in a terminal. Text goes to rich as ``Text``, so that ``[/x]`` in a title is no markup.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from iscore.core import sanitizing

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
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
    """Return foreign text without anything that a terminal would obey; only line feeds keep their meaning."""
    return sanitizing.paragraphs(_SEQUENCES.sub("", text))


def line(text: str) -> str:
    """Return foreign text as one line that a terminal only shows."""
    return sanitizing.one_line(paragraphs(text))


def styled(text: str, style: str = "", *, indent: str = "") -> Text:
    """Return one line of foreign text for rich, taken literally, behind ``indent``."""
    from rich.text import Text  # `like` does without rich

    return Text(indent + line(text), style)


def linked(text: str, url: str, style: str = "") -> Text:
    """Return a title that a terminal opens on a click, if its address is all printable ASCII."""
    plain = re.fullmatch(r"https?://[!-~]+", url) is not None
    return styled(text, f"{style} link {url}".strip() if plain else style)


def console(*, error: bool = False) -> Console:
    """Return a console on standard output (or error) that interprets no markup and highlights nothing."""
    from rich.console import Console  # `like` does without rich

    return Console(stderr=error, markup=False, emoji=False, highlight=False)


def show(*renderables: RenderableType) -> None:
    """Print renderables made of ``styled`` texts on standard output, one below the other."""
    out = console()
    if out.is_terminal:
        for each in renderables:
            out.print(each)
        return
    with out.capture() as captured:
        for each in renderables:
            out.print(each)
    # Columns are padded to the width, which in a file or a pipe is only noise.
    print("\n".join(row.rstrip() for row in captured.get().splitlines()))


def rows(width: int, *renderables: RenderableType) -> list[str]:
    """Return the lines of renderables made of ``styled`` texts, as standard output's terminal shows them.

    None is wider than ``width``. Without links to click on, which not every terminal understands.
    """
    from rich.console import Console  # `like` does without rich

    out = Console(width=width, markup=False, emoji=False, highlight=False)
    with out.capture() as captured:
        for each in renderables:
            out.print(each)
    return [row.rstrip() for row in _LINKS.sub("", captured.get()).splitlines()]


def problem_line(problem: FeedProblem) -> str:
    """Say what is wrong with a feed, and what one may do about it."""
    advice = f"; {problem.advice}" if problem.advice else ""
    return f"{problem.title or problem.url}: {problem.error}{advice}"


def say(text: str = "") -> None:
    """Print plain text, cleaned, on standard output: for results."""
    print(paragraphs(text))


def tell(text: str) -> None:
    """Print one clean line on standard error: for progress, messages and mistakes."""
    print(line(text), file=sys.stderr)
