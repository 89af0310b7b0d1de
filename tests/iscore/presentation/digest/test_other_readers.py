"""Other people's readers understand the feed: newsboat and sfeed, where they are installed."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iscore.presentation.digest.feed_items import Feed, feed_of, render_atom
from iscore.services.views.digests import DigestListView
from tests.iscore.presentation.digest.conftest import HOSTILE, spoilt


@pytest.fixture
def feed(digests: DigestListView) -> Feed:
    """Two digests, and all hostile ones."""
    days = [replace(spoilt(digests.digests[1], n), date=digests.at.date()) for n in range(len(HOSTILE))]
    named = [
        replace(
            day,
            recommended=tuple(replace(each, id=f"{each.id}{n}") for each in day.recommended),
            stories=(),
            rare=(),
        )
        for n, day in enumerate(days)
    ]
    return feed_of(replace(digests, digests=(*digests.digests, *named)))


@pytest.mark.skipif(shutil.which("newsboat") is None, reason="needs newsboat")
def test_newsboat_reads_it(feed: Feed, tmp_path: Path) -> None:
    place, urls, cache = tmp_path / "recommended.atom", tmp_path / "urls", tmp_path / "cache.db"
    place.write_text(render_atom(feed), encoding="utf-8")
    urls.write_text(f"file://{place}\n")
    settings = tmp_path / "config"
    settings.write_text("")
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    for _ in range(2):  # the second time brings nothing new
        done = subprocess.run(
            ["newsboat", "-u", urls, "-c", cache, "-C", settings, "-x", "reload", "print-unread"],
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
            env=environment,
        )
        assert done.stdout.split()[:1] == [str(len(feed.items))], done.stdout + done.stderr
    with closing(sqlite3.connect(cache)) as connection:
        rows = connection.execute("SELECT guid, title, author, url, content FROM rss_item").fetchall()
    read = {guid: (title, author, url, content) for guid, title, author, url, content in rows}
    assert set(read) == {item.id for item in feed.items}
    for item in feed.items:
        title, author, url, content = read[item.id]
        assert (author, url) == (item.author, item.url)
        assert (
            title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == item.title or item.title == title
        )
        assert item.entry.strength_words.capitalize() in content


@pytest.mark.skipif(shutil.which("sfeed") is None, reason="needs sfeed")
def test_sfeed_reads_it(feed: Feed) -> None:
    done = subprocess.run(
        ["sfeed"], input=render_atom(feed), capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == len(feed.items)
    for item, (moment, title, link, content, form, name, author, *_) in zip(feed.items, rows, strict=True):
        assert item.published is not None
        assert int(moment) == int(item.published.timestamp())
        assert (title, link, form, name, author) == (item.title, item.url, "html", item.id, item.author)
        assert item.entry.strength_words.capitalize() in content
