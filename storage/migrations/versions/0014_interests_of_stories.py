"""The interest that each story belongs to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column, which the next scoring fills."""
    op.add_column("standings", sa.Column("interest", sa.Text(), nullable=False, server_default=""))
