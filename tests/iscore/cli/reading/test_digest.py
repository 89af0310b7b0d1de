"""``iscore digest`` into files of every kind, and verdicts by the numbers of a day."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from iscore.cli import main
from iscore.cli.reading.digest import write_whole
from iscore.services.news_filter import NewsFilter
from storage.log import decisions
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER
from tests.iscore.conftest import Archive, Piece

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def monday(pieces: list[Piece], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed data folder with sixteen stories recommended and one to explore."""
    archive = Archive(tmp_path_factory.mktemp("monday") / "home")
    archive.home.config.write_text('time_zone = "UTC"\n')
    archive.store(pieces[:40], at=MONDAY)
    archive.measure()
    NewsFilter(archive.home, archive.database, lambda: MONDAY).models.rebuild()
    with archive.database.write() as tx:
        decided = [
            Decision(LOCAL_USER, article.seq, 16.0 - n, 0.5, n < 16, n == 20, 0.1, MONDAY)
            for n, article in enumerate(archive.leaders())
        ]
        decisions.add(tx, decided)
    archive.database.close()
    return archive.home.config.parent


@pytest.fixture
def archive(monday: Path, tmp_path: Path) -> Iterator[Archive]:
    """A copy of it that a test may change."""
    made = Archive.copied(monday, tmp_path / "home")
    yield made
    made.database.close()


@pytest.fixture
def home(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy's folder; the time is that of the articles' arrival."""
    monkeypatch.setenv("ISCORE_NOW", MONDAY.isoformat())
    return archive.home.config.parent


def typed(home: Path, *arguments: str) -> int:
    return main(["--home", str(home), *arguments])


def test_the_format_follows_the_option_or_the_ending(home: Path, tmp_path: Path, capsys: Capture) -> None:
    atom, page, text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed ',
        "<!doctype html>",
        "iScore · Monday, 2 March 2026\n",
    )
    for name, begins in (
        ("today.html", page),
        ("today.HTM", page),
        ("recommended.atom", atom),
        ("recommended.xml", atom),
        ("recommended.json", '{\n "version": "https://jsonfeed.org/version/1.1"'),
        ("today.txt", text),
        ("today", text),
    ):
        assert typed(home, "digest", "--output", str(tmp_path / name)) == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
    assert typed(home, "digest", "--format", "json-feed", "--output", str(tmp_path / "today.html")) == 0
    assert len(json.loads((tmp_path / "today.html").read_text(encoding="utf-8"))["items"]) == 16
    capsys.readouterr()
    assert typed(home, "digest", "--format", "atom") == 0
    assert len(ET.fromstring(capsys.readouterr().out).findall("{http://www.w3.org/2005/Atom}entry")) == 16
    # The JSON document is the same for every format.
    assert typed(home, "digest", "--json", "--output", str(tmp_path / "feed.atom")) == 0
    out, err = capsys.readouterr()
    view: dict[str, Any] = json.loads(out)
    assert err == f"Wrote {tmp_path / 'feed.atom'}.\n"
    assert (len(view["recommended"]), len(view["explore"]), view["date"]) == (16, 1, "2026-03-02")
    assert (tmp_path / "feed.atom").read_text(encoding="utf-8").startswith("<?xml")


def test_a_feed_grows_and_keeps_what_it_had(
    home: Path, tmp_path: Path, archive: Archive, pieces: list[Piece], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "recommended.json"

    def ids() -> list[str]:
        assert typed(home, "digest", "--output", str(place)) == 0
        return [item["id"] for item in json.loads(place.read_text(encoding="utf-8"))["items"]]

    monday = ids()
    tuesday = MONDAY + timedelta(days=1)
    archive.store(pieces[40:50], at=tuesday)
    archive.measure()
    monkeypatch.setenv("ISCORE_NOW", tuesday.isoformat())
    with archive.database.write() as tx:
        decisions.add(
            tx,
            [Decision(LOCAL_USER, article.seq, 5.0, 0.5, True, False, 1.0, tuesday) for article in archive.leaders()],
        )
    both = ids()
    assert both[-16:] == monday
    assert len(both) > 16
    assert typed(home, "digest", "--date", "2026-03-02", "--output", str(place)) == 0
    assert [item["id"] for item in json.loads(place.read_text(encoding="utf-8"))["items"]] == monday


def test_nobody_reads_half_a_file(tmp_path: Path) -> None:
    """Read the file continuously while it is rewritten."""
    place = tmp_path / "recommended.json"
    contents = ["a" * 3_000_000, "b" * 2_000_000]
    write_whole(place, contents[0])
    place.chmod(0o640)
    done = threading.Event()
    seen: set[str] = set()

    def look() -> None:
        while not done.is_set():
            seen.add(place.read_text(encoding="utf-8"))

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(24):
        write_whole(place, contents[number % 2])
        assert place.read_text(encoding="utf-8") == contents[number % 2]
    done.set()
    reader.join()
    assert seen <= set(contents)
    assert place.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["recommended.json"]


def test_a_link_stays_a_link_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real.html", tmp_path / "link.html", tmp_path / "pipe"
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, "new")
    assert (link.is_symlink(), real.read_text(encoding="utf-8")) == (True, "new")
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert (read, pipe.is_fifo()) == (["through"], True)


def test_verdicts_by_number_mean_the_day_that_is_named(
    home: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed(home, "digest", "--json") == 0
    monday = json.loads(capsys.readouterr().out)
    monkeypatch.setenv("ISCORE_NOW", (MONDAY + timedelta(days=1)).isoformat())
    assert typed(home, "like", "--date", "2026-03-02", "2", "--json") == 0
    (liked,) = json.loads(capsys.readouterr().out)
    assert liked["id"] == monday["recommended"][1]["item"]["id"]
    assert typed(home, "undo", "--digest", "--date", "2026-03-02", "2") == 0
    assert "undid like" in capsys.readouterr().out
    assert typed(home, "dislike", "--date", "2026-03-01", "1") == 1
    assert capsys.readouterr().err == ("iscore: no digest of 2026-03-01 was made; `iscore digest` makes today's\n")
    assert typed(home, "skip", "--date", "2026-03-02", "k3f9") == 2


def test_a_wrong_address_in_the_settings_is_one_line(archive: Archive, capsys: Capture) -> None:
    archive.home.config.write_text('serve_address = "my server"\n')
    assert typed(archive.home.config.parent, "digest") == 1
    err = capsys.readouterr().err
    assert "setting 'serve_address': write a full address like http://127.0.0.1:8473" in err
    assert len(err.splitlines()) == 1
