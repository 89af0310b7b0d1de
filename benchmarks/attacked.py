"""What a user notices while everybody attacks ``iscore serve`` at once.

    python -m benchmarks.attacked [--seconds 120]

The real command serves a data folder with 3,000 articles. A user reads pages and gives verdicts, first alone and then
beside all the attackers of ``tests.hostile.attacks``: other users with hostile rules, slow previews of rules, uploads
that never come, addresses that never answer, forms of very many parts and JSON of brackets only; strangers with large
bodies, silent uploads, posts of another site and passwords for names that nobody has. The 99th percentile should stay
under 1 s, every verdict has to be on disk, and the server has to end by SIGTERM while connections are open.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import IO

from benchmarks import cpu, homes, results
from tests.hostile.attacks import Stay, arrived, kept, memory_of, people, stay

ARTICLES = 3000
WANTED = 1.0


@dataclass(frozen=True, slots=True)
class Siege:
    """What came of it."""

    alone: Stay
    attacked: Stay
    answers: Mapping[str, Mapping[str, int]]
    """Attack → how it was answered → how often."""
    lost: list[str]
    """Verdicts that were acknowledged and are not in the log."""
    idle: int
    """Bytes of memory of the server and its children before the attack."""
    peak: int
    """And the most during it."""
    log: str
    """What the server wrote to standard error."""
    ended: float
    """Seconds from SIGTERM to its end."""


@contextmanager
def serving(home: Path, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str, IO[str]]]:
    """Run ``iscore serve``; give its process, its address, and what it writes to standard error."""
    command = [cpu.program(), "--home", str(home), "serve", "--port", "0", "--pages-only", "--json"]
    complete, pipe = os.environ | environment, subprocess.PIPE
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=pipe, stderr=log, text=True, env=complete) as server,
    ):
        assert server.stdout is not None
        try:
            yield server, json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["address"], log
        finally:
            server.kill()


def besiege(home: Path, articles: int, alone: float, seconds: float) -> Siege:
    """Serve a new data folder for a user, who is alone for some seconds and attacked for others."""
    homes.make(home, "summary", articles, days=6.9, verdicts=articles // 10)
    (home / "config.toml").write_text("allow_private_networks = true\n")  # those that never answer are here
    app_password = people(home)
    with serving(home, ISCORE_NOW=homes.NOW.isoformat()) as (server, address, log):
        one = arrived(address, app_password)
        first = stay(one.user, 0.1)  # waits for what has to be loaded
        before = stay(one.user, alone)
        idle = memory_of(server.pid)
        with one.watched(server.pid), one.attacks(seconds) as told:
            attacked = stay(one.user, seconds - 2.0)
            answers = json.loads(told.read())
        began = time.monotonic()
        server.terminate()
        server.wait(60)
        ended = time.monotonic() - began
        log.seek(0)
        lost = kept(home, [*first.given, *before.given, *attacked.given])
        return Siege(before, attacked, answers, lost, idle, one.peak, log.read(), ended)


def main() -> int:
    """Measure and write ``benchmarks/results/attacked``; return 1 when something was lost, or later than wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        siege = besiege(Path(folder) / "home", ARTICLES, min(seconds, 20.0), seconds)
    rows = [_row("alone", siege.alone), _row("attacked", siege.attacked)]
    wrong = [*siege.alone.wrong, *siege.attacked.wrong, *siege.lost, *siege.log.splitlines()]
    print(*wrong[:50], sep="\n", file=sys.stderr)
    answers = [
        f"{name.replace('_', ' ')}: {', '.join(f'{how} ({count:,})' for how, count in sorted(counts.items()))}"
        for name, counts in siege.answers.items()
    ]
    results.write(
        "attacked",
        "A user of iscore serve while everybody attacks it",
        ("", "pages and verdicts", "median, ms", "95th percentile, ms", "99th percentile, ms", "slowest, ms"),
        rows,
        notes=(
            f"{(__doc__ or '').partition('120]')[2].strip()}\n\n"
            f"{seconds:.0f} s of attacks. {len(siege.attacked.given)} verdicts were acknowledged meanwhile, "
            f"{len(siege.lost)} are lost. {len(siege.attacked.wrong)} answers were wrong, and the log has "
            f"{len(siege.log.splitlines())} lines. The slowest was {siege.attacked.slowest[1]}. The server and its "
            f"children used {siege.idle >> 20} MB when the attack began, and {siege.peak >> 20} MB at most. It ended "
            f"{siege.ended:.1f} s after SIGTERM.\n\nHow attacks were answered, and how often:\n\n- "
            + "\n- ".join(answers)
        ),
    )
    return 1 if wrong or rows[1][4] > 1000 * WANTED else 0


def _row(name: str, stayed: Stay) -> tuple[str, int, int, int, int, int]:
    waits = [1000 * each for each in stayed.seconds]
    parts = quantiles(waits, n=100, method="inclusive")
    return name, len(waits), round(median(waits)), round(parts[94]), round(parts[98]), round(max(waits))


if __name__ == "__main__":
    sys.exit(main())
