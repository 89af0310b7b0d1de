"""SIGKILL around the moment at which the digest is mailed: never twice, and what is uncertain is counted.

    python -m benchmarks.restarts [--kills 60]

Each simulated day ``iscore run --once`` polls real feeds on the loopback and mails the digest to a real SMTP server
(aiosmtpd), which counts. It is killed at a drawn moment after a drawn event: after its start, or after the server has
read the sender, the recipient or the message's end, or has accepted the message and not yet said so. Then it is
started again, perhaps killed again, and at last left alone. The server takes some milliseconds for each answer, so that
the moments in question are wide enough to be hit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path

from aiosmtpd.smtp import SMTP

from benchmarks.sample_news import News, NewsServer
from iscore.services.news_filter import NewsFilter
from tests.servers.mail_server import Behaviour, MailServer

START = datetime(2026, 3, 2, tzinfo=UTC)
MOMENTS = {
    "its start": (0.6, 1),
    "the sender": (0.03, 1),
    "the recipient": (0.08, 2),
    "the message's end": (0.03, 2),
    "acceptance": (0.03, 2),
}
"""After what it is killed → the longest delay in seconds, and how often that is drawn."""
COMMANDS = {"MAIL": "the sender", "RCPT": "the recipient", "DATA": "the message's end"}
FEEDS = 3
ANSWER = 0.015
"""Seconds that the server takes for each answer, and between accepting a message and saying so."""

FORK_SERVER = """
import json, os, sys
from iscore.cli import main
import iscore.cli.app, iscore.jobs.scheduler.loop, iscore.services.learning.ingestion
import iscore.services.learning.scoring
import iscore.feeds.poll, iscore.services.learning.explanations, iscore.learners, iscore.presentation.digest.render
import iscore.jobs.mail.smtp, iscore.jobs.mail.message

nowhere = os.open(os.devnull, os.O_WRONLY)
print("ready", flush=True)
for line in sys.stdin:
    now, *arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        os.environ["ISCORE_NOW"] = now
        print("begin", os.getpid(), flush=True)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        os._exit(main(arguments))
    _, status = os.waitpid(child, 0)
    print("ended", os.waitstatus_to_exitcode(status), flush=True)
"""
"""A process that has loaded the program and forks for each command: loading takes a second."""


@dataclass
class Fates:
    """What came of it."""

    kills: Counter[str] = field(default_factory=Counter)
    """After what it was killed → how often."""
    digests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """After what the last kill was, the state that the program tells in the end, how often it arrived → digests."""

    def arrived(self, copies: int, *states: str) -> int:
        """Count the digests that arrived so often and are said to be in one of these states."""
        return sum(count for (_, state, times), count in self.digests.items() if times == copies and state in states)


class Victim:
    """A home with its servers, and processes that work on it and are killed."""

    def __init__(
        self, folder: Path, news: NewsServer, mail: MailServer, fork_server: subprocess.Popen[str], feeds: int
    ) -> None:
        self.home, self.news, self.mail, self.fork_server = folder / "home", news, mail, fork_server
        self.reached = {moment: threading.Event() for moment in MOMENTS}
        self.home.mkdir()
        (self.home / "config.toml").write_text(
            "allow_private_networks = true\nhost_spacing = 0\nparse_processes = 1\ntime_zone = 'UTC'\n"
            "mail_to = 'you@example.org'\n"
            f"mail_host = '127.0.0.1'\nmail_security = 'none'\nmail_port = {mail.port}\nmail_empty = true\n"
        )
        listed = "".join(f"  - url: {url}\n" for url in list(news.urls.values())[:feeds])
        (self.home / "feeds.yaml").write_text(f"feeds:\n{listed}" if listed else "feeds: []\n")
        NewsFilter.create(self.home).close()

    def runs(self, now: datetime, *command: str, kill: tuple[str, float] | None = None) -> bool:
        """Run a command and kill it some seconds after an event. Return whether it was killed."""
        for event in self.reached.values():
            event.clear()
        for name, moment in COMMANDS.items():
            self.mail.answers[name].clear()
            self.mail.answers[name].append(self._answer(moment))
        accepted = len(self.mail.received)
        to, back = self.fork_server.stdin, self.fork_server.stdout
        assert to is not None
        assert back is not None
        to.write(json.dumps([now.isoformat(), "--home", str(self.home), *command]) + "\n")
        to.flush()
        begin, pid = back.readline().split()
        assert begin == "begin"
        self.reached["its start"].set()
        over = threading.Event()
        if kill is not None:
            threading.Thread(target=self._kill, args=(int(pid), *kill, accepted, over), daemon=True).start()
        end, code = back.readline().split()
        over.set()
        assert end == "ended"
        return int(code) == -signal.SIGKILL

    def _answer(self, moment: str) -> Behaviour:
        async def answer(_server: SMTP) -> str:
            self.reached[moment].set()
            await asyncio.sleep(ANSWER)
            return ""

        return answer

    def _kill(self, pid: int, moment: str, later: float, accepted: int, over: threading.Event) -> None:
        while not self._has_come(moment, accepted):
            if over.wait(0.0005):
                return
        if not over.wait(later):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _has_come(self, moment: str, accepted: int) -> bool:
        return len(self.mail.received) > accepted if moment == "acceptance" else self.reached[moment].is_set()

    def state(self, digest: str) -> str:
        """What the database says of an digest's mail."""
        with sqlite3.connect(self.home / "iscore.db") as raw:
            found = raw.execute("SELECT state FROM mailings WHERE digest = ?", [digest]).fetchone()
        return str(found[0]) if found else ""

    def copies(self, digest: str) -> int:
        """How often the server has accepted it."""
        identities = [str(message_from_bytes(each.content)["Message-ID"]) for each in self.mail.received]
        return sum(identity.startswith(f"<iscore.{digest}.") for identity in identities)


