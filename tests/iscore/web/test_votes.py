"""Verdicts over real HTTP: on disk when acknowledged, once however often sent, and instant."""

from __future__ import annotations

import html
import re
import select
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.web.threads import PAGES
from tests.iscore.web.client import Client
from tests.iscore.web.conftest import BEHIND, PROGRAM, READING, Served, served


@pytest.fixture(scope="module")
def server(made_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that learns nothing, for all tests of this file: each begins with the list as it is then."""
    home = shutil.copytree(made_home, tmp_path_factory.mktemp("votes") / "home")
    with served(home, program=READING) as running:
        yield running


@pytest.fixture(scope="module")
def learning_server(made_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One that learns from verdicts, and gives reasons."""
    with served(shutil.copytree(made_home, tmp_path_factory.mktemp("learning") / "home")) as running:
        yield running


def test_a_verdict_is_on_disk_and_the_page_says_so(server: Served, client: Client) -> None:
    page = client.get("/")
    story = page.ids[-1]
    before = server.rows()

    answer = client.vote(page, story, "like")

    assert (answer.status, server.rows()[:-1]) == (303, before)
    ((name, kind),) = server.rows()[len(before) :]
    assert kind == "like"
    assert answer.place == f"/?verdict={name}#a-{story}"
    told = client.get(answer.place.partition("#")[0])
    assert told.ids == page.ids  # nothing moves under the hand
    assert re.search(rf'data-undo><button form="mark" name="do" value="undo:{story}">', told.body)
    assert "<span data-status>Liked:</span>" in told.body


def test_a_form_that_is_sent_twice_counts_once(server: Served, client: Client) -> None:
    page = client.get("/")
    story = page.ids[-1]
    before = len(server.rows())
    places = {client.vote(page, story, "dislike").place for _ in range(3)}
    assert len(places) == 1
    assert len(server.rows()) == before + 1


def test_twelve_at_once_count_once(server: Served, client: Client) -> None:
    page = client.get("/")
    story, before = page.ids[-1], len(server.rows())
    answers: list[int] = []
    crowd = [
        threading.Thread(target=lambda: answers.append(client.vote(page, story, "like").status)) for _ in range(12)
    ]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    assert answers == [303] * 12
    assert len(server.rows()) == before + 1


def test_undo_takes_back_and_the_story_returns_to_its_place(server: Served, client: Client) -> None:
    page = client.get("/")
    story = page.ids[len(page.ids) // 2]
    after = client.get(client.vote(page, story, "skip").place.partition("#")[0])
    again = client.get(client.vote(after, story, "undo").place.partition("#")[0])
    assert again.ids == page.ids
    assert "Undone:" in again.body
    assert server.rows()[-1][1] == "undo"


def test_an_old_form_does_nothing_after_an_undo_and_says_so(server: Served, client: Client) -> None:
    page = client.get("/")
    story = page.ids[-1]
    after = client.get(client.vote(page, story, "like").place.partition("#")[0])
    client.vote(after, story, "undo")
    before = server.rows()

    answer = client.vote(page, story, "like")

    assert server.rows() == before
    assert "Liked, and changed since: now no verdict" in client.get(answer.place.split("#")[0]).body


def test_a_list_keeps_its_order_until_it_is_asked_for_again(server: Served, client: Client) -> None:
    page = client.get("/")
    shown = page
    for story in page.ids[-4:-1]:
        shown = client.get(client.vote(shown, story, "dislike").place.partition("#")[0])
    assert [each for each in page.ids if each in shown.ids] == shown.ids
    assert re.findall(r' id="a-([a-z0-9]+)"', shown.body) == page.ids
    anew = client.get("/")
    assert not set(page.ids[-4:-1]) & set(re.findall(r' id="a-([a-z0-9]+)"', anew.body))


STUCK = f"""
import threading
from iscore.web import server
from iscore.web.background_worker import BackgroundWorker
BackgroundWorker._explain_all = lambda self, ids, locale: threading.Event().wait()
server.SHUTDOWN_TIMEOUT = 0.1
{PROGRAM}
"""
"""A server whose background worker never finishes its first job."""
PATIENT = f"from iscore.web import context\ncontext.REASONS_TIMEOUT = 600\n{STUCK}"
"""The pages of this server wait for that."""


def test_verdicts_do_not_wait_for_the_background_worker(made_home: Path, tmp_path: Path) -> None:
    shutil.copytree(made_home, tmp_path / "stuck")
    with served(tmp_path / "stuck", program=STUCK) as running:
        client = running.client()
        page = client.get("/verdicts")
        story = running.rows("SELECT id FROM articles WHERE story = seq AND key NOT LIKE 'hostile-%'")[-1][0]
        for kind in ("dislike", "skip", "like"):
            answer = client.vote(page, story, kind, at="verdicts")
            page = client.get(answer.place)
            assert (answer.status, page.status) == (303, 200)
        assert running.rows(BEHIND) == [(1,)]


def test_verdicts_do_not_wait_for_pages(made_home: Path, tmp_path: Path) -> None:
    """Pages that wait for reasons, for ever, and a verdict: three times as many as there are threads for pages."""
    shutil.copytree(made_home, tmp_path / "patient")
    with served(tmp_path / "patient", program=PATIENT) as running:
        client = running.client()
        page = client.get("/verdicts")
        waiting = [socket.create_connection((client.host, client.port)) for _ in range(3 * PAGES)]
        for each in waiting:
            each.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.vote(page, page.hidden("article"), "skip", at="verdicts").status == 303
        assert client.get("/verdicts").status == 200
        assert not select.select(waiting, [], [], 0)[0]
        for each in waiting:
            each.close()


def test_the_background_worker_learns_new_verdicts(learning_server: Served) -> None:
    server, client = learning_server, learning_server.client()
    page = client.get("/")
    client.vote(page, page.ids[0], "like")
    deadline = time.monotonic() + 600
    while server.rows(BEHIND) == [(1,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"kind": "love"}, 400),
        ({"kind": "imported"}, 400),
        ({"nonce": ""}, 400),
        ({"nonce": "a b"}, 400),
        ({"article": "zzzzzzzz"}, 404),
        ({"article": ""}, 404),
        ({"article": "../../etc/passwd"}, 404),
        ({"token": "x"}, 403),
        ({"token": ""}, 403),
        ({"token": "ü"}, 403),
    ],
)
def test_an_invalid_verdict_is_not_recorded(
    read_only_server: Served, reader_client: Client, changed: dict[str, str], status: int
) -> None:
    page = reader_client.get("/")
    before = read_only_server.rows()
    assert reader_client.vote(page, page.ids[0], **{"kind": "like", **changed}).status == status
    assert read_only_server.rows() == before


