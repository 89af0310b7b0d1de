"""Completion in a real bash; the help's examples can be typed as they are."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from iscore import __version__
from iscore.cli import main, options, usage
from iscore.cli.app import app
from storage.log import decisions
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.conftest import START, Archive
from tests.servers.fork_server import PROGRAM

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


@needs_bash
def test_bash_completes_commands_and_options(bash: Any) -> None:
    def completed(*words: str) -> str:
        typed = " ".join(map(shlex.quote, words))
        complete = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _iscore_completion iscore"
        return f'{complete}; echo "${{COMPREPLY[@]}}"'

    typed = [completed("iscore", "ba"), completed("iscore", "feeds", ""), completed("iscore", "prune", "--k")]
    command, of_feeds, option = bash("\n".join(['eval "$(_ISCORE_COMPLETE=source_bash iscore)"', *typed]))
    assert command == "backup"
    assert {"add", "remove", "list"} <= set(of_feeds.split())
    assert option == "--keep-days"


@needs_bash
def test_it_installs_itself_for_bash(bash: Any, tmp_path: Path) -> None:
    bash("iscore --install-completion; true")
    (written,) = [line for line in (tmp_path / ".bashrc").read_text().splitlines() if line]
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert str(script) in written
    assert bash(f"{written}; complete -p iscore") == ["complete -o default -F _iscore_completion iscore"]


def _typed(lesson: str) -> list[str]:
    """Return the commands that a lesson shows."""
    return [line.partition("  ")[0] for line in re.findall(r"^    .*?(iscore [^|>\n]*)", lesson, re.MULTILINE)]


@pytest.mark.parametrize("lesson", [usage.PROGRAM, *usage.EPILOGS.values()])
def test_what_help_shows_can_be_typed(lesson: str) -> None:
    assert _typed(lesson) or "`iscore " in lesson
    for line in _typed(lesson):
        words = shlex.split(line)[1:]
        if words[0] == "--home":
            words = words[2:]
        command = COMMANDS
        while words and hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        known = {name for option in command.params for name in option.opts} | {"--help"}
        assert {word for word in words if word.startswith("-")} <= known, line


def test_help_shows_the_lessons(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert set(usage.EPILOGS) <= set(COMMANDS.commands)
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "Every day" in shown
    assert "iscore like --digest 3 7" in shown
    assert main(["inbox", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "\nExamples:\n  iscore inbox --limit 10\n" in shown
    assert "\n  iscore like k3f9 m81x\n" in shown


def _pages(command: Any, path: str = "iscore") -> Iterator[tuple[str, str]]:
    with typer.Context(command, info_name=path) as ctx:
        yield path, command.get_help(ctx)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _pages(inner, f"{path} {name}")


@pytest.mark.parametrize(("path", "page"), [*_pages(COMMANDS)])
def test_help_has_no_types_no_empty_lines_between_examples_and_says_nothing_twice(path: str, page: str) -> None:
    lines = page.splitlines()
    assert [line for line in lines if re.search(r"<[a-z\[]|\[x|x[<>]=|\[\[|\[dim", line)] == []
    assert "\n\n\n" not in page
    shown = [line.strip() for line in lines if line.startswith("  iscore ")]
    assert len(shown) == len(set(shown))
    assert lines[0].startswith(f"Usage: {path}")


def test_help_and_version_are_found_as_people_look_for_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "feeds", "add"]) == main(["feeds", "add", "--help"]) == 0
    first, second = capsys.readouterr().out.split("Usage: ")[1:]
    assert first == second
    assert main(["help", "feed"]) == 2
    assert "Did you mean 'feeds'" in capsys.readouterr().err
    assert main(["help"]) == main(["-V"]) == 0
    assert capsys.readouterr().out.endswith(f"iscore {__version__}\n")


def test_articles_feeds_and_tags_are_completed(filled: Archive) -> None:
    filled.home.feeds.write_text(
        "feeds:\n  - url: https://news.example/feed\n    title: Morning paper\n    tags: [daily]\n"
    )
    filled.news.subscriptions.follow()
    first, *_ = leaders = filled.leaders()
    with filled.database.write() as tx:
        rows = [Decision(LOCAL_USER, each.seq, 1.0, 0.0, True, False, 1.0, START) for each in leaders]
        decisions.add(tx, rows)
    filled.news.give(Kind.LIKE, [leaders[1].id])

    def offered(complete: Any, text: str) -> list[tuple[str, str]]:
        root = typer.Context(COMMANDS, info_name="iscore")
        root.params["home"] = filled.home.path
        found: list[tuple[str, str]] = complete(typer.Context(COMMANDS, parent=root), text)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISCORE_NOW", START.isoformat())
        assert offered(options.article_ids, first.id[:4].upper()) == [(first.id, first.title)]
        assert offered(options.rated_ids, "") == [(leaders[1].id, leaders[1].title)]
        assert offered(options.feed_names, "mor") == [("Morning paper", "https://news.example/feed")]
        assert offered(options.feed_addresses, "https") == [("https://news.example/feed", "Morning paper")]
        assert offered(options.tags, "") == [("daily", "")]
        filled.home.path.joinpath("iscore.db").unlink()
        assert offered(options.tags, "") == []
