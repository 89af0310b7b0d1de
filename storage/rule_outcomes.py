"""What a person's own rules say of stories, and how everything stands once they have spoken.

A ruling is no part of a decision or a standing, which are the model's alone: it is laid over them by whoever lists
what waits. So rules may change at any time, and nothing that is learned from ever knows of them.

    standings ─┬─► STANDING.c.score, .interesting, .explore     what the model thinks
    rulings  ──┴─► SCORE, INTERESTING, EXPLORE                  what the person gets

Lists select from ``STANDING`` and name the three expressions instead of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, case, delete, false, func, or_, select, true, update

from storage.bulk_insert import Bulk, chunks, insert_new
from storage.columns import to_json
from storage.records import Action, RuleOutcome
from storage.schema import decisions, rulings, standings, users
from storage.transaction import Transaction

_RULING = ("user_id", "seq", "action", "boost", "rules")
_put = Bulk(insert_new(rulings), _RULING)

STANDING = standings.outerjoin(rulings, (rulings.c.user_id == standings.c.user_id) & (rulings.c.seq == standings.c.seq))
"""How everything stands, each with its ruling if it has one."""


def _does(action: Action) -> ColumnElement[bool]:
    return rulings.c.action == action.value


SCORE = standings.c.score + func.coalesce(rulings.c.boost, 0.0)
"""The model's score, raised or lowered by the person's rules."""
INTERESTING = case(
    (_does(Action.ALWAYS), true()),
    (_does(Action.NEVER), false()),
    (_does(Action.BOOST), standings.c.threshold <= SCORE),
    else_=standings.c.interesting,
)
"""Whether it is to be shown for its score, or because a rule demands it."""
EXPLORE = and_(standings.c.explore, ~func.coalesce(_does(Action.NEVER), False))
"""Whether it was drawn to be shown all the same; nothing is that is never to be shown."""
FIRST = case((_does(Action.ALWAYS), 0), else_=1)
"""What is always to be shown comes before everything else."""
LISTED = or_(INTERESTING, EXPLORE)

DECISION = decisions.outerjoin(rulings, (rulings.c.user_id == decisions.c.user_id) & (rulings.c.seq == decisions.c.seq))
"""First decisions, each with its story's ruling if it has one."""
OVERRULED = and_(
    ~decisions.c.explore,
    case(
        (_does(Action.ALWAYS), ~decisions.c.interesting),
        (_does(Action.NEVER), decisions.c.interesting),
        (
            _does(Action.BOOST),
            (decisions.c.score + rulings.c.boost >= decisions.c.threshold) != decisions.c.interesting,
        ),
        else_=false(),
    ),
)
"""Whether rules alone delivered a story or held it back: that tells nothing of how well the filter decides."""
MUTED = func.coalesce(_does(Action.NEVER), False)


def put(tx: Transaction, user_id: int, looked_at: Sequence[int], found: Sequence[RuleOutcome]) -> None:
    """Make ``found`` all that rules say of the stories ``looked_at``."""
    for piece in chunks(looked_at):
        tx.connection.execute(delete(rulings).where(rulings.c.user_id == user_id, rulings.c.seq.in_(piece)))
    _put.run(tx, [(user_id, each.seq, each.action.value, each.boost, to_json(each.rules)) for each in found])


def get(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, RuleOutcome]:
    """Give the rulings about these stories; those of which no rule speaks are left out."""
    found: dict[int, RuleOutcome] = {}
    for piece in chunks(seqs):
        query = select(rulings.c.seq, rulings.c.action, rulings.c.boost, rulings.c.rules).where(
            rulings.c.user_id == user_id, rulings.c.seq.in_(piece)
        )
        found |= {
            seq: RuleOutcome(seq, Action(action), boost, rules)
            for seq, action, boost, rules in tx.connection.execute(query)
        }
    return found


def muted(tx: Transaction, user_id: int) -> frozenset[int]:
    """Give the stories that a rule never shows."""
    query = select(rulings.c.seq).where(rulings.c.user_id == user_id, rulings.c.action == Action.NEVER.value)
    return frozenset(tx.connection.execute(query).scalars())


def last_application(tx: Transaction, user_id: int) -> str:
    """Give what was noted about the rules when they were last applied; empty when they never were."""
    return str(tx.connection.execute(select(users.c.ruled_by).where(users.c.id == user_id)).scalar_one())


def save_application(tx: Transaction, user_id: int, application: str) -> None:
    """Note by which rules everything that waits has been ruled."""
    tx.connection.execute(update(users).where(users.c.id == user_id).values(ruled_by=application))
