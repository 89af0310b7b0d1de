"""The navigation: one for all pages, beside the page or as a drawer, also without JavaScript."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.iscore.web.conftest import PASSWORD, Served, served, set_password
from tests.servers.chromium import Chromium, Page, needs_chromium

pytestmark = needs_chromium

PAGES = [
    *("", "maybe", "all", "saved", "hidden", "feed/1", "digest", "verdicts", "feeds", "rules", "settings"),
    *("account", "people", "server"),
]


def test_it_is_beside_wide_pages_and_a_drawer_on_narrow_ones(browser: Chromium, read_only_server: Served) -> None:
    page = browser.page()
    page.ask("Network.setExtraHTTPHeaders", headers={"Accept-Language": "de"})
    for width in (1440, 1100, 390, 320):
        page.resize(width)
        page.go(f"{read_only_server.address}all")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        assert page.evaluate("document.getElementById('nav').checkVisibility()") == (width == 1440), width
    page.click(".open-nav", loads=False)
    page.wait_for("document.activeElement.id === 'nav'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.press("Escape")
    page.wait_for("!document.getElementById('nav').checkVisibility()")
    assert page.evaluate("document.activeElement.matches('.open-nav')")
    page.press("b")
    page.wait_for("document.getElementById('nav').checkVisibility()")
    assert page.complaints == []


@pytest.mark.long
def test_every_page_is_in_it_without_scripts(browser: Chromium, made_home: Path, tmp_path: Path) -> None:
    shutil.copytree(made_home, tmp_path / "home")
    set_password(tmp_path / "home", PASSWORD)
    with served(tmp_path / "home") as server:
        page = browser.page(width=360, scripts=False)
        page.go(f"{server.address}login")
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        assert shown(page) == set()
        page.click(".open-nav", loads=False)
        assert shown(page) == {f"/{each}" for each in PAGES}
        page.click(".nav-head .close", loads=False)
        page.resize(1440)
        assert shown(page) == {f"/{each}" for each in PAGES}
        page.click("#nav a[href='/settings']")
        assert page.evaluate("document.querySelector('#nav [aria-current]').pathname") == "/settings"
        page.click("#nav form[action='/logout'] button")
        assert page.url.endswith("/login")


def test_open_folders_are_remembered(browser: Chromium, server: Served) -> None:
    page = browser.page(width=1440)
    server.change("UPDATE subscriptions SET tags = '[\"wind & <b>\"]'")
    for is_open in (True, False):
        page.go(f"{server.address}saved")
        assert page.evaluate("document.querySelector('.folder details').open") is not is_open
        page.click(".folder summary", loads=False)
        page.wait_for(f"document.querySelector('.folder details').open === {str(is_open).lower()}")
        expected = '["wind & <b>"]' if is_open else "[]"
        page.wait_for("true")
        wait_for_state(server, expected)
    assert page.complaints == []


def wait_for_state(server: Served, opened: str) -> None:
    """Wait until the server remembers these folders as open."""
    for _ in range(500):
        ((text,),) = server.rows("SELECT list_views FROM users")
        if f'"open": {opened}' in text:
            return
    raise AssertionError(text)


def shown(page: Page) -> set[str]:
    found = "[...document.querySelectorAll('#nav li a, .nav-foot a')].filter((each) => each.checkVisibility())"
    return set(page.evaluate(f"{found}.map((each) => each.pathname)"))
