"""Days of polling in one process, with failures of every kind: nothing is left open, and nothing drifts.

``make bench-soak`` is the same with a thousand feeds for a month.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from tests.hostile.soak_run import live, settle, sizes, world
from tests.hostile.soak_server import START, Trouble, published, trouble_of

FEEDS = 24
DAYS = 3
EVERY = 12.0


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a whole network of loopback addresses, and /proc")
def test_days_of_polling_leave_nothing_open_and_nothing_drifts(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with world(FEEDS) as port:
        settle(home, FEEDS, port, fetch_timeout=0.5)
        life = live(home, port, DAYS, every=EVERY)
    assert not life.trouble
    assert 0 < life.failed < life.polled
    first = life.samples[2]  # all code has been used
    for sample in life.samples[3:]:
        assert (sample.handles, sample.threads, sample.children) == (first.handles, first.threads, first.children)
    with NewsFilter.open(home, clock=lambda: START + timedelta(days=DAYS)) as news:
        assert news.models.rebuild(check=True).equal
    # Each article is there once: none is lost but of feeds that could not be read in the end, none is new twice.
    last = life.samples[-1]
    assert last.articles <= sum(published(feed, last.hours) for feed in range(FEEDS))
    with closing(sqlite3.connect(home / "iscore.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        urls = [row[0] for row in connection.execute("SELECT url FROM articles")]
    assert len(urls) == len(set(urls)) == last.articles
    well = [
        feed for feed in range(FEEDS) if all(trouble_of(feed, each.hours) is Trouble.NONE for each in life.samples[-2:])
    ]
    assert well
    expected = {f"https://feed{feed}.example/{n}" for feed in well for n in range(published(feed, last.hours))}
    assert expected <= set(urls)
    # Every byte of the file belongs to a table that is known.
    assert sum(size for _, size in sizes(home).values()) <= (home / "iscore.db").stat().st_size


def test_the_month_has_troubles_of_every_kind() -> None:
    seen = {trouble_of(feed, hours) for feed in range(300) for hours in range(0, 30 * 24, 48)}
    assert seen == set(Trouble)
