"""Every example in the program's help works, typed as it stands by somebody who lives with one home for a day.

What an example makes up stands for what is there: an address for sample news on the loopback, an ID for an article's.
Nearly all run in this process, as starting an interpreter takes longer than most answers; what runs until it is
stopped gets a process of its own, and is stopped.
"""

from __future__ import annotations

import io
import os
import re
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer

from benchmarks.sample_news import News, NewsServer
from iscore.cli import help_texts, main
from iscore.cli.app import app
from iscore.evaluation.replay.labelled_article import LabelledArticle
from iscore.evaluation.replay.stream import write_stream
from tests.servers import nursery
from tests.servers.mail_server import MailServer

START = datetime(2025, 3, 3, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)
EXAMPLE = re.compile(r"\[dim\](iscore [^\[]*(?:\\\[[^\[]*)*)\[/dim\]")
A_DAY = (
    "init",
    "feeds add",
    "feeds list",
    "poll",
    "inbox",
    "show",
    "why",
    "digest",
    "like",
    "dislike",
    "skip",
    "undo",
    "review",
    "teach",
    "learn-from",
    "seeds list",
    "seeds show",
    "seeds undo",
    "rules test",
    "rules add",
    "rules list",
    "rules remove",
    "mail test",
    "mail send",
    "mail list",
    "status",
    "stats",
    "report",
    "feeds check",
    "feeds stats",
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
    "serve",
)
"""In the order in which one command leaves what the next one needs."""
ELSEWHERE = {"demo": "tests/iscore/evaluation/test_demo.py lives through it"}
BY_DIGEST = {"--digest", "--date"}


def _commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _commands(inner, f"{path} {name}".strip())


def _told(line: str) -> str:
    """Return what is typed after the program's name and its home."""
    return re.sub(r"^iscore (--home \S+ )?", "", line)


def _examples() -> dict[str, list[str]]:
    """Give the examples of each command in its own help."""
    found: dict[str, list[str]] = {}
    for path, command in _commands(typer.main.get_command(app)):
        own = [each.replace("\\[", "[") for each in EXAMPLE.findall(command.callback.__doc__ or "")]
        found[path] = list(dict.fromkeys(each for each in own if _told(each).startswith(path)))
    return found


EXAMPLES = _examples()


def test_every_command_has_an_example_of_its_own() -> None:
    assert [path for path, examples in EXAMPLES.items() if not examples] == []


def test_a_day_has_every_command() -> None:
    assert {*A_DAY, *ELSEWHERE} == set(EXAMPLES)


def test_what_the_lessons_name_exists() -> None:
    named = EXAMPLE.findall(" ".join([help_texts.PROGRAM, *help_texts.EPILOGS.values()]))
    assert len(named) > 15
    for line in named:
        words = shlex.split(_told(line))
        assert any(" ".join(words[:length]) in EXAMPLES for length in (1, 2, 3)), line


class Day:
    """Somebody at noon of the sample news' second day, in a folder with what the examples name."""

    def __init__(self, folder: Path, server: NewsServer) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.feeds = iter(server.urls.values())
        self.added: list[str] = []
        self.ids: list[str] = []
        (folder / "backups").mkdir()
        (folder / ".config" / "systemd" / "user").mkdir(parents=True)
        (folder / "my-feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
        link = '<DT><A HREF="https://example.org/solar">Solar power grows</A>'
        (folder / "bookmarks.html").write_text(
            f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>{link}</DL>", encoding="utf-8"
        )
        articles = []
        for number in range(40):
            words = "crude oil barrels" if number % 2 else "trade tariffs surplus"
            labels = {"crude": number % 2 == 1, "trade": number % 2 == 0}
            at = START + timedelta(hours=number)
            articles.append(LabelledArticle(str(number), at, words, f"{words} of day {number}", labels, published=at))
        write_stream(folder / "reuters.jsonl.xz", articles)

    def words(self, line: str, path: str) -> list[str]:
        """Return what is typed after ``iscore``, with what is there for what was made up."""
        line = line.partition(" | ")[0].replace("~", str(self.folder))
        words = shlex.split(line)[1:]
        if path == "feeds add":
            words[-1] = next(self.feeds)
            self.added.append(words[-1])
        elif path == "feeds remove":
            words[-1] = self.added.pop()
        elif path in {"show", "why", "like", "dislike", "skip", "undo"} and not BY_DIGEST & {*words}:
            words[1:] = [self.ids[number] for number in range(len(words) - 1)]
        elif "--date" in words:
            words[words.index("--date") + 1] = f"{NOON:%Y-%m-%d}"
        elif path == "restore":
            # Those of a moment, which nobody can know beforehand.
            (made,) = (self.folder / "backups").glob("*.zip")
            words = [str(made) if Path(each).parent == made.parent else each for each in words]
        return words


def _typed(day: Day, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Type a command in this process, with nothing more to say, and return what it printed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    code = main(words)
    said = capsys.readouterr()
    assert (code, "Traceback" in said.err) == (0, False), f"{words}\n{said.err}\n{said.out}"
    return said.out + said.err


def _stopped(day: Day, words: list[str]) -> str:
    """Start what runs for long, wait for its first line, stop it, and return what it printed."""
    settings = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "error"}
    process = nursery.begin(*words, cwd=day.folder, env=settings, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    until = time.monotonic() + 60
    ready, _, _ = select.select([process.stdout], [], [], until - time.monotonic())
    assert ready, f"{words} said nothing"
    first = os.read(process.stdout.fileno(), 10_000).decode()
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=60)
    said = first + rest
    assert process.returncode == 0, f"{words}\n{said}"
    assert "Traceback" not in said
    return said


def test_a_day_of_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in [name for name in os.environ if name.startswith("ISCORE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    with NewsServer(News(seed=7, start=START, days=2), at=NOON) as news, MailServer() as mail:
        for name, value in {
            "HOME": tmp_path,
            "TZ": "UTC",
            "BROWSER": "true",
            "ISCORE_HOME": tmp_path / "home",
            "ISCORE_NOW": NOON.isoformat(),
            "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
            "ISCORE_HOST_SPACING": "0",
            "ISCORE_DIGEST_AT": "23:00",
            "ISCORE_SERVE_PORT": _free_port(),
            "ISCORE_MAIL_TO": "you@example.org",
            "ISCORE_MAIL_HOST": "127.0.0.1",
            "ISCORE_MAIL_PORT": mail.port,
            "ISCORE_MAIL_SECURITY": "none",
        }.items():
            monkeypatch.setenv(name, str(value))
        day = Day(tmp_path, news)
        for path in A_DAY:
            for line in EXAMPLES[path]:
                words = day.words(line, path)
                said = _stopped(day, words) if path in {"run", "serve"} else _typed(day, words, monkeypatch, capsys)
                assert said.strip(), line
                if line == "iscore init":
                    # The selection that a new home begins with is on the internet; here there is none.
                    (day.home / "feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
                if path == "inbox":
                    day.ids = re.findall(r"^([a-z2-7]{8}) ", said, re.MULTILINE) or day.ids
        assert len(mail.received) == 2
    assert (tmp_path / "today.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "other" / "iscore.db").exists()


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
