"""Writes docs/guide/first-day.md: the first quarter of an hour, typed on the sample news, as the program answers.

    python -m benchmarks.first_day_page

Every block is the output of the command above it, as it is in a window of 100 columns; of long ones the beginning. The
sample reader of the demo gives the verdicts. Feeds are on the loopback, with the clock of the sample news; from the
same addresses and one after the other, so that every run writes the same page.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.cpu import program
from benchmarks.sample_news import News, NewsServer, Reader

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "first-day.md"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
DAY = 21.5
"""Days of sample news that the feeds have behind them."""
PORT = 18642
"""Where the feeds are served if the port is free: IDs of articles follow the address."""
LINES = 24
"""Of an answer, at most."""
ROUNDS, A_ROUND = 3, 10


class Terminal:
    """A user's terminal, whose commands and answers become blocks of Markdown."""

    def __init__(self, folder: Path, news: NewsServer) -> None:
        self.folder, self.news = folder, news
        self.blocks: list[str] = []

    def run(self, *words: str) -> str:
        """Return what a command prints, a minute after the one before."""
        self.news.at += timedelta(minutes=1)
        environment = os.environ | {
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder),
            "COLUMNS": "100",
            "ISCORE_NOW": self.news.at.isoformat(),
            "ISCORE_HOME": str(self.folder / "iscore"),
            "ISCORE_ALLOW_PRIVATE_NETWORKS": "true",
            "ISCORE_FETCH_AT_ONCE": "1",
        }
        done = subprocess.run([program(), *words], capture_output=True, text=True, check=True, env=environment)
        return done.stdout

    def show(self, *words: str, lines: int = LINES) -> None:
        """Add a block with a command and its answer."""
        printed = self._with_public_names(self.run(*words)).rstrip().splitlines()
        shown = [*printed[:lines], "…"] if len(printed) > lines + 1 else printed
        typed = f"$ iscore {' '.join(words)}"
        self.blocks.append("\n".join(["```console", typed, *(line.rstrip() for line in shown), "```"]))

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.blocks.append(text)

    def _with_public_names(self, text: str) -> str:
        """Replace what differs between two runs or two machines: addresses, folders, seconds."""
        for key, url in self.news.urls.items():
            text = text.replace(url, f"https://{key}.example/feed").replace(re.split("/+", url)[1], f"{key}.example")
        return re.sub(r"in [0-9.]+ s:", "in … s:", text).replace(str(self.folder), "~")


def verdicts(terminal: Terminal, reader: Reader) -> Iterator[tuple[str, list[str]]]:
    """Yield what the sample reader likes, and what not, of the stories on top."""
    shown = json.loads(terminal.run("inbox", "--json")) or json.loads(terminal.run("inbox", "--all", "--json"))
    for word in ("like", "dislike"):
        names = [
            story["id"]
            for story in shown[:A_ROUND]
            if (article := terminal.news.news.article_at(story["url"])) is not None
            and reader.verdict(article) is (word == "like")
        ]
        if names:
            yield word, names


def quarter_of_an_hour(terminal: Terminal) -> None:
    """Type it."""
    say, show = terminal.say, terminal.show
    reader = Reader()
    say("iScore needs a folder for its data, and the feeds you follow. Here twelve feeds come from a file.")
    show("init", "--feeds", "feeds.yaml")
    show("poll")
    say("Nothing is known about you yet, so the first inbox is a sample of what is new.")
    show("inbox", "--limit", "6")
    say("Say what you like and what you do not; several at once, by the IDs on the left.")
    for number in range(ROUNDS):
        for word, names in verdicts(terminal, reader):
            if number == 0:
                show(word, *names)
            else:
                terminal.run(word, *names)
        if number == 0:
            say("Two more rounds like this one, and the inbox looks different:")
    show("inbox", "--limit", "6")
    top = json.loads(terminal.run("inbox", "--json"))[0]["id"]
    say("Why is the first story there?")
    show("why", top)
    say("A verdict can be taken back.")
    show("like", top)
    show("undo", top)
    say("How much it knows by now:")
    show("status")
    say("The digest is the day's best on one page; `--output today.html` makes it a page for the browser.")
    show("digest")


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory() as name, NewsServer(News(start=MONDAY), port=PORT) as server:
        server.at += timedelta(days=DAY)
        folder = Path(name)
        os.chdir(folder)
        Path("feeds.yaml").write_text("feeds:\n" + "".join(f"  - {url}\n" for url in server.urls.values()))
        terminal = Terminal(folder, server)
        quarter_of_an_hour(terminal)
    introduction = (
        "# The first quarter of an hour\n\n"
        "This is what you see when you start. `make pictures` types it, on sample news with made-up sources, and the\n"
        "program answers."
    )
    PAGE.write_text("\n\n".join([introduction, *terminal.blocks]) + "\n", encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
