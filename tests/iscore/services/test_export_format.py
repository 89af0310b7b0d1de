"""Export and import: verdicts, rules and subscriptions move to another data folder; hostile exports are refused."""

import io
import json
import os
import re
import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.errors import UnknownArticleError
from iscore.jobs.maintenance.errors import ExportError
from iscore.jobs.maintenance.export import export, export_to_file
from iscore.jobs.maintenance.import_export import ImportView, import_lines
from iscore.services.news_filter import NewsFilter
from iscore.services.reader import ListName, StoryList
from storage import feedback, marks, reading_events, reading_export
from storage.database import open_database
from storage.records import LOCAL_USER, Act, Kind, LogEntry, Mark, ReadingEvent
from tests.iscore.conftest import START, Archive, Piece
from tests.servers import fork_server

LATER = START + timedelta(days=1)
FEEDS = """\
feeds:
  - url: https://news.example/feed
    title: 'News: all of it'
    tags: [daily, science]
    interval: 2h
    fulltext: true
  - url: https://other.example/atom
    enabled: false
"""


@pytest.fixture
def used(filled: Archive) -> Archive:
    """Likes, dislikes, a skip, and an undone like; settings and two feeds."""
    leaders = [article.seq for article in filled.leaders()]
    filled.home.feeds.write_text(FEEDS)
    filled.home.config.write_text("# mine\ninbox_days = 9\n")
    filled.say(Kind.LIKE, *leaders[:4])
    filled.say(Kind.DISLIKE, *leaders[4:7])
    filled.say(Kind.SKIP, leaders[7])
    filled.say(Kind.UNDO, leaders[0])
    return filled


def _exported(home: DataFolder) -> bytes:
    out = io.BytesIO()
    export(home, out, at=LATER)
    return out.getvalue()


def _imported(home: DataFolder, content: bytes) -> ImportView:
    return import_lines(home, io.BytesIO(content), "export.jsonl")


def _log(home: DataFolder) -> list[LogEntry]:
    with open_database(home.database) as database, database.read() as tx:
        return feedback.effective(tx, LOCAL_USER)


def _lines(content: bytes, kind: str) -> list[dict[str, Any]]:
    return [row for row in map(json.loads, content.splitlines()) if row["kind"] == kind]


def test_import_into_a_new_folder(used: Archive, tmp_path: Path) -> None:
    content = _exported(used.home)
    other = DataFolder(tmp_path / "new" / "folder")
    assert _imported(other, content) == ImportView(2, 7, 0, 0, 7, "kept", left_out=("inbox_days",))
    assert _lines(_exported(other), "subscription") == _lines(content, "subscription")
    assert [(entry.id, entry.kind, entry.at) for entry in _log(other)] == [
        (entry.id, entry.kind, entry.at) for entry in _log(used.home)
    ]
    undone = _lines(content, "verdict")[-1]["key"]
    articles = [row for row in _lines(content, "article") if row["key"] != undone]
    assert _lines(_exported(other), "article") == articles
    assert "inbox_days = 9" not in other.config.read_text()  # settings are never imported
    assert stat.S_IMODE(other.path.stat().st_mode) == 0o700


def test_importing_again_changes_nothing(used: Archive, tmp_path: Path) -> None:
    content = _exported(used.home)
    other = DataFolder(tmp_path / "new")
    _imported(other, content)
    once = _exported(other)
    assert _imported(other, content) == ImportView(0, 0, 7, 0, 0, "kept", left_out=("inbox_days",))
    assert _imported(used.home, content) == ImportView(0, 0, 7, 0, 0, "kept", left_out=("inbox_days",))
    assert _exported(other) == once
    assert _exported(used.home) == content


