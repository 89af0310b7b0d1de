"""The keys of ``iscore review``: what each is called, and how many of them a line can name."""

from __future__ import annotations

from collections.abc import Iterable

KEYS = (
    ("l", "like"),
    ("d", "dislike"),
    ("s", "skip: no opinion"),
    ("n", "next: leave it for later"),
    ("b", "back to the one before"),
    ("u", "undo"),
    ("o", "open in the browser"),
    ("t", "text"),
    ("w", "why it stands here"),
    ("a", "also at: all who tell the story"),
    ("m", "mute its source, its author or a word"),
    ("r", "refresh: learn, and put what waits in its new order"),
    ("?", "help"),
    ("q", "quit"),
)
"""Every key and what it does; what stands before a colon, or else the first word, is its name."""

_BRIEF = "ldsnbuotwamr"


def key_rows(width: int, most: int) -> list[str]:
    """List as many keys as go into so many lines; help and quitting always."""
    always = [f"{key} {name_of(what)}" for key, what in KEYS if key not in _BRIEF]
    named = {key: f"{key} {name_of(what)}" for key, what in KEYS}
    for count in range(len(_BRIEF), -1, -1):
        rows = _filled([*(named[key] for key in _BRIEF[:count]), *always], width)
        if len(rows) <= most:
            return rows
    return _filled(always, width)[:most]


def _filled(words: Iterable[str], width: int) -> list[str]:
    rows = [""]
    for word in words:
        longer = f"{rows[-1]}  {word}" if rows[-1] else word
        if len(longer) <= width or not rows[-1]:
            rows[-1] = longer
        else:
            rows.append(word)
    return rows


def name_of(what: str) -> str:
    """Return a key's name, of what it does."""
    name, brief, _ = what.partition(":")
    return name if brief else what.split(maxsplit=1)[0]
