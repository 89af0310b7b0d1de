"""What an import saved and labelled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make a table. Undoing an import of an earlier version leaves what it saved."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "import_marks",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("import_id", number, sa.ForeignKey("imports.id"), nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.Column("saved", sa.Boolean(), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "import_id", "story"),
        sqlite_with_rowid=False,
    )
