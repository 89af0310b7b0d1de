"""What marks that a client app sends mean, for each app."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column: so far no app could send marks."""
    op.add_column("app_passwords", sa.Column("options", sa.Text(), nullable=False, server_default="[]"))
