"""``iscore serve`` polls by itself, one process at a time, and nothing that goes wrong there stops the pages."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.core.file_access import exclusive_lock
from iscore.services.news_filter import NewsFilter
from tests.iscore.web.conftest import NOW, PROGRAM, Served
from tests.servers.chromium import Chromium, needs_chromium
from tests.servers.mail_server import Blunt, MailServer
from tests.servers.reader_server import PASSWORD, reader_server

INTEREST, FEEDS = "power grid", ("gridpost", "meridian", "northwire", "ledger-street")
CHOSEN = "a walk by the harbour"
HASTY = f"""
from datetime import timedelta
from iscore.jobs.scheduler import background, loop
background.RETRY = 0.1
loop.STEP = timedelta(days=1)
{PROGRAM}
"""
ALONE = f"""
from iscore.jobs.scheduler import background, tasks
class TasksHere:
    __call__ = staticmethod(tasks.run_task)
    def stop(self): pass
background.TaskProcess = TasksHere
{HASTY}
"""
"""Polls and synchronises in the process of the server: another process would load everything anew for each task."""


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that may poll this machine."""
    folder = tmp_path_factory.mktemp("polling") / "home"
    folder.mkdir()
    settings = "allow_private_networks = true\nhost_spacing = 0\nparse_processes = 1\ntime_zone = 'UTC'\n"
    (folder / "config.toml").write_text(settings)
    (folder / "feeds.yaml").write_text("feeds: []\n")
    NewsFilter.create(folder, clock=lambda: NOW).close()
    return folder


@pytest.fixture
def home(made_folder: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made_folder, tmp_path / "home"))


@contextmanager
def serving(home: Path, program: str = HASTY, *, set_up: bool = True) -> Iterator[tuple[Served, Callable[[str], str]]]:
    """Serve and poll; also return a function that waits for an event of the log."""
    running = Served(home, program=program, polls=True, set_up=set_up, PYTHONUNBUFFERED="1")

    def logged(event: str) -> str:
        assert running.process.stderr is not None
        seen = []
        for line in running.process.stderr:
            seen.append(line)
            if f'"event": "{event}"' in line:
                return line
        raise AssertionError(seen)

    try:
        yield running, logged
        code, _ = running.end()
        assert code == 0
    finally:
        running.process.kill()


def test_it_polls_and_shows_what_came(home: Path) -> None:
    with NewsServer(News(seed=7, start=NOW - timedelta(days=1), days=1), at=NOW) as server:
        urls = list(server.urls.values())[:2]
        (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in urls))
        with serving(home, ALONE) as (running, logged):
            assert '"feeds": 2' in logged("poll")
            page = running.client().get("/")
            assert page.ids
            assert running.client().vote(page, page.ids[0]).status == 403  # another session's form
            with (
                pytest.raises(Exception, match=f"in process {running.process.pid}"),
                exclusive_lock(home / "run.lock", "it polls"),
            ):
                pass


@pytest.mark.long
@needs_chromium
def test_the_first_list_is_about_what_the_first_steps_ask_for(home: Path, browser: Chromium, tmp_path: Path) -> None:
    """In a browser, from the link to the list; the poll begins when the interests are known."""
    with NewsServer(News(seed=7, start=NOW - timedelta(days=2), days=2), at=NOW) as server:
        outlines = "".join(f'<outline xmlUrl="{url}"/>' for url in map(server.urls.__getitem__, FEEDS))
        (tmp_path / "list.opml").write_text(f"<opml><body>{outlines}</body></opml>")
        with serving(home, ALONE, set_up=False) as (running, _):
            page = browser.page(width=390)
            page.go(running.started["setup"])
            page.click("[name=alone]")
            page.choose("#file", tmp_path / "list.opml")
            page.click("section form button")
            page.fill("#interests", INTEREST)
            page.click("main form .like")
            assert "Fetching 4 feeds: 0 done, 4 to go" in page.text("main")
            page.wait_for("document.querySelector('h1').innerText === 'Your list is ready'")
            page.go(running.address)
            assert page.text("section h2").lower() == INTEREST
            assert page.complaints == []


def test_without_a_network_it_says_what_failed_and_when_it_tries_again(home: Path) -> None:
    urls = [f"http://127.0.0.{number}:1/feed" for number in (1, 2, 3)]
    (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in urls))
    with serving(home, ALONE) as (running, logged):
        logged("poll")
        for path in ("/", "/all"):
            body = running.client().get(path).body
            assert "No feed can be reached." in body
            assert "3 of 3 asked, none answered (“connection refused”). Is this computer offline?" in body
            assert "Next try at 18:05." in body


