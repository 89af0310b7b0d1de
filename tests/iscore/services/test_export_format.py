"""Export and import: verdicts, rules and subscriptions move to another data folder; hostile exports are refused."""

import json
import lzma
import os
import re
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.export import ExportError, export_to_file
from iscore.jobs.maintenance.import_export import ImportView
from iscore.services.news_filter import NewsFilter
from storage.log import feedback
from storage.opening.database import open_database
from storage.records.users import LOCAL_USER, Kind, LogEntry
from tests.iscore.conftest import START, Archive, Piece
from tests.iscore.services.exports import LATER, all_articles, exported, imported, lines
from tests.servers import fork_server

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


def _log(home: DataFolder) -> list[LogEntry]:
    with open_database(home.database) as database, database.read() as tx:
        return feedback.effective(tx, LOCAL_USER)


def test_import_into_a_new_folder(used: Archive, tmp_path: Path) -> None:
    content = exported(used.home)
    other = DataFolder(tmp_path / "new" / "folder")
    assert imported(other, content) == ImportView(2, 7, 0, 0, 7, "kept", left_out=("inbox_days",))
    assert lines(exported(other), "subscription") == lines(content, "subscription")
    assert [(entry.id, entry.kind, entry.at) for entry in _log(other)] == [
        (entry.id, entry.kind, entry.at) for entry in _log(used.home)
    ]
    undone = lines(content, "verdict")[-1]["key"]
    articles = [row for row in lines(content, "article") if row["key"] != undone]
    assert lines(exported(other), "article") == articles
    assert "inbox_days = 9" not in other.config.read_text()  # settings are never imported
    assert stat.S_IMODE(other.path.stat().st_mode) == 0o700


def test_importing_again_changes_nothing(used: Archive, tmp_path: Path) -> None:
    content = exported(used.home)
    other = DataFolder(tmp_path / "new")
    imported(other, content)
    once = exported(other)
    assert imported(other, content) == ImportView(0, 0, 7, 0, 0, "kept", left_out=("inbox_days",))
    assert imported(used.home, content) == ImportView(0, 0, 7, 0, 0, "kept", left_out=("inbox_days",))
    assert exported(other) == once
    assert exported(used.home) == content


def test_imported_verdicts_teach_and_are_not_counted(used: Archive, tmp_path: Path) -> None:
    other = DataFolder(tmp_path / "new")
    imported(other, exported(used.home))
    with NewsFilter.open(other.path, clock=lambda: LATER) as news:
        assert news.models.rebuild(check=True).verdicts == 6
        assert news.inbox(everything=True).items == ()
        status = news.status()
        assert (status.likes, status.dislikes, status.skips) == (3, 3, 1)
        assert (status.feeds, status.articles, status.decided, status.f05) == (2, 0, 0, None)
        liked = next(row for row in lines(exported(other), "article"))
        with open_database(other.database) as database, database.read() as tx:
            (article,) = [each for each in all_articles(tx) if each.title == liked["title"]]
        assert news.why(article.id).article.title == liked["title"]
        news.give(Kind.UNDO, [article.id])


