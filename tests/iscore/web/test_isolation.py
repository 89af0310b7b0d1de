"""Two people on one server: no route shows or changes what is another's.

Every route of the app takes part by itself, also those that are added later: one with a new parameter in its path needs
a value of the other person's in ``parameters``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from iscore.core.passwords import hash_password
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.signed_addresses import SignedPictures
from storage.log import decisions, feedback, reading_events
from storage.opening.database import Database, open_database
from storage.people import deliveries, users
from storage.records.articles import Features, NewArticle
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord, Subscription
from storage.records.reading_events import Act, ReadingEvent
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.schema import metadata
from storage.stream import articles, features, feeds
from tests.iscore.conftest import Archive
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
DAY = "2026-03-04"
PASSWORD = "a walk by the harbour"
BEN = LOCAL_USER + 1
SECRET = "Quince marmalade"
"""In the title and the feed of the first person's article, and nowhere else."""

SHOW_WHAT_WAS_WRITTEN = ("/account", "/rules")
"""Pages that show a form again as it was sent."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Anna, the admin, and Ben follow a feed each; each has an article, a verdict and a digest."""
    archive = Archive(tmp_path_factory.mktemp("two") / "home")
    with archive.database.write() as tx:
        users.rename(tx, LOCAL_USER, "Anna")
        users.add(tx, "Ben", 5)
        for user, url in ((LOCAL_USER, "https://anna.example/feed"), (BEN, "https://ben.example/feed")):
            words = SECRET if user == LOCAL_USER else "Public pears"
            feeds.subscribe(tx, user, [Subscription(url, title=f"{words} feed", tags=(f"{words} folder",))])
            (feed,) = (each.feed for each in feeds.overview(tx, user))
            feeds.record(tx, [FetchRecord(feed, (entry(words),), NOW - timedelta(hours=2))])
            (article,) = articles.without_features(tx, 10)
            frozen = Features(article.seq, article.seq, 5, ("length",), b"v" * 8, b"terms", b"pair")
            features.add(tx, [frozen])
            decisions.add(tx, [Decision(user, article.seq, 1.0, 0.0, True, False, 1.0, NOW, None, None)])
            verdict = Verdict(f"verdict-{user}", user, article.seq, Kind.LIKE, NOW)
            feedback.append(tx, [verdict])
            reading_events.append(tx, [ReadingEvent("opened", user, article.seq, Act.OPENED, NOW)])
            reading_events.switch(tx, user, on=True)
            deliveries.store_content(tx, user, DAY, f'{{"words": "{words}"}}', NOW)
    accounts = Accounts(archive.database, lambda: NOW)
    for user in (LOCAL_USER, BEN):
        accounts.set_password(user, hash_password(PASSWORD))
        accounts.make_app_password(user, f"{SECRET} app" if user == LOCAL_USER else "my app")
    accounts.invite(LOCAL_USER, f"{SECRET} guest")
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    return archive.home.path


def entry(words: str) -> NewArticle:
    return NewArticle(
        key=words,
        url=f"https://a.example/{words.split(maxsplit=1)[0]}",
        title=f"{words} title",
        author=f"{words} author",
        categories=(f"{words} category",),
        text=f"{words} text",
        language="en",
        published=NOW - timedelta(hours=3),
        links=0,
        pictures=0,
        content_hash=words.encode()[:16],
    )


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Site]:
    with site(folder, NOW) as served:
        yield served


@pytest.fixture(scope="module")
def anna(running: Site) -> AppClient:
    return running.signed_in("Anna", PASSWORD)


@pytest.fixture(scope="module")
def ben(running: Site, anna: AppClient) -> AppClient:
    return running.signed_in("Ben", PASSWORD)


def routes(running: Site) -> list[Route]:
    app: Any = running.app
    while not hasattr(app, "router"):
        app = app._app
    return [each for each in app.router.routes if isinstance(each, Route)]


def parameters(running: Site, database: Database) -> dict[str, str]:
    """Values of Anna's for the parameters of paths."""
    with database.read() as tx:
        (article,) = (each for each in articles.get(tx, (1, 2)) if SECRET in each.title)
        (feed,) = (each.feed for each in feeds.overview(tx, LOCAL_USER))
    secret = running.context.credentials.read().secret
    signature, article_id, name = SignedPictures(secret).address(article.id, "thumbnail").split("/")[2:]
    return {
        "article_id": article_id,
        "signature": signature,
        "name": name,
        "user_id": str(LOCAL_USER),
        "day": DAY,
        "feed_id": str(feed.id),
        "number": str(feed.id),
        "label": f"{SECRET} folder",
    }


