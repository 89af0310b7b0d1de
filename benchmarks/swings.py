"""How much the recommendations change while a user rates one story after the other.

A week of sample news is polled day by day; on the days before the last the simulated reader has rated nothing, or ten
stories a day. Then they go through the inbox in one sitting, with each third verdict on what is on top and the others
anywhere, so that recommendations are left; with an import of 22 things that they liked elsewhere, its undo, and the
undo of each tenth verdict. After every step the recommended stories without a verdict are compared with those before,
the rated story and all of its source left out. A verdict should change at most max(3, 15 %) of them, an import at most
a half. Other stories about the same thing count, although they ought to change. That a verdict with its undo changes
nothing at all is a test.

    python -m benchmarks.swings
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import results
from benchmarks.sample_news import News, NewsServer, Reader
from benchmarks.sample_news.article import Article
from iscore.services.news_filter import NewsFilter
from iscore.services.views.stories import StoryView
from storage.records.users import Kind

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 7
A_DAY = (0, 10)
"""Verdicts on each day before the sitting."""
VERDICTS = 36
TOP_EACH = 3
"""Each third verdict is on the first story of the inbox."""
PORT = 18643
"""Where the feeds are served if it is free; IDs of articles follow the address."""
IMPORTED = 22
IMPORT_AFTER = (18,)
"""Verdicts before an import, each in a sitting of its own."""
UNDO_EACH = 10
ONE, MANY = 0.15, 0.5
"""Largest shares that one verdict and an import should change."""
FEW = 3


class Sitting:
    """A user, a week of news, and the recommendations after each step."""

    def __init__(self, folder: Path, server: NewsServer, a_day: int) -> None:
        self._now = START
        self._published = server.news
        self._reader = Reader()
        self._random = random.Random(1)
        home = folder / "home"
        home.mkdir()
        settings = ("allow_private_networks = true", "host_spacing = 0", "refresh_cooldown = 0", "fetch_at_once = 1")
        (home / "config.toml").write_text("\n".join(settings) + "\n")
        listed = "".join(f"  - url: {url}\n" for url in server.urls.values())
        (home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        self.news = NewsFilter.create(home, clock=lambda: self._now)
        for day in range(1, DAYS + 1):
            self._now = server.at = START + timedelta(days=day)
            self.news.poll(force=True)
            for item in self.news.inbox(limit=a_day).items if a_day and day < DAYS else ():
                self.news.give(self._opinion(item), [item.id])
        self.steps: list[list[results.Cell]] = []
        self._folder = folder

    def verdict(self, number: int) -> tuple[StoryView, Kind]:
        """Rate the first story of the inbox, or another one."""
        everything = self.news.inbox(everything=True, limit=None).items
        top = (*self.news.inbox(limit=1).items, *everything)[0]
        item = everything[self._random.randrange(len(everything))] if number % TOP_EACH else top
        kind = self._opinion(item)
        self.step(kind.value, kind, item)
        return item, kind

    def _opinion(self, item: StoryView) -> Kind:
        article = self._published.article_at(item.url)
        return Kind.LIKE if article is not None and self._reader.verdict(article) else Kind.DISLIKE

    def step(self, name: str, kind: Kind, item: StoryView) -> None:
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
        phase = "trained" if learning.trained else "learning"
        self.steps.append(
            [name, phase, len(old), len(new), len(old ^ new), round(len(old ^ new) / max(len(old), 1), 3)]
        )


def sitting(server: NewsServer, liked: Sequence[Article], a_day: int, import_after: int) -> list[list[results.Cell]]:
    """Return the steps of one sitting."""
    with tempfile.TemporaryDirectory() as folder:
        made = Sitting(Path(folder), server, a_day)
        for number in range(VERDICTS + 1):
            if number == import_after:
                made.undo_import(made.learn_from(liked))
            item, kind = made.verdict(number)
            if number % UNDO_EACH == UNDO_EACH - 1:
                made.step("undo", Kind.UNDO, item)
                made.step(kind.value, kind, item)
        made.news.close()
        return made.steps


def summary(name: str, steps: Iterable[Sequence[results.Cell]], allowed: float) -> list[results.Cell]:
    """Return how much these steps changed, how often more than allowed, and the largest change of the number."""
    counted = [(int(step[2]), int(step[3]), int(step[4])) for step in steps]
    over = sum(changed > max(FEW, allowed * before) for before, _, changed in counted)
    numbers = sum(abs(after - before) > max(FEW, allowed * before) for before, after, _ in counted)
    largest = max(counted, key=lambda each: abs(each[1] - each[0]))
    means = (round(sum(step[place] for step in counted) / len(counted), 1) for place in (0, 2))
    return [name, len(counted), *means, over, numbers, f"{largest[0]} to {largest[1]}"]


def main() -> None:
    """Write ``benchmarks/results/swings``."""
    taste, others = Reader(), News(seed=5, start=START, days=DAYS)
    liked = [article for article in others.articles if taste.verdict(article)][:IMPORTED]
    table: list[list[results.Cell]] = []
    with NewsServer(News(seed=4, start=START, days=DAYS), at=START, port=PORT) as server:
        for a_day in A_DAY:
            steps = [step for after in IMPORT_AFTER for step in sitting(server, liked, a_day, after)]
            for step in steps:
                print(a_day, *step, sep="\t", flush=True)
            for phase in ("learning", "trained"):
                verdicts = [step for step in steps if step[0] in ("like", "dislike") and step[1] == phase]
                table += [[a_day, *summary(f"one verdict, {phase}", verdicts, ONE)]] if verdicts else []
            imports = [step for step in steps if str(step[0]).startswith("import")]
            undone = [step for step in steps if "undo of" in str(step[0])]
            table.append([a_day, *summary("the undo of a verdict", [step for step in steps if step[0] == "undo"], ONE)])
            table.append([a_day, *summary("an import", imports, MANY)])
            table.append([a_day, *summary("the undo of the import", undone, MANY)])
    columns = [
        "verdicts a day before",
        "step",
        "steps",
        "recommendations before, mean",
        "changed, mean",
        "changed more than allowed",
        "number changed more than allowed",
        "largest change",
    ]
    results.write("swings", "Swings of the number of recommendations", columns, table, __doc__ or "")


if __name__ == "__main__":
    main()
