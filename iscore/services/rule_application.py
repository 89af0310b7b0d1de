"""The person's own rules, in force: stories that wait are ruled anew whenever the rules have changed.

    rules.yaml ─► rules in force ─► Matcher ─► rulings of all that waits
                                        └────► rulings of what is judged now

What was noted when the rules were last applied tells, without reading them, whether anything has changed since: the
file, the day (rules expire), the feeds' names and tags, the feeds that carry a story. Whoever lists what waits asks for
that first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.services.container import Composition
from storage import decisions, rule_inputs, rule_outcomes
from storage.database import Database
from storage.records import RuleOutcome

if TYPE_CHECKING:
    from iscore.rules.matcher import Matcher
    from iscore.rules.rule import Rule

VERSION = 1
"""Raised whenever the same rules would say something else than before."""
UNKNOWN = "?"
"""No digest of any file: what waits is ruled anew as soon as somebody asks."""
BATCH = 1000
"""Stories that are held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Note:
    """What is noted about the rules as they were last applied."""

    file: str = ""
    """A digest of rules.yaml; empty without one."""
    rules: str = ""
    """A digest of those that were in force; empty when none was."""
    until: str = ""
    """The first day on whose end one of them expires; empty: none does."""
    days: int = 0
    """How far back what waited had arrived; 0: no rule has ever been applied."""
    carriers: bool = False
    """Whether it matters to them which feeds carried a story."""
    feeds: str = ""
    """A digest of the names and tags of all feeds, if it does."""
    assessed: int = 0
    """The last article whose story was known."""
    off: dict[str, str] = field(default_factory=dict)
    """Rules that are switched off, by their identity, and why."""

    @classmethod
    def read(cls, text: str) -> Note:
        """Return the note that was written as ``text``; an empty one for nothing, or for that of another version."""
        found = json.loads(text) if text else {}
        return cls(**found["note"]) if found.get("version") == VERSION else cls()

    def written(self) -> str:
        """Return it as text."""
        return json.dumps({"version": VERSION, "note": asdict(self)})


class Rulebook:
    """One person's rules, applied to what waits for them."""

    def __init__(self, path: Path, database: Database, parts: Composition, clock: Clock) -> None:
        self.path = path
        self._database = database
        self._parts = parts
        self._clock = clock

    def bring_up_to_date(self) -> None:
        """Rule anew what waits, if rules, day or feeds have changed. Reads no rules if nothing has.

        Raises ``RulesError`` when rules.yaml is not in order; then nothing is changed.
        """
        user, today, days = self._parts.user.id, self._today(), self._parts.window.days
        content = self.path.read_bytes() if self.path.exists() else b""
        file = hashlib.sha256(content).hexdigest()[:16] if content else ""
        with self._database.read() as tx:
            before = Note.read(rule_outcomes.ruled_by(tx, user))
            expired = bool(before.until) and today.isoformat() > before.until
            same_rules = file == before.file and before.days in (0, days) and not expired
            if same_rules and not before.carriers:
                return
            feeds, assessed = rule_inputs.names_of_feeds(tx, user), rule_inputs.assessed_to(tx)
        if same_rules and (before.feeds, before.assessed) == (feeds, assessed):
            return
        rules = self._in_force(today)
        off = {each.identity: before.off[each.identity] for each in rules if each.identity in before.off}
        while True:
            active = [rule for rule in rules if rule.identity not in off]
            matcher = _matcher(active)
            same = (_digest(active), days) == (before.rules, before.days)
            same = same and (feeds == before.feeds or not matcher.minds_carriers)
            stories = self._stories(before.assessed if same else None, assessed, matcher)
            found = self._of(matcher, stories)
            if not matcher.switched_off:
                break
            off |= matcher.switched_off
        expiries = [rule.until.isoformat() for rule in rules if rule.until is not None]
        until = min(expiries, default="")
        note = Note(file, _digest(active), until, days, matcher.minds_carriers, feeds, assessed, off)
        with self._database.write() as tx:
            rule_outcomes.put(tx, user, stories, found)
            rule_outcomes.note_ruled_by(tx, user, note.written())

    def rule(self, stories: Sequence[int]) -> list[RuleOutcome]:
        """Say what the rules make of stories that are judged now, by their leading articles. Writes no rulings.

        A rule that takes too long is switched off, and the others are applied.
        """
        note = self._noted()
        if not note.rules:
            return []
        rules = self._in_force(self._today())
        while True:
            matcher = _matcher([rule for rule in rules if rule.identity not in note.off])
            found = self._of(matcher, stories)
            if not matcher.switched_off:
                return found
            self._note(replace(note, off=note.off | dict(matcher.switched_off), file=UNKNOWN))
            note = self._noted()

    def switched_off(self) -> dict[str, str]:
        """Give the rules that took too long, by their identity, and why."""
        return self._noted().off

    def forgive(self, identity: str) -> None:
        """Let a rule that took too long be tried again."""
        note = self._noted()
        if identity in note.off:
            off = {name: why for name, why in note.off.items() if name != identity}
            self._note(replace(note, off=off, file=UNKNOWN))

    def _noted(self) -> Note:
        with self._database.read() as tx:
            return Note.read(rule_outcomes.ruled_by(tx, self._parts.user.id))

    def _note(self, note: Note) -> None:
        with self._database.write() as tx:
            rule_outcomes.note_ruled_by(tx, self._parts.user.id, note.written())

    def _today(self) -> date:
        return self._clock().astimezone(self._parts.zone).date()

    def _in_force(self, today: date) -> list[Rule]:
        from iscore.rules.rules_file import read

        return [rule for rule in read(self.path).rules if rule.in_force(today)]

    def _stories(self, after: int | None, assessed: int, matcher: Matcher) -> list[int]:
        """List what has to be ruled anew: all that waits, or what articles behind ``after`` have joined."""
        user, since = self._parts.user.id, self._clock() - self._parts.window
        with self._database.read() as tx:
            if after is None:
                return decisions.waiting_stories(tx, user, since)
            return rule_inputs.joined(tx, user, after, assessed, since) if matcher.minds_carriers else []

    def _of(self, matcher: Matcher, stories: Sequence[int]) -> list[RuleOutcome]:
        found = []
        wanted = {"with_text": matcher.reads_text, "with_carriers": matcher.minds_carriers}
        for start in range(0, len(stories), BATCH):
            with self._database.read() as tx:
                piece = stories[start : start + BATCH]
                told = rule_inputs.stories(tx, self._parts.user.id, piece, **wanted)
            found += [ruling for ruling in map(matcher.rule, told) if ruling is not None]
            if matcher.switched_off:
                break
        return found


def _matcher(rules: Sequence[Rule]) -> Matcher:
    from iscore.rules.matcher import Matcher

    return Matcher(rules)


def _digest(rules: Sequence[Rule]) -> str:
    """Tell these rules from others, but for notes and expiry; empty for none."""
    said = [(rule.identity, rule.text, rule.boost) for rule in rules]
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16] if said else ""
