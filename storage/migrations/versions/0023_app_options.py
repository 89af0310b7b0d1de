"""What marks that a client app sends mean, for each app; and the digests of keys for the Fever API."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns: so far no app could sign in."""
    op.add_column("app_passwords", sa.Column("options", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("app_passwords", sa.Column("fever_key", sa.Text(), nullable=False, server_default=""))
    op.create_index("app_passwords_fever_key", "app_passwords", ["fever_key"])
