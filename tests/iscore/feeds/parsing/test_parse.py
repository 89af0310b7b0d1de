"""Documents as the world sends them: read if there is anything to read, else refused in a readable way."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from iscore.feeds.errors import NotAFeedError
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parse import parse
from storage.records.articles import NewArticle

URL = "https://me:secret@x.org/feeds/news.xml"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

SEVERAL = 4
"""Items of one document."""
URL_OF_NOTHING = "https://x.org/feeds/&#1;file:///x"
"""What begins with a reference to no character is no scheme but a file on the feed's own host."""


def read(document: str | bytes, content_type: str = "application/rss+xml", **more: int) -> ParsedFeed:
    body = document.encode() if isinstance(document, str) else document
    return parse(FeedJob(body, URL, content_type, NOW, **more))


def rss(items: str, head: str = "") -> str:
    spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    return f'<?xml version="1.0"?><rss version="2.0" {spaces}><channel>{head}{items}</channel></rss>'


def article(item: str, head: str = "") -> NewArticle:
    (found,) = read(rss(f"<item>{item}</item>", head)).entries
    return found


def test_an_item_of_rss() -> None:
    found = article(
        "<title>A &amp;amp; B</title><link>/a?utm_source=rss&amp;id=1</link><guid isPermaLink='false'>tag:1</guid>"
        "<dc:creator>Ann</dc:creator><category>x</category><category>y</category>"
        "<pubDate>Fri, 20 Nov 2026 10:00:00 +0200</pubDate>"
        "<description>Short</description>"
        "<content:encoded><![CDATA[<p>Long <a href='x'>text</a></p><p>more</p><img src=x>]]></content:encoded>",
        "<language>en-GB</language>",
    )
    assert (found.key, found.url, found.title) == ("id:tag:1", "https://x.org/a?id=1", "A & B")
    assert (found.author, found.categories, found.language) == ("Ann", ("x", "y"), "en")
    assert found.published == datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert (found.text, found.links, found.pictures) == ("Long text\n\nmore", 1, 1)


def test_an_entry_of_atom_inherits_from_its_feed() -> None:
    found = read(
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr" xml:base="https://y.org/b/"><title>T</title>'
        '<link href="/"/><author><name>Ann</name></author><entry><id>urn:1</id>'
        '<title type="html">&lt;b&gt;Bold&lt;/b&gt;</title><link href="page"/><updated>2026-11-20T10:00:00Z</updated>'
        '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt; b</p><p>c</p></div></content>'
        '</entry><entry xml:lang="de"><id>urn:2</id><title>1 &lt; 2</title><author><name>Bo</name></author></entry>'
        "</feed>"
    )
    first, second = found.entries
    assert (found.title, found.site_url, found.language, found.total) == ("T", "https://y.org/", "fr", 2)
    assert (first.title, first.url, first.author, first.language) == ("Bold", "https://y.org/b/page", "Ann", "fr")
    assert first.text == "a < b\n\nc"
    assert first.published == datetime(2026, 11, 20, 10, tzinfo=UTC)
    assert (second.title, second.author, second.language) == ("1 < 2", "Bo", "de")


def test_the_richer_of_summary_and_content_is_the_text() -> None:
    assert article("<description>A long description</description><content:encoded>x</content:encoded>").text == (
        "A long description"
    )


def test_hints_for_polling() -> None:
    found = read(
        rss(
            "<item><guid>a</guid></item>",
            "<ttl>90</ttl><skipHours><hour>0</hour><hour>24</hour><hour>7</hour><hour>99</hour></skipHours>"
            "<skipDays><day>Sunday</day><day>monday</day><day>Someday</day></skipDays>",
        )
    )
    assert (found.ttl_minutes, found.skip_hours, found.skip_days) == (90, (0, 7), (0, 6))


@pytest.mark.parametrize(
    ("head", "minutes"),
    [
        ("", None),
        ("<ttl>soon</ttl>", None),
        ("<ttl>-5</ttl>", None),
        (f"<ttl>{'9' * 5000}</ttl>", None),
        ("<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>", 360),
        ("<sy:updatePeriod>hourly</sy:updatePeriod>", 60),
        ("<sy:updatePeriod>never</sy:updatePeriod>", None),
    ],
)
def test_times_to_live(head: str, minutes: int | None) -> None:
    space = '<rss xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    assert read(rss("<item><guid>a</guid></item>", head).replace("<rss", space)).ttl_minutes == minutes


