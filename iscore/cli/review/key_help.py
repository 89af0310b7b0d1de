"""The keys of ``iscore review`` with their names, and the line of keys at the bottom of the screen."""

from __future__ import annotations

from collections.abc import Iterable

KEYS = (
    ("l", "like"),
    ("d", "dislike"),
    ("s", "skip: no opinion"),
    ("n", "next: decide later"),
    ("b", "back to the previous article"),
    ("u", "undo"),
    ("o", "open in the browser"),
    ("t", "text"),
    ("w", "why it got its score"),
    ("a", "all sources: everyone who reports the story"),
    ("m", "mute its source, its author or a word"),
    ("r", "refresh: learn and sort the remaining articles again"),
    ("?", "help"),
    ("q", "quit"),
)
"""Each key and what it does. The part before a colon, or else the first word, is the key's name."""

_OPTIONAL = "ldsnbuotwamr"
"""Keys that a narrow screen leaves out, the last ones first."""


def key_rows(width: int, most: int) -> list[str]:
    """Return at most ``most`` lines with as many keys as fit; help and quit are always there."""
    always = [f"{key} {name_of(what)}" for key, what in KEYS if key not in _OPTIONAL]
    named = {key: f"{key} {name_of(what)}" for key, what in KEYS}
    for count in range(len(_OPTIONAL), -1, -1):
        rows = _wrapped([*(named[key] for key in _OPTIONAL[:count]), *always], width)
        if len(rows) <= most:
            return rows
    return _wrapped(always, width)[:most]


def _wrapped(words: Iterable[str], width: int) -> list[str]:
    rows = [""]
    for word in words:
        longer = f"{rows[-1]}  {word}" if rows[-1] else word
        if len(longer) <= width or not rows[-1]:
            rows[-1] = longer
        else:
            rows.append(word)
    return rows


def name_of(what: str) -> str:
    """Return a key's name."""
    name, colon, _ = what.partition(":")
    return name if colon else what.split(maxsplit=1)[0]
