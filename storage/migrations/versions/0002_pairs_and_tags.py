"""Pairs of words beside an article's terms; a person's tags beside their verdicts.

What was stored before has neither. Both columns are added in place, so that the log keeps its guards and no table is
copied. The inbox is found by arrival in ``standings`` itself; ``features_window`` served no query any more.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns, and an index for another."""
    nothing = sa.text("x''" if op.get_bind().dialect.name == "sqlite" else "''")
    op.add_column("features", sa.Column("pairs", sa.LargeBinary(), server_default=nothing, nullable=False))
    op.add_column("feedback", sa.Column("tags", sa.Text(), server_default="[]", nullable=False))
    op.drop_index("features_window", "features")
    op.create_index("standings_arrived", "standings", ["user_id", "arrived"])
