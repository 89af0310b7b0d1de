"""What pages show of entries beside their text: HTML, enclosures, thumbnails, icons."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from typing import Any

import pytest

from iscore.feeds.parsing import protocol
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parse import parse
from storage.records.contents import Content, Enclosure

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://feeds.example/rss"
RSS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>t</title><link>https://site.example/</link>{feed}
 <item><guid>1</guid><link>https://site.example/news/1</link>{item}</item></channel></rss>"""


def read(document: str) -> ParsedFeed:
    return parse(FeedJob(document.encode(), URL, "", NOW))


def content_of(item: str) -> Content:
    (entry,) = read(RSS.format(feed="", item=item)).entries
    return entry.content


def test_an_entry_keeps_its_longest_html_with_addresses_of_its_page() -> None:
    content = content_of(
        "<description>A teaser</description><content:encoded><![CDATA[<p>The <em>whole</em> text, "
        "<img src='p.jpg' onerror=x> and <a href='/b'>more</a></p>]]></content:encoded>"
    )
    assert content.html == (
        '<p>The <em>whole</em> text, <img alt="" src="https://site.example/news/p.jpg"> and '
        '<a href="https://site.example/b" rel="noopener noreferrer nofollow">more</a></p>'
    )
    assert content.thumbnail == "https://site.example/news/p.jpg"


@pytest.mark.parametrize(
    "item", ["<description>Words only</description>", "<description>&lt;p&gt;a&lt;/p&gt; b</description>", ""]
)
def test_html_that_shows_no_more_than_the_text_is_left_out(item: str) -> None:
    assert content_of(item) == Content()


def test_xml_base_counts_where_there_is_one() -> None:
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://base.example/dir/"><id>f</id>'
        "<icon>/icon.png</icon><logo>/logo.png</logo><link href='https://site.example/'/>"
        '<entry><id>1</id><link href="https://site.example/x/1"/><content type="html">&lt;b&gt;a&lt;/b&gt;&lt;img '
        'src="p.png"&gt;</content></entry></feed>'
    )
    feed = read(atom)
    assert feed.icon == "https://base.example/icon.png"
    assert feed.entries[0].content.thumbnail == "https://base.example/dir/p.png"


@pytest.mark.parametrize(
    ("item", "enclosures", "thumbnail"),
    [
        ('<enclosure url="/a.mp3" type="Audio/MPEG; x=y" length="12345"/>',
         [Enclosure("https://site.example/a.mp3", "audio/mpeg", 12345)], ""),
        ('<enclosure url="https://c.example/p.jpg" type="image/jpeg" length="-1"/>',
         [Enclosure("https://c.example/p.jpg", "image/jpeg", None)], "https://c.example/p.jpg"),
        ('<enclosure url="javascript:alert(1)" type="text/html"/>', [], ""),
        ('<enclosure url="/a" type="a b" length="99999999999999999999999"/>',
         [Enclosure("https://site.example/a", "", None)], ""),
        ('<enclosure url="/a"/><enclosure url="/a"/>', [Enclosure("https://site.example/a", "", None)], ""),
        ('<media:group><media:content url="https://c.example/v.mp4" medium="video" fileSize="9"/>'
         '<media:thumbnail url="/t.jpg"/></media:group>',
         [Enclosure("https://c.example/v.mp4", "", 9)], "https://site.example/t.jpg"),
        ('<media:content url="https://c.example/p.webp" type="image/webp"/>', [], "https://c.example/p.webp"),
        ('<media:thumbnail url="data:image/png;base64,x"/><itunes:image href="/e.jpg"/>', [],
         "https://site.example/e.jpg"),
    ],
)  # fmt: skip
def test_files_and_thumbnails(item: str, enclosures: list[Enclosure], thumbnail: str) -> None:
    content = content_of(item)
    assert list(content.enclosures) == enclosures
    assert content.thumbnail == thumbnail


@pytest.mark.parametrize(
    ("feed", "icon"),
    [
        ("<image><url>/l.png</url><link>x</link></image>", "https://feeds.example/l.png"),
        ('<itunes:image href="https://c.example/i.jpg"/>', "https://c.example/i.jpg"),
        ("<image><url>file:///etc/passwd</url></image>", ""),
        ("", ""),
    ],
)
def test_icons(feed: str, icon: str) -> None:
    assert read(RSS.format(feed=feed, item="")).icon == icon


def test_json_feeds_have_all_of_it_too() -> None:
    item: dict[str, Any] = {
        "id": "1",
        "url": "https://site.example/news/1",
        "content_html": "<p>a <b>b</b></p>",
        "image": "/lead.jpg",
        "attachments": [
            {"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 7},
            {"url": "vbscript:x"},
            {"url": 3},
            "x",
        ],
    }
    feed = read(json.dumps({"version": "https://jsonfeed.org/version/1.1", "favicon": "/f.png", "items": [item]}))
    assert feed.icon == "https://feeds.example/f.png"
    assert feed.entries[0].content == Content(
        "<p>a <b>b</b></p>",
        (Enclosure("https://site.example/a.mp3", "audio/mpeg", 7),),
        "https://site.example/lead.jpg",
    )


def test_the_hash_of_an_entry_does_not_count_what_nothing_is_learned_from() -> None:
    one, other = (
        read(RSS.format(feed="", item=f"<description>Words</description><enclosure url='/{name}'/>")).entries[0]
        for name in "ab"
    )
    assert one.content != other.content
    assert one == replace(other, content=one.content)


def test_a_parser_process_returns_all_of_it() -> None:
    feed = read(
        RSS.format(
            feed="<image><url>/l.png</url></image>",
            item='<description>&lt;b&gt;a&lt;/b&gt;</description><enclosure url="/a" length="5"/>'
            '<media:thumbnail url="/t"/>',
        )
    )
    header, body = protocol.feed_to_answer(feed)
    assert feed.entries[0].content.html == "<b>a</b>"
    assert protocol.feed_from_answer(json.loads(json.dumps(header)), body) == feed


def test_a_document_full_of_markup_has_html_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iscore.feeds.parsing.parse.MAX_MARKUP", 40)
    monkeypatch.setattr("iscore.feeds.parsing.json_feed.MAX_MARKUP", 40)
    markup = "<p>a <b>bold</b></p>"
    items = "".join(
        f"<item><guid>{n}</guid><description>{escape(markup)}</description><enclosure url='/{n}'/></item>"
        for n in range(3)
    )
    rss = read(f"<rss version='2.0'><channel><title>t</title>{items}</channel></rss>")
    listed = [{"id": str(n), "content_html": markup, "attachments": [{"url": f"/{n}"}]} for n in range(3)]
    for feed in (rss, read(json.dumps({"items": listed}))):
        assert [entry.text for entry in feed.entries] == ["a bold"] * 3
        assert [entry.content.html for entry in feed.entries] == [markup, markup, ""]
        assert [len(entry.content.enclosures) for entry in feed.entries] == [1, 1, 1]
