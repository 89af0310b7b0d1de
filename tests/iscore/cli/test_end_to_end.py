"""The first day of one user, with a real server and a real database.

Printed text comes from new processes. JSON comes from ``main`` in this process, since starting the interpreter takes
longer than the answer.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sample_news.news import News
from benchmarks.sample_news.server import NewsServer
from iscore.cli import main

START = datetime(2025, 3, 3, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)

SETTINGS = {
    "ISCORE_NOW": NOON.isoformat(),
    "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
    "ISCORE_HOST_SPACING": "0",
}

LOADED = """
import sys
from iscore.cli import main
code = main()
print("loaded", *sorted(name for name in sys.modules if "." not in name), file=sys.stderr)
sys.exit(code)
"""

Done = subprocess.CompletedProcess[str]


class Person:
    """A user of one data folder at the command line, at noon of the second simulated day."""

    def __init__(self, home: Path, run: Callable[..., Done]) -> None:
        self.home = home
        self._run = run

    def types(self, *arguments: str, **environment: str) -> Done:
        """Run a command and return its result."""
        return self._run(
            "--home",
            str(self.home),
            *arguments,
            **SETTINGS,
            **environment,
        )

    def reads(self, *arguments: str) -> Any:
        """Run a command with ``--json`` here, which must succeed, and return its document."""
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as environment, contextlib.redirect_stdout(out):
            for name, value in SETTINGS.items():
                environment.setenv(name, value)
            assert main(["--home", str(self.home), *arguments, "--json"]) == 0
        return json.loads(out.getvalue())


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory, run: Callable[..., Done]) -> Iterator[Person]:
    """A user with three addresses, one of them not a feed, polled once."""
    someone = Person(tmp_path_factory.mktemp("person") / "home", run)
    empty = tmp_path_factory.mktemp("feeds") / "feeds.yaml"
    empty.write_text("# mine\nfeeds: []\n", encoding="utf-8")
    assert someone.reads("init", "--feeds", str(empty)) == {"home": str(someone.home), "feeds": 0}
    with NewsServer(News(seed=7, start=START, days=2), at=NOON) as server:
        good = list(server.urls.values())[:2]
        bad = good[0].rpartition("/")[0] + "/nothing-here.xml"
        for discover, urls in (((), good), (("--no-discovery",), [bad])):
            answer = {"added": urls, "already_there": 0, "choices": [], "refused": [], "unseen": [], "known": []}
            added = someone.reads("feeds", "add", *discover, *urls)
            assert [feed["url"] for feed in added.pop("feeds")] == urls
            assert added == answer
        polled = someone.types("poll", "--json")
        assert polled.returncode == 0, polled.stderr
        someone.poll = json.loads(polled.stdout)  # type: ignore[attr-defined]
        someone.poll_messages = polled.stderr  # type: ignore[attr-defined]
        yield someone


def test_a_poll_tells_what_it_did_and_which_feed_failed(person: Any) -> None:
    assert (person.poll["feeds"], person.poll["changed"], person.poll["failed"]) == (3, 2, 1)
    assert person.poll["new_articles"] > 20
    assert {"unchanged", "seconds", "problems"} <= set(person.poll)
    (message,) = person.poll_messages.splitlines()
    assert message.startswith("iscore: http://127.0.")
    assert "nothing-here.xml" in message


def test_a_second_poll_has_nothing_to_do(person: Person) -> None:
    done = person.types("poll")
    assert done.returncode == 0
    assert done.stdout.startswith("No feed is due.")


def test_feeds_are_listed(person: Person) -> None:
    views = person.reads("feeds", "list")
    assert len(views) == 3
    assert {"url", "title", "articles", "last_success", "next_due", "error"} <= set(views[0])
    assert views[0]["articles"] > 0
    assert views[2]["error"]
    assert views[0]["title"] in person.types("feeds", "list").stdout


def test_verdicts_take_articles_out_of_the_inbox_and_undo_brings_them_back(person: Person) -> None:
    before = [item["id"] for item in person.reads("inbox", "--limit", "1000")]
    liked, skipped = before[:2]

    done = person.types("like", liked, "--json", program=LOADED)
    (view,) = json.loads(done.stdout)
    assert (view["id"], view["accepted"], view["previous"]) == (liked, True, None)
    assert not set(done.stderr.split()) & {"numpy", "numba", "scipy", "sklearn", "alembic", "rich", "jinja2"}
    assert person.reads("dislike", liked)[0]["previous"] == "like"
    assert person.reads("dislike", liked[:6])[0]["accepted"] is False
    assert person.reads("skip", skipped)[0]["accepted"] is True

    after = [item["id"] for item in person.reads("inbox", "--limit", "1000")]
    assert set(before) - set(after) >= {liked, skipped}
    assert "learning: 1 verdict so far" in person.types("inbox").stdout

    assert person.reads("undo", liked, skipped)[0]["previous"] == "dislike"
    again = [item["id"] for item in person.reads("inbox", "--limit", "1000")]
    assert {liked, skipped} <= set(again)


def test_the_inbox_can_show_everything(person: Person) -> None:
    everything = person.reads("inbox", "--all", "--limit", "1000")
    assert len(everything) >= len(person.reads("inbox", "--limit", "1000")) > 0
    assert {"id", "title", "url", "source", "published", "score", "threshold", "interesting", "explore"} <= set(
        everything[0]
    )
    scores = [item["score"] for item in everything]
    assert scores == sorted(scores, reverse=True)


def test_an_article_is_shown_and_explained(person: Person) -> None:
    first = person.reads("inbox", "--limit", "1")[0]
    assert first["title"] in " ".join(person.types("show", first["id"]).stdout.split())
    why = person.reads("why", first["id"])
    assert {"features", "subset_size", "threshold", "score"} <= set(why)
    assert {"name", "value", "contribution", "rank"} <= set(why["features"][0])


def test_an_unknown_article_is_one_line_and_changes_nothing(person: Person) -> None:
    known = person.reads("inbox", "--limit", "1")[0]["id"]
    done = person.types("like", known, "nosuchid")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "iscore: no article 'nosuchid'; `iscore inbox --all` lists the IDs\n"
    assert known in [item["id"] for item in person.reads("inbox", "--limit", "1000")]


def test_a_digest_can_be_read_kept_and_answered_by_number(person: Person, tmp_path: Path) -> None:
    text = person.types("digest")
    assert text.returncode == 0
    assert text.stdout.startswith("iScore · Tuesday, 4 March 2025\n")

    page = tmp_path / "digest.html"
    digest = person.reads("digest", "--date", "2025-03-04", "--output", str(page))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")

    first = (digest["recommended"] + digest["explore"])[0]
    assert first["item"]["title"] in " ".join(text.stdout.split())
    (view,) = person.reads("like", "--digest", str(first["number"]))
    assert (view["id"], view["accepted"]) == (first["item"]["id"], True)
    beyond = person.types("like", "--digest", "9999")
    assert (beyond.returncode, len(beyond.stderr.splitlines())) == (1, 1)
    assert person.reads("undo", view["id"])[0]["accepted"] is True


def test_a_digest_that_cannot_be_written_is_one_line(person: Person, tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "digest.html"
    done = person.types("digest", "--output", str(nowhere))
    assert (done.returncode, done.stderr) == (1, f"iscore: {nowhere}: No such file or directory\n")


def test_status_and_rebuild_agree_on_the_verdicts(person: Person) -> None:
    status = person.reads("status")
    assert {"likes", "dislikes", "f05", "precision", "checked", "threshold", "best_features", "problems"} <= set(status)
    assert "verdicts" in person.types("status").stdout
    rebuilt = person.reads("model", "rebuild", "--check")
    assert rebuilt["equal"] is True


def test_removing_a_feed_needs_its_address(person: Person) -> None:
    wrong = person.types("feeds", "remove", "https://example.org/not-followed.xml")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "not in your list: " in wrong.stderr
    url = person.reads("feeds", "list")[2]["url"]
    assert person.reads("feeds", "remove", url) == {"removed": [url], "not_there": 0}
    assert len(person.reads("feeds", "list")) == 2
    assert person.reads("feeds", "add", "--no-discovery", url)["added"] == [url]


def test_a_second_init_changes_nothing(person: Person) -> None:
    before = (person.home / "feeds.yaml").read_bytes()
    done = person.types("init")
    assert (done.returncode, done.stdout) == (1, "")
    assert "already" in done.stderr
    assert (person.home / "feeds.yaml").read_bytes() == before
