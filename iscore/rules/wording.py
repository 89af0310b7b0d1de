"""A ruling in words: which of the person's own rules decided or moved a story."""

from __future__ import annotations

from storage.records import Action, RuleOutcome


def ruling_words(ruling: RuleOutcome | None) -> str:
    """Return one line; empty without a ruling.

    ``always, by your rule: word “inflation”``; ``boosted by your rules: source “LWN.net” (strongly); …``
    """
    if ruling is None:
        return ""
    what = "boosted" if ruling.action is Action.BOOST else f"{ruling.action},"
    return f"{what} by your rule{'s' if len(ruling.rules) > 1 else ''}: {'; '.join(ruling.rules)}"
