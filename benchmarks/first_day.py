"""The first quarter of an hour of a new user, with the feeds of 119 real sites.

    python -m benchmarks.first_day

The feeds are served on the loopback, each from an address of its own; the dates of each are shifted together so that
its newest entry is at most two days old. The user follows all of them, polls, reads the inbox, likes what has a word
about computers at its beginning and dislikes the rest, ten stories at a time, and looks at the digest, at reasons and
at the status. Then come single verdicts, a like that is undone, and a like of forty further stories at once. Every
command is a process on a terminal, and nothing has been compiled before. Measure with an installation of
``requirements.lock`` alone: where scipy and coverage are installed, numba imports them.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import pty
import re
import resource
import select
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path

from benchmarks import made_up_server
from benchmarks.cpu import of_command, program
from benchmarks.homes import NOW
from benchmarks.results import Cell, write
from benchmarks.streams.data import data_folder

DATE = re.compile(rb"(<(?:pubDate|dc:date|published|updated|issued|modified|created)\b[^>]*>)\s*([^<]{8,40}?)\s*(</)")
TASTE = re.compile(
    r"\b(linux|python|ruby|code|coding|software|programming|programmer|developers?|web|data|browser|security|apple|"
    r"google|microsoft|api|html|css|javascript|rust|java|iphone|mac|ios|android|computers?|internet|open source)\b",
    re.IGNORECASE,
)
FIRST = 20
"""Stories at the top of the first inbox that are looked at."""
OLD = timedelta(days=7)
ROUNDS, A_ROUND = 4, 10
SINGLE_VERDICTS = 20
AT_ONCE = 40
PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Step:
    """What one command cost."""

    name: str
    seconds: float
    """Of processor time, of the command and its children that have ended with it."""
    silence: float
    """The longest time without a change on the terminal, in s."""


@dataclass
class User:
    """Someone at a terminal, with a data folder."""

    home: Path
    environment: dict[str, str]
    now: datetime = NOW
    steps: list[Step] = field(default_factory=list)
    unshown: float = 0.0
    """Processor seconds of what is no step."""

    def background_seconds(self) -> float:
        """Return the processor seconds of processes that went on after their command and have ended by now."""
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime - self.unshown - sum(step.seconds for step in self.steps)

    def type(self, *words: str, name: str = "") -> str:
        """Run a command on a terminal; return what was printed."""
        self.now += timedelta(seconds=15)
        began = time.monotonic()
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(self.environment, ISCORE_NOW=self.now.isoformat())
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            os.execv(program(), ["iscore", "--home", str(self.home), *words])
        printed, silence = _read(terminal, began)
        _, status, used = os.wait4(pid, 0)
        if code := os.waitstatus_to_exitcode(status):
            raise RuntimeError(f"iscore {' '.join(words)} ended with {code}: {printed[-2000:]}")
        self.steps.append(Step(name or words[0], used.ru_utime + used.ru_stime, silence))
        print(f"{self.steps[-1]}", file=sys.stderr, flush=True)
        return printed

    def json(self, *words: str) -> list[dict[str, object]]:
        """Return what a command answers to programs; no step of the user's."""
        self.now += timedelta(seconds=15)
        environment = self.environment | {"ISCORE_NOW": self.now.isoformat()}
        seconds, printed = of_command([program(), "--home", str(self.home), *words, "--json"], environment)
        self.unshown += seconds
        found = json.loads(printed)
        assert isinstance(found, list)
        return found


def _read(terminal: int, began: float) -> tuple[str, float]:
    """Read a terminal to its end; return what was printed, and the longest silence in s."""
    chunks: list[bytes] = []
    last, silence = began, 0.0
    while True:
        ready = select.select([terminal], [], [], 600.0)[0]
        if not ready:
            raise RuntimeError("ten minutes of silence")
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            chunk = b""
        silence, last = max(silence, time.monotonic() - last), time.monotonic()
        if not chunk:
            os.close(terminal)
            return b"".join(chunks).decode(errors="replace"), silence
        chunks.append(chunk)


def shifted(document: bytes, name: str) -> bytes:
    """Return a feed whose newest entry is of the last two days, all dates shifted alike."""
    dates = [date for _, text, _ in DATE.findall(document) if (date := _parsed(text))]
    if not dates:
        return document
    age = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % (48 * 60)
    by = NOW - timedelta(minutes=age) - max(dates)

    def moved(match: re.Match[bytes]) -> bytes:
        date = _parsed(match[2])
        if date is None:
            return match[0]
        other = date + by
        text = other.isoformat() if re.match(rb"\d{4}-", match[2]) else format_datetime(other)
        return match[1] + text.encode() + match[3]

    return DATE.sub(moved, document)


def _parsed(text: bytes) -> datetime | None:
    """Return a date of a feed; None if there is none, or it is of no possible year."""
    try:
        word = text.decode("ascii").strip()
        date = datetime.fromisoformat(word) if re.match(r"\d{4}-", word) else parsedate_to_datetime(word)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return date if 1990 < date.year < 2030 else None
    except (ValueError, UnicodeDecodeError):
        return None


def recommended(user: User) -> dict[str, dict[str, object]]:
    """Return the recommended stories by ID."""
    stories = user.json("inbox", "--limit", "1000")
    return {str(story["id"]): story for story in stories if story["interesting"] and not story["explore"]}


