"""Feeds spoilt at random: by bytes, and by what is peculiar to feeds.

Where entries lie is found by a search for tags, which knows nothing of XML: what comes out may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random

_ENTRY = re.compile(rb"<((?:\w+:)?(?:item|entry))\b[^>]*>.*?</\1\s*>", re.DOTALL)
_TAG = re.compile(rb"<[^<>]{1,300}>")
_TEXT = re.compile(rb">[^<]{1,300}<")

PIECES = (
    *(b"<item>", b"</item>", b"<item/>", b"<entry>", b"</entry>", b"<entry/>", b"<channel>", b"</channel>"),
    *(b"<item><guid>inner</guid></item>", b"<entry><id>inner</id></entry>", b"<![CDATA[<item>]]>", b"<![CDATA["),
    *(b"]]>", b"<!-- <item> </item> -->", b"<!--", b"-->", b"<?pi <item> ?>", b"&lt;item&gt;", b"&amp;", b"&nbsp;"),
    *(
        b"&#0;",
        b"&#x1F600;",
        b"&bogus;",
        b"\0",
        b"\xff",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\xc2\x92",
        b"\xed\xa0\x80",
    ),
    *(b'<x:item xmlns:x="urn:x"><guid>other</guid></x:item>', b'<dc:creator xmlns:dc="urn:x">A</dc:creator>'),
    *(b' xmlns="http://www.w3.org/2005/Atom"', b' xmlns="http://purl.org/rss/1.0/"', b' xmlns=""', b' xmlns:a="urn:a"'),
    *(
        b' xml:lang="it"',
        b' xml:base="http://b.example/x/"',
        b' base="/y/"',
        b' lang="fr"',
        b' rdf:about="a"',
        b' version="2.0"',
    ),
    *(
        b' isPermaLink="false"',
        b' type="xhtml"',
        b' type="html"',
        b' type="text/plain"',
        b' mode="base64"',
        b' url="u"',
    ),
    *(b"<guid>1</guid>", b"<id>1</id>", b"<link>page</link>", b'<link href="h" rel="alternate"/>', b"<title>t</title>"),
    *(b"<content>", b"</content>", b"<title>", b"</title>", b"<div>", b"</div>", b"<source>", b"</source>"),
    *(b'<div xml:lang="de">d</div>', b'<svg xmlns="http://www.w3.org/2000/svg">', b"</svg>", b"<image>", b"</image>"),
    *(b"<textInput>", b"</textInput>", b"<author>", b"<name>N</name>", b"</author>", b"<language>es</language>"),
    *(b"<pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>", b"<updated>2026-11-20T10:00:00Z</updated>"),
    *(b'<!DOCTYPE rss [<!ENTITY a "<item/>">]>', b"<?xml version='1.0' encoding='utf-16'?>", b"\r\n", b"<", b">", b'"'),
    *(b"<summary>s</summary>", b"<description>&lt;b&gt;d</description>", b"<category>c</category>", b"/", b"'"),
)
"""What is put in; much of it means something to one parser and nothing to the other."""

Mutation = Callable[[bytes, Random, bytes], bytes]


def mutated(document: bytes, chance: Random, other: bytes = b"", *, most: int = 4) -> bytes:
    """Spoil a document in one to ``most`` places; ``other`` is one from which entries may be taken over."""
    for _ in range(chance.randint(1, most)):
        document = chance.choice(MUTATIONS)(document, chance, other)
    return document


def shortened(document: bytes, entries: int = 5) -> bytes:
    """Return a document with its first entries only, as far as a search for tags can tell."""
    found = [each.span() for each in _ENTRY.finditer(document)]
    return document if len(found) <= entries else document[: found[entries][0]] + document[found[-1][1] :]


def _flip(document: bytes, chance: Random, _: bytes) -> bytes:
    at = chance.randrange(len(document) + 1)
    return document[:at] + bytes([chance.randrange(256)]) + document[at + 1 :]


def _delete(document: bytes, chance: Random, _: bytes) -> bytes:
    start = chance.randrange(len(document) + 1)
    return document[:start] + document[start + chance.choice((1, 4, 30, 300)) :]


def _double(document: bytes, chance: Random, _: bytes) -> bytes:
    start = chance.randrange(len(document) + 1)
    piece = document[start : start + chance.choice((4, 30, 300, 3000))]
    at = chance.choice((start, chance.randrange(len(document) + 1)))
    return document[:at] + piece + document[at:]


def _truncate(document: bytes, chance: Random, _: bytes) -> bytes:
    return document[: chance.randrange(len(document) + 1)]


def _insert(document: bytes, chance: Random, _: bytes) -> bytes:
    at = chance.choice([each.start() for each in _TAG.finditer(document)] or [0])
    return document[:at] + chance.choice(PIECES) + document[at:]


def _into_tag(document: bytes, chance: Random, _: bytes) -> bytes:
    ends = [each.end() - 1 for each in _TAG.finditer(document) if not each[0].startswith((b"</", b"<!", b"<?"))]
    at = chance.choice([end - document.startswith(b"/>", end - 1) for end in ends] or [0])
    return document[:at] + chance.choice([each for each in PIECES if each.startswith(b" ")]) + document[at:]


def _anywhere(document: bytes, chance: Random, _: bytes) -> bytes:
    at = chance.randrange(len(document) + 1)
    return document[:at] + chance.choice(PIECES) + document[at:]


def _another_text(document: bytes, chance: Random, other: bytes) -> bytes:
    """Give an element the text of another, its id for instance that of another entry."""
    spans = [each.span() for each in _TEXT.finditer(document)]
    texts = [each[0] for each in _TEXT.finditer(document + other)]
    if not spans:
        return document
    start, end = chance.choice(spans)
    return document[:start] + chance.choice(texts) + document[end:]


def _another_tag(document: bytes, chance: Random, other: bytes) -> bytes:
    tags = [each.span() for each in _TAG.finditer(document)]
    if not tags:
        return document
    start, end = chance.choice(tags)
    replacement = chance.choice([each[0] for each in _TAG.finditer(document + other)])
    return document[:start] + replacement + document[end:]


def _wrapped(document: bytes, chance: Random, _: bytes) -> bytes:
    """Put something around an entry: another entry, a comment, CDATA, a picture."""
    spans = [each.span() for each in _ENTRY.finditer(document)]
    if not spans:
        return document
    start, end = chance.choice(spans)
    before, behind = chance.choice(
        (
            (b"<item>", b"</item>"),
            (b"<entry>", b"</entry>"),
            (b"<!--", b"-->"),
            (b"<![CDATA[", b"]]>"),
            (b"<image>", b"</image>"),
            (b"<textInput>", b"</textInput>"),
            (b"<description>", b"</description>"),
            (b"<source>", b"</source>"),
            (b"<channel>", b"</channel>"),
        )
    )
    return document[:start] + before + document[start:end] + behind + document[end:]


def _entries(change: Callable[[list[bytes], Random, list[bytes]], list[bytes]]) -> Mutation:
    """Make a mutation of what is done with the entries as a list."""

    def apply(document: bytes, chance: Random, other: bytes) -> bytes:
        found = list(_ENTRY.finditer(document))
        if not found:
            return document
        between = [document[left.end() : right.start()] for left, right in pairwise(found)]
        changed = change([each[0] for each in found], chance, [each[0] for each in _ENTRY.finditer(other)])
        middle = b"".join(
            entry + (between[place] if place < len(between) else b"") for place, entry in enumerate(changed)
        )
        return document[: found[0].start()] + middle + document[found[-1].end() :]

    return apply


def _swap(entries: list[bytes], chance: Random, _: list[bytes]) -> list[bytes]:
    chance.shuffle(entries)
    return entries


def _twice(entries: list[bytes], chance: Random, _: list[bytes]) -> list[bytes]:
    entries.insert(chance.randrange(len(entries) + 1), chance.choice(entries))
    return entries


def _less(entries: list[bytes], chance: Random, _: list[bytes]) -> list[bytes]:
    del entries[chance.randrange(len(entries))]
    return entries


def _foreign(entries: list[bytes], chance: Random, others: list[bytes]) -> list[bytes]:
    entries.insert(chance.randrange(len(entries) + 1), chance.choice(others or entries))
    return entries


def _unclosed(entries: list[bytes], chance: Random, _: list[bytes]) -> list[bytes]:
    place = chance.randrange(len(entries))
    entries[place] = entries[place][: entries[place].rindex(b"<")]
    return entries


def _nested(entries: list[bytes], chance: Random, _: list[bytes]) -> list[bytes]:
    place, inner = chance.randrange(len(entries)), chance.choice(entries)
    at = chance.choice([each.end() for each in _TAG.finditer(entries[place])][:-1] or [0])
    entries[place] = entries[place][:at] + inner + entries[place][at:]
    return entries


def _encoded(document: bytes, chance: Random, _: bytes) -> bytes:
    text = document.decode("utf-8", "replace")
    return text.encode(chance.choice(("utf-16", "utf-16-be", "utf-32", "cp1252", "koi8-r", "utf-8-sig")), "replace")


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _delete, _double, _truncate, _encoded),
    *(_insert, _insert, _insert, _into_tag, _into_tag, _anywhere, _another_text, _another_text, _another_tag, _wrapped),
    *map(_entries, (_swap, _twice, _less, _foreign, _unclosed, _nested)),
)
