"""Full texts on demand: from the article's own page, for the page of the article and the search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from iscore.cli import main
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.conftest import Served, served
from tests.iscore.web.publisher import Publisher, article, publishing
from tests.servers.feed_server import page


@pytest.fixture(scope="module")
def published() -> Iterator[tuple[Publisher, str]]:
    with publishing() as (publisher, at):
        publisher.pages["/story"] = ("text/html; charset=utf-8", page(3).encode())
        publisher.pages["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow: /other\n")
        yield publisher, at


@pytest.fixture(scope="module")
def server(published: tuple[Publisher, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("full-texts") / "home"
    (folder.parent / "feeds.yaml").write_text(f"feeds:\n  - url: {published[1]}/feed\n")
    assert main(["--home", str(folder), "init", "--feeds", str(folder.parent / "feeds.yaml")]) == 0
    (folder / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\n")
    assert main(["--home", str(folder), "poll"]) == 0
    with served(folder) as running:
        yield running


def load(client: Client, article_id: str) -> Answer:
    token = client.get(f"/article/{article_id}").hidden("token")
    return client.post("/full-text", {"token": token, "article": article_id})


def test_the_text_of_the_page_replaces_the_teaser_and_is_found(server: Served) -> None:
    client, one = server.client(), article(server, "One")
    assert "Nobody objected" not in client.get(f"/article/{one}").body
    score = server.rows("SELECT * FROM current_scores")
    answer = load(client, one)
    assert (answer.status, answer.place) == (303, f"/article/{one}?marked=")
    assert "Nobody objected" in client.get(f"/article/{one}").body
    assert f"/article/{one}" in client.get("/search?q=objected").body
    assert server.rows("SELECT * FROM current_scores") == score
    again = load(client, one)
    assert (again.status, "no more text than" in again.body) == (200, True)


def test_a_page_that_does_not_want_it_is_left_alone(server: Served, published: tuple[Publisher, str]) -> None:
    client, two = server.client(), article(server, "Two")
    answer = load(client, two)
    assert answer.status == 502
    assert "robots.txt" in answer.body
    assert "/other" not in published[0].paths()
    assert "Words only." in client.get(f"/article/{two}").body


def test_only_a_feed_of_a_private_network_leads_into_it(server: Served, published: tuple[Publisher, str]) -> None:
    """A feed from elsewhere could make the server ask for what only its own network may see."""
    client, one = server.client(), article(server, "One")
    inside = published[1].replace("127.0.0.1", "localhost")
    server.change("UPDATE articles SET url = ? WHERE id = ?", f"{inside}/secret", one)
    answer = load(client, one)
    server.change("UPDATE articles SET url = ? WHERE id = ?", f"{published[1]}/story", one)
    assert answer.status == 502
    assert "private network" in answer.body
    assert "/secret" not in published[0].paths()


def test_an_unknown_article_has_no_page(server: Served) -> None:
    client = server.client()
    token = client.get("/account").hidden("token")
    assert client.post("/full-text", {"token": token, "article": "zzzzzzzz"}).status == 404
