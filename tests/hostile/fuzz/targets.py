"""All that is fuzzed, for runs as long as one likes: what is tried, what it starts from, and how it is spoilt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random
from zlib import crc32

from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.cut_claim import cutting_loses_nothing, read
from tests.hostile.fuzz.date_claim import date_is_read_safely
from tests.hostile.fuzz.feed_claim import feed_is_read_safely
from tests.hostile.fuzz.list_claim import (
    feeds_are_edited_safely,
    feeds_are_read_safely,
    rules_are_edited_safely,
    rules_are_read_safely,
)
from tests.hostile.fuzz.made_up_feeds import made_up_feed
from tests.hostile.fuzz.mail_claim import mail_has_no_active_content, texts_of
from tests.hostile.fuzz.mutations import mutated, shortened
from tests.hostile.fuzz.opml_claim import opml_is_read_safely
from tests.hostile.fuzz.state_claim import state_is_read_safely, state_of_content_is_read_safely
from tests.hostile.fuzz.stream_claim import line_is_read_safely, stream_is_read_safely
from tests.hostile.fuzz.untouched_feedparser import UntouchedFeedparser

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


LONGEST_FEED = 6_000
"""Bytes of a real feed to start from, after it was shortened: many small inputs find more than few large ones."""

Claim = Callable[[bytes], bool]


@dataclass(frozen=True)
class Target:
    """One kind of input."""

    what: str
    claim: Claim
    """Raises when something does not hold; returns whether the input was accepted (for ``cutting``: cut)."""
    starts: Sequence[bytes]
    spoil: Callable[[bytes, Random], bytes] | None = None
    """How to change an input in the ways of its kind, beside changing its bytes."""


def target(name: str, process: ExitStack) -> Target:
    """Make a target; what it needs ends with ``process``. Raises ``KeyError`` for a name that ``TARGETS`` has not."""
    return TARGETS[name](process)


def _cutting(process: ExitStack) -> Target:
    starts = [feed for feed in _feeds(4) if (found := read(feed)) and found.items_seen and found.total > 1]
    feedparser = process.enter_context(UntouchedFeedparser())

    def claim(data: bytes) -> bool:
        return cutting_loses_nothing(data, feedparser, [starts[crc32(data) % len(starts)]])

    def spoil(data: bytes, chance: Random) -> bytes:
        if chance.random() < 0.5:
            data = made_up_feed(chance)
            return data if chance.random() < 0.7 else mutated(data, chance, data, most=1)
        return mutated(chance.choice((data, chance.choice(starts))), chance, chance.choice(starts), most=2)

    return Target("documents in parts against feedparser", claim, starts, spoil)


def _reading(_: ExitStack) -> Target:
    starts = _feeds(3)

    def spoil(data: bytes, chance: Random) -> bytes:
        return made_up_feed(chance) if chance.random() < 0.2 else mutated(data, chance, chance.choice(starts))

    return Target("feed bytes to articles", feed_is_read_safely, starts, spoil)


def _feeds(entries: int) -> list[bytes]:
    real = (shortened(document, entries) for document in seeds.real_feeds(200_000))
    return [*seeds.FEEDS[:3], *(document for document in real if len(document) <= LONGEST_FEED)]


def _opml(_: ExitStack) -> Target:
    def spoil(data: bytes, chance: Random) -> bytes:
        words = chance.random() < 0.5
        return respelt(data, chance, seeds.OPML) if words else mutated(data, chance, seeds.OPML[0])

    return Target("OPML", opml_is_read_safely, seeds.OPML, spoil)


def _plain(what: str, claim: Claim, starts: Sequence[bytes]) -> Callable[[ExitStack], Target]:
    return lambda _: Target(what, claim, starts, lambda data, chance: respelt(data, chance, starts))


def _text(claim: Callable[[str], bool]) -> Claim:
    return lambda data: claim(data.decode("utf-8", "replace"))


TARGETS: dict[str, Callable[[ExitStack], Target]] = {
    "feeds": _reading,
    "cutting": _cutting,
    "opml": _opml,
    "feeds.yaml": _plain("feeds.yaml, read", feeds_are_read_safely, seeds.FEEDS_YAML),
    "feeds.yaml, edited": _plain("feeds.yaml, edited", feeds_are_edited_safely, seeds.FEEDS_YAML),
    "rules.yaml": _plain("rules.yaml, read", rules_are_read_safely, seeds.RULES_YAML),
    "rules.yaml, edited": _plain("rules.yaml, edited", rules_are_edited_safely, seeds.RULES_YAML),
    "dates": _plain("dates", _text(date_is_read_safely), [date.encode() for date in seeds.DATES]),
    "states": _plain("saved states", state_is_read_safely, seeds.STATES),
    "states, within": _plain("what is compressed in a state", state_of_content_is_read_safely, seeds.STATE_CONTENTS),
    "lines": _plain(
        "lines of labelled streams",
        _text(line_is_read_safely),
        [line for sample in seeds.STREAMS for line in sample.splitlines()],
    ),
    "streams": _plain("files of labelled streams", stream_is_read_safely, seeds.STREAMS),
    "mail": _plain("texts in a digest's mail", lambda data: mail_has_no_active_content(texts_of(data)), seeds.TEXTS),
}
