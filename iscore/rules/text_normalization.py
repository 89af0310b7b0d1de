"""When two spellings are the same, and where words end. A normal form in which a rule's words are looked for.

*Folded* is text without upper case (Unicode's full case folding), compatibility forms (NFKC), typographic quotes and
hyphens, and with single blanks. *Bare* is folded text without the accents of Latin and Greek letters: there they are
often left out in typing, while in other scripts a mark makes another letter.
"""

from __future__ import annotations

import re
import unicodedata

_TYPOGRAPHY = {"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "\u00ad": ""}
_ACCENTS = re.compile("(?<=[a-z\u0370-\u03ff])[\u0300-\u036f]+")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af]"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: written without blanks between words."""


def folded(text: str) -> str:
    """Return the text folded. Doing so twice changes nothing more."""
    text = _typewritten(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = _typewritten(text).casefold()
    return " ".join(text.lower().split())


def _typewritten(text: str) -> str:
    """Return the text with plain quotes and hyphens: most English texts are ASCII then, and quickly folded."""
    if not text.isascii():
        for sign, plain in _TYPOGRAPHY.items():
            text = text.replace(sign, plain)
    return text


def bare(text: str) -> str:
    """Return folded text without accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def joins(character: str) -> bool:
    """Whether a word goes on beyond this character: letters, digits, marks and ``_`` of scripts with blanks."""
    if character.isascii():
        return character.isalnum() or character == "_"
    is_word = character.isalnum() or unicodedata.category(character).startswith("M")
    return is_word and not _SPACELESS.match(character)
