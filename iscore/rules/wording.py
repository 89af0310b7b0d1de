"""A rule outcome in words."""

from __future__ import annotations

from storage.records import Action, RuleOutcome


def outcome_text(outcome: RuleOutcome | None) -> str:
    """Return one line; empty without a rule outcome.

    ``always, by your rule: word “inflation”``; ``boosted by your rules: source “LWN.net” (strongly); …``
    """
    if outcome is None:
        return ""
    what = "boosted" if outcome.action is Action.BOOST else f"{outcome.action},"
    return f"{what} by your rule{'s' if len(outcome.rules) > 1 else ''}: {'; '.join(outcome.rules)}"
