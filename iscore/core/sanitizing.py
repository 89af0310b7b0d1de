"""Strangers' texts on their way to people: the characters that steer whatever shows them, and taking those out.

    title, name, text ─┬─► line, paragraphs ─► stories in words (``iscore.presentation.wording``), terminal, mail
                       └─► template engine ─► document ─► every HTML page (``iscore.presentation.html``)

A title may hold controls that a terminal obeys, marks that show text in another order than it has, characters that
nobody sees, and halves of characters, which no encoding can hold. Here it is said once which these are. A sink that
obeys more than that (a terminal its escape sequences, HTML its markup) adds only its own.

Joiners stay: emoji and the letters of some scripts need them, and they steer nothing.
"""

from __future__ import annotations

import re

CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
"""C0 and C1 as ranges of a class of characters, without those that are blanks or break lines."""
DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks, embeddings, overrides and isolates of direction."""
INVISIBLE = "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Byte order mark, annotations, tags."""
IMPOSSIBLE = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
"""Halves of characters, and what is none: no encoding, or no XML, can hold them."""
REPLACEMENT = "\ufffd"

_STEERING = re.compile(f"[{CONTROLS}{DIRECTION}{INVISIBLE}]")
_IMPOSSIBLE = re.compile(f"[{IMPOSSIBLE}]")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BLANKS = re.compile("[\t\x1f]")
_UNWRITABLE = re.compile(f"[{CONTROLS}\x0b\x0c\x1c-\x1f\x85{IMPOSSIBLE}]")


def paragraphs(text: str) -> str:
    """Return the text without anything that steers. Only line feeds keep their meaning; all breaks become such."""
    text = _BLANKS.sub(" ", _BREAKS.sub("\n", text))
    return _IMPOSSIBLE.sub(REPLACEMENT, _STEERING.sub("", text))


def line(text: str, longest: int | None = None) -> str:
    """Return the text as one line without anything that steers, cut after ``longest`` characters with an ellipsis."""
    return shortened(one_line(paragraphs(text)), longest)


def document(markup: str) -> str:
    """Return a whole document as UTF-8 and HTML can hold it: a replacement character for each that they cannot.

    Its markup, and the escaping of foreign texts in it, are the template engine's.
    """
    return _UNWRITABLE.sub(REPLACEMENT, markup)


def one_line(text: str) -> str:
    """Return the text with every run of white space, line breaks included, as one blank."""
    return " ".join(text.split())


def shortened(text: str, longest: int | None) -> str:
    """Return one line of text, cut at a blank if that is near, with an ellipsis when something is missing."""
    if longest is None or len(text) <= longest:
        return text
    cut = text[: longest - 1]
    blank = cut.rfind(" ", longest * 3 // 4)
    return (cut if blank < 0 else cut[:blank]).rstrip(" .,;:–-") + "…"
