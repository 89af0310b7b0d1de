"""What fuzzing starts from: small inputs of each kind, and with ``ISCORE_DATA`` feeds as real sites published them."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from iscore.filtering.serialization import pack
from tests.hostile.hostile_texts import HOSTILE_TEXTS

FEEDS = (
    b'<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
    b"<title>News</title><link>https://a.example/</link><language>en-GB</language><ttl>60</ttl>"
    b"<skipHours><hour>3</hour></skipHours><item><title>One &amp; all</title><guid>1</guid><link>/1</link>"
    b"<description>&lt;p&gt;Text&lt;/p&gt;</description><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>\n"
    b'<item><title><![CDATA[<b>Two</b>]]></title><guid isPermaLink="false">2</guid><dc:creator>A</dc:creator>'
    b"<category>c</category></item>\n<item><title>Three</title><guid>3</guid></item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="https://a.example/"><title>T</title><id>f</id>'
    b'<author><name>Feed</name></author><entry><id>urn:1</id><title type="html">&lt;i&gt;A&lt;/i&gt;</title>'
    b'<link href="a"/><updated>2026-11-20T10:00:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/'
    b'xhtml"><p>x</p></div></content></entry><entry><id>urn:2</id><title>B</title><link rel="alternate" href="b"/>'
    b"<summary>s</summary><author><name>B</name></author></entry></feed>",
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
    b'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="c"><title>T</title><link>l</link></channel>'
    b'<item rdf:about="http://x.example/1"><title>1</title><link>http://x.example/1</link><dc:date>2026-11-20</dc:date>'
    b'</item><item rdf:about="http://x.example/2"><title>2</title><link>http://x.example/2</link></item></rdf:RDF>',
    b'{"version":"https://jsonfeed.org/version/1.1","title":"J","language":"en","items":[{"id":"1","url":"/1",'
    b'"title":"a","content_html":"<p>b</p>","date_published":"2026-11-20T10:00:00Z","authors":[{"name":"A"}],'
    b'"tags":["t"]},{"id":2,"content_text":"x"}]}',
)
DATES = (
    *("Fri, 20 Nov 2026 10:00:00 GMT", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.123456789+01:00", "2026-11-20"),
    *(
        "20 Nov 26 10:00 EST",
        "2026-W47-5",
        "20261120T100000",
        "Fri, 20 Nov 2026 24:00:60 -9999",
        "0001-01-01T00:00+14:00",
    ),
)
OPML = (
    b'<?xml version="1.0"?><opml version="2.0"><head><title>x</title></head><body><outline text="Folder">'
    b'<outline type="rss" text="A &amp;amp; B" title="A" xmlUrl="https://a.example/feed" category="/x/y,/z%2C"/>'
    b'</outline><outline text="b" xmlUrl="feed://b.example/" xmlns:iscore="urn:iscore" iscore:interval="3600" '
    b'iscore:fulltext="true" iscore:enabled="false"/></body></opml>',
)
FEEDS_YAML = (
    b"# mine\nfeeds:\n  - url: https://a.example/feed  # first\n    title: A\n    tags: [x, y]\n    interval: 2h\n"
    b"    fulltext: true\n    enabled: false\n  - https://b.example/\n",
    b"feeds: [https://a.example/, {url: 'https://b.example/', title: \"b\"}]\n",
    b"feeds:\n",
)
RULES_YAML = (
    b"rules:\n  - action: never\n    word: celebrity\n    in: title\n    until: 2026-12-24\n    note: enough\n"
    b"  - action: boost\n    by: strongly\n    source: LWN.net\n  - {action: always, regex: 'a(b|c)+d{2,3}'}\n"
    b"  - action: boost\n    by: +0.5\n    phrase: two words\n",
)
STREAMS = (
    b'{"id": "a", "published": "2026-11-20T10:00:00+01:00", "title": "T", "text": "x", "url": "https://a.example/",'
    b' "features": {"f": 1.5, "g": null}, "links": 2, "categories": ["c"], "labels": {"r": true}}\n'
    b'{"id": "b\\u00e9\\ud83d\\ude00", "arrived": "2026-11-21", "labels": {}}\n\n',
)
STATES = (
    pack({"n": 3, "x": 0.5, "s": "t", "none": None, "yes": True, "list": [1, 2.5], "a": np.arange(6.0).reshape(2, 3)}),
    pack(
        {"inner": {"counts": np.array([1, 2], dtype=np.int64), "flags": np.zeros(3, dtype=bool)}, "e": np.zeros((0, 4))}
    ),
)
STATE_CONTENTS = (
    b'{"a":{"":["<f8",[2],0]},"b":{"":["<i4",[1,2],16]},"n":1}\n' + bytes(24),
    b'{"inner":{"x":[1,null,"t",1e300]},"y":NaN}\n',
)
TEXTS = tuple(
    text.encode("utf-8", "surrogateescape") if text.isascii() else text.encode("utf-8", "replace")
    for text in HOSTILE_TEXTS.values()
)


def real_feeds(longest: int) -> Iterator[bytes]:
    """Yield feeds of real sites and odd ones, shortest first; none when ``ISCORE_DATA`` does not say where they lie."""
    return (document for document in _real_feeds() if len(document) <= longest)


@cache
def _real_feeds() -> tuple[bytes, ...]:
    data = os.environ.get("ISCORE_DATA")
    if not data:
        return ()
    documents = []
    for name in ("real.tar.xz", "odd.tar.xz"):
        with tarfile.open(Path(data) / "feeds" / name) as archive:
            for member in archive:
                if member.isfile() and not member.name.endswith(".tsv"):
                    documents.append(archive.extractfile(member).read())  # type: ignore[union-attr]
    return tuple(sorted(documents, key=len))