def test_extra_fields_are_ignored(server: Served, client: Client) -> None:
    page = client.get("/")
    story = page.ids[-1]
    answer = client.vote(page, story, "like", user_id="2", id="mine", at="1999-01-01")
    assert answer.status == 303
    assert server.rows("SELECT user_id FROM feedback ORDER BY row DESC LIMIT 1") == [(1,)]


def test_a_verdict_redirects_only_to_this_app(client: Client) -> None:
    page = client.get("/")
    for at in ("//evil.example", "https://evil.example", "/\\evil.example", "waiting\r\nX: y", ""):
        answer = client.vote(page, page.ids[-1], "skip", at=at)
        assert re.fullmatch(r"/article/[a-z0-9]+\?verdict=[0-9a-f]{32}", answer.place), at


def test_an_article_s_page_has_text_reasons_and_the_next_story(learning_server: Served) -> None:
    client = learning_server.client()
    page = client.get("/")
    story, following = page.ids[:2]
    article = client.get(f"/article/{story}")
    assert "Why you see this" in article.body
    assert "What each feature adds to the classifier" in article.body
    assert f'href="/article/{following}" data-next' in article.body
    told = client.get(client.vote(article, story, "like", at="article").place)
    assert 'class="like" aria-describedby="title" aria-pressed="true"' in told.body
    assert f'href="/article/{following}" data-next' in told.body
    client.vote(told, story, "undo", at="article")


def test_the_beginning_of_an_id_leads_to_the_article(reader_client: Client) -> None:
    story = reader_client.get("/").ids[0]
    answer = reader_client.get(f"/article/{story[:5].upper()}")
    assert (answer.status, answer.place) == (303, f"/article/{story}")


def test_what_was_judged_can_be_looked_back_on(client: Client) -> None:
    page = client.get("/hidden")
    answer = client.vote(page, page.ids[0], "dislike", at="hidden")
    assert answer.place.startswith("/hidden?verdict=")
    looked = client.get("/verdicts")
    assert f'id="t-{page.ids[0]}"' in looked.body
    back = client.get(client.vote(looked, page.ids[0], "undo", at="verdicts").place)
    assert f'id="t-{page.ids[0]}"' not in back.body
    assert "Undone:" in back.body


def test_a_verdict_on_the_second_page_returns_to_it(client: Client) -> None:
    following = re.search(r'href="(/hidden\?after=[^"]*)"', client.get("/hidden").body)
    assert following is not None
    second = client.get(following[1])
    answer = client.vote(second, second.ids[0], "skip", at="hidden")
    assert client.get(answer.place.partition("#")[0]).ids == second.ids
    assert client.get("/hidden?after=nonsense").ids == client.get("/hidden").ids


def test_a_rule_is_made_changed_and_taken_back(server: Served, client: Client) -> None:
    ((story,),) = server.rows("SELECT id FROM articles WHERE key NOT LIKE 'hostile-%' AND author > '' LIMIT 1")
    before = server.rows()
    page = client.get(f"/article/{story}")
    form = {"token": page.hidden("token"), "article": story, "field": "author"}
    form["text"] = html.unescape(
        re.findall(r'value="author">\s*<input type="hidden" name="text" value="([^"]*)"', page.body)[0]
    )
    told = ""
    for deed, rule in (("never", "never"), ("more", "boost"), ("less", "boost"), ("none", "")):
        answer = client.post("/rule", form | {"action": deed})
        assert (answer.status, answer.place) == (303, f"/article/{story}?rules=#rules")
        told = client.get(answer.place.partition("#")[0]).body
        pressed = re.findall(r'<button name="action" value="none" aria-pressed="true">(\w+)</button>', told)
        assert pressed == ([deed.capitalize()] if rule else [])
        written = (server.home / "rules.yaml").read_text()
        assert (form["text"] in written) == bool(rule)
    assert '<details id="rules" class="rules" open>' in told
    assert server.rows() == before


def test_a_rule_must_match_the_article(read_only_server: Served, reader_client: Client) -> None:
    story = reader_client.get("/").ids[3]
    written = (read_only_server.home / "rules.yaml").read_text()
    form = {"token": reader_client.get(f"/article/{story}").hidden("token"), "article": story, "action": "never"}
    for field, text in (("regex", "(a+)+$"), ("word", "the"), ("author", "Somebody Else"), ("", "")):
        assert reader_client.post("/rule", form | {"field": field, "text": text}).status == 400, field
    assert reader_client.post("/rule", form | {"article": "zzzzzzzz"}).status == 404
    assert (read_only_server.home / "rules.yaml").read_text() == written
