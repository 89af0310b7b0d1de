"""A user at noon of the second day of the sample news, with one data folder, who types command lines from the docs.

Docs use invented addresses, IDs and dates. :class:`Day` replaces them with real ones: the addresses of sample feeds on
the loopback, IDs from the inbox, the day's date.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import select
import shlex
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.cli import main
from tests.servers import fork_server
from tests.servers.mail_server import MailServer

START = datetime(2025, 3, 3, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)
_IDS = {"show", "why", "like", "dislike", "skip", "undo"}
_LONG = {"run", "serve"}


@dataclass(frozen=True)
class Answer:
    """What a command answered."""

    code: int
    out: str
    err: str


class Day:
    """One user, one data folder."""

    def __init__(
        self, folder: Path, news: NewsServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.ids: list[str] = []
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self._addresses = iter(news.urls.values())
        self._added: list[str] = []
        for name in ("backups", "public", ".config/systemd/user"):
            (folder / name).mkdir(parents=True)
        (folder / "my-feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
        link = '<DT><A HREF="https://example.org/solar">Solar power grows</A>'
        (folder / "bookmarks.html").write_text(
            f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>{link}</DL>", encoding="utf-8"
        )
        outlines = "".join(f'<outline type="rss" xmlUrl="{url}"/>' for url in news.urls.values())
        (folder / "subscriptions.opml").write_text(f'<opml version="2.0"><body>{outlines}</body></opml>')
        with lzma.open(folder / "reuters.jsonl.xz", "wt", encoding="utf-8") as stream:
            for number in range(40):
                words = "crude oil barrels" if number % 2 else "trade tariffs surplus"
                article = {
                    "id": str(number),
                    "published": (START + timedelta(hours=number)).isoformat(),
                    "title": words,
                    "text": f"{words} of day {number}",
                    "labels": {"crude": number % 2 == 1, "trade": number % 2 == 0},
                }
                stream.write(f"{json.dumps(article)}\n")

    def type(self, line: str) -> Answer:
        """Type a command line, replacing what is invented in it; a command that runs until stopped is stopped."""
        words = self._words(line)
        command = next((word for word in words if not word.startswith("-")), "")
        if command in _LONG and not {"--once", "--set-password"} & {*words}:
            answer = self._stopped(words)
        else:
            self._monkeypatch.setattr("sys.stdin", io.StringIO(_typed(words)))
            self._capsys.readouterr()
            code = main(words)
            answer = Answer(code, *self._capsys.readouterr())
        if words == ["init"]:
            # A new data folder follows feeds on the internet; here there is none.
            (self.home / "feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
        if command == "inbox" and "--json" not in words:
            self.ids = re.findall(r"^([a-z2-7]{8}) ", answer.out, re.MULTILINE) or self.ids
        return answer

    def _words(self, line: str) -> list[str]:
        line = re.split(r" \| | >|\s+# ", line)[0].replace("~", str(self.folder)).replace("$HOME", str(self.folder))
        line = line.replace("/home/anna/.local/share/iscore", str(self.folder / "other"))
        words = shlex.split(line.replace("carla.jsonl", "iscore.jsonl"))[1:]
        if "--date" in words:
            words[words.index("--date") + 1] = f"{NOON:%Y-%m-%d}"
        for number, word in enumerate(words):
            if Path(word).parent == self.folder / "backups" and word.endswith(".zip"):
                words[number] = str(min((self.folder / "backups").glob("*.zip"), default=word))
            elif words[0] in _IDS and re.fullmatch(r"[a-z0-9]{4,8}", word) and number:
                words[number] = self.ids[number - 1]
            elif words[:2] == ["feeds", "add"] and number > 1 and not word.startswith("-"):
                words[number] = next(self._addresses)
                self._added.append(words[number])
            elif words[:2] == ["feeds", "remove"] and word.startswith("https:"):
                words[number] = self._added.pop()
        return words

    def _stopped(self, words: list[str]) -> Answer:
        """Start a command that runs until stopped, wait for its first output, and stop it."""
        settings = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "error"}
        process = fork_server.start(*words, cwd=self.folder, env=settings)
        assert process.stdout is not None
        assert process.stderr is not None
        assert select.select([process.stdout, process.stderr], [], [], 600)[0], f"{words} printed nothing"
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=600)
        assert process.returncode is not None
        return Answer(process.returncode, out, err)


def _typed(words: list[str]) -> str:
    """Return what a user answers to the questions of a command."""
    if "--set-password" in words or words[:2] == ["users", "password"]:
        return "a long password\n"
    if words[:1] == ["edit"]:
        return "feeds: []\n"
    return "y\n" if words[:2] == ["users", "remove"] else "q\n"


@contextmanager
def a_day(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[Day, MailServer]]:
    """Yield a day in an empty folder, and the mail server that receives its digests."""
    for name in [name for name in os.environ if name.startswith("ISCORE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(folder)
    with NewsServer(News(seed=7, start=START, days=2), at=NOON) as news, MailServer() as mail:
        for name, value in {
            "HOME": folder,
            "TZ": "UTC",
            "BROWSER": "true",
            "ISCORE_HOME": folder / "home",
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
        yield Day(folder, news, monkeypatch, capsys), mail


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
