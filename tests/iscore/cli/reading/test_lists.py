"""Search, filter and clear lists, with the commands as users type them."""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.cli import main
from storage.log import decisions
from storage.records.articles import Article
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER
from tests.iscore.cli.pseudo_terminal import Terminal
from tests.iscore.conftest import START, Archive
from tests.servers.fork_server import PROGRAM

NOW = START + timedelta(hours=30)


class Reader:
    """A user whose inbox has sixty articles less the duplicates, all to explore."""

    def __init__(self, archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
        self.home: Path = archive.home.path
        self.leaders: list[Article] = archive.leaders()
        self._capsys = capsys

    def types(self, *arguments: str) -> tuple[int, str, str]:
        """Run a command; return its exit code and what it printed."""
        self._capsys.readouterr()
        code = main(["--home", str(self.home), *arguments])
        return code, *self._capsys.readouterr()

    def reads(self, *arguments: str) -> Any:
        """Run a command with ``--json``, which must succeed, and return its document."""
        code, out, err = self.types(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    def terminal(self, *arguments: str) -> Terminal:
        """Run a command in a terminal of its own."""
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
        return Terminal([sys.executable, "-c", PROGRAM, "--home", str(self.home), *arguments], environment)

    def inbox(self, *options: str) -> set[str]:
        """List the ids of the inbox."""
        return {item["id"] for item in self.reads("inbox", "--limit", "100", *options)}


@pytest.fixture
def reader(filled: Archive, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.setenv("ISCORE_NOW", NOW.isoformat())
    filled.home.feeds.write_text(
        "feeds:\n  - url: https://news.example/feed\n    title: Morning &#8211; paper\n    tags: [daily]\n"
    )
    filled.news.subscriptions.follow()
    with filled.database.write() as tx:
        half_a_day = 12 * 3600 * 1_000_000
        earlier = f"arrived - (seq % 3) * {half_a_day}"
        tx.connection.exec_driver_sql(f"UPDATE articles SET published = {earlier}, dated = {earlier}")
        rows = [Decision(LOCAL_USER, each.seq, -1.0, 0.0, False, True, 1.0, START) for each in filled.leaders()]
        decisions.add(tx, rows)
    return Reader(filled, capsys)


def numbered(digest: Any) -> list[Any]:
    """List the stories of a digest."""
    return [each for part in ("recommended", "stories", "rare", "explore") for each in digest[part]]


def test_search_finds_what_is_in_the_inbox_and_what_is_not(reader: Reader) -> None:
    wanted = reader.leaders[7]
    (found,) = (each for each in reader.reads("search", wanted.title) if each["id"] == wanted.id)
    assert found["title"] == wanted.title
    assert found["verdict"] is None
    reader.types("dislike", wanted.id)
    word = wanted.text.split()[3]
    code, out, _ = reader.types("search", f'"{wanted.title}"')
    assert code == 0
    assert f"{wanted.id}  {wanted.title}" in out
    assert "disliked" in out
    assert word
    assert reader.types("search", "quicksilverish")[:2] == (0, "Nothing found.\n")
    assert "nothing to search for" in reader.types("search", "--", "--!")[2]


def test_filters_restrict_every_list(reader: Reader) -> None:
    everything = reader.inbox()
    assert len(everything) == len(reader.leaders)
    assert reader.inbox("--tag", "DAILY") == reader.inbox("--source", "news.example") == everything
    languages = {each.language for each in reader.leaders}
    assert set().union(*(reader.inbox("--language", code) for code in languages)) == everything
    dates = {each.id: each.published or each.arrived for each in reader.leaders}
    recent = {each for each, at in dates.items() if at >= NOW - timedelta(hours=36)}
    assert 0 < len(recent) < len(everything)
    assert reader.inbox("--since", "36h") == recent
    assert len(reader.reads("search", "the", "--since", "36h")) <= len(recent)
    digest = reader.reads("digest")
    shown = reader.reads("digest", "--since", "36h")
    numbers = {each["item"]["id"]: each["number"] for each in numbered(digest)}
    assert digest["filtered"] is False
    kept = {each: number for each, number in numbers.items() if each in recent}
    assert 0 < len(kept) < len(numbers)
    assert {each["item"]["id"]: each["number"] for each in numbered(shown)} == kept
    assert "fits" in reader.types("digest", "--language", "xx")[1]
    assert "fits" in reader.types("inbox", "--language", "xx")[1]
    for wrong in (["--source", "Mourning paper"], ["--tag", "dayly"], ["--since", "soon"]):
        for command in (["inbox"], ["digest"], ["search", "the"]):
            code, _, err = reader.types(*command, *wrong)
            assert code in (1, 2)
            assert repr(wrong[1]) in err


def test_a_list_names_feeds_as_the_user_does(reader: Reader) -> None:
    assert {item["source"] for item in reader.reads("inbox")} == {"Morning – paper"}
    first = reader.leaders[0].id
    assert reader.reads("show", first)["source"] == "Morning – paper"
    assert reader.reads("why", first)["article"]["sources"] == ["Morning – paper"]
    assert {each["item"]["source"] for each in numbered(reader.reads("digest"))} == {"Morning – paper"}
    reader.types("feeds", "remove", "https://news.example/feed")
    assert reader.reads("show", first)["source"] == "news.example"


def test_many_are_skipped_and_brought_back(reader: Reader) -> None:
    everything = reader.inbox()
    old = everything - reader.inbox("--since", "36h")
    assert {each["id"] for each in reader.reads("skip", "--older-than", "36h", "--yes")} == old
    assert reader.inbox() == everything - old
    assert {each["verdict"] for each in reader.reads("undo", "--last")} == {"undo"}
    assert reader.inbox() == everything
    code, out, _ = reader.types("skip", "--all", "--source", "morning", "-y")
    assert (code, out) == (0, f"Skipped {len(everything)} articles. `iscore undo --last` brings them back.\n")
    assert reader.inbox() == set()
    assert reader.types("skip", "--all")[1] == "Nothing to skip.\n"
    assert reader.types("undo", "--last")[1] == f"Undid {len(everything)} verdicts.\n"
    assert reader.inbox() == everything
    assert reader.types("undo", "--last")[1] == "Nothing to undo.\n"


def test_undo_last_goes_back_command_by_command(reader: Reader) -> None:
    one, two, three = (each.id for each in reader.leaders[:3])
    reader.types("like", one)
    reader.types("dislike", two, three)
    assert [each["id"] for each in reader.reads("undo", "--last")] == [two, three]
    assert [each["id"] for each in reader.reads("undo", "--last")] == [one]


def test_many_are_not_skipped_without_a_word(reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    everything = reader.inbox()
    code, _, err = reader.types("skip", "--all")
    assert code == 2
    assert "--yes" in err
    for wrong in (
        ["skip"],
        ["skip", "--all", reader.leaders[0].id],
        ["undo"],
        ["undo", "--last", reader.leaders[0].id],
    ):
        assert reader.types(*wrong)[0] == 2
    with reader.terminal("skip", "--all") as terminal:
        terminal.reads(f"Skip {len(everything)} articles? [y/N]")
        terminal.types("n\n")
        assert terminal.ends() == 1
    assert reader.inbox() == everything


def test_an_article_without_a_title_is_called_by_its_first_sentence(reader: Reader, filled: Archive) -> None:
    names = {
        "Low water today.": "Low water today.",
        "Boats [bold]stay[/] in \x1b[31mport.": "Boats [bold]stay[/] in port.",
        "Is it open? Nobody knows.": "Is it open?",
        "A line\n\nA paragraph.": "A line",
        "": "(untitled)",
    }
    chosen = dict(zip(reader.leaders, names, strict=False))
    with filled.database.write() as tx:
        for each, text in chosen.items():
            tx.connection.exec_driver_sql("UPDATE articles SET title = '' WHERE seq = ?", (each.seq,))
            tx.connection.exec_driver_sql("UPDATE texts SET text = ? WHERE seq = ?", (text, each.seq))
    listed = reader.types("inbox", "--limit", "100")[1]
    for each, text in chosen.items():
        name = names[text]
        shown = reader.types("show", each.id)[1]
        assert (name in listed, shown.splitlines()[0]) == (True, name)
        last = text.replace("\x1b[31m", "").rpartition("\n")[2]
        assert not text or shown.count(last) == 1
        assert ("(no text)" in shown) == (not text)
        assert f": {name} [{each.id}]" in reader.types("like", each.id)[1]
    exported = [json.loads(line) for line in reader.types("export", "-")[1].splitlines()]
    assert {each["text"]: each["title"] for each in exported if each["kind"] == "article"} == dict.fromkeys(names, "")
