"""The user's rules: add, list, remove, and try one before it is added. ``rules.yaml`` is the truth.

A change is applied at once: when the method returns, the inbox follows the rules.

Feeds and rules are removed so that they can be brought back, for ``REMOVAL_LIFETIME``:

    removed ─► feeds.yaml, rules.yaml without it ─► its content in the database, under a random key ─► undo ─► as before
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from iscore.core.translation import gettext
from iscore.services.rules.rule_application import BATCH, RuleApplication
from iscore.services.session.documents import EditedText
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.rules import RemovedFeed, RemovedRule, RuleTrial, RuleView
from iscore.services.views.view_builders import story_view
from storage.log import decisions, rule_inputs
from storage.people import documents
from storage.records.feeds import Priority, Subscription
from storage.records.rules import Action
from storage.records.users import Removal, RemovalKind
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


REMOVAL_LIFETIME = timedelta(days=7)


class Removals:
    """What one user removed."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._subscriptions = session.service(Subscriptions)
        self._rules = session.service(Rules)

    def remove_feed(self, number: int) -> str:
        """Follow a feed no longer; return the key that undoes it.

        Raises ``UnknownFeedError``, ``SubscriptionsError``.
        """
        view = self._subscriptions.known().get(number)
        mine = self._subscriptions.unfollow(number)
        name = view.title or view.url if view else ""
        return self._add(RemovalKind.FEED, {"name": name, "subscription": asdict(mine)})

    def remove_rule(self, number: int) -> str:
        """Remove a rule; return the key that undoes it. Raises ``UnknownRuleError``, ``RulesError``."""
        rule = self._rules.remove(number)
        fields = {name: getattr(rule, name) for name in ("action", "field", "text", "boost", "in_title", "note")}
        return self._add(RemovalKind.RULE, {**fields, "until": rule.until and rule.until.isoformat()})

    def get(self, key: str) -> RemovedFeed | RemovedRule | None:
        """Return what was removed under a key; None if it cannot be undone any more."""
        found = self._find(key)
        if found is None:
            return None
        values = json.loads(found.content)
        return RemovedFeed(values["name"]) if found.kind is RemovalKind.FEED else _rule(values)

    def undo(self, key: str) -> bool:
        """Bring back what was removed under a key, once; return whether it could be.

        Raises ``SubscriptionsError``, ``RuleError``, ``RulesError`` with nothing changed.
        """
        found = self._find(key)
        if found is None:
            return False
        values = json.loads(found.content)
        if found.kind is RemovalKind.FEED:
            self._subscriptions.restore(_subscription(values["subscription"]))
        else:
            rule = _rule(values)
            boost = rule.boost if rule.action == Action.BOOST else None
            options: dict[str, Any] = {"until": rule.until, "note": rule.note, "in_title": rule.in_title}
            self._rules.add(rule.action, rule.field, rule.text, boost=boost, **options)
        with self._database.write(self._context.user_id, durable=True) as tx:
            documents.undo_removal(tx, self._context.user_id, key)
        return True

    def _add(self, kind: RemovalKind, values: dict[str, Any]) -> str:
        now, key = self._context.clock(), secrets.token_urlsafe(16)
        removal = Removal(self._context.user_id, key, now, kind, json.dumps(values, ensure_ascii=False))
        with self._database.write(self._context.user_id, durable=True) as tx:
            documents.add_removal(tx, removal, now - REMOVAL_LIFETIME)
        return key

    def _find(self, key: str) -> Removal | None:
        with self._database.read() as tx:
            return documents.find_removal(tx, self._context.user_id, key, self._context.clock() - REMOVAL_LIFETIME)


def _subscription(values: dict[str, Any]) -> Subscription:
    return Subscription(**{**values, "tags": tuple(values["tags"]), "priority": Priority(values["priority"])})


def _rule(values: dict[str, Any]) -> RemovedRule:
    return RemovedRule(**{**values, "until": date.fromisoformat(values["until"]) if values["until"] else None})
