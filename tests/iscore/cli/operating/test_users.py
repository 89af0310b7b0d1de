"""``iscore users`` and ``--user`` at the command line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from iscore.cli import main


def test_people_are_added_named_listed_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = ["--home", str(tmp_path / "home")]

    def said(*arguments: str, code: int = 0, typed: str = "") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert main([*arguments, *home]) == code, arguments
        printed = capsys.readouterr()
        return printed.out + printed.err

    said("init")
    assert "local is called Bert now" in said("users", "rename", "local", "Bert")
    added = said("users", "add", "Anna Smith", "--time-zone", "Europe/Rome")
    assert "feeds.yaml.moved-" in added
    assert "--user 'Anna Smith'" in added
    said("--user", "anna smith", "feeds", "add", "--no-discovery", "https://orchard.example/feed")
    assert said("feeds", "list", "--user=Anna Smith").count("https://orchard.example/feed") == 1
    assert "orchard.example" not in said("feeds", "list")
    assert "Password of Bert set" in said("users", "password", "bert", typed="a long password\n")
    assert "Anna Smith: reader, 1 feed, Europe/Rome, no password" in said("users")
    assert "no user is called 'Eve' in this data folder; the users are Bert, Anna Smith" in said(
        "inbox", "--user", "Eve", code=1
    )
    assert "only admin" in said("users", "role", "Bert", "reader", code=1)
    assert "--json does not ask" in said("users", "remove", "Anna Smith", "--json", code=2, typed="y\n")
    assert "Deleted Anna Smith" in said("users", "remove", "Anna Smith", "--yes")
    monkeypatch.setenv("ISCORE_USER", "Anna Smith")
    assert "no user is called 'Anna Smith'" in said("status", code=1)
