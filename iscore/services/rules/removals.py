"""Removes feeds and rules so that they can be brought back, for ``REMOVAL_LIFETIME``.

removed ─► feeds.yaml, rules.yaml without it ─► its content in the database, under a random key ─► undo ─► as before
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

from iscore.services.rules.rules import Rules
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.rules import RemovedFeed, RemovedRule
from storage.people import documents
from storage.records.feeds import Priority, Subscription
from storage.records.rules import Action
from storage.records.users import Removal, RemovalKind

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
