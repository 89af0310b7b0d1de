"""What ``StrictParser`` reads is what feedparser reads, field for field."""

from __future__ import annotations

import io
import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.parsers import expat

import feedparser
import pytest
from feedparser.mixin import _FeedParserMixin
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.feeds.parsing.encoding import to_utf8
from iscore.feeds.parsing.strict_parser import StrictParser

URL = "https://feeds.example.org/feed"
SPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:a="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xmlns:x="urn:unknown" '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:h="http://www.w3.org/1999/xhtml" '
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:cc="http://web.resource.org/cc/"'
)
LAYOUTS = {
    "rss": f'<rss version="2.0" {SPACES}><channel><title>T</title><language>de</language>%s</channel></rss>',
    "rdf": f'<rdf:RDF xmlns="http://purl.org/rss/1.0/" {SPACES}><channel rdf:about="c"><title>T</title></channel>%s'
    "</rdf:RDF>",
    "atom": f'<feed xmlns="http://www.w3.org/2005/Atom" {SPACES} xml:lang="en_GB"><title>T</title>%s</feed>',
}
TEXTS = ["", "Words &amp; more", "AT&amp;amp;T", "&amp;unknown;", "a &lt;i&gt;b&lt;/i&gt; &lt;odd&gt;", " \n a \t ",
         "<![CDATA[<p>One <a href='/x'>link</a>.</p>]]> and <![CDATA[two]]>", "WeÃ¢ÂÂve", "caf\u00c3\u00a9",
         "\u0093quoted\u0094 \u0081", "ä — “x”", "a<!-- comment -->b", "&#x1F600;", "<b>mark<i>up</i></b>",
         '<h:div><h:p class="a&amp;b">x &lt; <h:br/>y</h:p></h:div>', "<x:b>c<x:d e='f'/>g</x:b>"]  # fmt: skip
ADDRESSES = ["https://example.org/a?b=1&amp;c=2#d", "/relative", " https://EXAMPLE.org/ä ", "javascript:alert(1)", ""]
DATES = ["Mon, 02 Mar 2026 10:30:00 GMT", "2026-03-02T10:30:00Z", "yesterday", ""]
TYPES = ["", ' type="html"', ' type="TEXT"', ' type="xhtml"', ' type="text/xml"', ' type="application/octet-stream"',
         ' mode="base64"', ' xml:lang="fr_CA"', ' xml:base="/there/"', ' lang=""']  # fmt: skip
OF_TEXT = ["title", "description", "summary", "content", "content:encoded", "rights", "media:title", "dc:title",
           "media:description", "itunes:summary", "itunes:subtitle", "dc:description", "x:unknown"]  # fmt: skip
OF_LINKS = ["link", "a:link", "guid", "id", "comments", "url", "cc:license"]
OF_DATES = ["pubDate", "published", "updated", "modified", "dc:date", "date", "issued", "created"]
WHOLE = """
<link href="/page" rel="Alternate"/> <a:link rel="enclosure" href="a.mp3" type="Audio/MPEG" x:length="12"/>
<link rel="self" url="https://example.org/u"/> <guid isPermaLink="false">g</guid> <guid isPermaLink="true">/g</guid>
<enclosure url="https://example.org/a.mp3" length="12"/> <category>c</category> <category domain="d">c</category>
<category term="t" label="L" scheme="s"/> <category label="only">c</category> <dc:subject>s</dc:subject>
<media:keywords>k, l, k</media:keywords> <itunes:keywords>m,n</itunes:keywords> <itunes:category text="i"/>
<author>a@b.example (A B)</author> <author><name>N</name><email>n@e.example</email><uri>/me</uri></author>
<dc:creator>D</dc:creator> <itunes:author>I</itunes:author> <contributor><name>C</name></contributor>
<media:content url="/p.jpg" fileSize="9"><media:thumbnail url="/t.jpg"/><media:credit>x</media:credit></media:content>
<media:group x:lang="pt"><media:title>G</media:title><media:thumbnail>/t2.jpg</media:thumbnail></media:group>
<media:rating scheme="s">adult</media:rating> <media:player url="/player">p</media:player> <tags>a,b</tags>
<itunes:image href="/i.jpg"/> <itunes:duration>1:02</itunes:duration> <itunes:block>Yes</itunes:block>
<x:a b="c"><title>in</title></x:a> <itunes:explicit>yes</itunes:explicit> <body>b</body>
<source url="/s">Another feed</source>
<source><title>S</title><link href="/s"/><author><name>Z</name></author></source>
<image><url>/i.png</url><title>I</title><width>x</width></image>
<x:creator xmlns:x="http://purl.org/dc/elements/1.1/">A</x:creator> <title xmlns="urn:other">other</title>
<generator uri="/g">g</generator> <content src="/s.png" type="image/png"/> <x:title-detail>x</x:title-detail>
<dc:language>fi</dc:language>
<content type="xhtml"><h:div><svg xmlns="urn:svg"><title>t</title></svg><h:div>x</h:div></h:div></content>
""".replace("> <", ">\n<").strip().splitlines()  # fmt: skip

