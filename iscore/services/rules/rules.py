"""The user's rules: add, list, remove, and try one before it is added. ``rules.yaml`` is the truth.

A change is applied at once: when the method returns, the inbox follows the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from iscore.core.translation import gettext
from iscore.services.rules.rule_application import BATCH, RuleApplication
from iscore.services.session.documents import EditedText
from iscore.services.session.user_session import UserSession
from iscore.services.views.rules import RuleTrial, RuleView
from iscore.services.views.view_builders import story_view
from storage.log import decisions, rule_inputs
from storage.records.rules import Action
from storage.stories import inbox, story_query
from storage.stories.story_query import StoryQuery

if TYPE_CHECKING:
    from iscore.rules.rule import Rule


class Rules:
    """One user's rules."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._application = session.service(RuleApplication)
        self._file = self._application.file

    @property
    def text(self) -> EditedText:
        """The text of rules.yaml, to be edited."""
        from iscore.rules.rules_file import parse

        return EditedText(self._file, lambda text: parse(text, self._file), self._application.apply)

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

    def change(
        self,
        was: RuleView,
        action: str,
        field: str,
        text: str,
        *,
        boost: float | None = None,
        until: date | None = None,
        note: str = "",
        in_title: bool = False,
    ) -> None:
        """Replace a rule at its place; parameters are those of ``add``.

        Raises ``UnknownRuleError`` if the rule is not what it ``was``, ``RuleError``, ``RulesError``; then nothing
        changes.
        """
        from iscore.rules import rules_file
        from iscore.rules.rule import Field, Rule, make_rule

        before = Rule(Action(was.action), Field(was.field), was.text, was.boost, was.in_title, was.until, was.note)
        rule = make_rule(action, field, text, boost=boost, in_title=in_title, until=until, note=note)
        rules_file.change(self._file, was.number, before, rule)
        self._application.switch_on(rule.identity)
        self._application.apply()

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
        instead_of: int = 0,
    ) -> RuleTrial:
        """Find the unrated stories that arrived in the last days and that a rule matches, and what it changes.

        It need not be one of yours.

        ``instead_of``: the number of the rule that it would replace; 0: of none. Raises ``RuleError``; also for an
        expression that takes too long on these stories.
        """
        from iscore.core.errors import RuleError
        from iscore.rules.application import is_listed
        from iscore.rules.matcher import Matcher
        from iscore.rules.rule import make_rule
        from iscore.rules.rules_file import read

        rule = make_rule(action, field, text, boost=boost, in_title=in_title)
        today = self._context.today()
        numbered = enumerate(read(self._file).rules, start=1)
        rules = [each for number, each in numbered if each.in_force(today) and number != instead_of]
        others = [each for each in rules if each.identity != rule.identity]
        alone = Matcher([rule])
        user, since = self._context.user_id, self._context.clock() - timedelta(days=days)
        with self._database.read() as tx:
            priorities = bool(rule_inputs.priorities(tx, user))
            apart, together = (Matcher(each, priorities=priorities) for each in (others, [*others, rule]))
            stories = sorted(story_query.seqs(tx, StoryQuery(user, since)))
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
                for score, explore in decisions.scores(tx, user, list(found)):
                    before = is_listed(score, apart.outcome(found[score.seq]), explore=explore)
                    after = is_listed(score, together.outcome(found[score.seq]), explore=explore)
                    shown += after and not before
                    hidden += before and not after
                matched = [*matched, *found]
            for reason in alone.switched_off.values():
                raise RuleError(gettext("this rule cannot be used: %(reason)s", reason=reason))
            rows = inbox.rows(tx, user, matched[: -limit - 1 : -1])
        return RuleTrial(days, len(stories), len(matched), shown, hidden, tuple(map(story_view, rows)))

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
