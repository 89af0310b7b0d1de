"""What typer says about a wrong option or argument, in words for people who do not program."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORDS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"Value error, ", ""),
    (
        r" for '([^']*\|[^']*)': (.*) is not one of .*",
        lambda found: f": {found[2]} is unknown; write {_either(found[1])}",
    ),
    (r"(.*) is not one of (.*)", r"\1 is unknown; write one of \2"),
    (r"does not match the formats? .*", "is not a date; write it like 2026-03-01"),
    (r"Input should be a valid integer.*", "write a whole number"),
    (r"Input should be a valid number.*", "write a number"),
    (r"Input should be greater than or equal to (\S+)", r"write \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"write \1 or less"),
    (r" \(Possible options: .*\)", lambda found: _meant(found[0])),
)


def plain(text: str) -> str:
    """Return a message without the words of the libraries that check what was typed.

    >>> plain("Invalid value for '--limit': Input should be greater than or equal to 1.")
    "Invalid value for '--limit': write 1 or more"
    """
    text = text.rstrip(".")
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text


def _either(choices: str) -> str:
    return " or ".join(choices.split("|"))


def _meant(options: str) -> str:
    """Return the options that typer suggests, but for ``--man``, which is hidden."""
    found = [each for each in re.findall(r"--[a-z-]+", options) if each != "--man"]
    return f"; did you mean {' or '.join(found)}?" if found else ""
