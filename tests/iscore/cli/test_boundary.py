"""Exit codes, one line for each mistake, and no heavy imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from iscore import __version__
from iscore.cli import global_options_apart, main

LOADED = """
import sys
from iscore.cli import main
code = main()
print("loaded", *sorted(name for name in sys.modules if "." not in name), file=sys.stderr)
sys.exit(code)
"""
HEAVY = {"numpy", "numba", "scipy", "sklearn", "alembic", "sqlalchemy", "aiohttp", "feedparser", "pydantic", "jinja2"}


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run ``iscore`` in this process, where there is no data folder; return its exit code and what it printed."""
    monkeypatch.setenv("ISCORE_HOME", str(tmp_path / "none"))

    def run_it(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        return code, *capsys.readouterr()

    return run_it


def test_the_version_is_printed(run) -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"iscore {__version__}\n", "")


def test_without_a_command_the_help_is_printed(run) -> None:
    done = run()
    assert done.returncode == 0
    assert done.stderr == ""
    for command in ("init", "feeds", "poll", "inbox", "show", "why", "like", "dislike", "skip", "undo"):
        assert f" {command} " in done.stdout
    for command in ("digest", "status", "model", "demo"):
        assert f" {command} " in done.stdout


def test_help_loads_nothing_heavy(run) -> None:
    done = run("--help", program=LOADED)
    loaded = set(done.stderr.split())
    assert done.returncode == 0
    assert {"loaded", "typer", "iscore"} <= loaded
    assert not loaded & {*HEAVY, "storage", "prompt_toolkit"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["inbox", "--nonsense"],
        ["inbox", "--limit", "0"],
        ["inbox", "--limit", "many"],
        ["like"],
        ["like", "--digest", "x"],
        ["like", "--digest", "-3"],
        ["digest", "--date", "yesterday"],
        ["digest", "--format", "pdf"],
        ["feeds", "add"],
        ["model"],
        ["poll", "--home"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_exit_code_2(here, tmp_path: Path, arguments: list[str]) -> None:
    code, out, err = here(*arguments)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("iscore: ")
    assert line.endswith("--help`)")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "arguments",
    [["inbox"], ["poll"], ["like", "abcd"], ["digest"], ["status"], ["feeds", "list"], ["model", "rebuild"]],
    ids=" ".join,
)
def test_a_missing_home_is_one_line_and_exit_code_1(here, tmp_path: Path, arguments: list[str]) -> None:
    said = f"iscore: {tmp_path / 'none'}: no data folder here; `iscore init` creates one\n"
    assert here(*arguments) == (1, "", said)
    assert not (tmp_path / "none").exists()


def test_a_foreign_database_is_one_line_and_stays_as_it_is(run, foreign_home: Path) -> None:
    before = (foreign_home / "iscore.db").read_bytes()
    done = run("inbox", "--home", str(foreign_home))
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "not an iScore database" in done.stderr
    assert [path.name for path in foreign_home.iterdir()] == ["iscore.db"]
    assert (foreign_home / "iscore.db").read_bytes() == before


FAILING = """
import sys
import iscore.cli
def fail(arguments):
    raise {error}
iscore.cli._run = fail
sys.exit(iscore.cli.main())
"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("KeyError('a\\x1b[31m\\nb')", "iscore: unexpected KeyError: 'a\\x1b[31m\\nb' -- please report"),
        ("RuntimeError('a\\x1b[31m\\nb')", "iscore: unexpected RuntimeError: a b -- please report"),
        ("PermissionError(13, 'Permission denied', '/a\\x1b[1mb')", "iscore: /ab: Permission denied"),
    ],
)
def test_an_unexpected_error_is_one_clean_line(run, error: str, message: str) -> None:
    done = run(program=FAILING.format(error=error))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(message)


def test_a_traceback_is_for_who_asks_for_it(run) -> None:
    done = run(program=FAILING.format(error="RuntimeError('x')"), ISCORE_DEBUG="1")
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr


INTERRUPTED = "iscore: interrupted; everything recorded so far is kept\n"


def test_interrupting_is_exit_code_130_and_one_line(run) -> None:
    done = run(program=FAILING.format(error="KeyboardInterrupt"))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", INTERRUPTED)


def test_an_interrupt_inside_a_command_is_exit_code_130() -> None:
    program = """
import signal, sys, time
import iscore.cli, iscore.cli.app
# A shell ignores interrupts in background jobs, and child processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
@iscore.cli.app.app.command()
def wait():
    print("waiting", flush=True)
    time.sleep(60)
sys.exit(iscore.cli.main(["wait"]))
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=600)
    assert (process.returncode, message) == (130, INTERRUPTED)


@pytest.mark.parametrize("run_it", ["", "iscore.cli._run = lambda arguments: print('late') or 0; "])
def test_a_reader_that_goes_away_is_no_error(run_it: str) -> None:
    program = f"import sys, iscore.cli; {run_it}sys.exit(iscore.cli.main(['--help']))"
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            # Output is buffered until it is flushed, as in a terminal.
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_narrow_encoding_does_not_fail_a_command(run) -> None:
    program = "import sys; from iscore.cli.terminal.output import write; import iscore.cli; "
    program += "iscore.cli._run = lambda a: write('●') or 0; sys.exit(iscore.cli.main())"
    done = run(program=program, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout, done.stderr) == (0, "?\n", "")


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (["inbox", "--home", "a", "--json"], ["--home", "a", "inbox", "--json"]),
        (["inbox", "--home=a"], ["--home=a", "inbox"]),
        (["--home", "a", "inbox", "--home", "b"], ["--home", "b", "inbox"]),
        (["like", "--", "--home", "a"], ["like", "--", "--home", "a"]),
        (["poll", "--home"], ["--home"]),
        (["poll", "--user", "anna", "--home=a"], ["--user", "anna", "--home=a", "poll"]),
        (["poll", "--users"], ["poll", "--users"]),
    ],
)
def test_global_options_may_stand_anywhere(given: list[str], taken: list[str]) -> None:
    options, rest = global_options_apart(given)
    assert options + rest == taken
