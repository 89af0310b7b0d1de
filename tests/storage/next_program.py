"""The iScore after this one: it has one more revision, which every older database must get when it is opened."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import storage.schema
from storage.opening import creation

if TYPE_CHECKING:
    import pytest

NEXT = "next"


def migrations(folder: Path, last_statement: str = "INSERT INTO shelves VALUES (1)") -> Path:
    """Write the revisions of the next program: the last one makes a table, then does ``last_statement``."""
    shutil.copytree(creation.MIGRATIONS, folder)
    (folder / "versions" / "next.py").write_text(
        "from alembic import op\n"
        f"revision, down_revision = {NEXT!r}, {storage.schema.REVISIONS[-1]!r}\n"
        "def upgrade():\n"
        "    op.execute('CREATE TABLE shelves (id INTEGER PRIMARY KEY)')\n"
        f"    op.execute({last_statement!r})\n"
    )
    return folder


def become(folder: Path, set_value: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let this process be the next program, whose revisions are in ``folder``."""
    now = storage.schema.REVISIONS
    set_value(creation, "MIGRATIONS", folder)
    for name, module in list(sys.modules.items()):
        if name.startswith(("iscore.", "storage.")) and getattr(module, "REVISIONS", None) is now:
            set_value(module, "REVISIONS", (*now, NEXT))


def next_program(
    monkeypatch: pytest.MonkeyPatch, folder: Path, last_statement: str = "INSERT INTO shelves VALUES (1)"
) -> None:
    """Become the iScore after this one until ``monkeypatch`` is undone."""
    become(migrations(folder, last_statement), monkeypatch.setattr)
