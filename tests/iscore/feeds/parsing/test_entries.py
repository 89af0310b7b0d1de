"""Authors, links, texts and contents of entries, and keys that stay the same from poll to poll."""

from __future__ import annotations

import json
from base64 import b64encode
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
SEVERAL = 4
"""Items of one document."""
RSS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0" xmlns:pheedo="http://www.pheedo.com/namespace/pheedo"
 xmlns:yandex="http://news.yandex.ru" xmlns:turbo="http://turbo.yandex.ru"><channel><title>t</title><link>https://site.example/</link>{feed}
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
        ('<enclosure url=""/><atom:link rel="enclosure" href=""/>', [], ""),
        ('<enclosure url="https://feedproxy.example/~5/a"/><feedburner:origEnclosureLink>https://c.example/a.mp3'
         "</feedburner:origEnclosureLink>", [Enclosure("https://c.example/a.mp3", "", None)], ""),
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


def test_files_of_atom_are_relative_to_the_document() -> None:
    item = f'<link href="{TO}a"/><link rel="enclosure" href="b.mp3"/><link rel="enclosure" href=""/>'
    assert found(atom, item).content.enclosures == (Enclosure("https://feeds.example/b.mp3", "text/html", None),)
    (based,) = found(atom, item, "", 'xml:base="https://c.example/d/"').content.enclosures
    assert based.url == "https://c.example/d/b.mp3"


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


def rss(items: list[str], feed: str, more: str) -> str:
    whole = RSS.format(feed=feed, item="").replace("<rss", f"<rss {more}")
    return whole[: whole.index("<item>")] + "".join(f"<item>{each}</item>" for each in items) + "</channel></rss>"


def atom(items: list[str], feed: str, more: str) -> str:
    entries = "".join(f"<entry>{each}</entry>" for each in items)
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {more}><title>t</title>{feed}{entries}</feed>'


def found(layout: Any, item: str, feed: str = "", more: str = "") -> NewArticle:
    """Return what is made of an item alone. Several like it in one document must be the same, save their keys."""
    number = '<guid isPermaLink="false">{}</guid>' if layout is rss else "<id>urn:{}</id>"
    one, *same = (
        article
        for count in (1, SEVERAL)
        for article in read(layout([number.format(n) + item for n in range(count)], feed, more)).entries
    )
    assert len(same) == SEVERAL
    assert all(replace(each, key="", content_hash=b"") == replace(one, key="", content_hash=b"") for each in same)
    return one


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ada@site.museum (Ada Berg)", "Ada Berg"),
        ("Ada Berg &lt;ada@site.photography&gt;", "Ada Berg"),
        ('"Berg, Ada" &lt;mailto:ada@site.example&gt;', "Berg, Ada"),
        ("Ada Berg, ada@site.example", "Ada Berg"),
        ("ada@site.example(Ada Berg (Reuters))", "Ada Berg (Reuters)"),
        ("a@b.example (Ada), c@d.example (Cy)", "Ada, Cy"),
        ("noreply@blogger.com (Ada)", "Ada"),
        ("noreply@blogger.com", ""),
        ("mailto:ada@site.example", "ada@site.example"),
        ("Ada Berg (mailto:ada@site.example)", "Ada Berg"),
        ("&lt;a href='/'&gt;Ada&lt;/a&gt; (University)", "Ada (University)"),
        ("@ada@social.example", "@ada@social.example"),
        ("Berg &amp;amp; Carl", "Berg & Carl"),
        ("/u/ada", "/u/ada"),
        ("a." * 100_000, "a." * 250),
    ],
)
def test_the_name_in_an_authors_text(text: str, name: str) -> None:
    assert found(rss, f"<author>{text}</author>").author == name
    assert found(atom, f"<author><name>{text}</name></author>").author == name


@pytest.mark.parametrize(
    ("layout", "item", "feed", "names"),
    [
        (rss, "<dc:creator>Ada</dc:creator><dc:creator>Bo</dc:creator><author>a@b.c (ADA)</author>", "", "Ada, Bo"),
        (rss, "<itunes:author>Ada</itunes:author>", "<itunes:author>Radio</itunes:author>", "Ada"),
        (rss, "", "<managingEditor>a@b.example (Ed)</managingEditor>", "Ed"),
        (rss, "", "<managingEditor>a@b.example (Ed)</managingEditor><dc:creator>Radio</dc:creator>", "Radio"),
        (rss, "", "<managingEditor>a@b.example</managingEditor><webMaster>c@d.example (Web)</webMaster>", ""),
        (rss, "", "<itunes:owner><itunes:name>Owner</itunes:name></itunes:owner>", ""),
        (atom, "<author><name>A</name></author><author><name>B</name><email>b@c.example</email></author>", "", "A, B"),
        (atom, "<author><email>a@b.example</email></author>", "<author><name>Feed</name></author>", "a@b.example"),
        (atom, "<author><name/></author>", "<author><name>Feed</name></author>", "Feed"),
        (atom, "<source><author><name>Planet</name></author></source>", "<author><name>F</name></author>", "Planet"),
        (atom, "<contributor><name>Con</name></contributor>", "", ""),
    ],
)  # fmt: skip
def test_all_authors_count_else_those_of_the_feed(layout: Any, item: str, feed: str, names: str) -> None:
    assert found(layout, item, feed).author == names


TO = "https://site.example/news/"