def test_imported_verdicts_teach_and_are_not_counted(used: Archive, tmp_path: Path) -> None:
    other = DataFolder(tmp_path / "new")
    _imported(other, _exported(used.home))
    with NewsFilter.open(other.path, clock=lambda: LATER) as news:
        assert news.models.rebuild(check=True).verdicts == 6
        assert news.inbox(everything=True).items == ()
        status = news.status()
        assert (status.likes, status.dislikes, status.skips) == (3, 3, 1)
        assert (status.feeds, status.articles, status.judged, status.f05) == (2, 0, 0, None)
        liked = next(row for row in _lines(_exported(other), "article"))
        with open_database(other.database) as database, database.read() as tx:
            (article,) = [each for each in _articles(tx) if each.title == liked["title"]]
        assert news.why(article.id).article.title == liked["title"]
        news.give(Kind.UNDO, [article.id])


def _articles(tx: Any) -> list[Any]:
    from storage import articles

    return articles.get(tx, range(1, articles.last_seq(tx) + 1))


def test_poll_does_not_deliver_imported_articles(used: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    other = Archive(tmp_path / "other")
    _imported(other.home, _exported(used.home))
    other.store(pieces[:60])
    other.measure()
    assert len(other.leaders()) == len(used.leaders()) - 7
    other.database.close()


def test_existing_verdicts_stay(used: Archive, tmp_path: Path) -> None:
    content = _exported(used.home)
    other = DataFolder(tmp_path / "new")
    _imported(other, content)
    changed = _log(used.home)[0]
    used.say(Kind.DISLIKE, changed.seq, name="changed-my-mind", at=LATER)
    assert _imported(other, _exported(used.home)).verdicts == 0
    assert [entry.kind for entry in _log(other) if entry.id == changed.id] == [Kind.LIKE]


def test_imported_items_keep_their_import(tmp_path: Path) -> None:
    homes = [DataFolder(tmp_path / "first"), DataFolder(tmp_path / "second")]
    for home, words in zip(homes, ("chess, tidal power", "opera, orchids"), strict=True):
        (tmp_path / "feeds.yaml").write_text("feeds: []\n")
        with NewsFilter.create(home.path, tmp_path / "feeds.yaml", clock=lambda: START) as news:
            news.imports.learn([], keywords=words)
    content = _exported(homes[0])
    assert _imported(homes[1], content) == ImportView(0, 2, 0, 0, 2, "kept")
    assert _imported(homes[1], content) == ImportView(0, 0, 2, 0, 0, "kept")
    with NewsFilter.open(homes[1].path, clock=lambda: LATER) as news:
        names = ["keywords opera, orchids", "keywords chess, tidal power"]
        assert [(each.name, each.seeds, each.standing) for each in news.imports.list()] == [
            (name, 2, 2) for name in names
        ]
        assert {each.title for each in news.imports.items(2)} == {"chess", "tidal power"}
        assert news.models.rebuild(check=True).verdicts == 4
        assert news.imports.undo(2) == 2


def test_interests_keep_their_names_and_weights(tmp_path: Path) -> None:
    homes = [DataFolder(tmp_path / "first"), DataFolder(tmp_path / "second")]
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    for home in homes:
        NewsFilter.create(home.path, tmp_path / "feeds.yaml", clock=lambda: START).close()
    with NewsFilter.open(homes[0].path, clock=lambda: START) as news:
        news.interests.add(["chess", "opera", "orchids"])
        news.interests.add(["go"], "chess")
        news.interests.weaken("opera")
        news.interests.remove("orchids")
        wanted = {each.name: {one.title: one.weight for one in each.examples} for each in news.interests.list()}
    assert wanted == {"chess": {"chess": 0.5, "go": 0.5}, "opera": {"opera": 0.25}}
    content = _exported(homes[0])
    assert _imported(homes[1], content).verdicts == 3
    assert _imported(homes[1], content).verdicts == 0
    with NewsFilter.open(homes[1].path, clock=lambda: LATER) as news:
        assert {each.name: {one.title: one.weight for one in each.examples} for each in news.interests.list()} == wanted
    earlier = b"\n".join(re.sub(rb', "interest": .*}', b"}", row) for row in content.splitlines())
    assert earlier != content
    other = DataFolder(tmp_path / "third")
    _imported(other, earlier)
    with NewsFilter.open(other.path, clock=lambda: LATER) as news:
        assert [(each.name, len(each.examples), each.weight) for each in news.interests.list()] == [
            ("imported", 3, 1.0)
        ]


@pytest.fixture
def marked(filled: Archive) -> Archive:
    """A saved story with labels, one that was read and one kept unread; events of today, and summed ones."""
    stories = [article.seq for article in filled.leaders()][:4]
    with filled.database.write() as tx:
        marks.save(tx, LOCAL_USER, stories[:1], START)
        marks.add_label(tx, LOCAL_USER, "Küche", stories[:1])
        marks.add_label(tx, LOCAL_USER, "R&D", stories[:1])
        marks.read(tx, LOCAL_USER, stories[1:2], START)
        marks.keep_unread(tx, LOCAL_USER, stories[2:3])
        for number, (story, act, seconds) in enumerate(
            [(2, Act.OPENED, 0.0), (2, Act.READ, 40.0), (2, Act.READ, 55.0), (3, Act.OPENED, 0.0), (3, Act.LEFT, 0.0)]
        ):
            at = START - timedelta(days=300 if story == 2 else 0)
            event = ReadingEvent(f"e{number}", LOCAL_USER, stories[story], act, at, f"visit {number % 2}", seconds)
            reading_events.append(tx, [event])
        assert reading_events.sum_before(tx, LOCAL_USER, START - timedelta(days=180)) == 1
    return filled


def _read(home: DataFolder) -> tuple[Any, Any]:
    """Return marks and readings by the keys of articles."""
    with open_database(home.database) as database, database.read() as tx:
        names = {each.seq: each.title for each in _articles(tx)}
        readings = reading_events.of_stories(tx, LOCAL_USER, list(names))
        found = {names[each.story]: replace(each, story=0, row=0) for each in readings}
        return {names[seq]: mark for seq, mark in reading_export.marked(tx, LOCAL_USER).items()}, found


def test_marks_and_reading_come_along(marked: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    content = _exported(marked.home)
    given, read = _read(marked.home)
    assert (len(given), len(read)) == (3, 2)
    assert [row["labels"] for row in _lines(content, "mark") if row["saved_at"]] == [["Küche", "R&D"]]
    assert len(_lines(content, "article")) == 1  # of the story that is saved
    other = Archive(tmp_path / "other")
    other.store(pieces)
    other.measure()
    view = _imported(other.home, content)
    assert (view.marks, view.marks_left_out, view.reading_events) == (3, 0, 0)
    assert _read(other.home) == (given, {})
    asked = import_lines(other.home, io.BytesIO(content), "export.jsonl", reading_events=True)
    assert asked.reading_events == 4
    assert _read(other.home) == (given, read)
    again = import_lines(other.home, io.BytesIO(content), "export.jsonl", reading_events=True)
    assert again.reading_events == 0
    assert _read(other.home) == (given, read)
    other.database.close()


def test_what_was_saved_and_no_feed_has_brought_comes_along_and_is_nothing_new(marked: Archive, tmp_path: Path) -> None:
    content, new = _exported(marked.home), DataFolder(tmp_path / "new")
    (saved,) = [row for row in _lines(content, "mark") if row["saved_at"]]
    for expected in (1, 0):
        view = _imported(new, content)
        assert (view.marks, view.marks_left_out) == (expected, 3 - expected)
    with NewsFilter.open(new.path, clock=lambda: START + timedelta(hours=1)) as news:
        news.polling.decide()
        (story,) = news.reader.page(StoryList(ListName.SAVED)).stories
        assert (story.story.item.title, story.mark.labels) == (saved["title"], ("Küche", "R&D"))
        assert story.mark.saved_at == START
        assert story.story.item.source == "news.example"
        assert news.show(story.story.item.id).text
        found = [
            news.search.parse(f'"{saved["title"]}"'),
            news.search.parse("is:saved"),
            news.search.parse("label:küche"),
        ]
        for query in found:
            page = news.reader.page(StoryList(ListName.ALL, query.only, query.words))
            assert [each.story.item.id for each in page.stories] == [story.story.item.id]
        assert news.reader.page(StoryList()).stories == ()
        assert news.reader.navigation().unread == 0
        inbox = news.inbox(everything=True, limit=None)
        assert [item.id for item in inbox.items if item.interesting or item.explore] == []
        assert (inbox.waiting - inbox.archive, news.status().recommended) == (0, 0)
        news.give(Kind.LIKE, [story.story.item.id])
        assert news.models.rebuild(check=True).equal is True
        news.people.add("Anna")
        anna = news.for_user(2)
        assert anna.reader.page(StoryList(ListName.SAVED)).stories == ()
        with pytest.raises(UnknownArticleError):
            anna.show(story.story.item.id)


def test_marks_that_are_here_stay(marked: Archive) -> None:
    content = _exported(marked.home)
    first, second, third = [article.seq for article in marked.leaders()][:3]
    with marked.database.write() as tx:
        marks.save(tx, LOCAL_USER, [second], LATER)
        marks.read(tx, LOCAL_USER, [third], LATER)
        marks.remove_label(tx, LOCAL_USER, "Küche", [first])
        marks.add_label(tx, LOCAL_USER, "KÜCHE", [second])
    _imported(marked.home, content)
    with marked.database.read() as tx:
        now = marks.get(tx, LOCAL_USER, [first, second, third])
    assert now[first] == Mark(saved_at=START, labels=("KÜCHE", "R&D"))
    assert now[second] == Mark(read_at=START, saved_at=LATER, labels=("KÜCHE",))
    assert now[third] == Mark(read_at=LATER)


def test_export_file_is_private_and_never_overwritten_unasked(used: Archive, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    view = export_to_file(used.home, file, at=LATER)
    assert (view.subscriptions, view.verdicts, view.articles) == (2, 9, 8)
    assert file.read_bytes() == _exported(used.home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(ExportError, match="exists already"):
        export_to_file(used.home, file, at=LATER)
    export_to_file(used.home, file, at=LATER, replace=True)
    with pytest.raises(ExportError, match="cannot be written"):
        export_to_file(used.home, tmp_path / "none" / "export.jsonl", at=LATER)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.jsonl", "home"]


FIRST = {"kind": "iscore", "format": 1, "made": "2026-03-03T00:00:00+00:00", "iscore": "0.1.0"}
ARTICLE = {
    "kind": "article",
    "feed": "https://news.example/feed",
    "key": "k",
    "source": "News",
    "url": "https://news.example/1",
    "title": "A title",
    "author": "",
    "categories": [],
    "language": "en",
    "published": None,
    "arrived": "2026-03-02T00:00:00+00:00",
    "links": 0,
    "pictures": 0,
    "text": "Some words.",
}
VERDICT = {
    "kind": "verdict",
    "id": "v",
    "verdict": "like",
    "at": "2026-03-02T01:00:00+00:00",
    "feed": "https://news.example/feed",
    "key": "k",
    "tags": [],
}
MARK = {
    "kind": "mark",
    "feed": "https://news.example/feed",
    "key": "k",
    "read_at": None,
    "kept_unread": False,
    "saved_at": "2026-03-02T01:00:00+00:00",
    "labels": ["x"],
}
EVENT = {
    "kind": "reading_event",
    "id": "e",
    "feed": "https://news.example/feed",
    "key": "k",
    "act": "read",
    "at": "2026-03-02T01:00:00+00:00",
    "visit": "v",
    "seconds": 1.0,
}
SUBSCRIPTION = {
    "kind": "subscription",
    "url": "https://news.example/feed",
    "title": "",
    "tags": [],
    "interval": None,
    "fulltext": False,
    "enabled": True,
}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "not an export"),
        ([ARTICLE], "not an export"),
        ([FIRST | {"format": 2}], "newer iScore"),
        ([FIRST, {"kind": "program"}], ":2: unknown kind"),
        ([FIRST, []], ":2: unknown kind"),
        ([FIRST, VERDICT], ":2: .*no earlier line"),
        ([FIRST, ARTICLE, VERDICT | {"verdict": "adore"}], ":3: "),
        ([FIRST, ARTICLE, VERDICT | {"id": ""}], ":3: 'id'"),
        ([FIRST, ARTICLE, VERDICT | {"at": "2026-03-02T01:00:00"}], "timezone"),
        ([FIRST, ARTICLE, VERDICT | {"at": "9999-12-31T23:59:59-12:00"}], "out of range"),
        ([FIRST, ARTICLE, VERDICT | {"tags": "abc"}], ":3: 'tags'"),
        ([FIRST, ARTICLE | {"url": "javascript:alert(1)"}], ":2: "),
        ([FIRST, ARTICLE | {"text": 7}], ":2: "),
        ([FIRST, ARTICLE | {"links": True}], ":2: "),
        ([FIRST, ARTICLE | {"links": -1}], ":2: 'links'"),
        ([FIRST, ARTICLE | {"title": "half \ud800"}], ":2: "),
        ([FIRST, {name: value for name, value in ARTICLE.items() if name != "text"}], "'text': Field required"),
        ([FIRST, MARK | {"labels": [" \n "]}], ":2: 'labels"),
        ([FIRST, MARK | {"labels": ["x" * 61]}], ":2: 'labels"),
        ([FIRST, MARK | {"saved_at": 7}], ":2: 'saved_at'"),
        ([FIRST, EVENT | {"act": "danced"}], ":2: 'act'"),
        ([FIRST, EVENT | {"seconds": -1.0}], ":2: 'seconds'"),
        ([FIRST, EVENT | {"seconds": 1e300}], ":2: 'seconds'"),
        ([FIRST, SUBSCRIPTION | {"url": "file:///etc/passwd"}], ":2: "),
        ([FIRST, SUBSCRIPTION | {"interval": 1}], "interval"),
        ([FIRST, SUBSCRIPTION | {"tags": [["deep"]]}], ":2: "),
    ],
)
def test_error_names_the_line_and_changes_nothing(tmp_path: Path, rows: list[Any], problem: str) -> None:
    home = DataFolder(tmp_path / "home")
    with pytest.raises(ExportError, match=problem) as caught:
        _imported(home, "\n".join(map(json.dumps, rows)).encode())
    assert "\n" not in str(caught.value)
    assert not home.path.exists()


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\xfe", b"PK\x03\x04", b'{"kind": "iscore", "format": 1'])
def test_invalid_json_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ExportError):
        _imported(DataFolder(tmp_path / "home"), content)
    with pytest.raises(ExportError, match=":2: "):
        _imported(DataFolder(tmp_path / "home"), json.dumps(FIRST).encode() + b"\n" + content)


def test_commands(used: Archive, tmp_path: Path) -> None:
    def run(*arguments: str, given: bytes = b"") -> bytes:
        done = fork_server.run(*arguments, env={**os.environ, "ISCORE_NOW": LATER.isoformat()}, given=given.decode())
        assert done.returncode == 0, done.stderr
        return done.stdout.encode()

    content = run("--home", str(used.home.path), "export", "-")
    assert content == _exported(used.home)
    view = json.loads(run("--home", str(tmp_path / "new"), "import", "-", "--json", given=content))
    assert view["verdicts"] == 7
    assert view["settings"] == "kept"


def test_unusual_characters_survive(archive: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    text = "Zeile\u2028zwei\u0000 \"'\\ 🧭 日本語\n\nAbsatz\r\n"
    archive.store([replace(pieces[0], text=text)])
    archive.measure()
    archive.say(Kind.LIKE, 1)
    other = DataFolder(tmp_path / "new")
    _imported(other, _exported(archive.home))
    (row,) = _lines(_exported(other), "article")
    assert row["text"] == text
