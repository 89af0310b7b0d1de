"""The outcomes of the user's rules, and what they make of the model's scores.

Decisions and current scores are the model's alone; rule outcomes are joined to them when stories are listed. So rules
may change at any time, and nothing that is learned depends on them.

    current_scores ─────┬─► SCORED.c.score, .interesting, .explore     the model's
    rule outcomes ─┴─► SCORE, INTERESTING, EXPLORE                 with the rules

Lists select from ``SCORED`` and use the three expressions instead of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, false, func, insert, or_, select, true, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks, insert_new, of_own
from storage.records.rules import Action, RuleOutcome, is_explored, is_interesting
from storage.schema import articles, current_scores, decisions, rule_changes, rule_outcomes, users
from storage.schema.column_types import to_json

_RULE_OUTCOME = ("user_id", "seq", "action", "boost", "rules")
_put = Bulk(insert_new(rule_outcomes), _RULE_OUTCOME)
_NOTHING = ("", 0.0)
_note = Bulk(insert(rule_changes), ("user_id", "seq", "action", "boost"))

SCORED = current_scores.outerjoin(
    rule_outcomes, (rule_outcomes.c.user_id == current_scores.c.user_id) & (rule_outcomes.c.seq == current_scores.c.seq)
)
"""Current scores, each with its rule outcome if it has one."""
DECIDED = decisions.outerjoin(
    rule_outcomes, (rule_outcomes.c.user_id == decisions.c.user_id) & (rule_outcomes.c.seq == decisions.c.seq)
)
"""First decisions, each with its story's rule outcome if it has one."""


def _choose(*cases: Any) -> ColumnElement[Any]:
    *pairs, default = cases
    constants = {True: true(), False: false()}
    return case(
        *((test, constants[value] if isinstance(value, bool) else value) for test, value in pairs), else_=default
    )


_BOOST = func.coalesce(rule_outcomes.c.boost, 0.0)
SCORE = current_scores.c.score + _BOOST
"""The model's score, boosted by the rules."""
INTERESTING = and_(
    ~current_scores.c.archive,
    is_interesting(_choose, rule_outcomes.c.action, SCORE, current_scores.c.threshold, current_scores.c.interesting),
)
"""Whether a story is shown for its score or by a rule; archive is never."""
EXPLORE = is_explored(_choose, rule_outcomes.c.action, current_scores.c.explore)
"""Whether a story is shown to be explored."""
LISTED = or_(INTERESTING, EXPLORE)
"""Whether the inbox lists a story."""
FIRST = case((rule_outcomes.c.action == Action.ALWAYS.value, 0), else_=1)
"""Sorts what a rule always shows before everything else."""
MUTED = func.coalesce(rule_outcomes.c.action == Action.NEVER.value, False)
"""Whether a rule hides a story."""
OVERRULED = and_(
    ~decisions.c.explore,
    is_interesting(
        _choose,
        rule_outcomes.c.action,
        decisions.c.score + _BOOST,
        decisions.c.threshold,
        decisions.c.interesting,
    )
    != decisions.c.interesting,
)
"""Whether the rules reversed a first decision: it says nothing about how well the filter decides."""


def put(tx: Transaction, user_id: int, looked_at: Sequence[int], found: Sequence[RuleOutcome]) -> None:
    """Replace the outcomes of the stories ``looked_at`` by ``found``, and record what has changed."""
    before = {seq: (each.action.value, each.boost) for seq, each in get(tx, user_id, looked_at).items()}
    after = {each.seq: (each.action.value, each.boost) for each in found}
    changed = [seq for seq in looked_at if before.get(seq) != after.get(seq)]
    for piece in chunks(list(before)):
        tx.connection.execute(
            delete(rule_outcomes).where(rule_outcomes.c.user_id == user_id, among(rule_outcomes.c.seq, piece))
        )
    _put.run(tx, [(user_id, each.seq, each.action.value, each.boost, to_json(each.rules)) for each in found])
    _note.run(tx, [(user_id, seq, *after.get(seq, _NOTHING)) for seq in changed])


def get(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, RuleOutcome]:
    """Return the outcomes of these stories, by story; those that no rule matches are left out."""
    if not seqs:
        return {}
    query = select(rule_outcomes.c.seq, rule_outcomes.c.action, rule_outcomes.c.boost, rule_outcomes.c.rules)
    query = query.where(rule_outcomes.c.user_id == user_id, of_own(rule_outcomes.c.seq, seqs))
    wanted = frozenset(seqs)
    return {
        seq: RuleOutcome(seq, Action(action), boost, rules)
        for seq, action, boost, rules in tx.connection.execute(query)
        if seq in wanted
    }


def last_change(tx: Transaction, user_id: int) -> int:
    """Return the number of the last change of an outcome; 0 without any."""
    query = select(func.coalesce(func.max(rule_changes.c.number), 0)).where(rule_changes.c.user_id == user_id)
    return int(tx.connection.execute(query).scalar_one())


def muted(tx: Transaction, user_id: int) -> frozenset[int]:
    """Return the stories that a rule hides."""
    query = select(rule_outcomes.c.seq).where(
        rule_outcomes.c.user_id == user_id, rule_outcomes.c.action == Action.NEVER.value
    )
    return frozenset(tx.connection.execute(query).scalars())


def muted_ids(tx: Transaction, user_id: int) -> frozenset[str]:
    """Return the public ids of the stories that a rule hides."""
    query = select(articles.c.id).join(rule_outcomes, rule_outcomes.c.seq == articles.c.seq)
    query = query.where(rule_outcomes.c.user_id == user_id, rule_outcomes.c.action == Action.NEVER.value)
    return frozenset(tx.connection.execute(query).scalars())


def last_application(tx: Transaction, user_id: int) -> str:
    """Return the record of the last application of the rules; empty when they were never applied."""
    return str(tx.connection.execute(select(users.c.ruled_by).where(users.c.id == user_id)).scalar_one())


def save_application(tx: Transaction, user_id: int, application: str) -> None:
    """Store the record of an application of the rules."""
    tx.connection.execute(update(users).where(users.c.id == user_id).values(ruled_by=application))
