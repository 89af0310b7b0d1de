"""Applies a rule outcome to one story's score; ``storage.log.rule_outcomes`` does the same in SQL, for lists."""

from __future__ import annotations

import math
from typing import Any

from storage.records.decisions import CurrentScore
from storage.records.rules import RuleOutcome, is_explored, is_interesting


def with_rules(current: CurrentScore, outcome: RuleOutcome | None) -> CurrentScore:
    """Return a score after the user's rules: boosted, and interesting or not as the rules say; archive never is."""
    if outcome is None:
        return current
    boosted = current.score + outcome.boost
    interesting = not current.archive and is_interesting(
        _choose, outcome.action, boosted, current.threshold, current.interesting
    )
    return current._replace(score=boosted, interesting=interesting)


def ruled_score(score: float, outcome: RuleOutcome | None) -> float:
    """Return the score that is compared with the threshold; infinite where a rule decides for every threshold."""
    if outcome is None:
        return score
    boosted = score + outcome.boost
    if is_interesting(_choose, outcome.action, boosted, math.inf, False):
        return math.inf
    return boosted if is_interesting(_choose, outcome.action, boosted, -math.inf, True) else -math.inf


def is_listed(current: CurrentScore, outcome: RuleOutcome | None, *, explore: bool) -> bool:
    """Whether the inbox lists a story: for its score, by a rule, or because it is explored."""
    explored: bool = is_explored(_choose, outcome and outcome.action, explore)
    return with_rules(current, outcome).interesting or explored


def _choose(*cases: Any) -> Any:
    *pairs, default = cases
    return next((value for condition, value in pairs if condition), default)
