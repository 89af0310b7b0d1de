"""Removing control characters from texts of strangers before they are shown.

    title, name, text ─┬─► line, paragraphs ─► stories in words (``iscore.presentation.wording``), terminal, mail
                       └─► template engine ─► document ─► every HTML page (``iscore.presentation.html``)

A title may contain controls for terminals, marks that change the order in which text is shown, invisible characters,
and single surrogates, which no encoding can represent. This module defines them for all outputs. An output with more
control characters (a terminal with escape sequences, HTML with markup) escapes those itself.

Joiners stay: emoji and the letters of some scripts need them.
"""

from __future__ import annotations

import re

CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
"""C0 and C1 without white space and line breaks, as ranges of a character class. So are the next three."""
DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks, embeddings, overrides and isolates of direction."""
INVISIBLE = "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Byte order mark, annotations, tags."""
IMPOSSIBLE = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
"""Surrogates and noncharacters: no encoding, or no XML, can represent them."""
REPLACEMENT = "\ufffd"

_CONTROLS = re.compile(f"[{CONTROLS}{DIRECTION}{INVISIBLE}]")
_IMPOSSIBLE = re.compile(f"[{IMPOSSIBLE}]")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BLANKS = re.compile("[\t\x1f]")
_UNWRITABLE = re.compile(f"[{CONTROLS}\x0b\x0c\x1c-\x1f\x85{IMPOSSIBLE}]")


def paragraphs(text: str) -> str:
    """Return the text without control characters except line feeds; all line breaks become line feeds."""
    text = _BLANKS.sub(" ", _BREAKS.sub("\n", text))
    return _IMPOSSIBLE.sub(REPLACEMENT, _CONTROLS.sub("", text))


def line(text: str, longest: int | None = None) -> str:
    """Return the text as one line without control characters, cut after ``longest`` characters with an ellipsis."""
    return shortened(one_line(paragraphs(text)), longest)


def document(markup: str) -> str:
    """Return a whole document with a replacement character for each character that UTF-8 or HTML cannot represent.

    The template engine has escaped the texts in it.
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


_FORM = re.compile(r"[!#-'*+/-9=?A-Z^-~-]+(?:\.[!#-'*+/-9=?A-Z^-~-]+)*@[^\s@\[\]<>(),;:\\\"]+", re.ASCII)


def plain_address(text: str) -> str:
    """Return an address with its domain in ASCII. Raises ``ValueError``.

    >>> plain_address("ines@münchen.example")
    'ines@xn--mnchen-3ya.example'
    """
    problem = ValueError(f"{text!r} is not a mail address")
    local, at, domain = text.strip().rpartition("@")
    try:
        plain = f"{local}{at}{domain.encode('idna').decode('ascii')}" if domain else ""
    except UnicodeError:
        raise problem from None
    if not _FORM.fullmatch(plain) or len(plain) > 254:
        raise problem
    return plain
