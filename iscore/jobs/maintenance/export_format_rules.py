"""The line of an export that is one of the person's own rules."""

from __future__ import annotations

from datetime import date
from typing import Any

from iscore.rules.rule import Rule, make_rule
from storage.records import Action


def rule_line(rule: Rule) -> dict[str, Any]:
    """Lay out a rule."""
    return {
        "kind": "rule",
        "action": rule.action.value,
        "field": rule.field.value,
        "text": rule.text,
        "boost": rule.boost if rule.action is Action.BOOST else None,
        "in_title": rule.in_title,
        "until": rule.until and rule.until.isoformat(),
        "note": rule.note,
    }


def rule_of(said: dict[str, Any]) -> Rule:
    """Return the rule that a line says. Raises ``KeyError``, ``ValueError`` and ``RuleError`` for what is none."""
    action, field, text, note = (_text(said, name) for name in ("action", "field", "text", "note"))
    boost, until = said["boost"], said["until"]
    if boost is not None and type(boost) not in (int, float):
        raise ValueError("'boost' is not of the right type")
    if type(said["in_title"]) is not bool:
        raise ValueError("'in_title' is not of the right type")
    return make_rule(
        action,
        field,
        text,
        boost=None if boost is None else float(boost),
        in_title=said["in_title"],
        until=None if until is None else date.fromisoformat(_text(said, "until")),
        note=note,
    )


def _text(said: dict[str, Any], name: str) -> str:
    value = said[name]
    if type(value) is not str:
        raise ValueError(f"{name!r} is not of the right type")
    value.encode("utf-8")  # half a surrogate pair is a ValueError
    return value
