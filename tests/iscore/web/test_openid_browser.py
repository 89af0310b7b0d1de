"""Signing in with a provider in a real browser, from one site to another and back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from iscore.web.security.openid import is_installed
from storage.opening.database import open_database
from storage.people import users
from storage.records.users import LOCAL_USER, Identity
from tests.iscore.web.conftest import NOW, READING, served
from tests.servers.chromium import Chromium, needs_chromium
from tests.servers.openid_provider import CLIENT, SECRET, running_provider

pytestmark = [
    needs_chromium,
    pytest.mark.skipif(not is_installed(), reason="the extra openid is not installed"),
]


@pytest.mark.long
def test_strict_cookies_and_the_policy_of_forms_let_the_browser_come_back(
    browser: Chromium, empty_home: Path, tmp_path: Path
) -> None:
    home = shutil.copytree(empty_home, tmp_path / "home")
    (home / "config.toml").unlink()
    with running_provider("localhost") as provider:  # for browsers another site than 127.0.0.1
        provider.behave(now=NOW.timestamp())
        with open_database(home / "iscore.db") as database, database.write() as tx:
            users.put_identity(tx, Identity(LOCAL_USER, provider.issuer, "anna-1", NOW))
        settings = {"issuer": provider.issuer, "client_id": CLIENT, "client_secret": SECRET, "name": "Example"}
        environment = {f"ISCORE_OPENID_{name.upper()}": value for name, value in settings.items()}
        with served(home, program=READING, **environment) as server:
            page = browser.page()
            page.go(f"{server.address}feeds")
            assert page.text("a.button") == "Sign in with Example"
            page.click("a.button")
            page.wait_for("location.pathname === '/feeds' && document.title !== ''")
            assert page.complaints == []
            assert server.rows("SELECT count(*) FROM sessions") == [(1,)]
