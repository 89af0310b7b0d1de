"""Foreign text on its way into mail: a header is one line, a body has no controls.

A line break in a header would let a title write headers of its own. Marks of direction would let it show text in
another order than it has.
"""

from __future__ import annotations

import unicodedata

_BREAKS = dict.fromkeys(map(ord, "\t\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_LINES = dict.fromkeys(map(ord, "\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"), "\n") | {ord("\t"): " "}
_JOINER = "\u200d"
"""Holds families of emoji together, and letters of some scripts."""


def header_text(text: str, longest: int) -> str:
    """Return the text as one line of at most ``longest`` characters, an ellipsis where it was cut.

    Control and format characters, surrogates, private and unassigned code points are gone.
    """
    line = " ".join(_shown(text[: 20 * longest].translate(_BREAKS), "").split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def body_text(text: str) -> str:
    """Return the text as lines that end in a line feed, without anything but characters to be seen."""
    return _shown(text.replace("\r\n", "\n").translate(_LINES), "\n" + _JOINER)


def _shown(text: str, kept: str) -> str:
    return "".join(each for each in text if each in kept or unicodedata.category(each)[0] != "C")
