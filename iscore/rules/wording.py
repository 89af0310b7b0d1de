"""A rule outcome in words: which of the user's rules decided or moved a story."""

from __future__ import annotations

from storage.records import Action, RuleOutcome


def outcome_text(ruling: RuleOutcome | None) -> str:
    """Return one line; empty without a rule outcome.

    ``always, by your rule: word “inflation”``; ``boosted by your rules: source “LWN.net” (strongly); …``
    """
    if ruling is None:
        return ""
    what = "boosted" if ruling.action is Action.BOOST else f"{ruling.action},"
    return f"{what} by your rule{'s' if len(ruling.rules) > 1 else ''}: {'; '.join(ruling.rules)}"
