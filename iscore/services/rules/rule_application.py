"""Applies the user's rules: computes the rule outcomes of stories in the inbox, again whenever something has changed.

    rules.yaml ─► active rules ──┬─► Matcher ─► rule outcomes of the inbox
    feeds.yaml ─► priorities ────┘      └─────► rule outcomes of new stories

A record of the last application is stored. From it ``apply`` tells, without reading any rules, whether anything has
changed: the file, the date (rules expire), names and tags of feeds, or the sources of stories. Services call ``apply``
before they list the inbox.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from iscore.services.session.documents import UserDocument
from iscore.services.session.user_session import UserSession
from storage.log import rule_inputs, rule_outcomes
from storage.records.feeds import Priority
from storage.records.rules import RuleOutcome
from storage.stories import inbox, story_query
from storage.stories.story_query import StoryQuery

if TYPE_CHECKING:
    from iscore.rules.matcher import Matcher
    from iscore.rules.rule import Rule

VERSION = 1
"""Raised whenever the same rules would give other outcomes than before."""
UNKNOWN = "?"
"""A digest that no file has: the next ``apply`` computes everything again."""
BATCH = 1000
"""Stories that are held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Application:
    """The record of the last application. Its fields are stored as JSON by these names."""

    file: str = ""
    """Digest of rules.yaml and of the priorities of feeds; empty without any."""
    rules: str = ""
    """Digest of the active rules and of the priorities; empty when there was none."""
    until: str = ""
    """The last day of the rule that expires first; empty: none expires."""
    days: int = 0
    """The inbox period at that time; 0: no rule has ever been applied."""
    sources: bool = False
    """Whether the outcomes depend on the sources of stories."""
    feeds: str = ""
    """Digest of the names and tags of all feeds, if ``sources``."""
    assessed: int = 0
    """``seq`` of the last article whose story was known."""
    off: dict[str, str] = field(default_factory=dict)
    """Rules that are switched off, by identity, each with the reason."""

    @classmethod
    def from_json(cls, text: str) -> Application:
        """Parse what ``to_json`` wrote; an empty record for an empty text, or one of another version."""
        found = json.loads(text) if text else {}
        return cls(**found["note"]) if found.get("version") == VERSION else cls()

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json.dumps({"version": VERSION, "note": asdict(self)})


