"""``iscore interests`` at the command line, with its questions on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from iscore.cli import SUCCESS, main
from iscore.services.session.user_session import UserContext
from storage.log import feedback
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.cli.operating.test_restore import PROGRAM
from tests.iscore.cli.pseudo_terminal import CONTROLLED, Terminal
from tests.iscore.conftest import START, Archive


def kinds(archive: Archive) -> list[Kind]:
    with archive.database.read() as tx:
        return [entry.kind for entry in feedback.effective(tx, LOCAL_USER)]


def test_interests_by_command(filled: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def types(*words: str, code: int = SUCCESS) -> str:
        assert main(("--home", str(filled.home.path), *words)) == code
        captured = capsys.readouterr()
        return captured.out if code == SUCCESS else captured.err

    assert types("interests").startswith("No interests yet.")
    added = types("interests", "add", "offshore wind in the North Sea", "battery storage")
    assert added == "Added offshore wind in the North Sea.\nAdded battery storage.\n"
    assert types("interests", "add", "battery storage") == "Known already: battery storage.\n"
    types("interests", "add", "tidal power", "--name", "BATTERY STORAGE")
    assert types("interests", "weaken", "batt") == "Weakened battery storage to 50 % of its weight.\n"
    assert types("interests") == (
        "offshore wind in the North Sea · in words\n"
        "battery storage · in 2 phrases · 50 % of its weight\n"
        "    tidal power\n"
    )
    assert types("interests", "--json") == types("interests", "list", "--json")
    file = tmp_path / "liked.txt"
    file.write_text("https://a.example/1 Wind at sea\n")
    assert types("interests", "learn-from", str(file), "--name", "offshore w") == "1 new item of 1\n"
    assert [each["name"] for each in json.loads(types("interests", "list", "--json"))][2:] == ["offshore w"]
    assert "offshore w · 1 example\n" in types("interests")
    assert types("interests", "remove", "battery") == "Removed battery storage.\n"
    undone = "Undid the last change of battery storage: now in 2 phrases, 50 % of its weight.\n"
    assert types("interests", "undo", "battery") == undone
    assert json.loads(types("interests", "remove", "battery", "--json")) == {
        "name": "battery storage", "changed": 2, "examples": 0, "weight": 0.0, "phrases": 0,
    }  # fmt: skip
    assert "matches 2 interests" in types("interests", "remove", "offshore", code=1)
    assert "no interest 'solar'" in types("interests", "weaken", "solar", code=1)
    assert "has no words" in types("interests", "add", " ", code=1)
    assert "--name takes one text" in types("interests", "add", "a b", "c d", "--name", "x", code=2)
    assert "`iscore interests add` takes words" in types("interests", "learn-from", "chess", code=1)


def test_headlines_by_command(filled: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    def types(*words: str, code: int = SUCCESS) -> str:
        assert main(("--home", str(filled.home.path), *words)) == code
        captured = capsys.readouterr()
        return captured.out if code == SUCCESS else captured.err

    assert "no headlines are waiting" in types("interests", "headlines", "--like", "3", code=1)
    shown = json.loads(types("interests", "headlines", "--json"))
    assert [each["number"] for each in shown] == list(range(1, len(shown) + 1))
    listed = types("interests", "headlines").splitlines()
    assert all(re.match(r" {3,4}\S| ?\d+  \S", each) for each in listed)  # wrapped lines start below the title
    assert " — " in "".join(listed[:4])
    assert f" 3  {shown[2]['title'][:20]}" in "\n".join(listed)
    assert "'x' is not a number" in types("interests", "headlines", "--like", "3,x", code=2)
    assert f"the numbers are 1 to {len(shown)}" not in types("interests", "headlines", "--like", "400", code=1)
    assert kinds(filled) == []
    recorded = types("interests", "headlines", "--like", "3, 7;12 3")
    assert recorded == f"Recorded 3 likes and {len(shown) - 3} dislikes.\n"
    assert [number for number, kind in enumerate(kinds(filled), start=1) if kind is Kind.LIKE] == [3, 7, 12]
    types("undo", "--last")
    assert kinds(filled) == []


def test_hidden_stories_are_checked_by_command(
    filled: Archive, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UserContext, "inbox_start", lambda _: START)  # as on the day of these stories

    def types(*words: str) -> str:
        assert main(("--home", str(filled.home.path), *words)) == SUCCESS
        return capsys.readouterr().out

    assert types("interests", "check") == "Nothing is hidden.\n"
    filled.tell([(Kind.LIKE, each.seq) for each in filled.leaders()[:4]])
    filled.news.polling.decide()
    assert "no hidden story checked yet; `iscore interests check` shows ten" in " ".join(types("status").split())
    shown = json.loads(types("interests", "check", "--json"))
    assert [each["number"] for each in shown] == list(range(1, 11))
    assert types("interests", "check", "--like", "2") == "Recorded 1 like and 9 dislikes.\n"
    assert "of 10 hidden stories that you checked you like 1 (2–40 %)" in " ".join(types("status").split())
    checked = json.loads(types("status", "--json"))["checked"]
    assert (checked["checked"], checked["liked"]) == (10, 1)


def test_headlines_on_a_terminal_are_recorded_after_a_confirmation(filled: Archive) -> None:
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    words = ["--home", str(filled.home.path), "interests", "headlines"]
    command = [sys.executable, "-c", CONTROLLED + PROGRAM, *words]
    with Terminal(command, {**environment, "TERM": "xterm"}, columns=200) as terminal:
        terminal.reads("Numbers of those you like")
        terminal.types("2 999\n")
        terminal.reads("the numbers are 1 to")
        terminal.types("two\n")
        terminal.reads("'two' is not a number")
        terminal.types("2 4\n")
        terminal.reads("Record 2 likes and")
        assert kinds(filled) == []
        terminal.types("y\n")
        assert terminal.ends() == SUCCESS
        terminal.reads("Recorded 2 likes and")
    assert kinds(filled).count(Kind.LIKE) == 2
