"""Exports: what was said comes back in another home, once, and nothing that a stranger wrote does harm."""

import io
import json
import os
import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.errors import ExportError
from iscore.jobs.maintenance.export import export, export_to_file
from iscore.jobs.maintenance.import_export import ImportView, Settings, merge
from iscore.services.news_filter import NewsFilter
from storage import feedback
from storage.database import open_database
from storage.records import LOCAL_USER, Kind, LogEntry
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
def read(filled: Archive) -> Archive:
    """Likes, dislikes, a skip, and something taken back; settings and two feeds."""
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


def _merged(home: DataFolder, content: bytes) -> ImportView:
    return merge(home, io.BytesIO(content), "export.jsonl")


def _log(home: DataFolder) -> list[LogEntry]:
    with open_database(home.database) as database, database.read() as tx:
        return feedback.effective(tx, LOCAL_USER)


def _lines(content: bytes, kind: str) -> list[dict[str, Any]]:
    return [row for row in map(json.loads, content.splitlines()) if row["kind"] == kind]


def test_a_new_home_says_the_same(read: Archive, tmp_path: Path) -> None:
    content = _exported(read.home)
    other = DataFolder(tmp_path / "new" / "home")
    told = _merged(other, content)
    assert told == ImportView(2, 9, 0, 0, 8, Settings.TAKEN)
    assert other.feeds.read_text().count("url:") == 2
    assert _lines(_exported(other), "subscription") == _lines(content, "subscription")
    assert _lines(_exported(other), "verdict") == _lines(content, "verdict")
    assert _lines(_exported(other), "article") == _lines(content, "article")
    assert other.config.read_text() == read.home.config.read_text()
    assert stat.S_IMODE(other.path.stat().st_mode) == 0o700
    assert [(entry.id, entry.kind, entry.at) for entry in _log(other)] == [
        (entry.id, entry.kind, entry.at) for entry in _log(read.home)
    ]


def test_importing_again_changes_nothing(read: Archive, tmp_path: Path) -> None:
    content = _exported(read.home)
    other = DataFolder(tmp_path / "new")
    _merged(other, content)
    once = _exported(other)
    assert _merged(other, content) == ImportView(0, 0, 9, 0, 0, Settings.KEPT)
    assert _merged(read.home, content) == ImportView(0, 0, 9, 0, 0, Settings.KEPT)
    assert _merged(read.home, once) == ImportView(0, 0, 9, 0, 0, Settings.KEPT)
    assert _exported(other) == once
    assert _exported(read.home) == content


def test_what_is_imported_teaches_and_is_neither_shown_nor_counted(read: Archive, tmp_path: Path) -> None:
    other = DataFolder(tmp_path / "new")
    _merged(other, _exported(read.home))
    with NewsFilter.open(other.path, clock=lambda: LATER) as news:
        assert news.models.rebuild(check=True).verdicts == 6
        assert news.inbox(everything=True).items == ()
        status = news.status()
        assert (status.likes, status.dislikes, status.skips) == (3, 3, 1)
        assert (status.articles, status.judged, status.f05) == (0, 0, None)
        liked = next(row for row in _lines(_exported(other), "article"))
        with open_database(other.database) as database, database.read() as tx:
            (article,) = [each for each in _articles(tx) if each.title == liked["title"]]
        assert news.why(article.id).article.title == liked["title"]
        news.give(Kind.UNDO, [article.id])


def _articles(tx: Any) -> list[Any]:
    from storage import articles

    return articles.get(tx, range(1, articles.last_seq(tx) + 1))


