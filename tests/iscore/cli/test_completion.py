"""Completion in a real bash, and help that can be typed as it stands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.text import Text

from iscore.cli import help_texts
from iscore.cli.app import app
from tests.iscore.cli.conftest import PROGRAM, Run

BASH = shutil.which("bash")
COMMANDS: Any = typer.main.get_command(app)
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash")


@pytest.fixture
def bash(tmp_path: Path) -> Any:
    """Run a script in bash, with the program on its path and a home directory of its own."""
    program = tmp_path / "bin" / "iscore"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(PROGRAM)} "$@"\n')
    program.chmod(0o755)

    def run_it(script: str) -> list[str]:
        done = subprocess.run(
            [BASH or "bash", "--norc", "-c", script],
            env={"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return run_it


def _completed(bash: Any, *words: str) -> list[str]:
    typed = " ".join(map(shlex.quote, words))
    complete = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _iscore_completion iscore"
    found: list[str] = bash(
        f'eval "$(_ISCORE_COMPLETE=source_bash iscore)"; {complete}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    return found


@needs_bash
def test_bash_completes_commands_and_options(bash: Any) -> None:
    assert _completed(bash, "iscore", "ba") == ["backup"]
    assert {"add", "remove", "list"} <= set(_completed(bash, "iscore", "feeds", ""))
    assert _completed(bash, "iscore", "prune", "--k") == ["--keep-days"]


@needs_bash
def test_it_installs_itself_for_bash(bash: Any, tmp_path: Path) -> None:
    bash("iscore --install-completion; true")
    (written,) = [line for line in (tmp_path / ".bashrc").read_text().splitlines() if line]
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert str(script) in written
    assert bash(f"{written}; complete -p iscore") == ["complete -o default -F _iscore_completion iscore"]


def _typed(lesson: str) -> list[str]:
    """Return the commands that a lesson shows."""
    shown = re.findall(r"\[dim\](.*?)\[/dim\]", lesson)
    return [found[0] for found in (re.findall(r"iscore [^|>]*", line) for line in shown) if found]


@pytest.mark.parametrize("lesson", [help_texts.PROGRAM, *help_texts.EPILOGS.values()])
def test_what_help_shows_can_be_typed(lesson: str) -> None:
    assert Text.from_markup(lesson).plain.strip()
    assert _typed(lesson)
    for line in _typed(lesson):
        words = shlex.split(line)[1:]
        if words[0] == "--home":
            words = words[2:]
        command = COMMANDS
        while words and hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        known = {name for option in command.params for name in option.opts} | {"--help"}
        assert {word for word in words if word.startswith("-")} <= known, line


def test_help_shows_the_lessons(run: Run) -> None:
    assert set(help_texts.EPILOGS) <= set(COMMANDS.commands)
    done = run("--help", COLUMNS="100")
    assert "Every day" in done.stdout
    assert "iscore like --digest 3 7" in done.stdout
    done = run("inbox", "--help", COLUMNS="100")
    assert "iscore inbox --json | jq -r '.[].title'" in done.stdout
