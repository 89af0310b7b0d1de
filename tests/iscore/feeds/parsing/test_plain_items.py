"""Items that expat reads alone are what feedparser makes of them; anything else is left to feedparser."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parse import MANY, parse
from iscore.feeds.parsing.plain_items import read_plain

URL = "https://feeds.example.org/feed"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:a="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:thr="http://purl.org/syndication/thread/1.0" '
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
)


def rss(items: list[str], more: str = "") -> bytes:
    head = "<title>T</title><link>https://example.org/</link><language>de</language>"
    return f'<rss version="2.0" {SPACES} {more}><channel>{head}{"".join(items)}</channel></rss>'.encode()


def atom(items: list[str], more: str = "") -> bytes:
    head = "<title>T</title><author><name>All</name></author>"
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {SPACES} {more}>{head}{"".join(items)}</feed>'.encode()


def read(document: bytes) -> ParsedFeed:
    return parse(FeedJob(document, URL, "application/xml", NOW))


TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "Words &amp; more",
            "AT&amp;amp;T",
            "It&amp;#8217;s",
            "&amp;unknown;",
            "a &lt;i&gt;b&lt;/i&gt;",
            "<![CDATA[<p>One <a href='/x'>link</a>.</p><p>Two</p>]]>",
            "<![CDATA[a]]> b <![CDATA[c]]>",
            "WeÃ¢ÂÂve",
            "caf\u00c3\u00a9",
            "\u0093quoted\u0094",
            "\u0081",
            "ä ö ü — “x”",
            " \n spaces \t ",
            "a<!-- comment -->b",
            "&#x1F600; &#233;",
            "<b>markup</b>",
        ]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="<&", exclude_categories=("Cc", "Cs")), max_size=12),
)
ADDRESSES = st.sampled_from(
    [
        "https://example.org/a",
        "http://example.org/a?b=1&amp;c=2#d",
        "https://example.org/a;b?c",
        "/relative",
        "https://EXAMPLE.org/a",
        "https://example.org",
        "https://example.org/a?",
        "https://example.org/ä",
        " https://example.org/b ",
        "javascript:alert(1)",
        "",
    ]
)
DATES = st.sampled_from(
    [
        "Mon, 02 Mar 2026 10:30:00 GMT",
        "02 Mar 2026 23:30:00 -0330",
        "Mon, 2 Mar 2026 00:30:59 +0545",
        "Mon, 02 Mar 2026 10:30:00 EST",
        "Mon, 31 Feb 2026 10:30:00 GMT",
        "Mon, 02 Mar 2026 24:00:00 GMT",
        "Mon, 02 Mar 2026 10:30:60 GMT",
        "2026-03-02T10:30:00Z",
        "2026-03-02T10:30:00.25+02:00",
        "2026-03-02T10:30:00-03:30",
        "2026-13-02T10:30:00Z",
        "2026-03-02",
        "0001-01-01T00:00:00+14:00",
        "yesterday",
        "",
    ]
)


def elements(draw: st.DrawFn, choices: list[st.SearchStrategy[str]]) -> str:
    return "".join(draw(st.permutations([draw(each) for each in choices if draw(st.integers(0, 3)) == 0])))


def text_in(name: str, attributes: str = "", texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[str]:
    return texts.map(lambda text: f"<{name}{attributes}>{text}</{name}>")


@st.composite
def rss_items(draw: st.DrawFn) -> str:
    return elements(
        draw,
        [
            text_in("title"),
            text_in("link", texts=ADDRESSES),
            text_in("description"),
            text_in("content:encoded"),
            text_in("pubDate", texts=DATES),
            st.one_of(text_in("dc:creator"), text_in("author")),
            text_in("dc:date", texts=DATES),
            text_in("category"),
            text_in("category", ' domain="d"'),
            ADDRESSES.map(lambda url: f'<enclosure url="{url}" type="Audio/MPEG" length="12"/>'),
            ADDRESSES.map(lambda url: f'<a:link rel="Alternate" href="{url}" thr:count="3"/>'),
            ADDRESSES.map(lambda url: f'<media:thumbnail url="{url}" width="10"/>'),
            ADDRESSES.map(lambda url: f'<media:content url="{url}" medium="image" fileSize="9"/>'),
            st.just("<slash:comments>3</slash:comments>"),
            text_in("comments", texts=ADDRESSES),
        ],
    )


@st.composite
def atom_items(draw: st.DrawFn) -> str:
    kinds = st.sampled_from(["", ' type="html"', ' type="HTML"', ' type="text"', ' type="xhtml"'])
    person = draw(st.sampled_from(["<name>A B</name>", "<name/><email>a@b.c</email>", " x <name>A</name>", ""]))
    return elements(
        draw,
        [
            text_in("title", draw(kinds)),
            ADDRESSES.map(lambda url: f'<link href="{url}"/>'),
            ADDRESSES.map(lambda url: f'<link rel="enclosure" type="audio/mpeg" href="{url}"/>'),
            text_in("summary", draw(kinds)),
            text_in("content", draw(kinds)),
            text_in("published", texts=DATES),
            text_in("updated", texts=DATES),
            st.just(f"<author>{person}<uri>https://example.org/me</uri></author>"),
            st.just('<category term="t" label="Label" scheme="s"/>'),
            text_in("category", ' label="only"'),
            ADDRESSES.map(lambda url: f'<media:thumbnail url="{url}"/>'),
        ],
    )


PLAIN = "<title>One</title>"
"""What the first items have, of which one is compared."""


@settings(max_examples=300, deadline=None)
@given(rss_items(), st.sampled_from([' isPermaLink="false"', "", ' isPermaLink="true"']))
def test_an_item_of_rss_is_read_as_alone(content: str, attributes: str) -> None:
    items = [
        f"<item><guid{attributes}>https://e.org/{n}</guid>{each}</item>"
        for n, each in enumerate((PLAIN, PLAIN, content))
    ]
    assert read(rss(items)).entries == tuple(article for item in items for article in read(rss([item])).entries)


@settings(max_examples=300, deadline=None)
@given(atom_items(), st.sampled_from(["", 'xml:lang="en_GB"', 'xml:base="https://base.example/"']))
def test_an_entry_of_atom_is_read_as_alone(content: str, more: str) -> None:
    items = [f"<entry><id>urn:{n}</id>{each}</entry>" for n, each in enumerate((PLAIN, PLAIN, content))]
    alone = (article for item in items for article in read(atom([item], more)).entries)
    assert read(atom(items, more)).entries == tuple(alone)


USUAL = (
    "<title>It&amp;#8217;s</title><link>https://example.org/a?b=1&amp;c=2</link><guid>https://example.org/1</guid>"
    "<description>&lt;p&gt;Short&lt;/p&gt;</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded>"
    "<dc:creator>A B</dc:creator><category>c</category><pubDate>Mon, 02 Mar 2026 10:30:00 +0100</pubDate>"
    '<enclosure url="https://example.org/a.mp3" type="audio/mpeg" length="12"/><slash:comments>1</slash:comments>'
    '<media:thumbnail url="https://example.org/a.jpg"/>'
)


def test_usual_items_are_plain() -> None:
    entry = (
        '<entry><title type="html">T</title><link href="https://example.org/a"/><id>urn:1</id><author><name>A</name>'
        '</author><updated>2026-03-02T10:30:00Z</updated><summary>S</summary><content type="html">C</content></entry>'
    )
    assert read_plain(rss([f"<item>{USUAL}</item>"])) is not None
    assert read_plain(atom([entry])) is not None


@pytest.mark.parametrize(
    "more",
    [
        "<title>another</title>",
        "<itunes:summary>another text</itunes:summary>",
        '<source url="https://example.org/">of another feed</source>',
        "<author>me@example.org (Me)</author>",
        '<a:link href="/relative"/>',
        "<a:author><a:name>A<a:email/></a:name></a:author>",
        '<category xml:lang="de">c</category>',
        "<media:thumbnail>https://example.org/a.jpg</media:thumbnail>",
        "<media:group><media:title>a film</media:title></media:group>",
        '<slash:comments a:href="/x">1</slash:comments>',
        "<thr:in-reply-to><title>x</title></thr:in-reply-to>",
        "<item/>",
        '<x:creator xmlns:x="http://purl.org/dc/elements/1.1/">A</x:creator>',
    ],
)
def test_what_only_feedparser_reads_is_not_plain(more: str) -> None:
    assert read_plain(rss([f"<item>{USUAL}{more}</item>"])) is None


def test_items_with_attributes_and_other_layouts_are_not_plain() -> None:
    assert read_plain(rss([f'<item xml:lang="de">{USUAL}</item>'])) is None
    assert read_plain(rss([f'<item xmlns:x="urn:x">{USUAL}</item>'])) is None
    assert read_plain(b'<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>') is None


def test_feedparser_reads_all_when_it_reads_the_first_otherwise() -> None:
    # It takes the prefix for that of its own table, and a creator of media for nobody's name.
    spaces = 'xmlns:x="http://purl.org/dc/elements/1.1/" xmlns:dc="http://search.yahoo.com/mrss/"'
    items = "".join(f"<item><guid>{n}</guid><x:creator>A</x:creator></item>" for n in range(MANY))
    document = f"<rss version='2.0' {spaces}><channel><title>T</title>{items}</channel></rss>".encode()
    assert read_plain(document) is not None
    assert [article.author for article in read(document).entries] == [""] * MANY
