"""Kills commands at random moments, again and again, and looks at the home after each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from storage.schema.column_types import microseconds
from tests.hostile.crash_checks import (
    GUEST,
    Memory,
    examine,
    examine_backup,
    examine_imported,
    examine_migrated,
    examine_moved,
    held_by_old,
)
from tests.hostile.crash_victim import KEPT, Step, Victim, Work
from tests.servers.postgresql import PostgresqlServer

VERDICTS = 20
"""Given in one round, one command each, with a look into the inbox (which learns) in their midst."""
WEIGHTS = {"poll": 5, "verdict": 5, "digest": 3, "migration": 3, "backup": 2, "prune": 2, "import": 3, "move": 3}
"""What is killed → how often, in relation to the others."""
UNDECIDED = (
    "SELECT id FROM articles JOIN current_scores USING (seq)"
    " WHERE current_scores.arrived >= ? AND story NOT IN (SELECT story FROM feedback) ORDER BY seq"
)


@dataclass
class Fates:
    """What came of it."""

    kills: Counter[str] = field(default_factory=Counter)
    """What was killed → how often. The rest of the rounds ended before they could be killed."""
    rounds: Counter[str] = field(default_factory=Counter)
    acknowledged: Counter[str] = field(default_factory=Counter)
    """Commands that ended with 0, in rounds in which something was to be killed."""
    replays: int = 0
    """How often what was learned was held against a replay of the log."""
    wrong: list[str] = field(default_factory=list)
    """Everything that was not as it must be."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Within how many seconds of its beginning it is killed."""
    memory: Memory = field(default_factory=Memory)


