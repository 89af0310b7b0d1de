"""The pages in a real browser: keys, buttons, no script, narrow and wide; and what other sites try."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.iscore.web.conftest import XSS, Served
from tests.servers.chromium import Chromium, Page, needs_chromium

pytestmark = needs_chromium


@pytest.fixture
def reader(browser: Chromium) -> Page:
    """An empty page on a desktop screen."""
    return browser.page()


def ids(page: Page) -> list[str]:
    return list(page.evaluate("[...document.querySelectorAll('[data-stop]')].map(e => e.id)"))


def focus(page: Page, story: str) -> None:
    """Wait until a story has the focus."""
    page.wait_for(f"document.activeElement.id === '{story}'")


def last(server: Served) -> Any:
    return server.rows(
        "SELECT kind, articles.id FROM feedback JOIN articles ON articles.seq = feedback.seq ORDER BY row DESC LIMIT 1"
    )[0]


def test_a_morning_by_keys(reader: Page, server: Served) -> None:
    reader.go(server.address)
    before = ids(reader)
    reader.press("j")
    focus(reader, before[0])
    for _ in range(4):
        reader.press("j")
    reader.press("k")
    focus(reader, before[3])

    for key, what, place in (("l", "like", 3), ("d", "dislike", 4), ("x", "skip", 5)):
        focus(reader, before[place])
        reader.press(key)
        reader.wait_for(f"document.querySelector('#{before[place]} .{what}')?.value === 'undo:{before[place][2:]}'")
        assert last(server) == (what, before[place][2:])
        reader.press("j")
    focus(reader, before[6])
    reader.wait_for("document.querySelector('[role=status]').textContent.startsWith('Skip')")
    reader.press("k")
    reader.press("u")
    reader.wait_for(f"document.querySelector('#{before[5]} .state') === null")
    assert last(server) == ("undo", before[5][2:])
    focus(reader, before[5])
    assert ids(reader) == before

    reader.evaluate("document.activeElement.querySelector('h3 a').focus()")
    reader.press("Enter", loads=True)
    assert urlsplit(reader.url).path == f"/article/{before[5][2:]}"
    reader.press("j", loads=True)
    assert urlsplit(reader.url).path == f"/article/{before[6][2:]}"
    reader.press("d", loads=True)
    assert last(server) == ("dislike", before[6][2:])
    reader.press("u", loads=True)
    assert last(server) == ("undo", before[6][2:])
    reader.press("k", loads=True)
    assert reader.url.endswith(f"#{before[6]}")
    focus(reader, before[6])
    assert reader.complaints == []


def test_marks_need_no_new_page(reader: Page, server: Served) -> None:
    reader.go(f"{server.address}all?order=best")
    first, second = ids(reader)[:2]
    reader.evaluate("window.same = true")
    for key, what, words in (("s", "save", "Save"), ("m", "toggle-read", "Mark unread"), ("l", "like", "Like")):
        if reader.evaluate("document.activeElement === document.body"):
            reader.press("j")
        focus(reader, first)
        reader.press(key)
        value = {"save": "unsave:", "toggle-read": "unread:", "like": "undo:"}[what] + first[2:]
        reader.wait_for(f"document.querySelector('#{first} .{what}').value === '{value}'")
        assert reader.evaluate(f"document.querySelector('#{first} .{what}').title") == f"{words} ({key})"
    assert last(server) == ("like", first[2:])
    assert reader.text("#status.said") == "Like: done"
    assert reader.evaluate("document.getElementById('status').getBoundingClientRect().width > 40")
    reader.press("u")
    reader.wait_for(f"document.querySelector('#{first} .like').value === 'like:{first[2:]}'")
    reader.press("l")
    reader.wait_for(f"document.querySelector('#{first} .like').value === 'undo:{first[2:]}'")
    assert last(server) == ("like", first[2:])
    assert reader.evaluate("window.same")
    reader.press("j")
    focus(reader, second)
    reader.press("o", loads=True)
    reader.wait_for("document.querySelector('button.toggle-read').value.startsWith('unread:')")
    reader.press("k", loads=True)
    focus(reader, second)
    reader.press("g")
    reader.press("s", loads=True)
    assert ids(reader) == [first]
    assert reader.complaints == []


@pytest.mark.long
def test_help_opens_and_closes(reader: Page, server: Served) -> None:
    reader.go(server.address)
    reader.press("?")
    assert reader.evaluate("document.getElementById('keys').open")
    assert "dislike" in reader.text("#keys")
    row = reader.url
    reader.press("l")
    assert reader.url == row
    reader.press("Escape")
    assert not reader.evaluate("document.getElementById('keys').open")
    reader.resize(1440)
    assert reader.evaluate("document.querySelector('[data-keys]').checkVisibility()")


@pytest.mark.long
def test_a_double_click_counts_once(reader: Page, server: Served) -> None:
    reader.go(server.address)
    before = len(server.rows())
    story = ids(reader)[-1]
    reader.evaluate(f"(() => {{ const b = document.querySelector('#{story} .like'); b.click(); b.click(); }})()")
    reader.wait_for(f"document.querySelector('#{story} .like').value.startsWith('undo:')")
    assert len(server.rows()) == before + 1


@pytest.mark.long
def test_everything_works_without_scripts(browser: Chromium, server: Served) -> None:
    page = browser.page(scripts=False)
    page.go(server.address)
    story = ids(page)[1]
    page.click(f"#{story} button.like")
    assert last(server) == ("like", story[2:])
    assert page.url.endswith(f"#{story}")
    assert "Liked" in page.text(f"#{story}")
    assert not page.evaluate("document.querySelector('[data-keys]').checkVisibility()")
    page.click(".toast button")
    assert last(server) == ("undo", story[2:])
    page.click(f"#{story} button.save")
    assert page.text(f"#{story} .saved") == "Saved"
    page.click(f"#{story} button.more")
    page.click(f"#{story} .menu .skip")
    assert last(server) == ("skip", story[2:])
    page.click(".views .cards")
    page.click(".open-nav", loads=False)
    page.click("nav a[href='/hidden']")
    assert page.text("h1") == "Hidden"
    assert page.evaluate("document.querySelector('.stories').className") == "stories headlines"
    page.go(server.address)
    assert page.evaluate("document.querySelector('.stories').className") == "stories cards"
    page.go(f"{server.address}all")
    page.click(".kind[value*='show=you']:not([value*='hidden'])")  # leaves out what is hidden
    assert page.evaluate("document.querySelectorAll('.is-hidden').length") == 0
    page.go(f"{server.address}all")
    assert page.evaluate("document.querySelectorAll('.is-hidden').length") == 0  # remembered
    page.click(".kind[aria-pressed=false]")
    assert page.evaluate("document.querySelectorAll('.is-hidden').length") > 0
    page.click("[data-stop] h3 a")
    page.click("form.verdicts .skip")
    assert "Skipped:" in page.text(".message")
    page.click(".message button")
    assert "Undone:" in page.text(".message")
    assert page.complaints == []


@pytest.mark.long
@pytest.mark.parametrize(("width", "dark"), [(320, True), (1280, False)])
def test_nothing_sticks_out_and_fingers_hit(browser: Chromium, learning_server: Served, width: int, dark: bool) -> None:
    server = learning_server
    page = browser.page(width=width, dark=dark)
    least = 44 if width < 600 else 24
    page.ask("Emulation.setTouchEmulationEnabled", enabled=width < 600)
    story = server.client().get("/").ids[4]
    for path in ("", "hidden", "verdicts", "headlines", f"article/{story}", "all", "search"):
        page.go(server.address + path)
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        small = page.evaluate(
            "[...document.querySelectorAll('button, summary, nav a, .button')].map(e => [e.innerText,"
            " e.getBoundingClientRect().width, e.getBoundingClientRect().height])"
            f".filter(([, width, height]) => width && (height < {least} || width < {least}))"
        )
        assert small == [], path
        assert page.evaluate(BROKEN) == [], path
        faint = page.evaluate(CONTRAST)
        assert faint == [], path
    assert page.complaints == []


BROKEN = """[...document.querySelectorAll('.part, .part a, .pager span, .masthead a, button, h2')].filter(e => {
  const range = document.createRange(); range.selectNodeContents(e);
  return e.checkVisibility() && !e.children.length && range.getClientRects().length > 1;
}).map(e => e.innerText)"""
"""Short texts that go over two lines, such as the word before the next title."""

CONTRAST = """(() => {
  const light = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
  return [...document.querySelectorAll('body *')]
    .filter(e => e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
    .map(e => { const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
      return [e.innerText.slice(0, 40), (a + 0.05) / (b + 0.05)]; })
    .filter(([, ratio]) => ratio < 4.5);
})()"""
"""Texts whose contrast is below what WCAG 2.2 asks for (1.4.3, AA)."""


@pytest.mark.long
def test_tab_follows_reading_order(reader: Page, server: Served) -> None:
    reader.go(server.address)
    reader.press("Tab")
    assert reader.text(":focus") == "Skip to the content"
    reader.evaluate("document.querySelector('[data-stop]').focus()")
    seen: list[str] = []
    while "more" not in seen and len(seen) < 10:
        reader.press("Tab")
        seen.append(reader.evaluate("document.activeElement.className || document.activeElement.parentElement.tagName"))
    assert seen[0] == "H3"
    assert seen[1:] == ["like", "dislike", "save", "toggle-read", "more"]


@pytest.mark.long
def test_hostile_texts_are_shown_and_not_obeyed(browser: Chromium, learning_server: Served) -> None:
    """Stored as they are, past all cleaning, in every field."""
    server = learning_server
    page = browser.page()
    found = server.rows("SELECT id FROM articles WHERE key LIKE 'hostile-%' ORDER BY seq")
    assert len(found) == len(XSS)
    page.go(server.address)
    assert page.text().count(f"{XSS[0]} feed") >= len(ids(page)) > 3  # the feed's name, in every story
    for number, (story,) in enumerate(found):
        page.go(f"{server.address}article/{story}")
        title = page.evaluate("document.title")
        assert "hacked" not in title.replace(XSS[number], "")
        assert f"title {number}" in title
        assert page.text(".text").count(" ".join(XSS[number].split())) == 2
        assert (
            page.evaluate("document.querySelectorAll('main img, iframe, [onload], [onfocus], [onclick]').length") == 0
        )
        assert page.evaluate("document.scripts.length") == 1
        links = page.evaluate("[...document.querySelectorAll('main a[href]')].map(a => a.protocol)")
        assert set(links) <= {"http:", "https:"}
    assert page.complaints == []
