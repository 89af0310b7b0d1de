"""The user's rules: add, list, remove, and try one before it is added. ``rules.yaml`` is the truth.

A change is applied at once: when the method returns, the inbox follows the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from iscore.services.rule_application import BATCH, RuleApplication
from iscore.services.user_context import UserContext
from iscore.services.view_builders import inbox_item
from iscore.services.views.rules import RuleTrial, RuleView
from storage import decisions, inbox, rule_inputs, rule_outcomes
from storage.database import Database

if TYPE_CHECKING:
    from iscore.rules.rule import Rule


class Rules:
    """One user's rules."""

    def __init__(self, database: Database, context: UserContext, application: RuleApplication) -> None:
        self._database = database
        self._context = context
        self._application = application
        self._file = application.file

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
        """Add a rule. It replaces one that differs only in boost, expiry or note.

        Parameters
        ----------
        action
            ``always``, ``never`` or ``boost``.
        field
            What it looks at: ``word``, ``phrase``, ``source``, ``author``, ``category``, ``tag`` or ``regex``.
        boost
            Log-odds, for the action ``boost`` only; None: the default, clearly up.
        until
            The last day on which it is active, or the time for which it is, from today.

        Raises ``RuleError``, and ``RulesError`` when rules.yaml is invalid; then nothing changes.
        """
        from iscore.rules import rules_file
        from iscore.rules.rule import make_rule

        last = self._context.today() + until if isinstance(until, timedelta) else until
        rule = make_rule(action, field, text, boost=boost, in_title=in_title, until=last, note=note)
        number = rules_file.add(self._file, rule)
        self._application.switch_on(rule.identity)
        self._application.apply()
        return self._view(number, rule)

    def list(self) -> list[RuleView]:
        """List the rules in the order of rules.yaml. Raises ``RulesError``."""
        from iscore.rules.rules_file import read

        return [self._view(number, rule) for number, rule in enumerate(read(self._file).rules, start=1)]

    def remove(self, number: int) -> RuleView:
        """Remove a rule and return it as it was. Raises ``UnknownRuleError``, ``RulesError``."""
        from iscore.rules import rules_file

        rule = rules_file.remove(self._file, number)
        view = self._view(number, rule)
        self._application.apply()
        return view

    def problems(self) -> tuple[str, ...]:
        """Return a line for each rule that is switched off, with the reason. Reads no rules if none is."""
        if not self._application.switched_off():
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
        """Find the stories of the last days that a rule would match, without adding it.

        Raises ``RuleError``; also for an expression that takes too long on these stories.
        """
        from iscore.rules.application import is_listed
        from iscore.rules.errors import RuleError
        from iscore.rules.matcher import Matcher
        from iscore.rules.rule import make_rule
        from iscore.rules.rules_file import read

        rule = make_rule(action, field, text, boost=boost, in_title=in_title)
        today = self._context.today()
        others = [each for each in read(self._file).rules if each.in_force(today) and each.identity != rule.identity]
        alone, together = Matcher([rule]), Matcher([*others, rule])
        user, since = self._context.user_id, self._context.clock() - timedelta(days=days)
        with self._database.read() as tx:
            stories = decisions.scored_stories(tx, user, since)
            matched: Sequence[int] = []
            shown = hidden = 0
            for start in range(0, len(stories), BATCH):
                inputs = rule_inputs.stories(
                    tx,
                    user,
                    stories[start : start + BATCH],
                    with_text=together.needs_text,
                    with_sources=together.needs_sources,
                )
                found = {each.seq: each for each in inputs if alone.outcome(each)}
                now = rule_outcomes.get(tx, user, list(found))
                for score, explore in decisions.current_scores(tx, user, list(found)):
                    before = is_listed(score, now.get(score.seq), explore=explore)
                    after = is_listed(score, together.outcome(found[score.seq]), explore=explore)
                    shown += after and not before
                    hidden += before and not after
                matched = [*matched, *found]
            for reason in alone.switched_off.values():
                raise RuleError(f"this rule cannot be used: {reason}")
            rows = inbox.rows(tx, user, matched[: -limit - 1 : -1])
        return RuleTrial(days, len(stories), len(matched), shown, hidden, tuple(map(inbox_item, rows)))

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
            in_force=rule.in_force(self._context.today()),
            problem=self._application.switched_off().get(rule.identity, ""),
        )
