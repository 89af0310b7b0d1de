"""How much the recommendations change while a user rates one story after the other.

A week of sample news is polled day by day; then a simulated reader goes through the inbox in one sitting: single
verdicts on what is on top, an import of 22 things that they liked elsewhere, its undo, and the undo of each tenth
verdict. After every step the recommended stories without a verdict are compared with those before, the rated story and
all of its source left out. A verdict should change at most max(3, 15 %) of them, an import at most a half. That a
verdict with its undo changes nothing at all is a test.

    python -m benchmarks.swings
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import results
from benchmarks.sample_news import News, NewsServer, Reader
from benchmarks.sample_news.article import Article
from iscore.services.news_filter import NewsFilter
from iscore.services.views.inbox import InboxItem
from storage.records import Kind

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 7
VERDICTS = 60
IMPORTED = 22
IMPORT_AFTER = (0, 12, 40)
"""Verdicts before an import, each in a sitting of its own."""
UNDO_EACH = 10
ONE, MANY = 0.15, 0.5
"""Largest shares that one verdict and an import should change."""
FEW = 3


class Sitting:
    """A user, a week of news, and the recommendations after each step."""

    def __init__(self, folder: Path, server: NewsServer) -> None:
        self._now = START
        home = folder / "home"
        home.mkdir()
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\n")
        listed = "".join(f"  - url: {url}\n" for url in server.urls.values())
        (home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        self.news = NewsFilter.create(home, clock=lambda: self._now)
        for day in range(1, DAYS + 1):
            self._now = server.at = START + timedelta(days=day)
            self.news.poll(force=True)
        self._published = server.news
        self._reader = Reader()
        self.steps: list[list[results.Cell]] = []
        self._folder = folder

    def verdict(self) -> tuple[InboxItem, Kind]:
        """Rate the first story of the inbox, which may be one to explore; of an empty inbox the first hidden one."""
        items = self.news.inbox(limit=1).items or self.news.inbox(everything=True, limit=1).items
        item = items[0]
        article = self._published.article_at(item.url)
        liked = article is not None and self._reader.verdict(article)
        kind = Kind.LIKE if liked else Kind.DISLIKE
        self.step(kind.value, kind, item)
        return item, kind

    def step(self, name: str, kind: Kind, item: InboxItem) -> None:
        before = self._recommended()
        self._now += timedelta(seconds=20)
        self.news.give(kind, [item.id])
        self._compare(name, before, self._recommended(), leaving_out=item.source)

    def learn_from(self, liked: Sequence[Article]) -> int:
        """Import articles that the user liked elsewhere."""
        file = self._folder / "links.txt"
        file.write_text("".join(f"https://elsewhere.example/{n} {each.title}\n" for n, each in enumerate(liked)))
        before = self._recommended()
        self._now += timedelta(seconds=20)
        done = self.news.imports.learn([str(file)])
        self._compare(f"import of {done.learned}", before, self._recommended())
        return done.number or 0

    def undo_import(self, number: int) -> None:
        before = self._recommended()
        self.news.imports.undo(number)
        self._compare("undo of the import", before, self._recommended())

    def _recommended(self) -> dict[str, str]:
        items = self.news.inbox(limit=None).items
        return {item.id: item.source for item in items if item.interesting}

    def _compare(self, name: str, before: dict[str, str], after: dict[str, str], leaving_out: str = "") -> None:
        old, new = ({each for each, source in ids.items() if source != leaving_out} for ids in (before, after))
        learning = self.news.inbox(limit=1).learning
        phase = "trained" if learning.warm else "learning"
        self.steps.append(
            [name, phase, len(old), len(new), len(old ^ new), round(len(old ^ new) / max(len(old), 1), 3)]
        )


def sitting(server: NewsServer, liked: Sequence[Article], import_after: int) -> list[list[results.Cell]]:
    """Return the steps of one sitting."""
    with tempfile.TemporaryDirectory() as folder:
        made = Sitting(Path(folder), server)
        for number in range(VERDICTS + 1):
            if number == import_after:
                made.undo_import(made.learn_from(liked))
            item, kind = made.verdict()
            if number % UNDO_EACH == UNDO_EACH - 1:
                made.step("undo", Kind.UNDO, item)
                made.step(kind.value, kind, item)
        made.news.close()
        return made.steps


def summary(name: str, steps: Iterable[Sequence[results.Cell]], allowed: float) -> list[results.Cell]:
    """Return how often these steps changed more than allowed, and the largest changes."""
    counted = [(int(step[2]), int(step[3]), int(step[4])) for step in steps]
    over = sum(changed > max(FEW, allowed * before) for before, _, changed in counted)
    numbers = sum(abs(after - before) > max(FEW, allowed * before) for before, after, _ in counted)
    largest = max(counted, key=lambda each: abs(each[1] - each[0]), default=(0, 0, 0))
    return [name, len(counted), over, numbers, f"{largest[0]} to {largest[1]}"]


def main() -> None:
    """Write ``benchmarks/results/swings``."""
    taste, others = Reader(), News(seed=5, start=START, days=DAYS)
    liked = [article for article in others.articles if taste.verdict(article)][:IMPORTED]
    steps: list[list[results.Cell]] = []
    with NewsServer(News(seed=4, start=START, days=DAYS), at=START) as server:
        for after in IMPORT_AFTER:
            steps += sitting(server, liked, after)
    table = [
        summary(
            f"one verdict, {phase}", [step for step in steps if step[:2] in (["like", phase], ["dislike", phase])], ONE
        )
        for phase in ("learning", "trained")
    ]
    table.append(summary("the undo of a verdict", [step for step in steps if step[0] == "undo"], ONE))
    table.append(summary("an import", [step for step in steps if str(step[0]).startswith("import")], MANY))
    table.append(summary("the undo of the import", [step for step in steps if "undo of" in str(step[0])], MANY))
    columns = ["step", "steps", "changed more than allowed", "number changed more than allowed", "largest change"]
    results.write("swings", "Swings of the number of recommendations", columns, table, __doc__ or "")
    for step in steps:
        print(*step, sep="\t")


if __name__ == "__main__":
    main()
