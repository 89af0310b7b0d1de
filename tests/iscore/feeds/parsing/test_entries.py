"""The contents of entries (HTML, enclosures, thumbnails, icons), and keys that stay the same from poll to poll."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from typing import Any

import pytest

from iscore.feeds.parsing import jobs
from iscore.feeds.parsing.entries import MAX_KEY, Draft, with_keys, without_duplicates
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parse import parse
from storage.records.articles import Content, Enclosure, NewArticle

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
    header, body = jobs.feed_to_answer(feed)
    assert feed.entries[0].content.html == "<b>a</b>"
    assert jobs.feed_from_answer(json.loads(json.dumps(header)), body) == feed


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


def draft(guid: str = "", url: str = "", title: str = "", text: str = "") -> Draft:
    return Draft(guid, NewArticle("", url, title, "", (), text, "", None, 0, 0, b""))


def keys(*drafts: Draft) -> list[str]:
    return [article.key for article in with_keys(drafts)]


def test_a_guid_of_its_own_is_the_identity() -> None:
    assert keys(draft("a", "https://x.org/1"), draft("b", "https://x.org/1")) == ["id:a", "id:b"]


def test_one_guid_for_all_identifies_none() -> None:
    assert keys(draft("a", "https://x.org/1"), draft("a", "https://www.x.org/2/")) == ["page:x.org/1", "page:x.org/2"]


def test_one_guid_and_one_page_for_all_leave_the_text() -> None:
    found = keys(draft("a", "https://x.org/", "One"), draft("a", "https://x.org/", "Two"))
    assert len(set(found)) == 2
    assert all(key.startswith("text:") for key in found)


def test_the_key_of_an_entry_does_not_depend_on_its_neighbours() -> None:
    assert keys(draft("a"), draft("b"), draft(url="https://x.org/1"))[1:] == keys(
        draft("b"), draft(url="https://x.org/1")
    )


def test_entries_alike_in_everything_are_one() -> None:
    articles = with_keys([draft("a", "https://x.org/", "One"), draft("a", "https://x.org/", "One"), draft("b")])
    assert [article.key for article in without_duplicates(articles)] == [articles[0].key, "id:b"]


def test_long_guids_have_short_keys() -> None:
    (key,) = keys(draft("x" * 5000))
    assert len(key) <= MAX_KEY
    assert key != keys(draft("x" * 5001))[0]


def test_every_field_counts_for_the_content_hash() -> None:
    base = {"key": "", "url": "u", "title": "t", "author": "a", "categories": ("c",), "text": "x", "language": "en"}
    base |= {"published": datetime(2026, 1, 1, tzinfo=UTC), "links": 1, "pictures": 2, "content_hash": b""}
    other = {"url": "U", "title": "T", "author": "A", "categories": ("c", ""), "text": "X", "language": "de"}
    other |= {"published": None, "links": 2, "pictures": 1}

    def content_hash(**fields: object) -> bytes:
        (article,) = with_keys([Draft("g", NewArticle(**(base | fields)))])  # type: ignore[arg-type]
        return article.content_hash

    hashes = {content_hash(), *(content_hash(**{name: value}) for name, value in other.items())}
    assert len(hashes) == 1 + len(other)
    assert len(content_hash()) == 16
    assert content_hash() == content_hash()