class Loop:
    """Rounds of killed work. ``seed`` decides what is killed, and when; "move" moves databases to ``server``."""

    def __init__(self, one: Victim, seed: int = 7, server: PostgresqlServer | None = None) -> None:
        self._one = one
        self._server = server
        self._draw = random.Random(seed)
        self.fates = Fates()

    def live(self, kills: int, weights: Mapping[str, int] = WEIGHTS, block: int = 40) -> Fates:
        """Kill in each round; after each ``block`` of rounds hold everything against a replay."""
        fates = self.fates
        self._one.work(self._one.home, [["poll", "--force"], ["inbox"], ["digest"]], inside=True)
        fates.wrong += [f"{kind} undisturbed: {what}" for kind in weights for what in self._round(kind, kill=False)]
        while fates.kills.total() < kills:
            (kind,) = self._draw.choices(list(weights), list(weights.values()))
            fates.wrong += [f"{kind} killed: {what}" for what in self._round(kind)]
            number = fates.rounds.total()
            if number % block == 0 or fates.kills.total() == kills:
                fates.wrong += [f"after round {number}: {what}" for what in self._settled()]
        return fates

    def live_by_steps(self, kinds: Sequence[str], most: int = 40) -> Fates:
        """Kill each of these at its first step, at its second, and so on, until it comes to its end."""
        fates, one = self.fates, self._one
        backup = ["backup", str(one.backups / "home.zip")]  # so that those that are killed have one to replace
        one.work(one.home, [["poll", "--force"], ["inbox"], ["digest"], backup], inside=True)
        for kind in kinds:
            for number in range(1, most + 1):
                work, wrong = _WORKS[kind](self, Step(number))
                wrong += [f"{' '.join(words)} ended with {code}" for words, code in work.refused]
                wrong += examine(one, fates.memory, work)
                fates.wrong += [f"{kind} killed at step {number}: {what}" for what in wrong]
                if not work.killed:
                    break
                fates.kills[kind] += 1
        fates.wrong += self._settled()
        return fates

    def _round(self, kind: str, *, kill: bool = True) -> list[str]:
        fates, one = self.fates, self._one
        after = self._draw.uniform(0.0, fates.seconds[kind]) if kill else None
        work, wrong = _WORKS[kind](self, after)
        fates.rounds[kind] += kill
        fates.kills[kind] += work.killed and kill
        fates.acknowledged[kind] += len(work.acknowledged) if kill else 0
        if kill:  # the home grows and the machine has other work: keep some kills near the end
            fates.seconds[kind] *= 1.1 if work.killed else 0.8
        else:
            fates.seconds[kind] = work.seconds
        wrong += [f"{' '.join(words)} ended with {code}" for words, code in work.refused]
        return wrong + list(examine(one, fates.memory, work))

    def _settled(self) -> list[str]:
        """Poll undisturbed, and hold what was learned against a replay of the log."""
        one = self._one
        work = one.work(one.home, [["poll", "--force"], ["inbox"]])
        wrong = list(examine(one, self.fates.memory, work))
        known = len(self.fates.memory.articles)
        again = one.work(one.home, [["poll", "--force"]])
        wrong += list(examine(one, self.fates.memory, again))
        if len(work.acknowledged + again.acknowledged) != 3:
            wrong.append(f"the home does not go on: {work.refused + again.refused}")
        if len(self.fates.memory.articles) != known:
            wrong.append("a second poll of the same bytes brought articles")
        ((unmeasured,),) = one.rows("SELECT count(*) FROM articles WHERE story IS NULL")
        if unmeasured:
            wrong.append(f"{unmeasured} articles stay unmeasured")
        with one.opened() as news:
            if news.models.rebuild(check=True).equal is not True:
                wrong.append("what was learned is not what a replay gives")
            if news.status().to_learn:
                wrong.append("verdicts are not learned")
        self.fates.replays += not any("replay" in what for what in wrong)
        return wrong

    def _poll(self, after: float | Step | None) -> tuple[Work, list[str]]:
        self._one.later(hours=12)
        return self._one.work(self._one.home, [["poll", "--force"]], after=after), []

    def _verdict(self, after: float | Step | None) -> tuple[Work, list[str]]:
        one = self._one
        found = [str(name) for (name,) in one.rows(UNDECIDED, microseconds(one.now - KEPT))]
        names = self._draw.sample(found, min(VERDICTS, len(found)))
        words: list[list[str]] = []
        for number, name in enumerate(names):
            words.append([("like", "dislike", "skip", "like")[number % 4], name])
            if number % 4 == 3:
                words.append(["undo", name])
            if number == VERDICTS // 2:
                words.append(["inbox"])
        return one.work(one.home, words, after=after), []

    def _digest(self, after: float | Step | None) -> tuple[Work, list[str]]:
        one = self._one
        morning = (one.now + timedelta(days=1)).replace(hour=7, minute=0)
        one.later(seconds=(morning - one.now).total_seconds())
        one.work(one.home, [["poll"]])  # a digest without news is not kept
        one.later(minutes=5)
        return one.work(one.home, [["digest"]], after=after), []

    def _migration(self, after: float | Step | None) -> tuple[Work, list[str]]:
        one = self._one
        one.grow_old()
        before = held_by_old(one)
        work = one.work(one.old, [["feeds", "list"]], after=after)
        return work, list(examine_migrated(one, work, before))

    def _backup(self, after: float | Step | None) -> tuple[Work, list[str]]:
        one = self._one
        stood = (one.backups / "home.zip").exists()
        work = one.work(one.home, [["backup", str(one.backups / "home.zip"), "--replace"]], after=after)
        return work, list(examine_backup(one, self.fates.memory, work, stood))

    def _prune(self, after: float | Step | None) -> tuple[Work, list[str]]:
        one = self._one
        return one.work(one.home, [["prune", "--keep-days", str(KEPT.days)]], after=after), []

    def _import(self, after: float | Step | None) -> tuple[Work, list[str]]:
        copy = self._one.copied()
        work = self._one.work(copy, [["users", "import", GUEST, str(self._one.home)]], after=after)
        return work, list(examine_imported(self._one, work, copy))

    def _move(self, after: float | Step | None) -> tuple[Work, list[str]]:
        server, copy = self._server, self._one.copied()
        assert server is not None
        names: list[str] = []

        def address() -> str:
            names.append(server.create())
            return server.address(names[-1])

        work = self._one.work(copy, [["migrate-database", "--to", address()]], after=after)
        wrong = list(examine_moved(self._one, work, copy, address))
        for name in names:
            server.drop(name)
        return work, wrong


_WORKS: dict[str, Callable[[Loop, float | Step | None], tuple[Work, list[str]]]] = {
    "poll": Loop._poll,
    "verdict": Loop._verdict,
    "digest": Loop._digest,
    "migration": Loop._migration,
    "backup": Loop._backup,
    "prune": Loop._prune,
    "import": Loop._import,
    "move": Loop._move,
}
