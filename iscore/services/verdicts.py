"""A verdict's first step: one row in the log. Learning comes later, with the next poll, inbox or digest.

Nothing here loads numbers or models, so that a verdict is acknowledged at once.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from storage import feedback
from storage.database import Database
from storage.records import Kind, Verdict


def give(
    database: Database, user_id: int, kind: Kind, seqs: Sequence[int], *, at: datetime
) -> list[tuple[bool, Kind | None]]:
    """Append one verdict per article, all or none, and return for each whether it is new and what stood before.

    When this returns, the verdicts are on disk.
    """
    verdicts = [Verdict(id=uuid.uuid4().hex, user_id=user_id, seq=seq, kind=kind, at=at) for seq in seqs]
    with database.write(durable=True) as tx:
        return feedback.append(tx, verdicts)