class RuleApplication:
    """Applies one user's rules."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._cache = session.cache

    @property
    def file(self) -> UserDocument:
        """The user's rules.yaml."""
        return self._context.rules

    def apply(self) -> None:
        """Compute the rule outcomes of the inbox if the rules, the date or the feeds have changed.

        Reads no rules if nothing has changed. Does nothing if the database cannot be written. Raises ``RulesError``
        when rules.yaml is invalid; then nothing changes.
        """
        if self._database.writable:
            today, days = self._context.today(), self._context.inbox_period.days
            is_stored = self._cache.get("where rules are", lambda: self.file.is_stored, marks=False)
            file = b"" if is_stored else self.file.in_folder()
            key = ("rules applied", today, days, file)
            self._cache.get(key, lambda: self._apply(today, days), marks=False)

    def _apply(self, today: date, days: int) -> None:
        user, content = self._context.user_id, self.file.read_or_empty()
        with self._database.read() as tx:
            wanted = rule_inputs.priorities(tx, user)
            file = hashlib.sha256(content + _text(wanted)).hexdigest()[:16] if content or wanted else ""
            before = Application.from_json(rule_outcomes.last_application(tx, user))
            expired = bool(before.until) and today.isoformat() > before.until
            same_rules = file == before.file and before.days in (0, days) and not expired
            if same_rules and not before.sources:
                return
            feeds, assessed = rule_inputs.names_of_feeds(tx, user), rule_inputs.last_with_story(tx)
        if same_rules and (before.feeds, before.assessed) == (feeds, assessed):
            return
        rules = self._active()
        off = {each.identity: before.off[each.identity] for each in rules if each.identity in before.off}
        while True:
            active = [rule for rule in rules if rule.identity not in off]
            matcher, digest = _matcher(active, wanted), _digest(active, wanted)
            same = (digest, days) == (before.rules, before.days)
            same = same and (feeds == before.feeds or not matcher.needs_sources)
            stories = self._stories(before.assessed if same else None, assessed, matcher)
            outcomes = self._outcomes(matcher, stories)
            if not matcher.switched_off:
                break
            off |= matcher.switched_off
        until = min((rule.until.isoformat() for rule in rules if rule.until is not None), default="")
        after = Application(file, digest, until, days, matcher.needs_sources, feeds, assessed, off)
        with self._database.write(user) as tx:
            rule_outcomes.put(tx, user, stories, outcomes)
            rule_outcomes.save_application(tx, user, after.to_json())

    def outcomes(self, stories: Sequence[int]) -> list[RuleOutcome]:
        """Return the rule outcomes of new stories, by their leading articles. Stores no outcomes.

        A rule that takes too long is switched off, and the others are applied.
        """
        last = self._last()
        if not last.rules:
            return []
        rules = self._active()
        with self._database.read() as tx:
            wanted = rule_inputs.priorities(tx, self._context.user_id)
        while True:
            matcher = _matcher([rule for rule in rules if rule.identity not in last.off], wanted)
            found = self._outcomes(matcher, stories)
            if not matcher.switched_off:
                return found
            self._save(replace(last, off=last.off | dict(matcher.switched_off), file=UNKNOWN))
            last = self._last()

    def switched_off(self) -> dict[str, str]:
        """Return the rules that took too long, by identity, each with the reason."""
        return self._last().off

    def switch_on(self, identity: str) -> None:
        """Let a rule that was switched off be tried again."""
        last = self._last()
        if identity in last.off:
            off = {name: reason for name, reason in last.off.items() if name != identity}
            self._save(replace(last, off=off, file=UNKNOWN))

    def _last(self) -> Application:
        with self._database.read() as tx:
            return Application.from_json(rule_outcomes.last_application(tx, self._context.user_id))

    def _save(self, application: Application) -> None:
        with self._database.write(self._context.user_id) as tx:
            rule_outcomes.save_application(tx, self._context.user_id, application.to_json())

    def _active(self) -> list[Rule]:
        from iscore.rules.rules_file import read

        today = self._context.today()
        return [rule for rule in read(self.file).rules if rule.in_force(today)]

    def _stories(self, after: int | None, assessed: int, matcher: Matcher) -> list[int]:
        """List the stories to compute: the whole inbox, or those that articles after ``after`` have joined."""
        user, since = self._context.user_id, self._context.inbox_start()
        with self._database.read() as tx:
            if after is None:
                return story_query.seqs(tx, StoryQuery(user, since))
            return inbox.joined(tx, user, since, after, assessed) if matcher.needs_sources else []

    def _outcomes(self, matcher: Matcher, stories: Sequence[int]) -> list[RuleOutcome]:
        outcomes: list[RuleOutcome] = []
        for start in range(0, len(stories), BATCH):
            with self._database.read() as tx:
                inputs = rule_inputs.stories(
                    tx,
                    self._context.user_id,
                    stories[start : start + BATCH],
                    with_text=matcher.needs_text,
                    with_sources=matcher.needs_sources,
                )
            outcomes += [outcome for outcome in map(matcher.outcome, inputs) if outcome is not None]
            if matcher.switched_off:
                break
        return outcomes


def _matcher(rules: Sequence[Rule], wanted: Mapping[int, Priority]) -> Matcher:
    from iscore.rules.matcher import Matcher

    return Matcher(rules, priorities=bool(wanted))


def _digest(rules: Sequence[Rule], wanted: Mapping[int, Priority]) -> str:
    """Return a digest of what rules and priorities do, without notes and expiry; empty without any."""
    content = repr([(rule.identity, rule.text, rule.boost) for rule in rules]).encode() + _text(wanted)
    return hashlib.sha256(content).hexdigest()[:16] if rules or wanted else ""


def _text(wanted: Mapping[int, Priority]) -> bytes:
    return repr(sorted((feed, each.value) for feed, each in wanted.items())).encode() if wanted else b""