def test_a_poll_does_not_bring_an_imported_article_as_news(read: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    other = Archive(tmp_path / "other")
    _merged(other.home, _exported(read.home))
    other.store(pieces[:60])
    other.measure()
    assert len(other.leaders()) == len(read.leaders()) - 8
    other.database.close()


def test_the_later_word_counts(read: Archive, tmp_path: Path) -> None:
    content = _exported(read.home)
    other = DataFolder(tmp_path / "new")
    _merged(other, content)
    leader = _log(read.home)[0].seq
    read.say(Kind.DISLIKE, leader, name="changed-my-mind", at=LATER)
    assert _merged(other, _exported(read.home)).verdicts == 1
    assert _log(other)[-1].kind is Kind.DISLIKE
    # What the other home says by now is later than all that the first export says.
    emptied = [row for row in content.splitlines() if json.loads(row)["kind"] != "verdict"]
    (old,) = [row for row in _lines(content, "verdict") if row["id"] == _log(read.home)[0].id]
    old_under_a_new_id = json.dumps(old | {"id": "from-somewhere", "verdict": "like"}).encode()
    told = _merged(other, b"\n".join([*emptied, old_under_a_new_id]))
    assert (told.verdicts, told.older) == (0, 1)


def test_seeds_stay_seeds_and_their_numbers_are_their_home_s(tmp_path: Path) -> None:
    homes = [DataFolder(tmp_path / "first"), DataFolder(tmp_path / "second")]
    for home, words in zip(homes, ("chess, tidal power", "opera, orchids"), strict=True):
        (tmp_path / "feeds.yaml").write_text("feeds: []\n")
        with NewsFilter.create(home.path, tmp_path / "feeds.yaml", clock=lambda: START) as news:
            news.imports.learn([], keywords=words)
    content = _exported(homes[0])
    assert {row["id"] for row in _lines(content, "verdict")} == {
        row["id"] for row in _lines(_exported(homes[1]), "verdict")
    }
    for _ in range(2):
        _merged(homes[1], content)
    with NewsFilter.open(homes[1].path, clock=lambda: LATER) as news:
        names = ["keywords opera, orchids", "keywords chess, tidal power"]
        assert [(each.name, each.seeds, each.standing) for each in news.imports.list()] == [
            (name, 2, 2) for name in names
        ]
        assert {each.title for each in news.imports.items(2)} == {"chess", "tidal power"}
        assert news.models.rebuild(check=True).verdicts == 4
        assert news.imports.undo(2) == 2
    # What was taken back there is taken back here, once.
    assert _merged(homes[0], _exported(homes[1])) == ImportView(0, 4, 2, 0, 2, Settings.NONE)
    assert {entry.kind for entry in _log(homes[0])} == {Kind.IMPORTED}
    assert len(_log(homes[0])) == 2
    assert _merged(homes[0], _exported(homes[1])) == ImportView(0, 0, 4, 2, 0, Settings.NONE)


def test_files_are_private_and_never_overwritten_unasked(read: Archive, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    view = export_to_file(read.home, file, at=LATER)
    assert (view.subscriptions, view.verdicts, view.articles) == (2, 9, 8)
    assert file.read_bytes() == _exported(read.home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(ExportError, match="is there already"):
        export_to_file(read.home, file, at=LATER)
    export_to_file(read.home, file, at=LATER, replace=True)
    with pytest.raises(ExportError, match="cannot be written"):
        export_to_file(read.home, tmp_path / "none" / "export.jsonl", at=LATER)
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
        ([], "no export"),
        ([ARTICLE], "no export"),
        ([FIRST | {"format": 2}], "newer iScore"),
        ([FIRST, {"kind": "program"}], ":2: unknown kind"),
        ([FIRST, []], ":2: is no JSON object"),
        ([FIRST, VERDICT], ":2: .*no line before"),
        ([FIRST, ARTICLE, VERDICT | {"verdict": "adore"}], ":3: "),
        ([FIRST, ARTICLE, VERDICT | {"id": ""}], ":3: 'id'"),
        ([FIRST, ARTICLE, VERDICT | {"at": "2026-03-02T01:00:00"}], "time zone"),
        ([FIRST, ARTICLE, VERDICT | {"at": "9999-12-31T23:59:59-12:00"}], "out of range"),
        ([FIRST, ARTICLE, VERDICT | {"tags": "abc"}], "right type"),
        ([FIRST, ARTICLE | {"url": "javascript:alert(1)"}], ":2: "),
        ([FIRST, ARTICLE | {"text": 7}], "right type"),
        ([FIRST, ARTICLE | {"links": True}], "right type"),
        ([FIRST, ARTICLE | {"links": -1}], "out of range"),
        ([FIRST, ARTICLE | {"title": "half \ud800"}], ":2: "),
        ([FIRST, {name: value for name, value in ARTICLE.items() if name != "text"}], "'text' is missing"),
        ([FIRST, SUBSCRIPTION | {"url": "file:///etc/passwd"}], ":2: "),
        ([FIRST, SUBSCRIPTION | {"interval": 1}], "interval"),
        ([FIRST, SUBSCRIPTION | {"tags": [["deep"]]}], "right type"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_nothing_is_taken(tmp_path: Path, rows: list[Any], problem: str) -> None:
    home = DataFolder(tmp_path / "home")
    with pytest.raises(ExportError, match=problem) as caught:
        _merged(home, "\n".join(map(json.dumps, rows)).encode())
    assert "\n" not in str(caught.value)
    assert not home.path.exists()


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\xfe", b"PK\x03\x04", b'{"kind": "iscore", "format": 1'])
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ExportError):
        _merged(DataFolder(tmp_path / "home"), content)
    with pytest.raises(ExportError, match=":2: "):
        _merged(DataFolder(tmp_path / "home"), json.dumps(FIRST).encode() + b"\n" + content)


def test_settings_that_cannot_be_used_are_left_out(tmp_path: Path) -> None:
    home = DataFolder(tmp_path / "home")
    for config in ("inbx_days = 7\n", "not toml at all"):
        rows = [FIRST, {"kind": "settings", "config": config}]
        assert _merged(home, "\n".join(map(json.dumps, rows)).encode()).settings is Settings.REFUSED
    assert "inbx" not in home.config.read_text()
    assert sorted(path.name for path in home.path.iterdir()) == ["config.toml", "feeds.yaml", "iscore.db"]


def test_the_commands(read: Archive, tmp_path: Path) -> None:
    def run(*arguments: str, given: bytes = b"") -> bytes:
        done = fork_server.run(*arguments, env={**os.environ, "ISCORE_NOW": LATER.isoformat()}, given=given.decode())
        assert done.returncode == 0, done.stderr
        return done.stdout.encode()

    content = run("--home", str(read.home.path), "export", "-")
    assert content == _exported(read.home)
    told = json.loads(run("--home", str(tmp_path / "new"), "import", "-", "--json", given=content))
    assert told["verdicts"] == 9
    assert told["settings"] == "taken"


def test_a_text_with_everything_in_it_comes_back(archive: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    text = "Zeile\u2028zwei\u0000 \"'\\ 🧭 日本語\n\nAbsatz\r\n"
    archive.store([replace(pieces[0], text=text)])
    archive.measure()
    archive.say(Kind.LIKE, 1)
    other = DataFolder(tmp_path / "new")
    _merged(other, _exported(archive.home))
    (row,) = _lines(_exported(other), "article")
    assert row["text"] == text
