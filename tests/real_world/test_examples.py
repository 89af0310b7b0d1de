"""Every example in the program's help works, run as it is by a user with one data folder for a day."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from iscore.cli import usage
from iscore.cli.app import app
from tests.real_world.day import a_day

EXAMPLE = re.compile(r"^ +(iscore \S+(?: \S+)*)", re.MULTILINE)
A_DAY = (
    "init",
    "feeds add",
    "feeds list",
    "poll",
    "inbox",
    "show",
    "why",
    "digest",
    "search",
    "like",
    "dislike",
    "skip",
    "undo",
    "review",
    "interests add",
    "interests list",
    "interests weaken",
    "interests remove",
    "interests undo",
    "interests learn-from",
    "interests imported list",
    "interests imported show",
    "interests imported undo",
    "rules test",
    "rules add",
    "rules list",
    "rules remove",
    "mail test",
    "mail send",
    "mail list",
    "status",
    "stats",
    "feeds check",
    "feeds export",
    "feeds remove",
    "feeds import",
    "model rebuild",
    "replay",
    "doctor",
    "backup",
    "restore",
    "export",
    "import",
    "prune",
    "schedule",
    "run",
    "interests headlines",
    "interests check",
    "serve",
    "settings list",
    "settings set",
    "reading",
    "edit",
    "users invite",
    "users add",
    "users list",
    "users password",
    "users role",
    "users rename",
    "users remove",
    "users import",
)
"""Each command leaves what the next one needs."""
ELSEWHERE = {
    "migrate-database": "tests/iscore/cli/operating/test_postgresql.py moves a database to a server and back",
    "worker": "tests/iscore/jobs/workers runs it on a server",
    "demo": "tests/iscore/evaluation/test_demo.py runs it",
    **{
        f"connect {name}": "tests/iscore/cli/operating/test_connect.py connects a server"
        for name in ("freshrss", "miniflux", "greader", "status", "sync", "remove")
    },
}


def _commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _commands(inner, f"{path} {name}".strip())


def _arguments(line: str) -> str:
    """Return a command line without the program's name and its data folder."""
    return re.sub(r"^iscore (--home \S+ )?", "", line)


def _examples() -> dict[str, list[str]]:
    """Return the examples of each command in its own help."""
    found: dict[str, list[str]] = {}
    for path, command in _commands(typer.main.get_command(app)):
        own = EXAMPLE.findall(command.callback.__doc__ or "")
        found[path] = list(dict.fromkeys(each for each in own if _arguments(each).startswith(path)))
    return found


EXAMPLES = _examples()


def test_every_command_has_an_example_of_its_own() -> None:
    assert [path for path, examples in EXAMPLES.items() if not examples] == []


def test_a_day_has_every_command() -> None:
    assert {*A_DAY, *ELSEWHERE} == set(EXAMPLES)


def test_commands_in_the_general_help_exist() -> None:
    named = EXAMPLE.findall(" ".join([usage.PROGRAM, *usage.EPILOGS.values()]))
    assert len(named) > 15
    for line in named:
        words = shlex.split(_arguments(line))
        assert any(" ".join(words[:length]) in EXAMPLES for length in (1, 2, 3)), line


@pytest.mark.long
def test_a_day_of_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with a_day(tmp_path, monkeypatch, capsys) as (day, mail):
        for path in A_DAY:
            for line in EXAMPLES[path]:
                answer = day.type(line)
                assert (answer.code, "Traceback" in answer.err) == (0, False), f"{line}\n{answer.err}\n{answer.out}"
                assert (answer.out + answer.err).strip(), line
        assert len(mail.received) == 2
    assert (tmp_path / "today.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "other" / "iscore.db").exists()
