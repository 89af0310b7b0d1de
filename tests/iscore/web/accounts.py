"""A site that nobody has set up, one with an admin, and what their browsers do: for tests of accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.core.passwords import hash_password
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
PASSWORD = "a walk by the harbour"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder that nobody has set up."""
    archive = Archive(tmp_path / "home")
    archive.database.close()
    return archive.home.path


@pytest.fixture
def fresh(folder: Path) -> Iterator[Site]:
    with site(folder, NOW) as running:
        yield running


@pytest.fixture
def ready(fresh: Site) -> Site:
    """A site with an admin, Anna, as the set-up page leaves it."""
    fresh.context.accounts.set_up("Anna", hash_password(PASSWORD))
    fresh.context.credentials.mark_set_up()
    fresh.context.setup.use()
    return fresh


def set_up(client: AppClient, running: Site, path: str = "", **fields: str) -> Answer:
    path = path or running.context.setup.path
    page = client.get(path)
    if page.status != 200:
        return page
    form = {"token": page.hidden("token"), "key": page.hidden("key"), "name": "Anna", "password": PASSWORD}
    return client.post("/setup", form | fields)


def act(client: AppClient, path: str, **fields: str) -> Answer:
    return client.post(path, {"token": client.get(path).hidden("token")} | fields)


def invited(admin: AppClient, name: str = "Ben", role: str = "reader") -> str:
    """Return the path of an invitation's link."""
    page = act(admin, "/people", action="invite", name=name, role=role)
    found = re.search(r"http://127\.0\.0\.1:8473(/join\?key=[\w-]+)<", page.body)
    assert found, page.body
    return found[1]


def join(client: AppClient, path: str, **fields: str) -> Answer:
    page = client.get(path)
    if page.status != 200:
        return page
    form = {"token": page.hidden("token"), "key": page.hidden("key"), "name": page.hidden("name")}
    return client.post("/join", form | {"password": "an orchard in May"} | fields)
