"""Things already liked, brought along from elsewhere: the imports, and what each seed row of the log rests on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make two tables."""
    op.create_table(
        "imports",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "seeds",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("row", NUMBER, nullable=False),
        sa.Column("import_id", NUMBER, nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.ForeignKeyConstraint(["row"], ["feedback.row"]),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"]),
        sa.PrimaryKeyConstraint("user_id", "row"),
        sqlite_with_rowid=False,
    )
    op.create_index("seeds_import", "seeds", ["import_id"])
