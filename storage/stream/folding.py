"""How words are spelled when they are compared: one folding for texts, searches and the user's rules.

Folded text has no upper case, no compatibility forms, no accents and no typographic quotes and hyphens: *Café*,
*ΛΙΜΆΝΙ*, *Straße* and *ışık* are ``cafe``, ``λιμανι``, ``strasse`` and ``isik``. An accent is what people leave out in
capitals, in haste or on a foreign keyboard. Marks that make another letter stay: those of kana, of the scripts of
India and of Thai, and of Cyrillic й, ў, ї, ѓ and ќ, which nobody writes without them (ё they do).
"""

from __future__ import annotations

import re
import unicodedata

_LONG_RUN = re.compile(r"([^\w\s\x00-\x7f])[^\w\s\x00-\x7f]{29,}")
"""Signs and marks without a letter. To put marks in their order takes time that grows with the square of a run."""
_ACCENTS = re.compile(
    "["
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # of Latin, Greek, Cyrillic and of all
    "\u0483-\u0487"  # Old Cyrillic
    "\u0591-\u05bd\u05bf-\u05c7"  # Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic
    "\u0711\u0730-\u074a"  # Syriac
    "]+"
)
_REPLACED = {
    **{unicodedata.normalize("NFD", letter): letter for letter in "йўїѓќ"},
    "ß": "ss", "ς": "σ", "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ð": "d",
    "þ": "th", "’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "‐": "-", "–": "-", "\u00ad": "", "\u0640": "",
}  # fmt: skip
"""Decomposed letters that keep their marks; letters that have no decomposition; signs. The last are invisible."""
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff])"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: written without blanks between words."""


def folded(text: str) -> str:
    """Return the text folded. Doing so twice changes nothing more."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", _LONG_RUN.sub(r"\1", text)).lower()
    for letter, plain in _REPLACED.items():  # faster than one expression or table for all
        text = text.replace(letter, plain)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", text))


def spaced(text: str) -> str:
    """Return a text with blanks around each character that is a word of its own."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def joins(character: str) -> bool:
    """Whether a word goes on beyond this character: letters, digits, marks and ``_`` of scripts with blanks."""
    if character.isascii():
        return character.isalnum() or character == "_"
    is_word = character.isalnum() or unicodedata.category(character).startswith("M")
    return is_word and not _UNSPACED.match(character)
