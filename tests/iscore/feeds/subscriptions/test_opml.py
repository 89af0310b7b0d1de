"""Subscriptions as other readers write them, and as hostile hands do."""

from __future__ import annotations

import html
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.feeds.errors import OpmlError, SubscriptionsError
from iscore.feeds.parsing.html_to_text import line
from iscore.feeds.subscriptions.editing import add_all, load
from iscore.feeds.subscriptions.opml import MAX_SIZE, Opml, read_opml, write_opml
from iscore.services.news_filter import NewsFilter
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds as stored_feeds


def opml(body: str, head: str = '<?xml version="1.0" encoding="UTF-8"?>') -> bytes:
    return f'{head}<opml version="2.0"><head><title>Mine</title></head><body>{body}</body></opml>'.encode()


def feeds(body: str) -> list[Subscription]:
    found = read_opml(opml(body))
    assert found.refused == ()
    return list(found.feeds)


# As readers write it


def test_folders_within_folders_become_tags_the_outermost_first() -> None:
    assert feeds(
        '<outline text="Technology"><outline text="Linux">'
        '<outline type="rss" text="LWN" title="LWN.net" xmlUrl="https://lwn.net/rss" htmlUrl="https://lwn.net/"/>'
        '</outline><outline type="rss" text="Ars" xmlUrl="https://ars.example/"/></outline>'
        '<outline type="rss" text="Alone" xmlUrl="https://alone.example/"/>'
    ) == [
        Subscription("https://lwn.net/rss", "LWN.net", ("Technology", "Linux")),
        Subscription("https://ars.example/", "Ars", ("Technology",)),
        Subscription("https://alone.example/", "Alone"),
    ]


@pytest.mark.parametrize(
    ("outline", "expected"),
    [
        ('<outline TYPE="rss" XMLURL="https://a.example/" TEXT="A"/>', Subscription("https://a.example/", "A")),
        ('<outline xmlurl=" https://a.example/ "/>', Subscription("https://a.example/")),
        ('<outline type="rss" url="https://a.example/" title="A"/>', Subscription("https://a.example/", "A")),
        ('<outline xmlUrl="feed://a.example/x"/>', Subscription("https://a.example/x")),
        ('<outline xmlUrl="feed:http://a.example/x"/>', Subscription("http://a.example/x")),
        ('<outline text="https://a.example/" xmlUrl="https://a.example/"/>', Subscription("https://a.example/")),
        ('<outline text="Q&amp;amp;A" xmlUrl="https://a.example/"/>', Subscription("https://a.example/", "Q&A")),
        (
            '<outline text="A" category="/Tech/Linux,/daily,,tech" xmlUrl="https://a.example/"/>',
            Subscription("https://a.example/", "A", ("Tech", "Linux", "daily", "tech")),
        ),
        ('<outline title="" text="A" xmlUrl="https://a.example/"/>', Subscription("https://a.example/", "A")),
        (
            '<outline text="A\n\t b\u202e" xmlUrl="https://a.example/#top"/>',
            Subscription("https://a.example/", "A b"),
        ),
    ],
)
def test_readers_differ_in_how_they_write_a_feed(outline: str, expected: Subscription) -> None:
    assert feeds(outline) == [expected]


def test_a_feed_in_two_folders_is_one_feed_with_both_tags() -> None:
    twice = (
        '<outline text="Work"><outline xmlUrl="https://a.example/f" text="A"/></outline>'
        '<outline text="Play"><outline xmlUrl="HTTPS://A.example:443/f" text="Again"/></outline>'
    )
    assert feeds(twice) == [Subscription("https://a.example/f", "A", ("Work", "Play"))]


def test_outlines_within_a_feed_do_not_make_it_a_folder() -> None:
    nested = '<outline text="A" xmlUrl="https://a.example/"><outline text="B" xmlUrl="https://b.example/"/></outline>'
    assert [feed.tags for feed in feeds(nested)] == [(), ()]


