"""``iscore connect`` at the command line."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.cli import main
from tests.servers.reader_server import PASSWORD, STARRED, reader_server

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)


def test_connect_status_sync_and_remove(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("ISCORE_NOW", NOW.isoformat())
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")

    def said(*arguments: str, code: int = 0, typed: str = "") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert main([*arguments, "--home", str(home)]) == code, (arguments, capsys.readouterr())
        printed = capsys.readouterr()
        assert PASSWORD not in printed.out + printed.err
        return printed.out + printed.err

    said("init", "--feeds", str(tmp_path / "feeds.yaml"))
    (home / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
    assert "no other server is connected; `iscore connect freshrss" in said("connect", code=1)
    with reader_server() as server:
        server.add(1, "A walk by the harbour", "<p>Along the quay.</p>", NOW - timedelta(hours=2))
        server.entries[1].tags.add(STARRED)
        greader = ("connect", "greader", server.address, "--login", "anna")
        assert "does not accept this name and password" in said(*greader, code=1, typed="wrong\n")
        assert "no password was given" in said(*greader, code=1)
        assert "is not a web address" in said("connect", "greader", "ftp://a.example", "--login", "anna", code=1)
        assert "none: No such file" in said(*greader, "--password-file", str(tmp_path / "none"), code=1)
        (tmp_path / "secret").write_text(f"{PASSWORD}\nnot this\n")
        first = said(*greader, "--password-file", str(tmp_path / "secret"))
        assert f"Connected the server at {server.address}." in first
        assert "1 new article, 0 recommended, 1 verdict learned, 0 read there, 1 change made there." in first
        monkeypatch.setenv("ISCORE_CONNECT_PASSWORD", PASSWORD)
        assert json.loads(said("connect", "sync", "--json"))["new"] == 0
        status = said("connect", "status")
        assert f"{server.address}, as anna (greader)" in status
        assert "Synchronised just now: 1 feed, 1 item" in status
        assert "is connected already" in said("connect", "freshrss", server.address, "--login", "anna", code=1)
        assert "Removed 1 label." in said("connect", "remove")
        assert server.entries[1].tags == {STARRED}
        server.add(2, "A walk in the rain", "<p>Along the river.</p>", NOW - timedelta(hours=1))
        monkeypatch.setattr("iscore.services.connections.pull.MOST_NEW", 1)
        left_out = "Left out: new articles that come with the next synchronisations: 1"
        assert left_out in said(*greader)  # the variable has the password
        assert left_out in said("connect", "status")
        assert "Left there: 1 label." in said("connect", "remove", "--leave-labels")
