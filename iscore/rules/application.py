"""What a rule outcome makes of one story; ``storage.rule_outcomes`` says the same in SQL, for lists."""

from __future__ import annotations

import math
from dataclasses import replace

from storage.records import Action, CurrentScore, RuleOutcome


def ruled_score(score: float, outcome: RuleOutcome | None) -> float:
    """Return the score that is compared with the threshold: infinite for always, minus infinite for never."""
    if outcome is None:
        return score
    return {Action.ALWAYS: math.inf, Action.NEVER: -math.inf, Action.BOOST: score + outcome.boost}[outcome.action]


def overlaid(current: CurrentScore, outcome: RuleOutcome | None) -> CurrentScore:
    """Return a story's score and decision with the user's rules applied."""
    if outcome is None:
        return current
    interesting = ruled_score(current.score, outcome) >= current.threshold
    return replace(current, score=current.score + outcome.boost, interesting=interesting)


def listed(current: CurrentScore, outcome: RuleOutcome | None, *, explore: bool) -> bool:
    """Whether the inbox lists a story: for its score, by a rule, or because it was explored."""
    muted = outcome is not None and outcome.action is Action.NEVER
    return overlaid(current, outcome).interesting or (explore and not muted)