def test_markup_in_an_attribute_is_forgiven() -> None:
    markup = (
        """<outline text='1 < 2' xmlUrl="https://a.example/?q=<1>" description="<p class='x'>You & <b>I</b></p>"/>"""
    )
    assert feeds(f'<outline text="F">{markup}</outline>') == [Subscription("https://a.example/?q=<1>", "1 < 2", ("F",))]


def test_an_ampersand_that_was_not_escaped_is_forgiven() -> None:
    assert feeds('<outline text="R&D&nbsp;x" xmlUrl="https://a.example/?a=1&b=2&amp;c=3"/>') == [
        Subscription("https://a.example/?a=1&b=2&c=3", "R&D x")
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_any_encoding_is_read(encoding: str) -> None:
    document = opml(
        '<outline text="Grün" xmlUrl="https://a.example/"/>', f'<?xml version="1.0" encoding="{encoding}"?>'
    )
    assert read_opml(document.decode().encode(encoding)).feeds[0].title == "Grün"


def test_what_cannot_be_followed_is_named_with_its_reason_and_the_rest_is_read() -> None:
    found = read_opml(
        opml(
            '<outline text="Script" xmlUrl="exec:rm -rf"/><outline text="Filter" xmlUrl="|command"/>'
            '<outline text="More" type="include" url="https://lists.example/a.opml"/>'
            '<outline text="File" xmlUrl="file:///etc/passwd"/><outline text="A page" type="link" url="https://x.example/"/>'
            '<outline text="Good" xmlUrl="https://good.example/"/>'
        )
    )
    assert [feed.url for feed in found.feeds] == ["https://good.example/"]
    assert [name for name, _ in found.refused] == ["Script", "Filter", "More", "File"]
    assert all(reason for _, reason in found.refused)
    assert "only http and https" in dict(found.refused)["File"]


def test_pages_from_which_freshrss_makes_feeds_are_named_and_left_out() -> None:
    kinds = ["HTML+XPath", "XML+XPath", "JSON+DotNotation", "HTML+XPath+JSON+DotNotation", "json+dotpath"]
    pages = "".join(
        f'<outline text="{kind}" type="{kind}" xmlUrl="https://a.example/{n}" f:xPathItem="//a" f:jsonItem="x"/>'
        for n, kind in enumerate(kinds)
    )
    others = ("JSONFeed", "rss", "atom")
    feeds = "".join(f'<outline type="{kind}" xmlUrl="https://b.example/{kind}"/>' for kind in others)
    found = read_opml(opml(f'<outline text="Folder">{pages}{feeds}</outline>'))
    assert found.refused == tuple((kind, "it is a page that FreshRSS reads, not a feed") for kind in kinds)
    assert [(each.url, each.tags) for each in found.feeds] == [
        (f"https://b.example/{kind}", ("Folder",)) for kind in others
    ]


ONE = opml('<outline text="Grün" xmlUrl="https://a.example/"/>')


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (b"", b"\n<br />\n<b>Warning</b>: ob_flush(): failed to flush buffer in <b>/srv/x.php</b> on line <b>3</b>"),
        (b"", b"Fatal error: <?php"),
        (b"", ONE.replace(b"a.example", b"b.example")),
        (b"", b"<!DOCTYPE opml [<!ENTITY x 'y'>]><opml/>"),
        (b"", b"\x00\x00\x1a"),
        (b"<br />\n<b>Notice</b>:  Undefined index: x in <b>/srv/x.php</b> on line <b>3</b><br />\n", b""),
        (b"Warning: something\n", b""),
        (b"\xef\xbb\xbfDeprecated: strftime()\n", b"\n"),
        (b"\n\n  ", b""),
        (b"\xef\xbb\xbf\n", b""),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n", b"0\r\n"),
    ],
)
def test_what_servers_write_before_and_behind_a_list_is_ignored(before: bytes, behind: bytes) -> None:
    for document in (ONE, ONE.partition(b"?>")[2]):
        assert read_opml(before + document + behind) == Opml((Subscription("https://a.example/", "Grün"),), ())


