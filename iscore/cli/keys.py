"""What the bytes of a terminal mean as keys: characters as typed, and names for those that have none.

Pasted text is no typing: between the marks of a bracketed paste everything is dropped, since each of its letters would
be a verdict.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator

_CONTROLS = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "delete line",
    "\x04": "end of input",
    "\x0c": "redraw",
}
_SEQUENCES = {
    **{f"\x1b{mark}{letter}": name for mark in "[O" for letter, name in (
        ("A", "up"), ("B", "down"), ("C", "right"), ("D", "left"), ("H", "home"), ("F", "end"),
    )},
    **{f"\x1b[{number}~": name for number, name in (
        (1, "home"), (4, "end"), (5, "page up"), (6, "page down"), (7, "home"), (8, "end"),
    )},
}  # fmt: skip
_SEQUENCE = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1bO[@-~]"  # keys with a name, known to us or not
    "|\x1b[^\x1b\\[O]"  # Alt and a letter, which no terminal means as Escape and a letter
)
_UNFINISHED = re.compile("\x1b(?:\\[[0-?]*[ -/]*|O)?$")
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"


class Keys:
    """Turns bytes into keys as they come. What is unfinished waits for the next bytes, or for ``flush``."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._pasting = False

    @property
    def unfinished(self) -> bool:
        """Whether the last bytes may be the beginning of a key, as Escape is."""
        return self._text.startswith("\x1b") and not self._pasting

    def feed(self, data: bytes) -> Iterator[str]:
        """Give the keys that are complete with these bytes."""
        self._text += self._decoder.decode(data)
        return self._complete()

    def flush(self) -> Iterator[str]:
        """Give what cannot become more: nothing has come for a while."""
        if self.unfinished:
            text, self._text = self._text, ""
            yield from ("escape",) if text == "\x1b" else ()

    def _complete(self) -> Iterator[str]:
        while self._text:
            if self._pasting:
                _, pasted, rest = self._text.partition(_PASTED)
                self._pasting = not pasted
                self._text = rest if pasted else self._text[-len(_PASTED) :]
                if not pasted:
                    return
                continue
            if self._text[0] != "\x1b":
                first, self._text = self._text[0], self._text[1:]
                name = _CONTROLS.get(first, first if first.isprintable() else "")
                if name:
                    yield name
                continue
            found = _SEQUENCE.match(self._text)
            if found is None:
                if _UNFINISHED.match(self._text):
                    return
                self._text = self._text[1:]  # Escape before another key
                yield "escape"
                continue
            self._text = self._text[found.end() :]
            self._pasting = found[0] == _PASTE
            if found[0] in _SEQUENCES:
                yield _SEQUENCES[found[0]]
