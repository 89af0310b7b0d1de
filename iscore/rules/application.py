"""What a ruling makes of one story; ``storage.rule_outcomes`` says the same in SQL, for lists."""

from __future__ import annotations

from dataclasses import replace

from storage.records import Action, CurrentScore, RuleOutcome


def overlaid(standing: CurrentScore, ruling: RuleOutcome | None) -> CurrentScore:
    """Return how a story stands once the person's rules have spoken."""
    if ruling is None:
        return standing
    score = standing.score + ruling.boost
    interesting = {
        Action.ALWAYS: True,
        Action.NEVER: False,
        Action.BOOST: score >= standing.threshold,
    }[ruling.action]
    return replace(standing, score=score, interesting=interesting)


def listed(standing: CurrentScore, ruling: RuleOutcome | None, *, explore: bool) -> bool:
    """Whether the inbox lists a story: for its score, by a rule, or since it was drawn to be explored."""
    muted = ruling is not None and ruling.action is Action.NEVER
    return overlaid(standing, ruling).interesting or (explore and not muted)