def swings(user: User, verdicts: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, int, int]]:
    """Give each verdict; yield for each the recommendations before and after, and the bound on their change.

    Counted are those of other sources than the judged stories.
    """
    before = recommended(user)
    everything = {str(story["id"]): story for story in user.json("inbox", "--all", "--limit", "10000")}
    for words in verdicts:
        sources = {everything[name]["source"] for name in words[1:] if name in everything}
        user.type(*words, name="a verdict")
        after = recommended(user)
        old, new = ({name for name in of if of[name]["source"] not in sources} for of in (before, after))
        yield len(old), len(new), len(old ^ new)
        before = after


def _like(story: dict[str, object]) -> bool:
    return TASTE.search(f"{story['title']} {story['summary']}") is not None


def quarter_of_an_hour(user: User, feeds: Path) -> dict[str, float]:
    """Go through it; return the figures that are no step's."""
    user.type("init", "--feeds", str(feeds))
    user.type("poll", name="first poll")
    user.type("inbox", name="first inbox")
    first = user.json("inbox", "--limit", str(FIRST))[:FIRST]
    ages = [user.now - datetime.fromisoformat(str(story["published"])) for story in first if story["published"]]
    found: dict[str, float] = {
        f"first {FIRST} stories older than 7 days": sum(age > OLD for age in ages),
        f"sources of the first {FIRST} stories": len({story["source"] for story in first}),
    }
    for number in range(ROUNDS):
        shown = user.json("inbox", "--limit", str(A_ROUND))
        shown = (shown or user.json("inbox", "--all", "--limit", str(A_ROUND)))[:A_ROUND]
        for word, wanted in (("like", True), ("dislike", False)):
            if names := [str(story["id"]) for story in shown if _like(story) is wanted]:
                user.type(word, *names, name=f"{word} some")
        user.type("inbox", name=f"inbox after {A_ROUND * (number + 1)} verdicts")
    top = str(user.json("inbox", "--all", "--limit", "1")[0]["id"])
    for words in (("why", top), ("show", top), ("digest",), ("status",), ("stats",), ("poll",), ("inbox",)):
        user.type(*words)
    waiting = user.json("inbox", "--all", "--limit", "10000")
    verdicts = [(("like" if _like(story) else "dislike"), str(story["id"])) for story in waiting[:: len(waiting) // 60]]
    changes = list(swings(user, verdicts[:SINGLE_VERDICTS]))
    found["largest change of the number of recommendations by one verdict"] = max(abs(b - a) for a, b, _ in changes)
    found["recommendations that came or went with one verdict, at most"] = max(moved for _, _, moved in changes)
    found["recommendations before that verdict"] = max(changes, key=lambda change: change[2])[0]
    before = recommended(user)
    judged = {name for words in names[:SINGLE_VERDICTS] for name in words[1:]}
    left = [story for story in waiting if str(story["id"]) not in judged]
    liked = next(iter(before), str(left[0]["id"]))
    user.type("like", liked, name="a like")
    user.type("undo", liked, name="its undo")
    after = recommended(user)
    found["recommendations that a like and its undo change"] = len(before.keys() ^ after.keys())
    found["recommendations whose score they change"] = sum(
        before[name]["score"] != after[name]["score"] for name in before.keys() & after.keys()
    )
    likes = [str(story["id"]) for story in left if _like(story)][:AT_ONCE]
    ((old, new, _),) = swings(user, [("like", *likes)])
    found[f"recommendations before {len(likes)} likes at once"] = old
    found[f"recommendations after {len(likes)} likes at once"] = new
    found["processor seconds of processes that went on after a command (compiling)"] = round(
        user.background_seconds(), 1
    )
    return found


def main() -> None:
    """Measure and write ``benchmarks/results/first_day``."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        served = folder / "served"
        served.mkdir()
        with tarfile.open(data_folder() / "feeds" / "real.tar.xz") as archive:
            members = sorted((m for m in archive if m.name.endswith(".xml")), key=lambda member: member.name)
            for number, member in enumerate(members):
                file = archive.extractfile(member)
                assert file is not None
                (served / f"{number}.xml").write_bytes(shifted(file.read(), member.name))
        with made_up_server.served(served) as port:
            feeds = folder / "feeds.yaml"
            lines = "".join(f"  - {made_up_server.address(number, port)}\n" for number in range(len(members)))
            feeds.write_text(f"feeds:\n{lines}", encoding="utf-8")
            kernels = folder / "kernels"
            kernels.mkdir()
            user = User(
                folder / "home",
                {
                    "NUMBA_CACHE_DIR": str(kernels),
                    "TERM": "xterm",
                    "ISCORE_ALLOW_PRIVATE_NETWORKS": "true",
                },
            )
            found = quarter_of_an_hour(user, feeds)
    by_name: dict[str, list[Step]] = {}
    for step in user.steps:
        by_name.setdefault(step.name, []).append(step)
    table: list[tuple[Cell, ...]] = []
    for what, steps in by_name.items():
        seconds = sum(step.seconds for step in steps) / len(steps)
        table.append((what, len(steps), round(seconds, 2), round(max(step.silence for step in steps), 1), ""))
    table += [(what, "", "", "", number) for what, number in found.items()]
    write(
        "first_day",
        "The first quarter of an hour",
        ["step", "times", "processor seconds each", "longest silence (s)", "figure"],
        table,
        notes=(__doc__ or "").strip(),
    )


if __name__ == "__main__":
    main()
