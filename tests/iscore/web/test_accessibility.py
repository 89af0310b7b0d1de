"""Every page, light and on a dark phone, and one of each kind in the other looks, judged by axe-core if installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from tests.iscore.web.axe import found, needs_axe
from tests.iscore.web.conftest import PASSWORD, Served, served
from tests.servers.chromium import Chromium, needs_chromium
from tests.servers.reader_server import PASSWORD as PASSWORD_THERE
from tests.servers.reader_server import reader_server

PATHS = (
    *("", "maybe", "all", "all?order=best&view=compact", "saved", "hidden", "digest", "verdicts", "search?q=the"),
    *(
        "headlines",
        "feeds",
        "feeds/1",
        "rules",
        "settings",
        "settings/delete",
        "settings/connect",
        "settings/import",
        "account",
        "people",
        "server",
        "login",
        "none",
    ),
)
KINDS = ("", "feeds", "rules", "settings", "login")
"""A page of each kind: a list, one with a table, two with forms, and one before signing in."""
BROKEN = "document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')"

pytestmark = [pytest.mark.long, needs_chromium, needs_axe]


@pytest.mark.parametrize(
    ("paths", "width", "dark"),
    [
        (PATHS, 1280, False),
        (PATHS, 360, True),
        (KINDS, 1280, True),
        (KINDS, 360, False),
    ],
)
def test_no_page_has_a_serious_problem(
    browser: Chromium, learning_server: Served, paths: tuple[str, ...], width: int, dark: bool
) -> None:
    server = learning_server
    page = browser.page(width=width, dark=dark)
    page.go(server.address)
    story = page.evaluate("document.querySelector('[data-stop]').id.slice(2)")
    problems = {}
    for path in (*paths, f"article/{story}?rules="):
        page.go(f"{server.address}{path}")
        if wrong := found(page):
            problems[path] = wrong
    assert problems == {}
    page.evaluate(BROKEN)
    assert [rule for rule, _ in found(page)] == ["button-name"]


def test_nor_has_a_page_of_work_that_goes_on_which_shows_its_end_by_itself(browser: Chromium, tmp_path: Path) -> None:
    home = tmp_path / "home"
    NewsFilter.create(home).close()
    (home / "feeds.yaml").write_text("feeds: []\n")
    (home / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
    CredentialStore(home).mark_set_up()
    page = browser.page(width=360)
    with reader_server() as there, served(home, ISCORE_NOW="") as server:
        page.go(f"{server.address}settings/connect")
        for name, value in (
            ("kind", "greader"),
            ("address", there.address),
            ("login", "anna"),
            ("password", PASSWORD_THERE),
        ):
            page.fill(f"[name={name}]", value)
        page.click("main form button")
        assert "This page looks again every five seconds" in page.text()
        assert found(page) == []
        with NewsFilter.open(home) as news:
            news.connections.sync()
        page.wait_for("!document.querySelector('[data-again]')")
        assert "just now" in page.text()


def test_nor_has_a_page_before_the_first_list_or_without_a_connection(
    browser: Chromium, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, problems = tmp_path / "home", {}
    NewsFilter.create(home).close()
    (home / "feeds.yaml").write_text("feeds: []\n")
    page = browser.page(width=360)

    def look(name: str, address: str = "") -> None:
        if address:
            page.go(address)
        if wrong := found(page):
            problems[name] = wrong

    with served(home, set_up=False, ISCORE_NOW="") as server:
        look("not set up", server.address)
        look("set up", server.started["setup"])
        page.fill("[name=name]", "Anna")
        page.fill("[name=password]", PASSWORD)
        page.click("main form button")
        assert page.url.endswith("/start")
        for path in ("start", "start/interests", "start/first", "headlines", ""):
            look(path, f"{server.address}{path}")
        assert main(["--home", str(home), "users", "invite", "Ben"]) == 0
        look("join", capsys.readouterr().out.strip().replace("http://127.0.0.1:8473/", server.address))
        assert "Ben" in page.evaluate("document.querySelector('[name=name]').value")
        look("sign in", f"{server.address}login")
        page.go(f"{server.address}all")
        page.wait_for("navigator.serviceWorker.controller !== null")
        page.go(f"{server.address}all")
    look("kept", f"{server.address}all")
    page.wait_for("document.querySelector('#offline')?.innerText.includes('Offline.')")
    look("not kept", f"{server.address}saved")
    assert "not saved in the browser" in page.text()
    assert problems == {}