@pytest.mark.parametrize(
    "declaration", ['<!DOCTYPE rss [<!ENTITY x SYSTEM "{target}">]>', '<!DOCTYPE rss SYSTEM "{target}">']
)
def test_nothing_is_fetched_or_opened(declaration: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.settimeout(0.2)
        connections: list[object] = []

        def listen() -> None:
            with suppress(TimeoutError):
                connections.append(canary.accept()[0].getpeername())

        thread = threading.Thread(target=listen)
        thread.start()
        target = f"http://127.0.0.1:{canary.getsockname()[1]}/x"
        for place in (target, "file:///etc/passwd"):
            document = rss("<item><title>a &x; b</title><guid>1</guid></item>", "<link>http://x/</link>")
            document = document.replace("<rss", declaration.replace("{target}", place) + "<rss")
            (found,) = read(document).entries
            assert "root:" not in found.title + found.text
        thread.join()
    assert not connections


def test_entity_bombs_stay_small() -> None:
    entities = "".join(f'<!ENTITY e{n} "&e{n - 1};&e{n - 1};&e{n - 1};&e{n - 1};">\n' for n in range(1, 30))
    document = rss("<item><title>&e29;</title><guid>1</guid></item>")
    document = document.replace("<rss", f'<!DOCTYPE rss [\n<!ENTITY e0 "lol">\n{entities}]>\n<rss')
    (found,) = read(document).entries
    assert len(found.title) < 100


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("", "empty"),
        ("\0", "empty"),
        (" \n ", "empty"),
        ("plain text", "not a feed"),
        ("<!DOCTYPE html><html><body><form>Log in</form></body></html>", "not a feed"),
        ("<html><body>&nbsp;<p>unclosed", "not a feed"),
        ("\x89PNG\r\n\x1a\n", "not a feed"),
        ("<rss version='2.0'><channel><title>T</title>", "damaged"),
        ('{"error": "rate limited"}', "not a JSON Feed"),
    ],
)
def test_what_is_no_feed_is_refused(document: str, reason: str) -> None:
    with pytest.raises(NotAFeedError, match=reason):
        read(document)


def test_a_feed_without_entries_is_a_feed() -> None:
    assert read(rss("", "<title>T</title>")).entries == ()


def test_a_damaged_feed_gives_the_entries_it_has() -> None:
    found = read(rss("<item><guid>a</guid><title>Fish & chips</title></item><item><guid>b</guid><title>x")[:-24])
    assert [entry.key for entry in found.entries] == ["id:a", "id:b"]
    assert found.entries[0].title == "Fish & chips"
    assert found.items_seen == b""


@pytest.mark.parametrize(
    ("title", "link", "read_title", "query"),
    [
        ("Fish & chips & R&D", "?a=1&copy=2&lt=3", "Fish & chips & R&D", "?a=1&copy=2&lt=3"),
        ("R&D; &unknown; &", "", "R&D; &unknown; &", ""),
        ("Caf&eacute;&nbsp;&hellip;", "?q=caf&eacute;", "Café …", "?q=café"),
        ("<![CDATA[R&D &eacute;]]> &", "", "R&D é &", ""),
        ("<![CDATA[a <![CDATA[b]]> c]]>", "", "a b c", ""),
        ("a\x0bb &#11;&#xFFFF;&#99999999999;c", "", "ab c", ""),
        ("a ]]> b", "", "a b", ""),
    ],
)
def test_references_of_damaged_documents_stay_as_written(title: str, link: str, read_title: str, query: str) -> None:
    items = [f"<item><guid>{n}</guid><title>{title}</title><link>http://x/{link}</link></item>" for n in range(SEVERAL)]
    site = f"<link>http://x/{link}</link>"
    for damaged in (items[0], "".join(items), items[0] + "<item><title>unfinished"):
        feed = read(rss(damaged, site).removesuffix("</channel></rss>" * damaged.endswith("ed")))
        assert feed.site_url == f"http://x/{query}"
        found = feed.entries
        expected = [(read_title, f"http://x/{query}")] * damaged.count("<link>")
        assert [(entry.title, entry.url) for entry in found][: len(expected)] == expected


@pytest.mark.parametrize(
    "kind",
    [
        '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">',
        '<!DOCTYPE rss SYSTEM "a.dtd" [<!ENTITY own "]>"><!ENTITY eacute "<b>">]>',
        '<!DOCTYPE rss [<!ENTITY % latin1 PUBLIC "-//W3C//ENTITIES Latin 1//EN" "l.ent">%latin1;]>',
        "<!doctype rss>",
        "<!DOCTYPE rss [<!-- it's --><!ENTITY own 'x'>]>",
    ],
)
def test_entities_of_html_are_known_and_those_of_documents_are_not(kind: str) -> None:
    for count in (1, SEVERAL):
        items = "".join(f"<item><guid>{n}</guid><title>Caf&eacute; &own; R&amp;D</title></item>" for n in range(count))
        document = rss(items).replace("<rss", f"{kind}<rss")
        assert {entry.title for entry in read(document).entries} == {"Café &own; R&D"}


def test_blank_lines_before_the_declaration_do_no_harm() -> None:
    assert read("\n\n" + rss("<item><guid>a</guid></item>")).items_seen


