"""Users with a role, a time zone and a password; no two have the same name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns. The first user is the admin; whoever has the name of somebody before them gets their number, too."""
    for name, default in (("name_key", ""), ("role", "reader"), ("time_zone", ""), ("password", "")):
        op.add_column("users", sa.Column(name, sa.Text(), nullable=False, server_default=default))
    op.add_column("users", sa.Column("created", sa.BigInteger()))
    users = sa.table("users", *map(sa.column, ("id", "name", "name_key", "role")))
    connection = op.get_bind()
    known: set[str] = set()
    for number, name in connection.execute(sa.select(users.c.id, users.c.name).order_by(users.c.id)).all():
        unique = name if name.casefold() not in known else f"{name} {number}"
        role = "reader" if known else "admin"
        known.add(unique.casefold())
        values = {"name": unique, "name_key": unique.casefold(), "role": role}
        connection.execute(sa.update(users).where(users.c.id == number).values(values))
    op.create_index("users_name", "users", ["name_key"], unique=True)
