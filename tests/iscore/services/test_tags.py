"""The reader's own tags on feeds, from feeds.yaml to a reason for a score, and what changing them does not change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.filtering.serialization import pack
from iscore.services.news_filter import NewsFilter
from iscore.services.views.stories import FeatureView, WhyView
from storage.records.users import Kind

START = datetime(2026, 3, 2, tzinfo=UTC)
MEANING = "from feeds with a tag you like more than others"
# Mixed, so that nothing but the tag tells what is liked: each feed alone has too few verdicts.
SCIENCE = {"orrery": ("Science",), "gridpost": ("science", "work"), "lantern": ("science",), "molo": ("SCIENCE ",)}
WORLD = {"meridian": ("world",), "northwire": ("world", "work"), "bytewharf": ("world",), "touchline": ("world",)}
NEW = "longview"


class Life:
    """A person who likes what they have tagged as science, and nothing else."""

    def __init__(self, home: Path, server: NewsServer) -> None:
        self.verdicts = 0
        self.server, self.home = server, home
        home.mkdir()
        (home / "config.toml").write_text(
            "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\nparse_processes = 1\n"
        )
        self.tag(SCIENCE | WORLD)
        self.now = server.at = START + timedelta(days=2)
        self.news = NewsFilter.create(home, clock=lambda: self.now)

    def tag(self, tags: dict[str, tuple[str, ...]]) -> None:
        """Write feeds.yaml."""
        lines = [f"  - url: {self.server.urls[name]}\n    tags: [{', '.join(tags[name])}]\n" for name in tags]
        (self.home / "feeds.yaml").write_text(f"feeds:\n{''.join(lines)}")

    def poll(self, hours: float = 0) -> None:
        self.now += timedelta(hours=hours)
        self.server.at = self.now
        self.news.poll(force=True)

    def teach(self, each: int) -> int:
        """Give verdicts on a number of articles of each feed, in an order that hangs on nothing; return how many."""
        liked = {self.title(name) for name in SCIENCE}
        items = sorted(self.news.inbox(everything=True, limit=None).items, key=lambda item: item.title)
        taken = Counter[str]()
        for item in items:
            taken[item.source] += 1
            if taken[item.source] <= each:
                self.news.give(Kind.LIKE if item.source in liked else Kind.DISLIKE, [item.id])
        return sum(min(count, each) for count in taken.values())

    def title(self, name: str) -> str:
        return next(source.title for source in self.server.news.sources if source.key == name)

    def why(self, name: str) -> WhyView:
        """Explain the newest waiting article of a source."""
        items = [item for item in self.news.inbox(everything=True, limit=None).items if item.source == self.title(name)]
        return self.news.why(max(items, key=lambda item: item.arrived).id)

    def learned(self) -> bytes:
        return pack(self.news.models.load().model.state())

    def reputation(self) -> dict[str, Any]:
        """What was learned of tags."""
        found: dict[str, Any] = self.news.models.load().model.state()["features"]["tag_reputation"]
        return found


def tagged(why: WhyView) -> FeatureView:
    (feature,) = [feature for feature in why.features if feature.name == "tag_reputation"]
    return feature


@pytest.fixture(scope="module")
def server() -> Iterator[NewsServer]:
    """Five days of news."""
    with NewsServer(News(seed=9, start=START, days=5), at=START) as opened:
        yield opened


@pytest.fixture
def life(server: NewsServer, tmp_path: Path) -> Iterator[Life]:
    """After the first verdicts."""
    made = Life(tmp_path / "home", server)
    made.poll()
    made.verdicts = made.teach(4)
    yield made
    made.news.close()


def test_new_feed_profits_from_verdicts_on_its_tag(life: Life) -> None:
    life.tag(SCIENCE | WORLD | {NEW: ("science",)})
    life.poll(hours=12)
    why = life.why(NEW)
    feature = tagged(why)
    assert (feature.meaning, feature.used, feature.rank) == (MEANING, True, 1)
    assert feature.value is not None
    assert feature.value > 0.7
    assert feature.contribution > 0
    assert feature.phrase == MEANING

    life.tag(SCIENCE | WORLD | {NEW: ("world",)})
    life.news.subscriptions.feeds()
    other = tagged(life.why(NEW))
    assert other.value is not None
    assert other.value < 0.3
    assert other.contribution < feature.contribution
    life.tag(SCIENCE | WORLD | {NEW: ()})
    life.news.subscriptions.feeds()
    assert tagged(life.why(NEW)).value is None


@pytest.mark.long
def test_changing_tags_changes_nothing_that_was_learned(life: Life) -> None:
    life.news.inbox()
    before = life.learned()
    reputation = life.reputation()
    assert life.news.models.rebuild(check=True).equal is True
    life.tag({"orrery": ("world",), "meridian": ("science",), "northwire": ()})
    life.poll(hours=1)
    assert life.learned() == before
    assert life.news.models.rebuild(check=True).equal is True
    assert life.news.models.rebuild().verdicts == life.verdicts
    assert life.learned() == before

    # Verdicts from now on are given under the new tags.
    life.poll(hours=11)
    life.news.give(Kind.LIKE, [life.why("meridian").article.id])
    life.news.inbox()
    after = life.reputation()
    assert after["names"][-1] == "science"
    assert after["all"][0] > reputation["all"][0]
    assert life.news.models.rebuild(check=True).equal is True
