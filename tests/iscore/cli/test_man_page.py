"""The page for man: whole, and such as roff reads without a warning."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
import typer

from iscore.cli import main
from iscore.cli.app import app


def page(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["--man"]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(shutil.which("man") is None or shutil.which("groff") is None, reason="there is no man")
def test_man_shows_every_command_with_its_options_and_warns_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        ["man", "--warnings", "-l", "-"],
        input=page(capsys),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "200", "MANPAGER": "cat", "MAN_KEEP_FORMATTING": ""},
    )
    assert done.stderr == ""
    shown = " ".join(done.stdout.split())
    program = typer.main.get_command(app)
    names = {
        f"iscore {' '.join(filter(None, (group, name)))}"
        for group, commands in [
            ("", program.commands),
            *((n, getattr(c, "commands", {})) for n, c in program.commands.items()),
        ]  # type: ignore[attr-defined]
        for name, command in commands.items()
        if not hasattr(command, "commands")
    }
    assert len(names) > 40
    assert [name for name in sorted(names) if f"{name} [OPTIONS]" not in shown] == []
    for option in ("--home", "--digest", "--keep-days", "--with-passwords", "--protocol"):
        assert f" {option}" in shown
    assert "jq -r '.[].title'" in shown
    assert "[dim]" not in shown
    assert "\\" not in shown.replace("\\n", "")


def test_nothing_of_it_is_taken_for_a_request_by_accident(capsys: pytest.CaptureFixture[str]) -> None:
    requests = {line.split()[0] for line in page(capsys).splitlines() if line.startswith((".", "'"))}
    assert requests == {'.\\"', ".TH", ".SH", ".SS", ".PP", ".TP"}
