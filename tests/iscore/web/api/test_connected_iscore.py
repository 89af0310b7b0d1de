"""One iScore connected to another, as it is to any other reader server."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from iscore.services.connections.passwords import Secret
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from storage.log import marks
from storage.opening.database import open_database
from storage.records.connections import ReaderKind
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import BEST, NOW
from tests.iscore.web.conftest import READING, served

LABELS = "SELECT label, story FROM labels WHERE label LIKE 'iScore%'"


@pytest.mark.long
def test_another_iscore_is_labelled_and_teaches(made_folder: Path, tmp_path: Path) -> None:
    there = Path(shutil.copytree(made_folder, tmp_path / "there"))
    with open_database(there / "iscore.db") as database:
        password = Accounts(database, lambda: NOW).make_app_password(LOCAL_USER, "client")
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    with (
        served(there, program=READING) as server,
        NewsFilter.create(tmp_path / "here", tmp_path / "feeds.yaml", clock=lambda: NOW) as here,
    ):
        (tmp_path / "here" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
        here.connections.connect(ReaderKind.GREADER, server.address.rstrip("/"), "Anna", Secret(password), ())
        first = here.connections.sync(insist=True)
        assert (first.new, first.imported, first.verdicts) == (3, 0, 0)  # one of the four is older than the inbox
        assert first.sent == 3
        given = server.rows(LABELS)
        assert len({story for _, story in given}) == len(given) == 3
        assert all(name.startswith("iScore: ") for name, _ in given)
        assert server.rows("SELECT kind FROM feedback WHERE user_id = 1") == []
        assert here.connections.sync(insist=True).sent == 0

        with open_database(there / "iscore.db") as database, database.write() as tx:
            marks.save(tx, LOCAL_USER, [BEST], NOW)
        assert [here.connections.sync(insist=True).verdicts for _ in range(2)] == [1, 0]

        here.connections.remove()
        assert server.rows(LABELS) == []
