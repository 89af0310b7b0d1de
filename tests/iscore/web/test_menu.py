"""The menu: one calm row on every screen, and all pages without JavaScript."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.iscore.web.conftest import PASSWORD, Served, served, set_password
from tests.servers.chromium import Chromium, Page, needs_chromium

pytestmark = needs_chromium

ROWS = """(() => {
  const all = [...document.querySelectorAll('.masthead nav :is(a, summary)')];
  const shown = all.filter((each) => each.checkVisibility());
  return Object.values(Object.groupBy(shown, (each) => Math.round(each.getBoundingClientRect().top)))
    .map((row) => row.map((each) => each.innerText.split("\\n")[0]));
})()"""
"""What the menu shows while it is closed, by rows."""
DESKTOP = [["Für dich", "Alle", "Gespeichert", "Überblick", "Listen", "Suche", "Mehr"]]
PHONE = [["Suche", "Mehr"], ["Für dich", "Alle", "Gespeichert", "Listen"]]
PAGES = [
    "",
    "all",
    "saved",
    "digest",
    "lists",
    "search",
    "maybe",
    "hidden",
    "verdicts",
    "feeds",
    "rules",
    "settings",
    "account",
    "people",
    "server",
]


def test_few_entries_are_in_sight_also_where_words_are_long(browser: Chromium, read_only_server: Served) -> None:
    page = browser.page()
    page.ask("Network.setExtraHTTPHeaders", headers={"Accept-Language": "de"})
    page.go(f"{read_only_server.address}all")
    for width, rows in ((1280, DESKTOP), (720, DESKTOP), (360, PHONE), (320, PHONE)):
        page.resize(width)
        assert page.evaluate(ROWS) == rows, width
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


@pytest.mark.long
def test_every_page_is_in_the_menu_without_scripts(browser: Chromium, made_home: Path, tmp_path: Path) -> None:
    shutil.copytree(made_home, tmp_path / "home")
    set_password(tmp_path / "home", PASSWORD)
    with served(tmp_path / "home") as server:
        page = browser.page(width=360, scripts=False)
        page.go(f"{server.address}login")
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        assert not page.evaluate("document.querySelector('.menu a').checkVisibility()")
        page.click(".menu summary", loads=False)
        for width in (360, 1280):
            page.resize(width)
            assert sorted(shown(page)) == sorted(f"/{each}" for each in PAGES)
        page.click(".menu a[href='/settings']")
        assert page.text(".menu summary.current")
        page.click(".menu summary", loads=False)
        page.click(".menu form button")
        assert page.url.endswith("/login")


@pytest.mark.long
def test_the_menu_closes_by_escape_and_by_a_click_elsewhere(browser: Chromium, read_only_server: Served) -> None:
    page = browser.page()
    page.go(read_only_server.address)
    for close in (lambda: page.press("Escape"), lambda: page.click("h1", loads=False)):
        page.evaluate("document.querySelector('.menu summary').focus()")
        page.press("Enter")
        page.wait_for("document.querySelector('.menu').open")
        close()
        page.wait_for("!document.querySelector('.menu').open")
    assert page.complaints == []


def shown(page: Page) -> list[str]:
    found = "[...document.querySelectorAll('.masthead nav a')].filter((each) => each.checkVisibility())"
    return list(page.evaluate(f"{found}.map((each) => each.pathname)"))