def test_a_server_that_is_connected_on_a_page_is_synchronised_at_once(home: Path) -> None:
    with reader_server() as server, serving(home, ALONE) as (running, logged):
        server.add(1, "A walk by the harbour", "<p>Along the quay.</p>", NOW - timedelta(hours=2))
        client = running.client()
        form = {"kind": "greader", "address": server.address, "login": "anna", "password": PASSWORD}
        token = client.get("/settings/connect").hidden("token")
        assert client.post("/settings/connect", {"token": token, "action": "connect"} | form).status == 303
        assert '"new": 1' in logged("connect")
        assert "1 feed, 1 article" in client.get("/settings/connect").body
        assert client.post("/settings/connect", {"token": token, "action": "sync"}).status == 303
        assert '"new": 0' in logged("connect")
        form = {"token": token, "action": "disconnect"}
        assert client.post("/settings/connect/remove", form).place.endswith("#outcome")
        assert "Disconnected" in client.get("/settings/connect").body
        assert len(server.edits()) == 2


def test_it_leaves_polling_to_another_process_and_takes_over(home: Path) -> None:
    with exclusive_lock(home / "run.lock", "the test polls"), serving(home) as (running, logged):
        assert f'"process": "{os.getpid()}"' in logged("leave")
        assert running.client().get("/").status == 200
    with exclusive_lock(home / "run.lock", "nobody else polls"):
        pass
    lock = exclusive_lock(home / "run.lock", "the test polls")
    lock.__enter__()
    with serving(home) as (_, logged):
        logged("leave")
        (home / "feeds.yaml").write_text("feeds: nonsense\n")
        lock.__exit__(None, None, None)
        assert "feeds.yaml" in logged("trouble")  # so it looks at the feeds now


def test_its_troubles_do_not_stop_the_pages(home: Path) -> None:
    (home / "feeds.yaml").write_text("feeds: nonsense\n")
    with serving(home) as (running, logged):
        assert "feeds.yaml" in logged("trouble")
        assert running.client().get("/verdicts").status == 200


@pytest.mark.long
def test_it_ends_in_the_middle_of_a_poll_and_releases_the_feeds(home: Path) -> None:
    with Blunt(b"", b"") as silent:
        (home / "feeds.yaml").write_text(f"feeds:\n  - url: http://127.0.0.1:{silent.port}/feed\n")
        with serving(home):
            while not silent.conversations:  # then it waits for an answer that will not come
                time.sleep(0.02)
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        (feed,) = news.subscriptions.feeds()
        assert (feed.failures, feed.error) == (0, "")
        assert news.subscriptions.is_due()


def test_an_address_of_the_settings_gets_a_code_and_once_that_was_entered_the_digest(home: Path) -> None:
    with MailServer() as mail, NewsFilter.open(home, clock=lambda: NOW) as news:
        with (home / "config.toml").open("a") as config:
            config.write(f'mail_host = "127.0.0.1"\nmail_port = {mail.port}\nmail_security = "none"\n')
        news.people.add("Ben", password=CHOSEN)
        with serving(home, ALONE) as (running, logged):
            client = running.client()
            form = {"name": "Ben", "password": CHOSEN, "next": "", "token": client.get("/login").hidden("token")}
            assert client.post("/login", form).status == 303
            token = client.get("/settings").hidden("token")
            wanted = {"mail_to": "Ben@example.org", "digest_at": "00:00", "has-mail_empty": "1", "mail_empty": "on"}
            assert client.post("/settings", {"token": token} | wanted).status == 303
            assert '"state": "code"' in logged("mail")
            page = client.get("/settings").body
            assert "Ben@example.org is not confirmed. Until it is, nothing is mailed" in page
            assert "A code was mailed there." in page
            assert client.post("/settings/confirm", {"token": token, "code": "WRONG"}).status == 400
            assert client.post("/settings/confirm", {"token": "forged", "code": "WRONG"}).status == 403
            assert client.post("/settings/confirm", {"token": token, "action": "again"}).status == 303
            assert '"state": "code"' in logged("mail")
            text = message_from_bytes(mail.received[-1].content, policy=policy.default).get_content()
            (code,) = re.findall(r"^    ([A-Z2-7-]{19})\r?$", text, re.MULTILINE)
            assert client.get(f"/settings/confirm?code={code}").status == 405
            assert client.post("/settings/confirm", {"token": token, "code": code}).status == 303
            assert '"state": "sent"' in logged("mail")
            assert "is not confirmed" not in client.get("/settings").body
        kinds = [message_from_bytes(each.content)["List-Id"] is not None for each in mail.received]
        assert (kinds, {each.recipients for each in mail.received}) == ([False, False, True], {("Ben@example.org",)})