def filled(route: Route, values: dict[str, str]) -> str:
    """Return a path of a route with Anna's values."""
    if route.path.startswith(("/folder/", "/label/")):
        values = values | {"name": values["label"]}
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: values[found[1]], route.path)


def forms(values: dict[str, str]) -> Iterator[dict[str, str]]:
    """Forms that name what is Anna's, under every name that a form of the app has for it."""
    everything = values | {
        **dict.fromkeys(("article", "shown", "ids", "id", "above", "below", "at"), values["article_id"]),
        **dict.fromkeys(("undo", "verdict"), f"verdict-{LOCAL_USER}"),
        **dict.fromkeys(("app", "text"), f"{SECRET} author"),
        "nonce": "n" * 20,
        "visit": "v" * 20,
        "done": f"read {values['article_id']} 60",
        "on-screen": values["article_id"],
        "learn": "1",
        "page": "article",
        "field": "author",
        "like-1": "1",
        "kind": "like",
        "role": "reader",
        "user": str(LOCAL_USER),
        "invitation": "x",
        "name": f"{SECRET} app",
        "app": f"{SECRET} app",
        "key": "x",
    }
    yield everything
    yield {name: value for name, value in everything.items() if name != "undo"}
    actions = (
        *("always", "never", "more", "role", "withdraw", "invite", "revoke-app-password", "read", "unread", "save"),
        *("unsave", "label", "unlabel", "keep", "all", "undo", "subscribe", "remove"),
    )
    kinds = cycle(("dislike", "skip", "undo", "imported"))
    yield from (
        everything | {"action": action, "mark": action, "do": f"{action}:{values['article_id']}", "kind": next(kinds)}
        for action in actions
    )


def rows_of(database: Database, user_id: int) -> dict[str, list[Any]]:
    personal = [table for table in metadata.sorted_tables if "user_id" in table.columns]
    with database.read() as tx:
        return {
            table.name: sorted(map(repr, tx.connection.execute(table.select().where(table.c.user_id == user_id))))
            for table in personal
        }


def test_no_page_of_one_shows_what_is_the_other_s(running: Site, anna: AppClient, ben: AppClient, folder: Path) -> None:
    with open_database(folder / "iscore.db") as database:
        values = parameters(running, database)
    assert SECRET in anna.get(f"/article/{values['article_id']}").body  # or nothing below would say anything
    assert SECRET in anna.get("/verdicts").body
    asked = 0
    for route in routes(running):
        if "GET" not in (route.methods or ()):
            continue
        path = filled(route, values)
        for query in ("", f"?q=quince&verdict=verdict-{LOCAL_USER}&done=verdict-{LOCAL_USER}&next=/people"):
            answer = ben.get(path.replace(" ", "%20") + query)
            shown = answer.body.casefold().replace(f"{SECRET} folder".casefold(), "")  # they asked for that
            assert "marmalade" not in shown, path + query
            assert answer.status < 500, path + query
            asked += 1
        if "{article_id}" in route.path or "{user_id}" in route.path:
            assert ben.get(path).status in (403, 404), path
    assert asked > 50


def test_no_form_of_one_changes_what_is_the_other_s(running: Site, ben: AppClient, folder: Path) -> None:
    with open_database(folder / "iscore.db") as database:
        values = parameters(running, database)
        before, seqs = (
            rows_of(database, LOCAL_USER),
            "SELECT seq FROM articles WHERE title BETWEEN 'Quince' AND 'Quincf'",
        )
        for route in routes(running):
            if "POST" not in (route.methods or ()) or route.path in ("/logout", "/login", "/setup", "/join"):
                continue
            path = filled(route, values)
            token = ben.get("/account").hidden("token")
            for form in forms(values):
                answer = ben.post(path, form | {"token": token})
                assert answer.status < 500, (path, form)
                assert "marmalade" not in answer.body.casefold() or path in SHOW_WHAT_WAS_WRITTEN, (path, form)
        assert rows_of(database, LOCAL_USER) == before
        with database.read() as tx:
            (seq,) = tx.connection.exec_driver_sql(seqs).scalars()
            for table in metadata.sorted_tables:
                for column in ("seq", "story"):
                    if "user_id" in table.columns and column in table.columns:
                        mine = table.select().where(table.c.user_id == BEN, table.c[column] == seq)
                        assert tx.connection.execute(mine).all() == [], table.name