@pytest.mark.parametrize(
    ("layout", "item", "url"),
    [
        (rss, f'<link uri="at://did:plc:x/app.post/1">{TO}a</link>', f"{TO}a"),
        (rss, f'<link uri="https://other.example/">{TO}a</link>', f"{TO}a"),
        (rss, f'<link href="at://did:plc:x">{TO}a</link>', f"{TO}a"),
        (rss, f'<link url="{TO}a"/>', f"{TO}a"),
        (rss, f'<link rel="alternate">{TO}a</link><atom:link rel="self" href="{TO}b"/>', f"{TO}a"),
        (rss, f"<link>https://feeds.example/~r/1</link><feedburner:origLink>{TO}a</feedburner:origLink>", f"{TO}a"),
        (rss, f"<link>https://feeds.example/~r/1</link><pheedo:origLink>{TO}a</pheedo:origLink>", f"{TO}a"),
        (rss, f"<feedburner:origLink>gone</feedburner:origLink><link>{TO}a</link>", f"{TO}a"),
        (rss, "<link> /ein weg/\n </link>", "https://feeds.example/ein%20weg/"),
        (rss, '<link xml:base="https://site.example/x/">a b</link>', "https://site.example/x/a%20b"),
        (atom, f'<link rel="related" href="{TO}r"/><link href="a b"/>', "https://feeds.example/a%20b"),
        (atom, f'<link href="{TO}a"/><link type="application/json" href="{TO}b"/>', f"{TO}a"),
        (atom, f'<content xml:base="{TO}">x</content><link href="a"/>', "https://feeds.example/a"),
    ],
)
def test_links(layout: Any, item: str, url: str) -> None:
    assert found(layout, item).url == url


CODED = b64encode("<p>Über <b>uns</b></p>".encode()).decode()


@pytest.mark.parametrize(
    ("layout", "item", "text"),
    [
        (atom, '<content type="CDATA"><![CDATA[<p>a &ndash; b</p>]]></content>', "a – b"),
        (atom, '<content type="escaped">&lt;p&gt;a &amp;amp; b&lt;/p&gt;</content>', "a & b"),
        (atom, '<content type="text/html; charset=utf-8">&lt;p&gt;a&lt;/p&gt;</content>', "a"),
        (atom, '<summary type="markdown">a &lt;b&gt;c&lt;/b&gt;</summary>', "a c"),
        (atom, '<content type="image/png">iVBORw0KGgoAAAANSUhEUgA=</content><summary>Sum</summary>', "Sum"),
        (atom, f'<content type="text/html" mode="base64">{CODED}</content>', "Über uns"),
        (atom, f'<content mode="base64">{CODED}</content>', "Über uns"),
        (atom, f'<content type="application/octet-stream">{CODED}</content>', "Über uns"),
        (atom, '<content type="application/json">{"a": 1}</content>', ""),
        (atom, '<content type="text/html" mode="base64">no base64!</content>', "no base64!"),
        (rss, "<description>a</description><yandex:full-text>a &lt;b&gt;b&lt;/b&gt;</yandex:full-text>", "a b"),
        (rss, "<description>a</description><yandex:full-text>a <b>b</b> c</yandex:full-text>", "a b c"),
        (rss, "<description>a</description><turbo:content><![CDATA[<p>a b</p>]]></turbo:content>", "a b"),
        (rss, "<description>a</description><fulltext type='html'>a b</fulltext>", "a b"),
        (rss, "<description>a b</description><yandex:full-text>a</yandex:full-text>", "a b"),
        (rss, "<yandex:full-text>a b c</yandex:full-text><content:encoded>a b</content:encoded>", "a b c"),
    ],
)
def test_the_longest_text_of_any_kind_counts(layout: Any, item: str, text: str) -> None:
    assert found(layout, item).text == text


@pytest.mark.parametrize(
    ("layout", "item", "language"),
    [
        (atom, '<content xml:lang="de">x</content>', "de"),
        (atom, '<title xml:lang="de">x</title><content>x</content>', "en"),
        (atom, '<title xml:lang="de">x</title>', "de"),
        (atom, '<summary xml:lang="fr">longer</summary><content xml:lang="de-AT">x</content>', "fr"),
        (atom, '<content>x</content><language xmlns="http://purl.org/dc/elements/1.1/">es</language>', "es"),
        (rss, '<dc:language>es</dc:language><description xml:lang="pt-BR">x</description>', "pt"),
        (rss, "<dc:language>es</dc:language><description>x</description>", "es"),
        (rss, "<description>x</description>", "en"),
    ],
)
def test_the_language_is_that_of_the_text(layout: Any, item: str, language: str) -> None:
    assert found(layout, item, "<language>en</language>" * (layout is rss), 'xml:lang="en"').language == language


@pytest.mark.parametrize(
    ("widths", "best"),
    [
        ("140 460 1200", "460"),
        ("1200 320 460", "320"),
        ("100 200 150", "200"),
        ("75  200", ""),
        ("460px 100%", "460px"),
        ("480.0 99999999999", "480.0"),
        ("1200 placeholder", "1200"),
    ],
)
def test_the_smallest_picture_that_is_wide_enough_is_the_thumbnail(widths: str, best: str) -> None:
    sizes = widths.split(" ")
    media = "".join(f'<media:content medium="image" url="{TO}{w}.jpg" width="{w}"/>' for w in sizes)
    assert found(rss, media).content.thumbnail == f"{TO}{best}.jpg"
    assert found(rss, f"<media:group>{media}</media:group>").content.thumbnail == f"{TO}{best}.jpg"
    assert found(rss, media.replace("content", "thumbnail")).content.thumbnail == f"{TO}{best}.jpg"


def test_a_placeholder_is_no_thumbnail() -> None:
    item = f'<media:thumbnail url="{TO}blank.gif" width="400"/><enclosure url="{TO}1x1.png" type="image/png"/>'
    assert found(rss, item).content.thumbnail == ""
    assert found(rss, f'{item}<itunes:image href="{TO}i.jpg"/>').content.thumbnail == f"{TO}i.jpg"


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
