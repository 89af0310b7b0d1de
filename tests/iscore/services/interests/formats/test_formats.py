"""Every format by a file as its program writes it, and what its titles and times become."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from iscore.services.interests.formats.builder import MalformedError, moment, words_of
from iscore.services.interests.formats.formats import FORMATS, detect, read
from iscore.services.learning.imported_item import Form, ImportedItem

FILES = Path(__file__).parent / "files"
KEPT = datetime(2023, 11, 14, 22, 15, tzinfo=UTC)
LATER = datetime(2023, 11, 14, 22, 16, 40, tzinfo=UTC)
EARLIER = datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
GRID, COMET = "https://grid.example/storage", "https://orrery.example/comet"
TEXT = "Twice as much as last year."

ENERGY = ("energy", "grid")


def stored(categories: tuple[str, ...] = ENERGY, **values: Any) -> ImportedItem:
    """The item that most files begin with; ``values`` are what differs."""
    return replace(ImportedItem(Form.TITLE, "Grid storage doubles", GRID, categories=categories, added=KEPT), **values)


def comet(**values: Any) -> ImportedItem:
    return replace(ImportedItem(Form.TITLE, "A comet comes back", COMET, added=EARLIER), **values)


ARTICLE = {"form": Form.TEXT, "text": TEXT, "author": "Ines Halloran"}
FIRST_SAVED = {"saved": True, "labels": ENERGY}
EXPECTED: dict[str, tuple[str, list[ImportedItem]]] = {
    "firefox.html": (
        "html",
        [
            stored(
                ("energy", "grid storage"),
                title="Grid storage doubles & prices fall",
                url=f"{GRID}?page=2",
            ),
            ImportedItem(
                Form.TITLE,
                "Der neue Fahrplan für Köln",
                "https://bahn.example/fahrplan",
                added=LATER,
            ),
        ],
    ),
    "pocket.html": ("html", [stored(**FIRST_SAVED), comet(form=Form.ADDRESS, title="")]),
    "raindrop.html": ("html", [stored(form=Form.TEXT, text=TEXT, **FIRST_SAVED), comet()]),
    "pocket.csv": (
        "csv",
        [
            stored(title="Grid storage doubles, says report", **FIRST_SAVED),
            comet(form=Form.ADDRESS, title="comet comes back", url="https://orrery.example/2026/a-comet-comes-back"),
        ],
    ),
    "instapaper.csv": (
        "csv",
        [
            stored(**FIRST_SAVED),
            comet(form=Form.TEXT, text="It was last seen in 1961, and nobody had expected it.", saved=True),
        ],
    ),
    "raindrop.csv": ("csv", [stored(form=Form.TEXT, text=TEXT, **FIRST_SAVED), comet()]),
    "reader.csv": ("csv", [stored(("energy", "grid's"), saved=True, labels=("energy", "grid's")), comet()]),
    "wallabag.csv": (
        "csv",
        [stored(form=Form.TEXT, text="Twice as much; as last year.", added=KEPT.replace(hour=10))],
    ),
    "readwise.csv": (
        "csv",
        [
            ImportedItem(
                Form.TEXT,
                "The Grid",
                text="Twice as much, and\n\ncheaper.\n\nA second passage.",
                author="Ines Halloran",
                categories=("energy",),
                added=KEPT,
            )
        ],
    ),
    "zotero.csv": (
        "csv",
        [
            stored(("energy", "grid", "Physics"), form=Form.TEXT, text=TEXT, author="Halloran, Ines; Brook, Tom"),
            comet(url="https://doi.org/10.1000/183"),
            ImportedItem(Form.TITLE, "Locks and canals", author="Brook, Tom", added=EARLIER),
        ],
    ),
    "zotero.ris": (
        "ris",
        [
            stored(form=Form.TEXT, text=TEXT, author="Halloran, Ines; Brook, Tom", added=None),
            ImportedItem(Form.TITLE, "Locks and canals", author="Brook, Tom"),
        ],
    ),
    "freshrss.json": (
        "json",
        [
            stored(
                ("energy", "storage"),
                form=Form.TEXT,
                title="Grid storage doubles & prices fall",
                text="Twice as much as last year.\n\nAnd cheaper.",
                author="Ines Halloran",
                links=1,
                saved=True,
                labels=("For the roof",),
            ),
            comet(labels=("Sky",)),
        ],
    ),
    "freshrss_feed.json": ("json", [stored((), saved=True)]),
    "inoreader.json": ("json", [stored((), saved=True, labels=("Energy",), **ARTICLE)]),
    "liked.json": ("json", [stored((), **ARTICLE)]),
    "miniflux.json": ("json", [stored(("energy", "storage"), saved=True, **ARTICLE), comet(added=None, saved=True)]),
    "newsblur.json": ("json", [stored(("energy", "storage"), saved=True, labels=("later",), **ARTICLE)]),
    "wallabag.json": (
        "json",
        [
            stored(**FIRST_SAVED, **ARTICLE),
            comet(saved=True),
            comet(title="Done", url="https://orrery.example/done"),
        ],
    ),
    "wallabag_1.json": ("json", [stored(form=Form.TEXT, text=TEXT, added=None)]),
    "wallabag.xml": ("xml", [stored(**FIRST_SAVED, **ARTICLE)]),
    "tiny_tiny_rss.xml": ("xml", [stored(saved=True, labels=("For the roof", "later"), **ARTICLE), comet()]),
    "tiny_tiny_rss.json": ("json", [stored(saved=True, labels=("For the roof",), **ARTICLE), comet()]),
    "tiny_tiny_rss_api.json": ("json", [stored(saved=True, labels=("For the roof",), **ARTICLE), comet()]),
    "tiny_tiny_rss_starred.json": ("json", [stored(saved=True, **ARTICLE), comet(saved=True)]),
    "pinboard.json": ("json", [stored(form=Form.TEXT, text=TEXT, **FIRST_SAVED), comet()]),
    "pinboard.xml": ("xml", [stored(form=Form.TEXT, text=TEXT, **FIRST_SAVED), comet()]),
    "pinboard.html": ("html", [stored(**FIRST_SAVED), comet()]),
    "import-pinboard.json": (
        "json",
        [
            ImportedItem(
                Form.TEXT,
                "Tide tables explained",
                "https://case.example/pb1",
                "How to read them",
                categories=("sea", "tides"),
                added=datetime(2024, 5, 1, 10, tzinfo=UTC),
                saved=True,
                labels=("sea", "tides"),
            )
        ],
    ),
    "karakeep.json": (
        "json",
        [
            stored(**FIRST_SAVED),
            comet(),
            ImportedItem(
                Form.TEXT,
                "On tides",
                text="Twice a day the sea rises.\n\nAnd falls.",
                categories=("sea",),
                added=EARLIER,
            ),
            ImportedItem(Form.TITLE, "scan.pdf", added=EARLIER),
        ],
    ),
    "karakeep_api.json": ("json", [stored(form=Form.TEXT, text=TEXT, **FIRST_SAVED)]),
    "import-karakeep.json": (
        "json",
        [
            ImportedItem(
                Form.TITLE,
                "Reef building oysters",
                "https://case.example/kk1",
                categories=("sea",),
                added=datetime(2024, 5, 1, 8, tzinfo=UTC),
                saved=True,
                labels=("sea",),
            )
        ],
    ),
    "linkwarden.json": ("json", [stored(form=Form.TEXT, text=TEXT, **FIRST_SAVED), comet()]),
    "training.json": ("json", []),
    "feeds.opml": (
        "opml",
        [
            ImportedItem(
                Form.FEED, "Gridpost & friends", "https://grid.example/", "Energy\n\nPower grids\n\nNews of storage"
            ),
            ImportedItem(Form.FEED, "Volt", "https://volt.example/feed", "Energy"),
            ImportedItem(Form.FEED, "Orrery", "https://orrery.example/feed"),
        ],
    ),
    "links.txt": (
        "links",
        [
            ImportedItem(
                Form.ADDRESS, "grid storage doubles", "https://grid.example/2026/05/grid-storage-doubles.html"
            ),
            ImportedItem(Form.TITLE, "A comet comes back", COMET),
            ImportedItem(Form.TITLE, "A page at home", "http://127.0.0.1/x"),
        ],
    ),
    "keywords.txt": (
        "keywords",
        [ImportedItem(Form.KEYWORDS, words) for words in ("solar power", "chess", "Medieval music")],
    ),
    "essay.txt": (
        "text",
        [
            ImportedItem(
                Form.TEXT,
                "On tides",
                text="Twice a day the sea rises and falls, and with it moves more energy than all the towns on this "
                "coast use in a week, yet hardly anybody has tried to catch it, because salt water, sand and storms "
                "wear out whatever stands in their way.\n\nA short second paragraph.",
            )
        ],
    ),
    "essay.html": (
        "text",
        [ImportedItem(Form.TEXT, "On & off tides", text="Twice a day the sea rises.\n\nAnd falls.")],
    ),
}


def test_every_file_has_an_expectation_and_every_format_a_file() -> None:
    assert {file.name for file in FILES.iterdir()} == set(EXPECTED)
    assert {format_name for format_name, _ in EXPECTED.values()} == set(FORMATS)


SKIPPED = {
    "firefox.html": 2, "freshrss.json": 2, "freshrss_feed.json": 1, "reader.csv": 1, "readwise.csv": 1, "zotero.csv": 1,
    "tiny_tiny_rss.xml": 1, "tiny_tiny_rss.json": 1, "tiny_tiny_rss_api.json": 1,
    "zotero.ris": 1, "wallabag.xml": 1, "training.json": 3, "pinboard.json": 1, "karakeep.json": 1,
    "import-karakeep.json": 1, "linkwarden.json": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_what_programs_export_is_recognised_and_read(name: str) -> None:
    data = (FILES / name).read_bytes()
    format_name, items = EXPECTED[name]
    assert detect(data) == format_name
    found = read(data)
    assert list(found.items) == items
    assert found == read(data, format_name)
    assert (found.skipped, found.problem) == (SKIPPED.get(name, 0), "")


def test_a_text_is_one_item_named_after_its_title_or_its_file() -> None:
    row = "Offshore wind farms feed more power into the grid of this coast each year than all its old plants did. " * 9
    assert detect(row.encode(), "wind.md") == "text"
    (found,) = read(row.encode(), name="/home/ines/My wind.md").items
    assert (found.form, found.title, found.text) == (Form.TEXT, "My wind", row.strip())
    (titled,) = read(f"# North Sea\n\n{row}".encode(), name="wind.md").items
    assert (titled.title, titled.text) == ("North Sea", row.strip())
    (broken,) = read(b"On tides\nare lines\nthat are short.", "text").items
    assert (broken.title, broken.text) == ("On tides", "are lines\n\nthat are short.")
    # What has addresses, or is a list on one line, is read as before.
    assert detect(f"https://a.example/1 {row}".encode()) == "links"
    assert detect(", ".join(["offshore wind in the North Sea", "chess"] * 20).encode(), "liked.txt") == "keywords"
    assert detect(row.encode(), "notes.log") == "keywords"


def test_what_newsblur_was_trained_for_becomes_rules() -> None:
    found = read((FILES / "training.json").read_bytes()).rules
    assert [rule.words for rule in found] == [
        "boost clearly: author “Ines Halloran”",
        "boost clearly: phrase “grid storage” in the title",
        "boost clearly down: phrase “horoscope” in the title",
        "boost clearly: regex “comet(s)?” in the title",
        "boost clearly down: category “sport”",
    ]
    by_feed = {
        "classifiers": {"1": {"authors": {"A": 1}, "feeds": {"1": 1}}, "2": {"authors": {"A": -1}, "feeds": {"2": -1}}},
        "feeds": {"1": {"feed_title": "Gridpost"}, "2": {"feed_title": "Orrery"}},
    }
    several = read(json.dumps(by_feed).encode())
    assert [rule.words for rule in several.rules] == [
        "boost clearly: source “Gridpost”",
        "boost clearly down: source “Orrery”",
    ]
    assert several.skipped == 1  # A is liked and disliked
    trainer = [{"feed_id": 1, "feed_title": "Gridpost", "classifiers": {"authors": {}, "feeds": {"1": 1}}}]
    assert [rule.text for rule in read(json.dumps(trainer).encode()).rules] == ["Gridpost"]


@pytest.mark.parametrize("name", ["firefox.html", "pocket.csv", "freshrss.json", "links.txt", "keywords.txt"])
def test_marks_of_encoding_change_nothing(name: str) -> None:
    text = (FILES / name).read_text(encoding="utf-8")
    for encoding in ("utf-8-sig", "utf-16"):
        assert list(read(text.encode(encoding)).items) == EXPECTED[name][1]


LINK = '<a href="https://a.example/1">%s</a>'
BOOKMARKS = f'<!DOCTYPE NETSCAPE-Bookmark-file-1><META CONTENT="text/html; charset=%s"><DL><DT>{LINK}</DL>'
OPML = '<?xml version="1.0" encoding="%s"?><opml><body><outline text="%s" xmlUrl="https://a.example/1"/></body></opml>'
WALLABAG = (
    '<?xml version="1.0" encoding="%s"?><result><entry><is_starred>1</is_starred><title>%s</title>'
    "<url>https://a.example/1</url></entry></result>"
)
CSV = "url,title,x%s\nhttps://a.example/1,%s,\n"


@pytest.mark.parametrize(
    ("form", "declared", "title", "encoding", "cut"),
    [
        (BOOKMARKS, "x-sjis", "港のニュース①", "cp932", b""),
        (BOOKMARKS, "UTF-8", "Größe", "cp1252", b""),
        (BOOKMARKS, "gb2312", "新闻€", "gb18030", b""),
        (OPML, "ISO-8859-1", "“Größe”", "cp1252", b""),
        (OPML, "Big5", "港口新聞碁", "big5hkscs", b""),
        (OPML, "UTF-8", "Größe „x“", "utf-8", b"\xe2\x80"),
        (WALLABAG, "windows-1251", "Новости", "cp1251", b""),
        (WALLABAG, "utf-8", "Größe „x“", "utf-8", b"\xc3"),
        (CSV, "", "Größe „x“", "utf-8", b"\xe2\x80"),
        (CSV, "", "Größe", "cp1252", b""),
        ('[{"url": "https://a.example/1", "note": "%s", "title": "%s"}]', "", "Größe", "utf-16-le", b""),
    ],
)
def test_files_are_decoded_as_browsers_would(form: str, declared: str, title: str, encoding: str, cut: bytes) -> None:
    before, after = (form % (declared, f"{title}|")).split("|")
    (found,) = read(before.encode(encoding) + cut + after.encode(encoding)).items
    assert found.title == title + "\ufffd" * bool(cut)


def test_json_without_its_frame_is_read_by_what_its_items_have() -> None:
    assert [seed.url for seed in read(b'[{"url": "https://a.example/1", "title": "One"}]').items] == [
        "https://a.example/1"
    ]
    items = b'[{"alternate": [{"href": "https://a.example/1"}], "title": "One"}]'
    assert [seed.title for seed in read(items).items] == ["One"]


def test_a_named_format_overrules_the_content() -> None:
    assert read(b"chess\nhttps://a.example/", "keywords").items[0].form is Form.KEYWORDS
    with pytest.raises(MalformedError, match="too long for a keyword"):
        read(b"word " * 100, "keywords")
    with pytest.raises(MalformedError, match="is XML, but not OPML"):
        read(b"<a href='https://a.example/'>One</a>", "opml")
    with pytest.raises(MalformedError, match="column `url`"):
        read(b"chess,go\n", "csv")
    with pytest.raises(MalformedError, match="column `url`"):
        read(b"name,date\nOne,2026\n", name="links.CSV")


def test_titles_of_strangers_are_clean() -> None:
    title = "\x1b]0;owned\x07&lt;b&gt;Bold\u202e &amp;amp; <b>brave</b><script>x()</script>"
    page = f'<a href="https://a.example/1">{title}</a>'
    (seed,) = read(page.encode(), "html").items
    assert not {"\x1b", "\x07", "\u202e"} & set(seed.title)
    assert "x()" not in seed.title
    assert "brave" in seed.title


def test_page_is_one_item_however_it_is_linked() -> None:
    page = b"".join(
        b'<a href="%s">One</a>' % address
        for address in (
            b"https://www.a.example/one",
            b"http://a.example/one/",
            b"https://user:secret@a.example/one?utm_source=x",
        )
    )
    (seed,) = read(page, "html").items
    assert seed.url == "https://www.a.example/one"
    assert "secret" not in seed.key


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://a.example/2026/05/grid-storage-doubles", "grid storage doubles"),
        ("https://a.example/grid_storage_doubles_again.html", "grid storage doubles again"),
        ("https://a.example/k%C3%B6ln-baut-neue-bahnen/12345", "köln baut neue bahnen"),
        ("https://a.example/news/energy", ""),
        ("https://a.example/?p=grid-storage-doubles", ""),
        ("https://a.example/item/4f3a-99b2-aa", ""),
    ],
)
def test_words_of_an_address_replace_the_title(url: str, words: str) -> None:
    assert words_of(url) == words


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1700000100", KEPT),
        (1700000100000, KEPT),
        ("1700000100123456", KEPT),
        ("2023-11-14T22:15:00Z", KEPT),
        ("2023-11-14 22:15:00", KEPT),
        ("14/11/2023 22:15:00", KEPT),
        ("31/31/2023 22:15:00", None),
        ("2023-11-14T23:15:00+01:00", KEPT),
        ("0001-01-01T00:00:00+05:00", None),
        ("yesterday", None),
        ("", None),
        ("-5", None),
        (0, None),
        (True, None),
        (1e9, None),
        (None, None),
        (10**30, None),
    ],
)
def test_times_in_many_ways_of_writing(written: object, expected: datetime | None) -> None:
    assert moment(written) == expected


def test_rows_of_tiny_tiny_rss_may_stand_alone_and_have_odd_labels() -> None:
    row = {"link": COMET, "title": "A comet comes back", "marked": True, "updated": 1_600_000_000}
    for labels in ("", "[", "[" * 100_000, "7", '[[1], [1, 2], "x"]', None, 5, {"no-labels": 1}):
        found = read(json.dumps([row | {"label_cache": labels}, row | {"link": "", "labels": labels}]).encode())
        assert (found.items, found.skipped) == ((comet(saved=True),), 1)
    cut = (FILES / "tiny_tiny_rss.xml").read_bytes().removesuffix(b"</articles>\n")  # as it writes 250 articles
    assert (len(read(cut).items), read(cut).problem[:22]) == (2, "it is not well-formed ")
