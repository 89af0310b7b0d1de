"""What kind of character each code point is, as arrays that compiled loops can index."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np

from extractors.arrays import UInt16s, UInt32s

LETTER = 1
"""Part of a word: letters, and the marks that Indic and other scripts combine with them."""
DIGIT = 2
UPPER = 4
LOWER = 8
DENSE = 16
"""A letter of a script that is written without spaces between its words."""
PUNCTUATION = 32
END = 64
"""Ends a sentence when white space follows."""
FULL_STOP = 128
"""Ends a sentence by itself: the scripts that have these signs put no space after them."""
QUOTE = 256
"""Opens or closes quoted speech. Single quotes are left out: they are mostly apostrophes."""
SPACE = 512

N_CODES = 0x20000
"""The tables end here: above are rare ideographs, unassigned code points and private use."""

_DENSE_BLOCKS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # ideographic iteration, closing, zero
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # ideographs, extension A
    (0x4E00, 0x9FFF),  # ideographs
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0xFF66, 0xFF9D),  # half-width Katakana
)
# Hangul is not dense: Korean puts spaces between words.


class Characters(NamedTuple):
    """Properties by code point."""

    kinds: UInt16s
    """Sum of the constants above that apply; shape (N_CODES,)."""
    lower: UInt32s
    """The lower-case code point where that is a single one, else the code point itself; shape (N_CODES,)."""


@cache
def characters() -> Characters:
    """Return the tables, made once per process from Python's own Unicode data."""
    kinds = np.zeros(N_CODES, dtype=np.uint16)
    lower = np.arange(N_CODES, dtype=np.uint32)
    for code in range(N_CODES):
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] in "LM":
            kinds[code] = LETTER
            if category == "Lu":
                kinds[code] |= UPPER
                lowered = character.lower()
                lower[code] = ord(lowered) if len(lowered) == 1 else code
            elif category == "Ll":
                kinds[code] |= LOWER
        elif category == "Nd":
            kinds[code] = DIGIT
        elif category[0] == "P":
            kinds[code] = PUNCTUATION
        elif category[0] == "Z" or character.isspace():
            kinds[code] = SPACE
    for first, last in _DENSE_BLOCKS:
        letters = (kinds[first : last + 1] & LETTER) > 0
        kinds[first : last + 1][letters] |= DENSE
    for sign in ".!?…؟۔।":
        kinds[ord(sign)] |= END
    for sign in "。！？｡":
        kinds[ord(sign)] |= FULL_STOP
    for sign in '"“”„‟«»「」『』':
        kinds[ord(sign)] |= QUOTE
    return Characters(kinds, lower)
