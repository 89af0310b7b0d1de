"""SIGKILL at random moments of everything that writes: what is lost, what is there twice.

    python -m benchmarks.crash [--kills 200] [--seed 7]

The program's own commands work on a home in processes of their own, and are killed at a moment drawn from a little
more than the time that they take: some end before. After each kill the database is checked page by page, every article
is looked at, and the log of verdicts is held against what was acknowledged; after every forty rounds what was learned
is held against a replay. ``import`` is ``iscore users import``, and ``move`` is ``iscore migrate-database`` to a
PostgreSQL server; both work on copies of the home.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import results
from tests.hostile.crash_loop import WEIGHTS, Fates, Loop
from tests.hostile.crash_victim import victim
from tests.servers import postgresql

DAYS_OF_NEWS = 0.6
"""Per round: polls let half a day pass, digests a day, others nothing."""


def main() -> int:
    """Live through it and write the table; return 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description="Kills at random moments")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        postgresql.running() as server,
        victim(Path(folder), 5 + int(DAYS_OF_NEWS * options.kills)) as one,
    ):
        fates = Loop(one, options.seed, server).live(options.kills)
        left = sum(1 for path in one.backups.iterdir() if path.is_dir())
    results.write(
        "crash",
        f"{fates.kills.total()} kills at random moments",
        ["killed", "rounds", "kills", "ended before", "commands acknowledged", "faults"],
        [_row(fates, kind) for kind in WEIGHTS] + [_row(fates, "")],
        notes=(
            f"Seed {options.seed}. {fates.memory.acknowledged:,} verdicts were acknowledged; in the end the log has "
            f"{len(fates.memory.verdicts):,}, each of them once, of which {fates.memory.unacknowledged} were on disk "
            "although the program was killed before it could say so; "
            f"{len(fates.memory.articles):,} articles and {len(fates.memory.digests)} digests are there. Lost: "
            f"{fates.memory.lost['verdicts']} verdicts, {fates.memory.lost['articles']} articles, "
            f"{fates.memory.lost['digests']} digests. What was learned equalled a replay of the log "
            f"{fates.replays} times out of {fates.replays + _unequal(fates)}. Killed backups left {left} folders of "
            "unfinished copies beside the backup; the backup itself was whole each time. *Faults*: anything that was "
            "not as it must be: the integrity check of SQLite, articles by half or twice, verdicts lost or twice, "
            "digests changed, a backup that does not verify, an old database that no longer opens, a person imported "
            "by half, a database that moved by half. "
            f"It took {time.monotonic() - began:.0f} s."
        ),
    )
    print(*fates.wrong, sep="\n", file=sys.stderr)
    return 1 if fates.wrong else 0


def _row(fates: Fates, kind: str) -> list[str | int]:
    """One line of the table; the last one, of no kind, is the sum."""
    rounds, kills = (each[kind] if kind else each.total() for each in (fates.rounds, fates.kills))
    acknowledged = fates.acknowledged[kind] if kind else fates.acknowledged.total()
    faults = sum(what.startswith(kind) for what in fates.wrong)
    return [kind or "sum", rounds, kills, rounds - kills, acknowledged, faults]


def _unequal(fates: Fates) -> int:
    return sum("what a replay gives" in what for what in fates.wrong)


if __name__ == "__main__":
    sys.exit(main())
