"""The person's own rules: adding, listing, removing, and trying one out before. ``rules.yaml`` is the truth.

Whatever changes the rules puts them in force at once: when it returns, lists of what waits follow them.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.services.container import Composition
from iscore.services.rule_application import Rulebook
from iscore.services.view_builders import inbox_item
from iscore.services.views.rules import RuleTrial, RuleView
from storage import decisions, rule_inputs, rule_outcomes
from storage.database import Database

if TYPE_CHECKING:
    from iscore.rules.rule import Rule

BATCH = 1000
"""Stories that are held in memory at a time."""


class Rules:
    """One person's rules."""

    def __init__(self, database: Database, parts: Composition, clock: Clock, book: Rulebook) -> None:
        self._database = database
        self._parts = parts
        self._clock = clock
        self._book = book

    def add(
        self,
        action: str,
        field: str,
        text: str,
        *,
        boost: float | None = None,
        until: date | timedelta | None = None,
        note: str = "",
        in_title: bool = False,
    ) -> RuleView:
        """Add a rule; one that says the same but for how much, how long and why gives way.

        Parameters
        ----------
        action
            ``always``, ``never`` or ``boost``.
        field
            What it looks at: ``word``, ``phrase``, ``source``, ``author``, ``category``, ``tag`` or ``regex``.
        boost
            Log-odds, of a boost only; None: the usual, clearly upwards.
        until
            The last day on which it is in force, or how long it is, from today.

        Raises ``RuleError``, and ``RulesError`` when rules.yaml is not in order, with nothing changed.
        """
        from iscore.rules import rules_file
        from iscore.rules.rule import make_rule

        last = self._today() + until if isinstance(until, timedelta) else until
        rule = make_rule(action, field, text, boost=boost, in_title=in_title, until=last, note=note)
        number = rules_file.add(self._book.path, rule)
        self._book.forgive(rule.identity)
        self._book.bring_up_to_date()
        return self._view(number, rule)

    def list(self) -> list[RuleView]:
        """List the rules as they stand in rules.yaml. Raises ``RulesError``."""
        from iscore.rules.rules_file import read

        return [self._view(number, rule) for number, rule in enumerate(read(self._book.path).rules, start=1)]

    def remove(self, number: int) -> RuleView:
        """Remove a rule and return what it was. Raises ``UnknownRuleError``, ``RulesError``."""
        from iscore.rules import rules_file

        rule = rules_file.remove(self._book.path, number)
        view = self._view(number, rule)
        self._book.bring_up_to_date()
        return view

    def problems(self) -> tuple[str, ...]:
        """Tell which rules are switched off, and why, a line each. Reads no rules if none is."""
        if not self._book.switched_off():
            return ()
        return tuple(
            f"rule {each.number} ({each.words}) is switched off: {each.problem}" for each in self.list() if each.problem
        )

    def try_out(
        self,
        action: str,
        field: str,
        text: str,
        *,
        boost: float | None = None,
        in_title: bool = False,
        days: int = 7,
        limit: int = 20,
    ) -> RuleTrial:
        """Tell which stories of the last days a rule would touch, without adding it.

        Raises ``RuleError``; also for an expression that takes too long on these stories.
        """
        from iscore.rules.application import listed
        from iscore.rules.errors import RuleError
        from iscore.rules.matcher import Matcher
        from iscore.rules.rule import make_rule
        from iscore.rules.rules_file import read

        rule = make_rule(action, field, text, boost=boost, in_title=in_title)
        alone = Matcher([rule])
        others = [each for each in read(self._book.path).rules if each.in_force(self._today())]
        together = Matcher([*(each for each in others if each.identity != rule.identity), rule])
        user, since = self._parts.user.id, self._clock() - timedelta(days=days)
        with self._database.read() as tx:
            stories = decisions.judged_stories(tx, user, since)
            touched, shown, hidden = [], 0, 0
            for start in range(0, len(stories), BATCH):
                piece = stories[start : start + BATCH]
                wanted = {"with_text": together.reads_text, "with_carriers": together.minds_carriers}
                told = {each.seq: each for each in rule_inputs.stories(tx, user, piece, **wanted)}
                met = [seq for seq in piece if alone.rule(told[seq])]
                now = rule_outcomes.get(tx, user, met)
                for standing, explore in decisions.standings_of(tx, user, met):
                    before = listed(standing, now.get(standing.seq), explore=explore)
                    after = listed(standing, together.rule(told[standing.seq]), explore=explore)
                    shown += after and not before
                    hidden += before and not after
                touched += met
            for why in alone.switched_off.values():
                raise RuleError(f"this rule cannot be: {why}")
            rows = decisions.rows(tx, user, touched[: -limit - 1 : -1])
        return RuleTrial(days, len(stories), len(touched), shown, hidden, tuple(map(inbox_item, rows)))

    def _today(self) -> date:
        return self._clock().astimezone(self._parts.zone).date()

    def _view(self, number: int, rule: Rule) -> RuleView:
        return RuleView(
            number=number,
            action=rule.action,
            field=rule.field,
            text=rule.text,
            boost=rule.boost,
            in_title=rule.in_title,
            until=rule.until,
            note=rule.note,
            words=rule.words,
            in_force=rule.in_force(self._today()),
            problem=self._book.switched_off().get(rule.identity, ""),
        )