@pytest.mark.parametrize("reference", ["&#0;", "&#xD800;", "&#27;", "&#x110000;", "&#99999999999;", "&#xFFFE;"])
def test_references_to_no_character(reference: str) -> None:
    found = article(f"<guid>a{reference}</guid><title>a{reference}b</title><description>a{reference}b</description>")
    for text in (found.title, found.text, found.key):
        text.encode()
        assert text.isprintable()
    assert found.title.startswith("a")


def test_control_characters_in_every_field() -> None:
    evil = "a\u202e\ufeff\x9b&#x85;b"
    found = article(
        f"<title>{evil}</title><link>http://x.org/{evil}</link><guid>{evil}</guid><author>{evil}</author>"
        f"<category>{evil}</category><description>{evil}</description>"
    )
    for text in (found.title, found.text, found.url, found.author, found.key, *found.categories):
        assert text.isprintable()
        assert text


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", " JAVASCRIPT:x", "java&#9;script:x", "data:text/html,x", "vbscript&#58;x", "&#1;file:///x"],
)
def test_only_web_pages_are_linked(link: str) -> None:
    assert article(f"<title>t</title><link>{link}</link><guid>{link}</guid>").url in (
        "",
        "https://x.org/feeds/&#1;file:///x",
    )
    assert article(f"<title>t</title><guid>{link}</guid><enclosure url='{link}'/>").url in ("", URL_OF_NOTHING)


@pytest.mark.parametrize(
    ("guid", "url"), [("https://y.org/a", "https://y.org/a"), ("/a", "https://x.org/a"), ("12", "")]
)
def test_an_id_is_a_link_if_it_is_an_address(guid: str, url: str) -> None:
    items = "".join(f"<item><guid>{guid}{n}</guid></item>" for n in range(SEVERAL))
    for found in (article(f"<guid>{guid}0</guid>"), read(rss(items)).entries[0]):
        assert found.url == (f"{url}0" if url else "")


def test_the_password_in_the_feeds_address_is_in_no_article() -> None:
    found = read(rss("<item><link>a</link></item>", "<link>/</link>"))
    assert (found.site_url, found.entries[0].url) == ("https://x.org/", "https://x.org/feeds/a")
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    "date",
    [
        "",
        "garbage",
        "Fri, 20 Nov 0000 10:00:00 GMT",
        "9999-12-31T23:59:59Z",
        "2031-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
    ],
)
def test_impossible_dates_are_missing(date: str) -> None:
    assert article(f"<guid>a</guid><pubDate>{date}</pubDate>").published is None


def test_one_guid_for_all_entries_keeps_all() -> None:
    items = "".join(f"<item><guid>same</guid><title>{n}</title></item>" for n in range(5))
    assert len({entry.key for entry in read(rss(items)).entries}) == 5


def test_without_guid_and_date_entries_stay_the_same() -> None:
    items = "<item><title>One</title><description>x</description></item><item><title>Two</title></item>"
    first = read(rss(items)).entries
    second = read(rss("<item><title>Three</title></item>" + items)).entries
    assert second[1:] == first


def test_a_changed_article_keeps_its_key_and_changes_its_hash() -> None:
    before, after = article("<guid>a</guid><title>Draft</title>"), article("<guid>a</guid><title>Final</title>")
    assert before.key == after.key
    assert before.content_hash != after.content_hash


def test_the_newest_of_very_many_entries_are_kept() -> None:
    items = "".join(
        f"<item><guid>{n}</guid><pubDate>Fri, 20 Nov 2026 {n // 60:02}:{n % 60:02}:00 GMT</pubDate></item>"
        for n in range(1200)
    )
    found = read(rss(items), max_entries=20)
    assert [entry.key for entry in found.entries] == [f"id:{n}" for n in range(1180, 1200)]
    assert (found.total, found.dropped) == (1200, 1180)
    again = parse(FeedJob(rss(items).encode(), URL, "", NOW, found.items_seen, max_entries=20))
    assert again.entries == ()


def test_very_many_entries_of_a_damaged_document() -> None:
    items = "".join(f"<item><guid>{n}</guid></item>" for n in range(50))
    found = read(rss(items) + "&", max_entries=20)
    assert [entry.key for entry in found.entries] == [f"id:{n}" for n in range(20)]
    assert (found.total, found.dropped) == (50, 30)


def test_an_enormous_entry_is_cut() -> None:
    found = article(
        "<guid>a</guid><title>" + "ü" * 100_000 + "</title><description>" + "wörter " * 500_000 + "</description>"
    )
    assert len(found.title) == 500
    assert 100_000 < len(found.text) <= 200_000


@pytest.mark.parametrize("title", ["", "👍🏽", "مرحبا بالعالم", "新闻 标题", "x" * 1_000_000])
def test_titles_of_all_kinds(title: str) -> None:
    assert article(f"<guid>a</guid><title>{title}</title>").title == title[:500]
