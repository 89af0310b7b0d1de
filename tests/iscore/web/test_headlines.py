"""The page of headlines: marks become likes and everything else dislikes, once, and can be undone."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.iscore.web.client import Answer, Client
from tests.iscore.web.conftest import XSS, Served, served, set_password
from tests.servers.chromium import Chromium


def answer(client: Client, page: Answer, *numbers: int, **changed: str) -> Answer:
    """Mark headlines and save."""
    form = {name: page.hidden(name) for name in ("token", "nonce", "shown")}
    return client.post("/headlines", form | {f"like-{number}": "on" for number in numbers} | changed)


def shown(page: Answer) -> list[str]:
    return page.hidden("shown").split()


def kinds(server: Served, rows: int) -> Counter[str]:
    """Count the rows of the log after the first ``rows``."""
    return Counter(kind for _, kind in server.rows()[rows:])


def test_marks_are_recorded_once_and_undone_together(learning_server: Served) -> None:
    server, client = learning_server, learning_server.client()
    page = client.get("/headlines")
    assert page.status == 200
    assert len(shown(page)) == page.body.count('type="checkbox"') > 20
    before = len(server.rows())

    for _ in range(2):  # a double click
        done = answer(client, page, 2, 5)
        assert done.status == 303
    assert kinds(server, before) == {"like": 2, "dislike": len(shown(page)) - 2}
    liked = server.rows(
        "SELECT articles.id FROM feedback JOIN articles ON articles.seq = feedback.seq WHERE kind = 'like' "
        "AND row > ? ORDER BY row", before,
    )  # fmt: skip
    assert [each for (each,) in liked] == [shown(page)[1], shown(page)[4]]

    told = client.get(done.place)
    assert f"Recorded 2 likes and {len(shown(page)) - 2} dislikes." in told.body
    batch = re.search(r'name="undo" value="([0-9a-f]+)"', told.body)
    assert batch is not None
    form = {"token": told.hidden("token"), "nonce": told.hidden("nonce"), "undo": batch[1]}
    assert client.post("/headlines", form).place == "/headlines"
    assert kinds(server, before)["undo"] == len(shown(page))
    assert len(shown(client.get("/headlines"))) > 20
    assert client.get(done.place).status == 303  # nothing of it is left


def test_a_check_of_hidden_stories_is_told_with_its_range(learning_server: Served) -> None:
    server, client = learning_server, learning_server.client()
    told = client.get("/hidden").body
    assert 'href="/check"' in told
    assert "no hidden story checked yet" in told
    page, before = client.get("/check"), len(server.rows())
    assert len(shown(page)) == 10
    assert shown(client.get("/check")) == shown(page)  # asking again draws nothing else
    assert not set(shown(page)) & {*re.findall(r'id="a-([a-z0-9]+)"', client.get("/").body)}
    form = {name: page.hidden(name) for name in ("token", "nonce", "shown")}
    for _ in range(2):
        done = client.post("/check", form | {"like-3": "on"})
        assert done.status == 303
    assert kinds(server, before) == {"like": 1, "dislike": 9}
    assert "of 10 hidden stories that you checked you like 1 (2–40 %)" in client.get(done.place).body
    assert "of 10 hidden stories that you checked you like 1 (2–40 %)" in client.get("/hidden").body
    told = client.get(done.place)
    undo = {name: told.hidden(name) for name in ("token", "nonce")} | {"undo": done.place.partition("done=")[2]}
    assert client.post("/check", undo).place == "/check"
    assert "no hidden story checked yet" in client.get("/hidden").body


def test_an_invalid_answer_is_not_recorded(learning_server: Served) -> None:
    server, client = learning_server, learning_server.client()
    page, before = client.get("/headlines"), server.rows()
    for status, changed in (
        (400, {}),  # nothing is marked
        (400, {"like-1": "on", "nonce": "short"}),
        (400, {"like-1": "on", "shown": ""}),
        (400, {"like-1": "on", "shown": "k3f9a2x1 " * 61}),
        (404, {"like-1": "on", "shown": "k3f9a2x1"}),
        (403, {"like-1": "on", "token": "x"}),
    ):
        assert answer(client, page, **changed).status == status
    assert server.rows() == before
    assert answer(client, page, none="1").status == 303
    assert kinds(server, len(before)) == {"dislike": len(shown(page))}


def test_titles_are_texts(reader_client: Client) -> None:
    page = reader_client.get("/headlines").body
    assert 'type="checkbox"' in page
    assert not any(text in page for text in XSS if "<" in text)


def test_the_inbox_of_a_new_reader_leads_there(made_home: Path, tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    shutil.copytree(made_home, tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / "iscore.db")) as database, database:
        database.execute("DELETE FROM effective_verdicts")
    with served(tmp_path / "new") as new:
        assert 'href="/headlines"' in new.client().get("/").body


def test_it_needs_the_password(hasty: Served) -> None:
    assert hasty.client().get("/headlines").place.startswith("/login")


def test_nothing_to_choose_from_is_said(empty_home: Path, tmp_path: Path) -> None:
    shutil.copytree(empty_home, tmp_path / "open")
    set_password(tmp_path / "open", "")
    (tmp_path / "open" / "config.toml").unlink()
    with served(tmp_path / "open") as new:
        assert "No headlines to choose from yet." in new.client().get("/headlines").body


@pytest.mark.long
def test_it_works_without_scripts(browser: Chromium, learning_server: Served) -> None:
    server = learning_server
    page = browser.page(scripts=False)
    page.go(server.address + "headlines")
    page.click(".headlines li:nth-child(3) label", loads=False)
    page.click(".headlines button.like")
    assert page.text(".message").startswith("Recorded 1 like and ")
    page.click(".message button")
    assert page.text("h1") == "Which of these would you read?"
    assert page.complaints == []
