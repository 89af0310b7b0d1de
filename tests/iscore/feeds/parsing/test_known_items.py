"""Items are found where they lie, and leaving known ones out changes nothing of the others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.known_items import (
    HASH_SIZE,
    find_items,
    have_distinct_identities,
    split_hashes,
    without_items,
)
from iscore.feeds.parsing.parse import parse

URL = "https://feeds.example.org/feed"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def rss(*items: str, head: str = "<title>T</title>", attributes: str = "") -> bytes:
    text = "\n".join(items)
    return f'<?xml version="1.0"?>\n<rss version="2.0"{attributes}><channel>{head}{text}</channel></rss>'.encode()


def item(name: str, more: str = "") -> str:
    return f"<item><title>{name}</title><guid>{name}</guid>{more}</item>"


def atom(*entries: str, head: str = "", attributes: str = "") -> bytes:
    text = "".join(entries)
    return f'<feed xmlns="http://www.w3.org/2005/Atom"{attributes}><title>T</title>{head}{text}</feed>'.encode()


def entry(name: str, more: str = "") -> str:
    return f"<entry><id>urn:{name}</id><title>{name}</title>{more}</entry>"


def read(document: bytes, seen: bytes = b"", **more: int) -> ParsedFeed:
    return parse(FeedJob(document, URL, "application/xml", NOW, seen, **more))


def pieces(document: bytes) -> list[bytes]:
    items = find_items(document, URL)
    assert items is not None
    return [document[item.start : item.end] for item in items]


def test_items_of_rss() -> None:
    odd = '<item  a=">">\n<guid>b</guid></item\n>'
    assert pieces(rss(item("a"), odd, "<item/>", item("c"))) == [
        item("a").encode(),
        odd.encode(),
        b"<item/>",
        item("c").encode(),
    ]


def test_an_empty_item_ends_where_its_tag_does() -> None:
    inner = '<item rdf:about="a"/><item rdf:about="b>c"/>'
    spaces = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
    found = pieces(f"<rdf:RDF {spaces}>{inner}</rdf:RDF>".encode())
    assert found == [b'<item rdf:about="a"/>', b'<item rdf:about="b>c"/>']


def test_entries_of_atom_under_any_prefix() -> None:
    document = (
        b'<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id></a:entry>'
        b"<a:entry><a:id>2</a:id></a:entry></a:feed>"
    )
    assert pieces(document) == [b"<a:entry><a:id>1</a:id></a:entry>", b"<a:entry><a:id>2</a:id></a:entry>"]


def test_items_of_rdf_are_identified_by_their_subject() -> None:
    document = (
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
        b'<channel rdf:about="c"><title>T</title></channel><item rdf:about="http://x.org/1"><title>1</title></item>'
        b"</rdf:RDF>"
    )
    items = find_items(document, URL)
    assert items is not None
    assert [found.identity for found in items] == ["http://x.org/1"]


def test_identities_are_read_as_a_parser_reads_them() -> None:
    items = find_items(
        rss(
            "<item><guid> <![CDATA[a&b]]> </guid></item>",
            "<item><guid>a&amp;b</guid></item>",
            "<item><link>http://www.x.org/1/?utm_source=rss</link></item>",
            "<item><title>no identity</title></item>",
        ),
        URL,
    )
    assert items is not None
    assert [found.identity for found in items] == ["a&b", "a&b", "x.org/1", ""]


@pytest.mark.parametrize(
    ("items", "differ"),
    [([item("a"), item("b")], True), ([item("a"), item("a")], False), ([item("a"), "<item/>"], False), ([], True)],
)
def test_only_distinct_items_may_be_left_out(items: list[str], differ: bool) -> None:
    found = find_items(rss(*items), URL)
    assert found is not None
    assert have_distinct_identities(found) is differ


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"no markup",
        b"<html><body/></html>",
        b"<rss><channel><item></channel></rss>",
        b"<!DOCTYPE rss><rss><channel/></rss>",
        b'<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel><item>&a;</item></channel></rss>',
        b"<rss><channel><item>&nbsp;</item></channel></rss>",
        b"<rss><channel><item><dc:date>x</dc:date></item></channel></rss>",
        b"<rss/>",
        b'<rss><channel><item xmlns:a="u:1"/><item xmlns:a="u:2"/></channel></rss>',
        b'<rss><channel><item xmlns:a="u:1"/><item xmlns:b="u:1"/></channel></rss>',
        b"<rss><channel>\0</channel></rss>",
    ],
)
def test_the_unusual_is_left_whole(document: bytes) -> None:
    assert find_items(document, URL) is None


def test_leaving_out() -> None:
    document = rss(item("a"), item("b"), item("c"))
    items = find_items(document, URL)
    assert items is not None
    assert without_items(document, [items[0], items[2]]) == rss("", item("b"), "")
    assert without_items(document, []) == document


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.replace(b"<title>b</title>", b"<title>B</title>"),
        lambda document: document.replace(b"</guid></item>", b"</guid><author>x</author></item>", 2),
    ],
)
def test_an_item_that_changed_comes_through_again(change: Callable[[bytes], bytes]) -> None:
    before = rss(item("a"), item("b"), item("c"))
    after = change(before)
    seen = split_hashes(read(before).items_seen)
    fresh = [hashed for hashed in split_hashes(read(after).items_seen) if hashed not in seen]
    assert fresh
    assert len(read(after, read(before).items_seen).entries) == len(fresh)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (rss(item("a"), head="<language>en</language>"), rss(item("a"), head="<language>de</language>")),
        (rss(item("a", "<link>b</link>")), rss(item("a", "<link>b</link>"), attributes=' xml:base="http://y.org/"')),
        (
            atom(entry("a"), head="<author><name>A</name></author>"),
            atom(entry("a"), head="<author><name>B</name></author>"),
        ),
        (atom(entry("a"), attributes=' xml:lang="en"'), atom(entry("a"), attributes=' xml:lang="fr"')),
    ],
)
def test_an_item_that_inherits_something_else_comes_through_again(before: bytes, after: bytes) -> None:
    again = read(after, read(before).items_seen).entries
    assert again == read(after).entries
    assert again != read(before).entries


def test_a_new_build_date_makes_no_item_new() -> None:
    before = rss(item("a"), head="<lastBuildDate>Fri, 20 Nov 2026 10:00:00 GMT</lastBuildDate>")
    after = rss(item("a"), head="<lastBuildDate>Fri, 20 Nov 2026 11:00:00 GMT</lastBuildDate>")
    assert read(after, read(before).items_seen).entries == ()


def test_an_items_link_is_no_base_for_the_next() -> None:
    document = rss(item("a", "<link>https://other.org/x/</link>"), item("b", "<link>page</link>"))
    seen = read(document).items_seen[:HASH_SIZE]
    assert [found.url for found in read(document).entries] == ["https://other.org/x/", "https://feeds.example.org/page"]
    assert read(document, seen).entries == read(document).entries[1:]


def test_items_without_distinct_identity_always_come_through() -> None:
    document = rss(item("a"), item("a", "<link>https://x.org/1</link>"))
    assert read(document).items_seen == b""
    assert len(read(document, read(document).items_seen).entries) == 2


def test_items_that_have_lost_their_distinct_identity_come_through_again() -> None:
    known = read(rss(item("a", "<link>https://x.org/1</link>"))).items_seen
    document = rss(item("a", "<link>https://x.org/1</link>"), item("a", "<link>https://x.org/2</link>"))
    assert known
    assert read(document, known).entries == read(document).entries
    assert [found.key for found in read(document).entries] == ["page:x.org/1", "page:x.org/2"]


def test_items_in_places_where_only_feedparser_finds_them_are_not_lost() -> None:
    document = rss("<item><guid>a</guid><item><guid>b</guid></item></item>", item("c"))
    whole = read(document)
    assert read(document, whole.items_seen).entries == whole.entries


MARKUP = st.sampled_from(
    [
        "",
        "<description>&lt;p&gt;text&lt;/p&gt;</description>",
        "<description><![CDATA[<item>not one</item>]]></description>",
        "<!-- <item> --><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>",
        '<x:item xmlns:x="urn:x"><guid>inner</guid></x:item>',
        "<category>a</category><category>b</category><author>me@x.org (Me)</author>",
        '<source url="http://o.org/">Other</source><image><url>i.png</url><title>I</title></image>',
        '<content xml:lang="it" xml:base="http://b.org/">ciao</content><link>rel/ative</link>',
        '<title xml:lang="">second title</title><summary>s</summary><description>d</description>',
    ]
)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), contents=st.lists(st.tuples(MARKUP, MARKUP), min_size=1, max_size=6), is_atom=st.booleans())
def test_cutting_gives_the_whole_less_what_is_known(
    data: st.DataObject, contents: list[tuple[str, str]], is_atom: bool
) -> None:
    make, one = (atom, entry) if is_atom else (rss, item)
    document = make(*(one(f"n{number}", a + b) for number, (a, b) in enumerate(contents)))
    whole = read(document)
    hashes = [whole.items_seen[at : at + HASH_SIZE] for at in range(0, len(whole.items_seen), HASH_SIZE)]
    assert len(whole.entries) == len(hashes) == whole.total == len(contents)
    seen = data.draw(st.sets(st.sampled_from(hashes)))
    part = read(document, b"".join(seen))
    assert part.entries == tuple(
        article for article, hashed in zip(whole.entries, hashes, strict=True) if hashed not in seen
    )
    assert (part.title, part.items_seen, part.total) == (whole.title, whole.items_seen, whole.total)
