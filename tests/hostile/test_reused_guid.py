"""Row 36: a guid is used again for another text, after the reader has said what they think of the first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.hostile.hostile_folder import NOW, HostileFolder
from tests.servers.attacker import attacker

FIRST = "The harbour council rebuilds the old bridge before winter"
SECOND = "Ten secrets that the lottery does not want you to know"
FROZEN = (
    "SELECT features.*, articles.id, articles.story, articles.arrived FROM features JOIN articles USING (seq)"
    " ORDER BY seq"
)


def feed(title: str) -> str:
    """A feed of one article that changes, and of some that do not."""
    others = "".join(
        f"<item><guid>{n}</guid><title>Number {n} of the orchards</title><description>{'apple ' * n}</description>"
        "</item>"
        for n in range(1, 6)
    )
    text = f"{title}, as everybody has told us since yesterday. " * 3
    same = f"<item><guid>same</guid><title>{title}</title><description>{text}</description></item>"
    return f'<rss version="2.0"><channel><title>Turncoat</title>{same}{others}</channel></rss>'


@pytest.fixture
def pages() -> dict[str, str]:
    return {"/feed": feed(FIRST)}


@pytest.fixture
def home(tmp_path: Path, pages: dict[str, str]) -> Iterator[HostileFolder]:
    with attacker(pages) as port:
        (tmp_path / "feeds.yaml").write_text(f"feeds:\n  - url: http://127.0.0.1:{port}/feed\n")
        made = HostileFolder(tmp_path / "home", "", tmp_path)
        made.do("init", "--feeds", str(tmp_path / "feeds.yaml"))
        (made.path / "config.toml").write_text(
            "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\n"
        )
        made.do("poll")
        yield made


def changed(home: HostileFolder, pages: dict[str, str]) -> None:
    """Let the feed bring the second text under the guid of the first."""
    pages["/feed"] = feed(SECOND)
    home.environment["ISCORE_NOW"] = (NOW + timedelta(hours=3)).isoformat()
    home.do("poll", "--json")
    view = home.made[-1].view
    assert (view["new_articles"], view["updated_articles"], view["decided"]) == (0, 1, 0)


def log(home: HostileFolder) -> list[dict[str, object]]:
    return home.rows("SELECT * FROM feedback ORDER BY row")


def test_it_is_updated_in_place_and_what_was_judged_stays_what_was_learned(
    home: HostileFolder, pages: dict[str, str]
) -> None:
    (one,) = [row["id"] for row in home.rows("SELECT id FROM articles WHERE title = ?", FIRST)]
    other, *_ = [row["id"] for row in home.rows("SELECT id FROM articles WHERE title != ? ORDER BY seq", FIRST)]
    home.do("like", one)
    home.do("dislike", other)
    home.do("inbox")
    before, verdicts, frozen = home.rows("SELECT id, key FROM articles ORDER BY seq"), log(home), home.rows(FROZEN)
    decided = home.rows("SELECT * FROM decisions ORDER BY seq")
    (model,) = home.rows("SELECT state FROM snapshots WHERE user_id = 1 ORDER BY sequence DESC LIMIT 1")
    changed(home, pages)

    # The article is the same one, with what its feed says now.
    assert home.rows("SELECT id, key FROM articles ORDER BY seq") == before
    (now,) = home.rows("SELECT title, text FROM articles JOIN texts USING (seq) WHERE id = ?", one)
    assert now["title"] == SECOND
    assert "lottery" in now["text"]
    shown = home.run("show", one, "--json").view
    assert (shown["title"], shown["verdict"]) == (SECOND, "like")

    # The verdict is kept, and so is what it was about: nothing that was measured or decided of the first has changed.
    assert log(home) == verdicts
    assert home.rows(FROZEN) == frozen
    assert home.rows("SELECT * FROM decisions ORDER BY seq") == decided
    assert one not in [item["id"] for item in home.run("inbox", "--all", "--json").view]
    assert home.run("model", "rebuild", "--check", "--json").view["equal"] is True
    home.do("model", "rebuild")
    (again,) = home.rows("SELECT state FROM snapshots WHERE user_id = 1 ORDER BY sequence DESC LIMIT 1")
    assert again == model

    # Who takes it back, or thinks otherwise of it now, changes that verdict and no other.
    home.do("dislike", one)
    home.do("inbox")
    status = home.run("status", "--json").view
    assert (status["likes"], status["dislikes"]) == (0, 2)
    assert [row["kind"] for row in log(home)] == ["like", "dislike", "dislike"]
    assert home.rows(FROZEN) == frozen


@pytest.mark.long
def test_a_verdict_that_comes_after_the_change_counts_for_the_same_article(
    home: HostileFolder, pages: dict[str, str]
) -> None:
    (one,) = [row["id"] for row in home.rows("SELECT id FROM articles WHERE title = ?", FIRST)]
    frozen = home.rows(FROZEN)
    changed(home, pages)
    home.do("like", one)
    home.do("inbox")
    assert home.rows(FROZEN) == frozen
    assert json.loads(home.run("show", one, "--json").text)["verdict"] == "like"
    assert home.run("model", "rebuild", "--check", "--json").view["equal"] is True
