"""The pages as an app on a phone, in a real browser: installable, readable offline, rated by swiping."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from tests.hostile.certificates import Authority
from tests.iscore.web.conftest import PASSWORD, Served, served, set_password
from tests.iscore.web.publisher import article, publishing
from tests.servers.chromium import Chromium, Page, chromium, needs_chromium

pytestmark = needs_chromium

CONTROLLED = "navigator.serviceWorker.controller !== null"
KEPT = """(async () => {
  const found = [];
  for (const name of await caches.keys())
    if (name.includes(" pages ")) found.push(...await (await caches.open(name)).keys());
  return found.map((each) => new URL(each.url).pathname);
})()"""
WAITING = "waiting.count()"
PASSWORD_IS_FOCUSED = "document.activeElement?.name === 'password'"


@pytest.fixture
def home(made_home: Path, tmp_path: Path) -> Path:
    """A data folder with a password."""
    shutil.copytree(made_home, tmp_path / "home")
    set_password(tmp_path / "home", PASSWORD)
    return tmp_path / "home"


def sign_in(page: Page, server: Served, path: str = "") -> None:
    """Sign in, and wait until the service worker has saved the page."""
    page.go(f"{server.address}login")
    page.wait_for(PASSWORD_IS_FOCUSED)
    page.type(PASSWORD)
    page.press("Enter", loads=True)
    page.wait_for(CONTROLLED)
    page.go(f"{server.address}{path}")
    page.wait_for(f"{KEPT}.then((all) => all.length > 0)")


def port(server: Served) -> str:
    return server.address.rstrip("/").rpartition(":")[2].partition("/")[0]


def says(page: Page, selector: str, words: str) -> None:
    """Wait until an element shows these words."""
    page.wait_for(f"document.querySelector('{selector}').innerText.includes('{words}')")


def last(server: Served) -> list[Any]:
    return [kind for (_, kind) in server.rows()]


@pytest.fixture
def phone(browser: Chromium) -> Iterator[Page]:
    """A page as narrow as the narrowest phone."""
    page = browser.page(width=360, height=740)
    page.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    yield page
    expected = ("ERR_CONNECTION_REFUSED", "ERR_FAILED", "503", "Password forms", "403", "404")
    assert [each for each in page.complaints if not any(part in each for part in expected)] == []


def test_a_page_that_is_kept_for_offline_is_not_shown_after_a_verdict(phone: Page, server: Served) -> None:
    phone.go(f"{server.address}all")
    phone.wait_for(f"{CONTROLLED} && {KEPT}.then((all) => all.includes('/all'))")
    phone.click(".row .tap", loads=False)
    phone.click(".row button.like", loads=False)
    says(phone, "main", "Liked")
    phone.go(f"{server.address}all")
    says(phone, "main", "Liked")


@pytest.mark.long
def test_lists_and_articles_are_there_offline_and_marks_are_sent_later(phone: Page, home: Path) -> None:
    with served(home) as server:
        sign_in(phone, server, "all")
        stories = phone.evaluate("[...document.querySelectorAll('[data-stop]')].map((each) => each.id.slice(2))")
        phone.go(f"{server.address}article/{stories[0]}")
        phone.wait_for(f"{KEPT}.then((all) => all.includes('/article/{stories[0]}'))")
        address, before = server.address, len(server.rows())
    phone.go(f"{address}all")
    says(phone, "#offline", "Offline.")
    phone.evaluate(f"document.querySelector('#a-{stories[0]} .like').click()")
    phone.wait_for(f"{WAITING}.then((count) => count === 1)")
    phone.evaluate(f"document.querySelector('#a-{stories[0]} .like').click()")  # undoes it
    phone.evaluate(f"document.querySelector('#a-{stories[1]} .dislike').click()")
    phone.evaluate(f"document.querySelector('#a-{stories[1]} .save').click()")
    phone.wait_for(f"{WAITING}.then((count) => count === 4)")
    says(phone, "#offline", "4 marks wait to be sent")
    assert phone.evaluate(f"document.querySelector('#a-{stories[1]} .save').title") == "Saved"
    phone.go(f"{address}article/{stories[0]}")
    assert phone.text("h1")
    phone.go(f"{address}digest/2001-01-01")
    phone.wait_for("document.body?.innerText.includes('not saved in the browser')")
    with served(home, "--port", port(server)) as server:
        assert len(server.rows()) == before
        phone.go(f"{server.address}all")
        phone.wait_for(f"{WAITING}.then((count) => count === 0)")
        assert last(server)[before:] == ["like", "undo", "dislike"]
        saved = server.rows("SELECT id FROM marks JOIN articles USING (story) WHERE saved_at IS NOT NULL")
        assert [story for (story,) in saved] == [stories[1]]
        phone.wait_for("document.getElementById('offline').hidden")


@pytest.mark.long
def test_marks_outlive_their_session_and_are_sent_for_nobody_else(phone: Page, home: Path) -> None:
    someone_else = "waiting.run('readwrite', (store) => store.add({account: 'b', action: '/mark', body: 'do=x'}))"
    with served(home) as server:
        sign_in(phone, server, "all")
        address, before = server.address, len(server.rows())
    phone.go(f"{address}all")
    first, second = phone.evaluate("[...document.querySelectorAll('[data-stop]')].map((each) => each.id)")[:2]
    phone.evaluate(f"document.querySelector('#{first} .like').click()")
    phone.evaluate(f"document.querySelector('#{second} .save').value = 'save:gone'")
    phone.evaluate(f"document.querySelector('#{second} .save').click()")
    phone.evaluate(someone_else)
    phone.wait_for(f"{WAITING}.then((count) => count === 2)")
    with served(home, "--port", port(server)) as server:
        server.change("DELETE FROM sessions")
        phone.evaluate("sendMarks()")
        says(phone, "#offline a", "Sign in to send 2 waiting marks.")
        phone.go(f"{server.address}all")
        says(phone, "#offline", "Sign in to send 3 waiting marks.")
        assert len(server.rows()) == before
        phone.wait_for(PASSWORD_IS_FOCUSED)
        phone.type(PASSWORD)
        phone.press("Enter", loads=True)
        says(phone, "#offline", "1 mark could not be sent: its story does not exist any more.")
        assert last(server)[before:] == ["like"]
        assert phone.evaluate("waiting.run('readonly', (store) => store.count())") == 1
        phone.go(f"{server.address}saved")
        phone.wait_for(f"{WAITING}.then((count) => count === 0)")
        assert phone.evaluate("document.getElementById('offline').hidden")
        page = "document.documentElement.dataset"
        body = f"new URLSearchParams({{token: {page}.token, account: 'b', do: 'save:{first[2:]}'}})"
        assert (
            phone.evaluate(f"fetch('/mark', {{method: 'POST', body: {body}}}).then((answer) => answer.status)") == 403
        )
        assert server.rows("SELECT 1 FROM marks WHERE saved_at IS NOT NULL") == []


@pytest.mark.long
def test_marks_that_nobody_came_back_for_are_forgotten_after_a_month(phone: Page, server: Served) -> None:
    phone.go(server.address)
    for days in (29, 31):
        mark = f"{{account: 'b', action: '/mark', body: 'do=x', at: Date.now() - {days} * 86400000}}"
        phone.evaluate(f"waiting.run('readwrite', (store) => store.add({mark}))")
    phone.go(f"{server.address}all")
    everything = "waiting.run('readonly', (store) => store.getAll())"
    phone.wait_for(f"{everything}.then((all) => all.length === 1)")
    assert phone.evaluate(f"{everything}.then((all) => Math.round((Date.now() - all[0].at) / 86400000))") == 29


@pytest.mark.long
def test_what_was_saved_is_deleted_when_a_session_has_ended_and_by_signing_out(phone: Page, home: Path) -> None:
    with served(home) as server:
        sign_in(phone, server, "all")
        server.change("DELETE FROM sessions")
        phone.go(f"{server.address}saved")
        assert "/login" in phone.url
        phone.wait_for(f"{KEPT}.then((all) => all.length === 0)")

        sign_in(phone, server, "all")
        phone.evaluate("document.querySelector('form[action$=\"/logout\"] button').click()")
        phone.wait_for("location.pathname === '/login'")
        phone.wait_for(f"{KEPT}.then((all) => all.length === 0)")
        address = server.address
    phone.go(f"{address}all")
    phone.wait_for("document.body?.innerText.includes('not saved in the browser')")


@pytest.mark.long
def test_the_next_article_is_fetched_ahead_and_stays_unread(phone: Page, home: Path) -> None:
    read = "SELECT count(*) FROM marks JOIN articles USING (story) WHERE id = ? AND read_at IS NOT NULL"
    with served(home) as server:
        sign_in(phone, server, "all")
        stories = phone.evaluate(
            "[...document.querySelectorAll('[data-stop]:not(.is-read)')].map((e) => e.id.slice(2))"
        )
        phone.go(f"{server.address}article/{stories[0]}")
        following = phone.evaluate("document.querySelector('[data-next]').pathname")
        phone.wait_for(f"{KEPT}.then((all) => all.includes('{following}'))")
        assert server.rows(read, following.rpartition("/")[2]) == [(0,)]
        phone.click("[data-next]")
        phone.wait_for("document.querySelector('button.toggle-read').value.startsWith('unread:')")
        assert server.rows(read, following.rpartition("/")[2]) == [(1,)]


@pytest.mark.long
def test_pictures_that_were_shown_are_there_offline_until_signing_out(phone: Page, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shown = (
        "[[...document.images].filter((each) => each.naturalWidth).length,"
        " getComputedStyle(document.querySelector('.icon')).backgroundImage !== 'none'].join()"
    )
    with publishing() as (publisher, at):
        (tmp_path / "feeds.yaml").write_text(f"feeds:\n  - url: {at}/feed\n")
        assert main(["--home", str(home), "init", "--feeds", str(tmp_path / "feeds.yaml")]) == 0
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\n")
        assert main(["--home", str(home), "poll"]) == 0
        with NewsFilter.open(home) as news:
            assert news.icons.find().found == 1
        set_password(home, PASSWORD)
        with served(home) as server:
            sign_in(phone, server)
            story = f"{server.address}article/{article(server, 'One')}"
            phone.go(story)
            phone.wait_for(f"{shown} === '3,true'")
            asked = len(publisher.asked)
        phone.ask("Network.clearBrowserCache")  # which may have them for a while, too
        phone.go(story)
        says(phone, "#offline", "Offline.")
        phone.wait_for(f"{shown} === '3,true'")
        assert len(publisher.asked) == asked
    with served(home, "--port", port(server)) as server:
        phone.go(f"{server.address}all")
        phone.evaluate("document.querySelector('form[action$=\"/logout\"] button').click()")
        phone.wait_for("location.pathname === '/login'")
        phone.wait_for("caches.keys().then((all) => all.every((each) => !each.includes(' pages ')))")


@pytest.mark.long
def test_below_a_path(phone: Page, home: Path) -> None:
    with served(home, "--base-url", "http://127.0.0.1/news") as server:
        sign_in(phone, server, "all")
        assert phone.evaluate("navigator.serviceWorker.ready.then((each) => new URL(each.scope).pathname)") == "/news/"
        address = server.address
    phone.go(f"{address}all")
    says(phone, "#offline", "Offline.")


@pytest.mark.long
def test_over_https_with_a_certificate_of_ones_own(home: Path, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.context("right", "127.0.0.1")
    files = ("--tls-cert", str(tmp_path / "right.pem"), "--tls-key", str(tmp_path / "right.key"))
    with chromium(
        tmp_path / "profile", f"--ignore-certificate-errors-spki-list={authority.key_digest('right')}"
    ) as browser:
        page = browser.page(width=360, height=740)
        with served(home, *files) as server:
            assert server.address.startswith("https://")
            sign_in(page, server, "all")
            address = server.address
        page.go(f"{address}all")
        says(page, "#offline", "Offline.")


# No finger finds a story while the page scrolls.
STILL = """new Promise((done) => {
  let [place, same] = [scrollY, 0];
  const look = () => {
    [same, place] = [scrollY === place ? same + 1 : 0, scrollY];
    same < 10 ? requestAnimationFrame(look) : done(true);
  };
  look();
})"""


def touch(page: Page, kind: str, *places: tuple[float, float]) -> None:
    points = [{"x": x, "y": y} for x, y in places]
    page.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)


def swipe(page: Page, story: str, *steps: tuple[float, float]) -> None:
    """Move a finger on a story by these steps, from its middle."""
    page.wait_for(STILL)
    box = page.evaluate(
        f"(() => {{ const e = document.getElementById('{story}'); e.scrollIntoView({{block: 'center'}});"
        "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    touch(page, "touchStart", (box[0], box[1]))
    for x, y in steps:
        touch(page, "touchMove", (box[0] + x, box[1] + y))


def test_a_swipe_rates_and_can_be_cancelled(phone: Page, home: Path) -> None:
    with served(home) as server:
        sign_in(phone, server, "all")
        before = len(server.rows())
        first, second, third = phone.evaluate("[...document.querySelectorAll('[data-stop]')].map((e) => e.id)")[:3]
        swipe(phone, first, (30, 0), (120, 2))
        assert phone.evaluate(f"document.getElementById('{first}').dataset.swipe") == "like"
        touch(phone, "touchEnd")
        phone.wait_for(f"document.querySelector('#{first} .like').value.startsWith('undo:')")
        swipe(phone, second, (-30, 0), (-120, 0), (-20, 0))
        touch(phone, "touchEnd")
        swipe(phone, second, (3, -40), (60, -90), (130, -120))  # scrolling
        touch(phone, "touchEnd")
        swipe(phone, third, (-40, 0), (-130, 0))
        touch(phone, "touchEnd")
        phone.wait_for(f"document.querySelector('#{third} .dislike').value.startsWith('undo:')")
        assert last(server)[before:] == ["like", "dislike"]
        assert phone.evaluate(f"document.getElementById('{first}').style.transform") == ""


@pytest.mark.long
def test_a_phone_can_install_it(phone: Page, home: Path) -> None:
    with served(home) as server:
        sign_in(phone, server)
        found = phone.ask("Page.getAppManifest")
        assert found["errors"] == []
        assert json.loads(found["data"])["start_url"] == "/"
        problems = phone.ask("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [each["errorId"] for each in problems] == ["in-incognito"]  # as every page of these tests
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.long
def test_going_back_returns_to_the_same_place(phone: Page, home: Path) -> None:
    with served(home) as server:
        sign_in(phone, server, "all")
        phone.evaluate("document.querySelectorAll('[data-stop]')[9].scrollIntoView()")
        place = phone.evaluate("scrollY")
        phone.evaluate("document.querySelectorAll('[data-stop]')[9].querySelector('h3 a').click()")
        phone.wait_for("location.pathname.startsWith('/article/')")
        phone.evaluate("history.back()")
        phone.wait_for(f"location.pathname === '/all' && Math.abs(scrollY - {place}) < 120")
