"""Text spoilt word by word, so that more of it is still in order than after changes of bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

_WORD = re.compile(rb"\w+|[^\S\n]+|\n[ -]*|[^\w\s]")
_OTHERS = (
    *(b"0", b"-1", b"1e999", b".5", b"9999999999", b"null", b"true", b"no", b'""', b"{}", b"[]", b"x", b" x: ", b"\n"),
    *(
        b"&a ",
        b"*a",
        b"!!str ",
        b"|\n",
        b">\n",
        b"- ",
        b"? ",
        b": ",
        b"# c\n",
        b'"',
        b"'",
        b",",
        b"{",
        b"]",
        b"\\u0000",
    ),
    *(b"&amp;lt;", b"&#65;", b"<outline/>", b"<outline>", b"</outline>", b"https://c.example/", b"file:///etc/passwd"),
    *(
        b"\xc3\xa9",
        b"\xe2\x80\xae",
        b"\xf0\x9f\x98\x80",
        b"\x85",
        b"(a|b)*",
        b"a{9}",
        b"\\p{L}",
        b"(?i)",
        b"12h",
        b"2026-12-24",
    ),
)


def respelt(data: bytes, chance: Random, samples: Sequence[bytes]) -> bytes:
    """Change one to four words of a sample, or of ``data``: left out, doubled, or in the place of another.

    What is spoilt already is seldom accepted, so samples come first.
    """
    words = _WORD.findall(data if chance.random() < 0.3 else chance.choice(samples))
    store = _WORD.findall(chance.choice(samples))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(words) + 1)
        length = chance.choice((0, 1, 1, 1, 2, 8))
        kind = chance.random()
        if kind < 0.2:
            new = words[at : at + chance.choice((1, 4, 20))] * 2
        elif kind < 0.5 and store:
            start = chance.randrange(len(store))
            new = store[start : start + chance.choice((1, 1, 3, 12))]
        else:
            new = [chance.choice(_OTHERS)] if kind < 0.8 else []
        words[at : at + length] = new
    return b"".join(words)