# As hostile hands write it


BOMB = (
    '<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


@pytest.mark.parametrize(
    "doctype",
    [
        BOMB,
        '<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE opml SYSTEM "http://127.0.0.1:9/evil.dtd">',
        '<!DOCTYPE opml [<!ENTITY % p SYSTEM "http://127.0.0.1:9/evil.dtd"> %p;]>',
        "<!DOCTYPE opml>",
    ],
)
def test_a_document_type_is_refused_before_anything_of_it_is_believed(doctype: str) -> None:
    with pytest.raises(OpmlError, match=r"remove the line that begins with <!DOCTYPE"):
        read_opml(opml('<outline text="&i;&x;" xmlUrl="https://a.example/"/>', doctype))


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (b"", "not well-formed XML"),
        (b"no xml at all", "not well-formed XML"),
        (b"<opml><body>\n\n<outline></body></opml>", "line 3 is not well-formed XML"),
        (opml('<outline text="Q&A"/>\n<outline text="Say "Yes""/>'), "line 2 is not well-formed XML"),
        (b"Notice\n<opml><body>\n\n<outline></body></opml>", "line 4 is not well-formed XML"),
        (b"<rss version='2.0'/>", "is not OPML but <rss>"),
        (b"<rss version='2.0'>See <opml></opml></rss>", "is not OPML but <rss>"),
        (b"<!DOCTYPE html><p>Log in", "is a web page"),
        (opml('<outline text="&undefined;" xmlUrl="https://a.example/"/>').replace(b"</opml>", b""), "not well-formed"),
    ],
)
def test_what_is_no_list_is_one_clear_line(document: bytes, problem: str) -> None:
    _refused(document, problem)


def test_a_list_that_is_too_large_is_one_clear_line() -> None:
    _refused(b" " * (MAX_SIZE + 1), "is larger than 20 MB")


def _refused(document: bytes, problem: str) -> None:
    with pytest.raises(OpmlError) as caught:
        read_opml(document)
    message = str(caught.value.in_file("mine.opml"))
    assert message.startswith("mine.opml")
    assert problem in message
    assert len(message.splitlines()) == 1


@given(st.binary(max_size=200))
def test_any_bytes_are_a_list_or_an_error(junk: bytes) -> None:
    for document in (junk, opml("<outline xmlUrl='https://a.example/'/>") + junk, b"<opml><body>" + junk):
        try:
            read_opml(document)
        except OpmlError:
            continue


# There and back

WORDS = (
    st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
    .map(line)
    .filter(lambda text: html.unescape(text) == text)
)
HOSTS = st.from_regex(r"[a-z]{1,8}\.example", fullmatch=True)
PATHS = st.from_regex(r"/[A-Za-z0-9/._~?&=%+;'\"(),:@!-]{0,30}", fullmatch=True)
SUBSCRIPTIONS = st.builds(
    Subscription,
    url=st.builds("https://{}{}".format, HOSTS, PATHS),
    title=WORDS,
    tags=st.lists(WORDS.filter(bool), max_size=3, unique=True).map(tuple),
    interval=st.one_of(st.none(), st.integers(5, 31 * 1440).map(lambda minutes: 60 * minutes)),
    fulltext=st.booleans(),
    enabled=st.booleans(),
)
LISTS = st.lists(SUBSCRIPTIONS, max_size=6, unique_by=lambda feed: feed.url)


@settings(max_examples=40)
@given(LISTS)
def test_what_is_written_is_read_again(feeds: list[Subscription]) -> None:
    by_folder = sorted(feeds, key=lambda feed: [feed.tags[:1] for feed in feeds].index(feed.tags[:1]))
    assert read_opml(write_opml(feeds, {}).encode()) == Opml(tuple(by_folder), ())


BEFORE = """\
# My feeds: do not lose this line.
feeds:
  - url: https://first.example/   # the oldest
    tags: [kept]

  # --- second part ---
  - https://second.example/feed

# the end
"""


