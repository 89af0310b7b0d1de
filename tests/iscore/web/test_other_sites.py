"""What other sites try in a real browser: forged forms, scripts, bent names, frames; and links from there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.iscore.web.client import Client
from tests.iscore.web.conftest import Served
from tests.servers.attacker import attacker
from tests.servers.chromium import Chromium, Page, needs_chromium

pytestmark = needs_chromium


def ids(page: Page) -> list[str]:
    return list(page.evaluate("[...document.querySelectorAll('[data-stop]')].map(e => e.id)"))


def last(server: Served) -> Any:
    return server.rows(
        "SELECT kind, articles.id FROM feedback JOIN articles ON articles.seq = feedback.seq ORDER BY row DESC LIMIT 1"
    )[0]


@pytest.fixture
def pages() -> dict[str, str]:
    return {}


@pytest.fixture
def evil(pages: dict[str, str]) -> Iterator[int]:
    with attacker(pages) as port:
        yield port


def forged(server: Served, story: str) -> str:
    """A page that sends a verdict by itself, as soon as it is looked at."""
    return (
        f"<form method=post action='{server.address}verdict'>"
        f"<input name=article value='{story}'><input name=kind value=like><input name=nonce value={'n' * 20}>"
        "<input name=token value=guessed><input name=page value=waiting></form>"
        "<script>document.forms[0].submit()</script>"
    )


@pytest.mark.long
@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1"])
def test_a_form_of_another_site_leaves_no_row(
    browser: Chromium, read_only_server: Served, pages: dict[str, str], evil: int, host: str
) -> None:
    """From another name, and from another port of this machine, for which SameSite is no obstacle."""
    server, page = read_only_server, browser.page()
    page.go(server.address)
    pages["/"] = forged(server, ids(page)[0][2:])
    before = server.rows()
    page.ask("Page.navigate", url=f"http://{host}:{evil}/")
    page.wait_for("location.pathname === '/verdict'")
    assert "came from another site" in page.text()
    assert server.rows() == before


@pytest.mark.long
def test_scripts_of_another_site_neither_read_nor_write(
    browser: Chromium, server: Served, pages: dict[str, str], evil: int
) -> None:
    page = browser.page()
    page.go(server.address)
    story, before = ids(page)[0][2:], server.rows()
    pages["/"] = "<!doctype html><title>waiting</title>"
    for host in ("evil.example", "localhost"):
        page.go(f"http://{host}:{evil}/")
        tried = page.evaluate(
            "Promise.allSettled(["
            f"fetch('{server.address}', {{credentials: 'include'}}).then(r => r.text()),"
            f"fetch('{server.address}verdict', {{method: 'POST', credentials: 'include', mode: 'no-cors',"
            f" body: new URLSearchParams({{article: '{story}', kind: 'like', nonce: '{'n' * 20}'}})}})"
            ".then(r => r.type),"
            f"fetch('{server.address}verdict', {{method: 'POST', headers: {{'X-A': '1'}}}})"
            "]).then(all => all.map(each => each.status))"
        )
        assert tried == ["rejected"] * 3
    assert server.rows() == before


@pytest.mark.long
def test_a_name_that_was_bent_to_this_machine_is_not_answered(browser: Chromium, server: Served) -> None:
    """DNS rebinding: for the browser the page is its own site, with its own cookies and no foreign origin."""
    page = browser.page()
    page.ask("Page.setBypassCSP", enabled=True)  # the page that bent the name had no such policy
    port = urlsplit(server.address).port
    page.go(f"http://rebound.example:{port}/")
    assert "Unknown host name" in page.text()
    status = page.evaluate(
        "fetch('/verdict', {method: 'POST', body: new URLSearchParams({kind: 'like'})}).then(r => r.status)"
    )
    assert status == 421
    page.go(f"http://localhost:{port}/")
    assert ids(page)


@pytest.mark.long
def test_no_other_site_can_frame_the_pages(browser: Chromium, server: Served, pages: dict[str, str], evil: int) -> None:
    """Clickjacking: the frame stays empty for every user."""
    page = browser.page()
    page.go(server.address)
    pages["/"] = f"<iframe id=f src='{server.address}' width=600 height=600></iframe>"
    for host in ("evil.example", "localhost"):
        page.go(f"http://{host}:{evil}/")
        end = time.monotonic() + 600
        while not any("frame-ancestors" in each or "X-Frame-Options" in each for each in page.complaints):
            page.evaluate("1")
            assert time.monotonic() < end, page.complaints
        page.complaints.clear()


def follow(page: Page, story: str) -> None:
    """Follow the link of a lure, and wait for the article's page behind the step in between."""
    page.ask("Runtime.evaluate", expression="document.getElementById('link').click()")
    page.wait_for(f"location.pathname === '/article/{story}' && document.querySelector('form.verdicts') !== null")
    page.evaluate("new Promise(done => setTimeout(done))")  # until the browser has told that it is there


@pytest.mark.parametrize("host", ["mail.example", pytest.param("localhost", marks=pytest.mark.long)])
def test_a_link_from_elsewhere_leads_in_and_ends_no_session(
    browser: Chromium, server: Served, pages: dict[str, str], evil: int, host: str
) -> None:
    """A digest in a web mailer: the browser keeps a strict cookie at home, at first."""
    page = browser.page()
    page.go(server.address)
    story = ids(page)[-1][2:]
    token = page.evaluate("document.querySelector('[name=token]').value")
    pages["/"] = f"<a id=link href='{server.address}article/{story}'>read</a>"
    page.go(f"http://{host}:{evil}/")
    follow(page, story)
    assert page.evaluate("document.querySelector('[name=token]').value") == token
    page.press("x", loads=True)
    assert last(server) == ("skip", story)


@pytest.mark.long
def test_a_link_from_elsewhere_leads_in_for_the_first_time(
    browser: Chromium, client: Client, server: Served, pages: dict[str, str], evil: int
) -> None:
    story = client.get("/").ids[-1]
    page = browser.page()
    pages["/"] = f"<a id=link href='{server.address}article/{story}'>read</a>"
    page.go(f"http://mail.example:{evil}/")
    follow(page, story)
    page.press("x", loads=True)
    assert last(server) == ("skip", story)
