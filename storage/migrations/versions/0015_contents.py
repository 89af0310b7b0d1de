"""What pages show of articles beside their texts: HTML, enclosures, thumbnails; icons of feeds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table and the column; both are filled as feeds change.

    Feeds forget which entries they have seen: so the next document that has changed is read whole once, and the
    articles that it still has get their contents. Nothing is fetched for that.
    """
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "contents",
        sa.Column("seq", number, sa.ForeignKey("articles.seq"), primary_key=True),
        sa.Column("html", sa.LargeBinary(), nullable=False),
        sa.Column("enclosures", sa.Text(), nullable=False),
        sa.Column("thumbnail", sa.Text(), nullable=False),
    )
    op.add_column("feeds", sa.Column("icon", sa.Text(), nullable=False, server_default=""))
    op.execute("UPDATE feeds SET items_seen = x''")
