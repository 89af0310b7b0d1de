"""Row 39 of docs/reliability.md: oversized and malicious lists of feeds, imported by the real command."""

from __future__ import annotations

import os
import pty
import re
import resource
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.feeds.subscriptions.editing import load
from iscore.feeds.subscriptions.opml import MAX_DEPTH, MAX_FEEDS, MAX_REFUSED, MAX_TAGS, read_opml
from tests.hostile.polled_folder import CommandResult, PolledFolder
from tests.servers import fork_server

MANY = 100_000
SECONDS = 25.0
"""Of processor time, for what took five on a busy machine; without bounds it took thirty, and then failed."""


SUBSCRIBED = {"/mine": "https://mine.example/feed"}


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PolledFolder(tmp_path_factory.mktemp("opml") / "home", SUBSCRIBED).create().home


@pytest.fixture
def home(new: Path, tmp_path: Path) -> PolledFolder:
    return PolledFolder(Path(shutil.copytree(new, tmp_path / "home")), SUBSCRIBED)


def opml(path: Path, *outlines: str) -> str:
    path.write_text(f'<opml version="2.0"><head/><body>{"".join(outlines)}</body></opml>', encoding="utf-8")
    return str(path)


def imported(home: PolledFolder, file: str) -> CommandResult:
    home.fresh = True  # what is no child of this process is not counted
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = home.run("feeds", "import", file, "--json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ran.code == 0, ran.err
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS
    assert ran.peak < 500 << 20
    return ran


@pytest.mark.long
def test_a_hundred_thousand_outlines_are_bounded_and_reported(home: PolledFolder, tmp_path: Path) -> None:
    feeds = [f'<outline text="Feed {n}" xmlUrl="https://feeds.example/{n}"/>\n' for n in range(MANY - 2000)]
    evil = [f'<outline text="Script {n}" xmlUrl="javascript:alert({n})"/>\n' for n in range(2000)]
    again = feeds[:100]
    file = opml(tmp_path / "many.opml", *evil, *again, *feeds)
    view = imported(home, file).view
    assert len(view["added"]) == MAX_FEEDS - 1
    assert view["already_there"] == 0
    assert len(view["refused"]) == MAX_REFUSED
    assert view["more_refused"] == 2000 - MAX_REFUSED
    # Every outline is accounted for: those that came first twice, and one more for the feed that was there.
    assert view["left_out"] == len(feeds) - MAX_FEEDS + 1
    urls = re.findall(r"https://\S+\.example/\w+", (home.home / "feeds.yaml").read_text())
    assert len(urls) == MAX_FEEDS
    assert urls[0] == "https://mine.example/feed"
    assert len(home._rows("SELECT 1 FROM subscriptions")) == MAX_FEEDS


def test_what_is_left_out_is_reported_in_few_lines(home: PolledFolder, tmp_path: Path) -> None:
    evil = (f'<outline xmlUrl="file:///etc/{n}"/>' for n in range(300))
    ran = home.run("feeds", "import", opml(tmp_path / "evil.opml", '<outline xmlUrl="https://a.example/"/>', *evil))
    assert ran.code == 0
    assert "1 feed added, 0 already there, 300 refused." in ran.out
    assert len(ran.err.splitlines()) == MAX_REFUSED + 2
    assert "and 200 more that cannot be added" in ran.err


def test_folders_ten_thousand_deep_are_passed_over_and_the_rest_is_read(home: PolledFolder, tmp_path: Path) -> None:
    deep = '<outline text="x">' * 10_000 + '<outline xmlUrl="https://deep.example/"/>' + "</outline>" * 10_000
    file = opml(tmp_path / "deep.opml", deep, '<outline text="Good" xmlUrl="https://good.example/"/>')
    view = imported(home, file).view
    assert view["added"] == ["https://good.example/"]
    assert view["refused"] == [
        {"url": "https://deep.example/", "reason": f"it is in more than {MAX_DEPTH} levels of folders"}
    ]


def one_feed_in_many_folders() -> Iterator[str]:
    for number in range(30_000):
        yield f'<outline text="Folder {number}"><outline xmlUrl="https://a.example/"/></outline>'


def one_long_category() -> Iterator[str]:
    yield f'<outline xmlUrl="https://a.example/" category="{"a," * 4_000_000}"/>'


def many_escapes() -> Iterator[str]:
    yield f'<outline xmlUrl="https://a.example/" text="{"&amp;amp;" * 1_500_000}"/>'


@pytest.mark.parametrize(
    "outlines",
    [
        one_feed_in_many_folders,
        pytest.param(one_long_category, marks=pytest.mark.long),
        pytest.param(many_escapes, marks=pytest.mark.long),
    ],
)
def test_no_list_takes_quadratic_time(outlines: object) -> None:
    assert callable(outlines)
    document = f'<opml version="2.0"><body>{"".join(outlines())}</body></opml>'.encode()
    began = time.process_time()
    found = read_opml(document)
    assert time.process_time() - began < 6  # less than one; quadratic, half a minute
    assert len(found.feeds) == 1
    assert len(found.feeds[0].tags) <= MAX_TAGS


def test_long_names_of_folders_are_not_copied_into_a_list_that_fills_the_memory(
    home: PolledFolder, tmp_path: Path
) -> None:
    folders = "".join(f'<outline text="{number} {"name " * 99}">' for number in range(MAX_DEPTH - 1))
    feeds = "".join(f'<outline xmlUrl="https://a.example/{number}"/>' for number in range(9000))
    before = (home.home / "feeds.yaml").read_bytes()
    ran = home.run("feeds", "import", opml(tmp_path / "long.opml", folders, feeds, "</outline>" * (MAX_DEPTH - 1)))
    assert ran.code == 1
    assert "would become larger than 5 MB" in ran.err
    assert ran.peak < 500 << 20
    assert (home.home / "feeds.yaml").read_bytes() == before


@pytest.mark.long
def test_an_import_that_is_killed_is_none_or_whole(home: PolledFolder, tmp_path: Path) -> None:
    feeds = (f'<outline xmlUrl="https://feeds.example/{number}"/>' for number in range(1500))
    file = opml(tmp_path / "list.opml", *feeds)
    for after in (0.1, 0.2, 0.3, 0.4):
        process = fork_server.start("--home", str(home.home), "feeds", "import", file, env=os.environ)
        time.sleep(after)
        process.kill()
        process.communicate(timeout=600)
        assert len(load(home.home / "feeds.yaml")) in {1, 1501}
        assert len(home._rows("SELECT 1 FROM subscriptions")) in {0, 1, 1501}
    assert home.run("feeds", "import", file).code == 0
    assert len(home._rows("SELECT 1 FROM subscriptions")) == 1501


def test_at_a_terminal_it_shows_how_far_it_is(home: PolledFolder, tmp_path: Path) -> None:
    feeds = (f'<outline xmlUrl="https://feeds.example/{number}"/>' for number in range(1000))
    file = opml(tmp_path / "list.opml", *feeds)
    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = ("--home", str(home.home), "feeds", "import", file)
    process = fork_server.start(*command, env=environment, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    while select.select([controller], [], [], 600)[0]:
        try:
            shown += os.read(controller, 65_536)
        except OSError:  # the end, on Linux
            break
    assert process.wait(600) == 0
    os.close(controller)
    assert b"writing feeds.yaml" in shown