@contextmanager
def victim(folder: Path, days: int, feeds: int = FEEDS) -> Iterator[Victim]:
    """Open servers with some days of news, and a home that follows their feeds."""
    command = [sys.executable, "-c", FORK_SERVER]
    with (
        NewsServer(News(seed=13, start=START, days=days + 1), at=START) as news,
        MailServer() as mail,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as fork_server,
    ):
        assert fork_server.stdout is not None
        assert fork_server.stdout.readline() == "ready\n"
        mail.linger = ANSWER
        yield Victim(folder, news, mail, fork_server, feeds)


def live(one: Victim, kills: int, days: int, seed: int = 6) -> Fates:
    """Live day by day until it was killed so often, or the news are at an end."""
    draw = random.Random(seed)
    fates = Fates()
    for day in range(1, days + 1):
        now = one.news.at = START + timedelta(days=day, hours=7)
        digest = now.date().isoformat()
        last = ""
        while fates.kills.total() < kills:
            (moment,) = draw.choices(list(MOMENTS), [weight for _, weight in MOMENTS.values()])
            if not one.runs(now, "run", "--once", kill=(moment, draw.uniform(0, MOMENTS[moment][0]))):
                break
            fates.kills[moment] += 1
            last = moment
            if one.state(digest) == "sending" or draw.random() < 0.3:
                break
        for _ in range(2):  # the second has nothing to do
            one.runs(now, "run", "--once")
        one.runs(now, "mail", "list")  # `mail list` says so
        fates.digests[last, one.state(digest), one.copies(digest)] += 1
        if fates.kills.total() >= kills:
            break
    return fates


def main() -> None:
    """Live through it and write the table."""
    from benchmarks import results

    parser = argparse.ArgumentParser(description="Kills around the sending moment")
    parser.add_argument("--kills", type=int, default=60)
    wanted = parser.parse_args().kills
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, victim(Path(folder), wanted) as one:
        fates = live(one, wanted, wanted)
        lost = [day for day in _days(one) if one.state(day) == "uncertain" and not one.copies(day)]
        for digest in lost:
            one.runs(one.news.at, "mail", "send", "--date", digest, "--again")
        brought = sum(one.copies(digest) == 1 for digest in lost)
        most = max(one.copies(digest) for digest in _days(one))
    again = f"`iscore mail send --again` then brought {brought} of the {len(lost)} that were lost." if lost else ""
    again = again or "Of those that were uncertain, all had arrived."
    rows: list[list[str | int]] = []
    for moment in (*MOMENTS, ""):
        fate = {key[1:]: count for key, count in fates.digests.items() if key[0] == moment}
        known = sum(count for (state, times), count in fate.items() if state == "sent" and times == 1)
        arrived, gone = fate.get(("uncertain", 1), 0), fate.get(("uncertain", 0), 0)
        twice = sum(count for (_, times), count in fate.items() if times > 1)
        others = sum(fate.values()) - known - arrived - gone - twice
        rows.append([moment or "not killed", fates.kills[moment], known, arrived, gone, twice, others])
    rows.append(["sum", *(sum(int(row[i]) for row in rows) for i in range(1, 7))])
    results.write(
        "restarts",
        f"{fates.kills.total()} kills around the moment at which the digest is mailed",
        ["killed after", "kills", "sent once", "uncertain, arrived", "uncertain, lost", "arrived twice", "other"],
        rows,
        notes=(
            f"{fates.digests.total()} digests, each sent by `iscore run --once`, which was killed (SIGKILL) at a "
            "drawn moment after an event that the SMTP server saw, and started again until it had nothing left to do. "
            "An digest counts in the row of its last kill. *Uncertain*: the program was killed between the message's "
            "end and the server's answer; it says so and does not send it again by itself. "
            f"{again} No digest arrived more than {most} time{'s' if most > 1 else ''}. "
            f"It took {time.monotonic() - began:.0f} s."
        ),
    )


def _days(one: Victim) -> list[str]:
    with sqlite3.connect(one.home / "iscore.db") as raw:
        return [str(row[0]) for row in raw.execute("SELECT digest FROM mailings ORDER BY digest")]


if __name__ == "__main__":
    main()