@settings(max_examples=25)
@given(LISTS)
def test_feeds_yaml_takes_up_whatever_a_list_may_hold_and_keeps_what_it_had(
    tmp_path_factory: pytest.TempPathFactory, feeds: list[Subscription]
) -> None:
    path = tmp_path_factory.mktemp("feeds") / "feeds.yaml"
    path.write_text(BEFORE, encoding="utf-8")
    assert add_all(path, feeds) == feeds
    assert load(path)[2:] == feeds
    after = path.read_text(encoding="utf-8")
    lines = after.splitlines(keepends=True)
    kept = BEFORE.splitlines(keepends=True)
    assert "".join(lines[:7] + lines[len(lines) - 2 :]) == "".join(kept)
    assert add_all(path, feeds) == []
    assert path.read_text(encoding="utf-8") == after


@pytest.mark.parametrize("text", ["feeds: [https://a.example/, {url: https://b.example/, tags: [x]}]  # short\n", ""])
def test_a_list_in_one_line_takes_up_titles_and_tags_too(tmp_path: Path, text: str) -> None:
    path = tmp_path / "feeds.yaml"
    path.write_text(text, encoding="utf-8")
    before = load(path)
    new = Subscription("https://c.example/", "No", ("on", "a: b"), 7200, enabled=False)
    assert add_all(path, [new]) == [new]
    assert load(path) == [*before, new]


@pytest.mark.parametrize("word", ["null", "Null", "~", "true", "No", "1e3", "2026-03-01", "[x]", "- x", "'", '"', "#x"])
def test_words_that_mean_something_in_yaml_stay_words(tmp_path: Path, word: str) -> None:
    path = tmp_path / "feeds.yaml"
    path.write_text(BEFORE, encoding="utf-8")
    new = Subscription("https://a.example/", word, (word, "y"))
    assert add_all(path, [new]) == [new]
    assert load(path)[2:] == [new]


def test_what_would_be_read_otherwise_than_meant_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "feeds.yaml"
    path.write_text(BEFORE, encoding="utf-8")
    monkeypatch.setattr("iscore.feeds.subscriptions.editing.edited", lambda *_, **__: BEFORE)
    with pytest.raises(SubscriptionsError, match="edit it by hand"):
        add_all(path, [Subscription("https://a.example/")])
    assert path.read_text(encoding="utf-8") == BEFORE


def test_a_list_that_would_make_feeds_yaml_unreadable_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "feeds.yaml"
    path.write_text(BEFORE, encoding="utf-8")
    monkeypatch.setattr("iscore.core.yaml_list.MAX_SIZE", 400)
    with pytest.raises(SubscriptionsError, match="would become larger"):
        add_all(path, [Subscription(f"https://a.example/{n}") for n in range(20)])
    assert path.read_text(encoding="utf-8") == BEFORE


def test_sites_and_titles_are_exported(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "feeds:\n  - {url: 'https://me:secret@a.example/feed', tags: [News, Daily]}\n"
        "  - {url: 'https://b.example/feed', title: Mine}\n"
    )
    with NewsFilter.create(tmp_path / "home", tmp_path / "mine.yaml") as news:
        news.subscriptions.follow()
        with news.database.write() as tx:
            followed = [each.feed for each in stored_feeds.overview(tx, LOCAL_USER)]
            fetched = [replace(each, title="Theirs", site_url=f"{each.url[:-4]}") for each in followed]
            stored_feeds.record(tx, [FetchRecord(each, (), datetime(2026, 3, 1, tzinfo=UTC)) for each in fetched])
        opml = news.subscriptions.export_opml().opml
    (folder, second) = ET.fromstring(opml).findall("./body/outline")
    (first,) = folder
    assert folder.get("text") == "News"
    assert (first.get("text"), first.get("xmlUrl")) == ("Theirs", "https://a.example/feed")
    assert (second.get("text"), second.get("htmlUrl")) == ("Mine", "https://b.example/")
    assert "secret" not in opml