def test_poll_does_not_deliver_imported_articles(used: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    other = Archive(tmp_path / "other")
    imported(other.home, exported(used.home))
    other.store(pieces[:60])
    other.measure()
    assert len(other.leaders()) == len(used.leaders()) - 7
    other.database.close()


def test_existing_verdicts_stay(used: Archive, tmp_path: Path) -> None:
    content = exported(used.home)
    other = DataFolder(tmp_path / "new")
    imported(other, content)
    changed = _log(used.home)[0]
    used.say(Kind.DISLIKE, changed.seq, name="changed-my-mind", at=LATER)
    assert imported(other, exported(used.home)).verdicts == 0
    assert [entry.kind for entry in _log(other) if entry.id == changed.id] == [Kind.LIKE]


def test_imported_items_keep_their_import(tmp_path: Path) -> None:
    homes = [DataFolder(tmp_path / "first"), DataFolder(tmp_path / "second")]
    for home, words in zip(homes, ("chess, tidal power", "opera, orchids"), strict=True):
        (tmp_path / "feeds.yaml").write_text("feeds: []\n")
        with NewsFilter.create(home.path, tmp_path / "feeds.yaml", clock=lambda: START) as news:
            news.imports.learn([], keywords=words)
    content = exported(homes[0])
    assert imported(homes[1], content) == ImportView(0, 2, 0, 0, 2, "kept")
    assert imported(homes[1], content) == ImportView(0, 0, 2, 0, 0, "kept")
    with NewsFilter.open(homes[1].path, clock=lambda: LATER) as news:
        names = ["keywords opera, orchids", "keywords chess, tidal power"]
        assert [(each.name, each.items, each.in_use) for each in news.imports.list()] == [
            (name, 2, 2) for name in names
        ]
        assert {each.title for each in news.imports.items(2)} == {"chess", "tidal power"}
        assert news.models.rebuild(check=True).verdicts == 4
        assert news.imports.undo(2) == 2


def test_an_export_from_before_the_first_schema_is_read(tmp_path: Path) -> None:
    """One of the data folder of ``tests/storage/schema-0036.db.xz``."""
    content = lzma.decompress(Path(__file__).with_name("export-0036.jsonl.xz").read_bytes())
    assert b'"seed"' in content
    assert b"iscore:seeds/1" in content
    home = DataFolder(tmp_path / "home")
    view = imported(home, content)
    assert (view.subscriptions, view.rules, view.verdicts, view.settings) == (3, 2, 22, "kept")
    again = imported(home, content)
    assert (again.subscriptions, again.rules, again.verdicts, again.known) == (0, 0, 0, 22)
    # What is exported now says the same in today's words.
    written = exported(home)
    before = Counter(row["verdict"].replace("seed", "imported") for row in lines(content, "verdict"))
    assert Counter(row["verdict"] for row in lines(written, "verdict")) == before
    interests = {row["interest"] for row in lines(written, "verdict") if row["verdict"] == "imported"}
    assert interests == {"imported", "old lighthouses, steam engines"}
    assert b"iscore:seeds" not in written
    with NewsFilter.open(home.path) as news:
        assert sorted(each.items for each in news.imports.list()) == [1, 4]
        assert [each.name for each in news.interests.list()] != []
        assert news.models.rebuild(check=True).equal


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
    content = exported(homes[0])
    assert imported(homes[1], content).verdicts == 3
    assert imported(homes[1], content).verdicts == 0
    with NewsFilter.open(homes[1].path, clock=lambda: LATER) as news:
        assert {each.name: {one.title: one.weight for one in each.examples} for each in news.interests.list()} == wanted
    earlier = b"\n".join(re.sub(rb', "interest": .*}', b"}", row) for row in content.splitlines())
    assert earlier != content
    other = DataFolder(tmp_path / "third")
    imported(other, earlier)
    with NewsFilter.open(other.path, clock=lambda: LATER) as news:
        assert [(each.name, len(each.examples), each.weight) for each in news.interests.list()] == [
            ("imported", 3, 1.0)
        ]


def test_export_file_is_private_and_never_overwritten_unasked(used: Archive, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    view = export_to_file(used.home, file, at=LATER)
    assert (view.subscriptions, view.verdicts, view.articles) == (2, 9, 8)
    assert file.read_bytes() == exported(used.home)
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
        imported(home, "\n".join(map(json.dumps, rows)).encode())
    assert "\n" not in str(caught.value)
    assert not home.path.exists()


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\xfe", b"PK\x03\x04", b'{"kind": "iscore", "format": 1'])
def test_invalid_json_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ExportError):
        imported(DataFolder(tmp_path / "home"), content)
    with pytest.raises(ExportError, match=":2: "):
        imported(DataFolder(tmp_path / "home"), json.dumps(FIRST).encode() + b"\n" + content)


def test_commands(used: Archive, tmp_path: Path) -> None:
    def run(*arguments: str, given: bytes = b"") -> bytes:
        done = fork_server.run(*arguments, env={**os.environ, "ISCORE_NOW": LATER.isoformat()}, given=given.decode())
        assert done.returncode == 0, done.stderr
        return done.stdout.encode()

    content = run("--home", str(used.home.path), "export", "-")
    assert content == exported(used.home)
    view = json.loads(run("--home", str(tmp_path / "new"), "import", "-", "--json", given=content))
    assert view["verdicts"] == 7
    assert view["settings"] == "kept"


def test_nul_is_replaced_as_postgresql_has_no_text_with_it(tmp_path: Path) -> None:
    home = DataFolder(tmp_path / "home")
    rows = [FIRST, ARTICLE | {"text": "one\0two \\u0000 \\\0"}, VERDICT]
    imported(home, "\n".join(map(json.dumps, rows)).encode())
    (row,) = lines(exported(home), "article")
    assert row["text"] == "one\ufffdtwo \\u0000 \\\ufffd"


def test_unusual_characters_survive(archive: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    text = "Zeile\u2028zwei \"'\\ 🧭 日本語\n\nAbsatz\r\n"
    archive.store([replace(pieces[0], text=text)])
    archive.measure()
    archive.say(Kind.LIKE, 1)
    other = DataFolder(tmp_path / "new")
    imported(other, exported(archive.home))
    (row,) = lines(exported(other), "article")
    assert row["text"] == text
