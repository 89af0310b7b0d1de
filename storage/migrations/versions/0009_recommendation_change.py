"""Why the number of a user's recommendations has changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make a place for the last large change."""
    op.add_column("users", sa.Column("last_change", sa.Text(), nullable=False, server_default=""))
