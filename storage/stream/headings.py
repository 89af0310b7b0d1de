"""What lists call an article: its title, and without one the first sentence of its text, as of a post in a microblog.

The stored title stays empty, and so does the one that features are measured of.
"""

from __future__ import annotations

import re

from sqlalchemy import ColumnElement, case, func, select

from storage.schema import articles, texts

LONGEST = 80
"""Characters of a heading that is made of a text."""
_READ = 400
"""Characters of a text that are looked at: more than a heading has, with room for markup's blanks."""
_SHORTEST = 8
"""Characters: what is shorter, such as ``Wow!``, goes on with the next sentence."""
_FEWEST_KEPT = LONGEST // 4
"""Characters: a word that is cut in the middle, such as an address, is better than less."""

_PARAGRAPH = re.compile(r"\n\s*\n")
_CLOSING = r"""["'”’»)\]}」』）]"""
_END = re.compile(
    rf"(?:(?<![\w’'])([\w’']{{3,}})\.|{_CLOSING}\.|[!?…؟۔।]|[。！？]){_CLOSING}*(?:(?<=[。！？」』）])|(?=\s+(?![a-zà-öø-ÿ])))"
)
"""Of a sentence. Shorter words with a dot are abbreviations, and so is one before a lower-case letter."""
_ABBREVIATIONS = (
    "prof mrs sen gov gen rep inc ltd corp capt col sgt rev hon jan feb mar apr jun jul aug sep sept oct nov dec"
    " vgl evtl ing dipl art abs str mme mlle sra"
)

beginning: ColumnElement[str | None] = case(
    (
        articles.c.title == "",
        select(func.substr(texts.c.text, 1, _READ))
        .where(texts.c.seq == articles.c.seq)
        .correlate(articles)
        .scalar_subquery(),
    )
)
"""What ``heading`` needs of an article's text: NULL where there is a title."""


def heading(title: str, text: str | None) -> str:
    """Return the title, else the first sentence of the text, cut at the end of a word; empty without both.

    >>> heading("", "Dr. Li saw 3.5 tons of ice at St. John today. More tomorrow."), heading("Ferry", "Late again.")
    ('Dr. Li saw 3.5 tons of ice at St. John today.', 'Ferry')
    """
    if title.strip():
        return title
    paragraphs = (" ".join(each.split()) for each in _PARAGRAPH.split((text or "")[:_READ]))
    first = next(filter(None, paragraphs), "")
    abbreviations = _ABBREVIATIONS.split()
    ends = (each.end() for each in _END.finditer(first) if (each[1] or "").lower() not in abbreviations)
    sentence = first[: next((end for end in ends if end >= _SHORTEST), None)]
    if len(sentence) <= LONGEST:
        return sentence
    cut = sentence[: LONGEST - 1]
    blank = sentence.rfind(" ", _FEWEST_KEPT, LONGEST)
    return (cut if blank < 0 else cut[:blank]).rstrip(" .,;:–-") + "…"