OF_PICTURES = re.compile(r' xmlns(?::\w+)?="http://www\.w3\.org/(?:2000/svg|1998/Math/MathML|1999/xlink)"')
"""feedparser adds this to markup; HTML does not need it."""
UNREAD = ("href", "url", "published_parsed", "updated_parsed")
UNUSED = ("geo", "gml", "psc", "where")


def texts(names: list[str], attributes: list[str], contents: list[str]) -> st.SearchStrategy[str]:
    parts = st.tuples(*map(st.sampled_from, (names, attributes, contents)))
    return parts.map(lambda part: f"<{part[0]}{part[1]}>{part[2]}</{part[0]}>")


FIELDS = st.one_of(
    texts(OF_TEXT, TYPES, TEXTS), texts(OF_LINKS, [""], ADDRESSES), texts(OF_DATES, [""], DATES), st.sampled_from(WHOLE)
)


def once(tags: list[Any]) -> list[Any]:
    """A list of categories as feedparser keeps it."""
    return [tag for number, tag in enumerate(tags) if tag not in tags[:number]]


def plain(found: Any) -> Any:
    if isinstance(found, dict):
        known = {name: value for name, value in found.items() if ":" not in name and name not in UNREAD}
        address = {"href": found["href"]} if "rel" in found and "href" in found else {}
        return address | {name: once(value) if name == "tags" else plain(value) for name, value in known.items()}
    if isinstance(found, str):
        return OF_PICTURES.sub("", found)
    return [plain(each) for each in found] if isinstance(found, list) else found


@pytest.fixture(autouse=True, scope="module")
def _ids_as_written() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_FeedParserMixin, "can_be_relative_uri", _FeedParserMixin.can_be_relative_uri - {"id"})
        yield


def differences(document: bytes) -> list[str]:
    """Return the names of the fields in which both readers differ; empty for what is not well-formed."""
    parser = StrictParser()
    parser.baseuri = URL
    with suppress(expat.ExpatError):
        parser.read(document)
        headers = {"content-type": "application/xml; charset=utf-8", "content-location": URL}
        alone = feedparser.parse(
            io.BytesIO(document), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
        assert (parser.version, len(parser.entries)) == (alone.version, len(alone.entries))
        pairs = zip((parser.feeddata, *parser.entries), (alone.feed, *alone.entries), strict=True)
        return [
            name
            for ours, theirs in ((plain(dict(one)), plain(dict(other))) for one, other in pairs)
            for name in {*ours, *theirs}
            if ours.get(name) != theirs.get(name)
        ]
    return []


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.lists(st.lists(FIELDS, max_size=8), min_size=1, max_size=3))
def test_items_are_read_as_feedparser_reads_them(layout: str, items: list[list[str]]) -> None:
    name = "entry" if layout == "atom" else "item"
    written = "".join(f"<{name}>{''.join(fields)}</{name}>" for fields in items)
    assert differences((LAYOUTS[layout] % written).encode()) == []


def test_every_element_is_read_as_feedparser_reads_it_beside_every_other() -> None:
    items = "".join(f"<item>{one}{other}</item>" for one, other in pairwise((*WHOLE, *WHOLE[::-1], *WHOLE[::2])))
    assert differences((LAYOUTS["rss"] % items).encode()) == []


def test_an_element_that_feedparser_cannot_bear_spoils_nothing_else() -> None:
    parser = StrictParser()
    odd = "<textInput><name>n</name></textInput>" + "<dcterms:valid a='b'>v</dcterms:valid>"
    spaces = 'xmlns:dcterms="http://purl.org/dc/terms/"'
    parser.read(f"<rss {spaces}><channel><item>{odd}<title>One</title></item></channel></rss>".encode())
    assert [entry["title"] for entry in parser.entries] == ["One"]


@pytest.mark.long
@pytest.mark.parametrize(("name", "least"), [("real.tar.xz", 100), ("odd.tar.xz", 150)])
def test_feeds_are_read_as_feedparser_reads_them(name: str, least: int) -> None:
    if not (data := os.environ.get("ISCORE_DATA")):
        pytest.skip("ISCORE_DATA is not set")
    compared = 0
    with tarfile.open(Path(data) / "feeds" / name) as archive:
        for member in archive:
            if member.name.endswith(".xml") and (file := archive.extractfile(member)):
                compared += 1
                different = differences(to_utf8(file.read(), ""))
                assert [name for name in different if not name.startswith(UNUSED)] == [], member.name
    assert compared >= least
