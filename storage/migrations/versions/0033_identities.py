"""Accounts at a provider of OpenID Connect with which users sign in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a table: so far nobody has any."""
    op.create_table(
        "identities",
        sa.Column(
            "user_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.ForeignKey("users.id"),
            nullable=False,
        ),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "issuer"),
        sa.UniqueConstraint("issuer", "subject", name="identities_subject"),
        sqlite_with_rowid=False,
    )
