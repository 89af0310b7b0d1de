"""Extractors of another package, which is installed, used by the real command, and removed again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

import pytest

from tests.servers import fork_server

pytestmark = pytest.mark.long

CHECKOUT = Path(__file__).parents[2]
EXAMPLE = CHECKOUT / "tests" / "example_plugin"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python"]
THINGS = ("harbour", "council", "orchard", "railway", "museum", "bakery", "bridge", "market", "island", "theatre")
TYPED = """
import json, os, sys
from iscore.cli import main
for line in sys.stdin:
    os.environ["ISCORE_NOW"], *sys.argv[1:] = json.loads(line)
    print(end=f"\\0{main()}\\n", flush=True)
"""
"""Does one command after the other: beginning takes longer than most of them."""
LOADED = (
    """
import json, sys
from pathlib import Path
from iscore.services.news_filter import NewsFilter
with NewsFilter.open(Path(sys.argv[1])) as news:
    kept = news.models.load()
    judged = kept.model.state()["features"]["excitement"]["judged"].tolist()
print(json.dumps({"learned": kept.learned, "judged": judged}), flush=True)
"""
    + TYPED
)
"""Tells first what loading gives."""


class Paper:
    """One feed on the loopback; every second of its articles shouts."""

    def __init__(self) -> None:
        self.count = 0

    def rss(self) -> bytes:
        items = "".join(self._item(number) for number in range(self.count))
        return f'<rss version="2.0"><channel><title>The Paper</title>{items}</channel></rss>'.encode()

    def _item(self, number: int) -> str:
        thing, other = THINGS[number % 10], THINGS[number * 7 % 9]
        mark = "!" if number % 2 else "."
        title = f"News number {number} of the {thing}{mark}"
        text = f"What the {thing} has to do with the {other} was told in {number} words{mark} So it went on."
        return (
            f"<item><guid>n{number}</guid><title>{title}</title><description>{text}</description>"
            f"<link>https://paper.example/{number}</link><pubDate>{NOON:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
        )


class Terminal:
    """A process for commands, one after the other, each of which has to succeed."""

    def __init__(self, installation: Installation, process: fork_server.Process, messages: IO[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._installation, self._messages = installation, messages
        self._to, self._back = process.stdin, process.stdout

    def types(self, *words: str) -> tuple[str, str]:
        """Return what a command prints, and its messages."""
        self._to.write(json.dumps([self._installation.now().isoformat(), *words]) + "\n")
        self._to.flush()
        printed = ""
        while "\0" not in printed:
            printed += self.line()
        printed, _, code = printed.partition("\0")
        messages = self._messages.read()
        assert code == "0\n", (words, messages)
        return printed, messages

    def line(self) -> str:
        """Return the next line that is printed."""
        line = self._back.readline()
        assert line, self._messages.read()
        return line

    def asks(self, *words: str) -> Any:
        """Return what a command answers a program, without a message."""
        printed, messages = self.types(*words, "--json")
        assert messages == ""
        return json.loads(printed)


class Installation:
    """An environment of its own with iScore and its dependencies, a home, and the paper."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        environment = folder / "environment"
        venv.create(environment, symlinks=True)
        self.python = str(environment / "bin" / "python")
        self.site = next(environment.glob("lib/python*/site-packages"))
        # Folders added by a .pth file are searched, as if what they hold were installed.
        (self.site / "iscore.pth").write_text(f"{CHECKOUT}\n{sysconfig.get_path('purelib')}\n")
        self.paper = Paper()
        paper = self.paper

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = paper.rss()
                self.send_response(200)
                self.send_header("Content-Type", "application/rss+xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.hours = 0

    def pip(self, *command: str) -> None:
        done = subprocess.run([*PIP, self.python, *command], capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr

    @contextmanager
    def terminal(self, program: str = TYPED) -> Iterator[Terminal]:
        """A process of the environment, for commands until the block ends; it begins with everything loaded."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_", "PYTHON"))}
        settings = {
            "ISCORE_HOME": str(self.home),
            "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
            "PYTHONWARNINGS": "error",
        }
        warning = self.folder / "told"
        with warning.open("w") as messages:
            process = fork_server.start(
                str(self.home),
                program=program,
                python=self.python,
                cwd=self.site,
                env={**kept, **settings},
                stdin=subprocess.PIPE,
                stderr=messages.fileno(),
            )
        with warning.open(encoding="utf-8") as read:
            try:
                yield Terminal(self, process, read)
            except BaseException:
                process.kill()
                raise
            finally:
                printed, _ = process.communicate(timeout=600)
            assert (process.returncode, printed, read.read()) == (0, "", "")

    def now(self) -> datetime:
        return NOON + timedelta(hours=self.hours)

    def brings(self, count: int) -> None:
        """Let the paper bring ``count`` more, two hours later."""
        self.paper.count += count
        self.hours += 2


def waiting(listed: list[dict[str, str]]) -> tuple[list[str], list[str]]:
    """The ids of what waits: what shouts, and what does not."""
    titles = {item["title"]: item["id"] for item in listed}
    loud, quiet = ([name for title, name in titles.items() if title.endswith(mark)] for mark in "!.")
    return loud, quiet


def explained(answer: Any) -> dict[str, dict[str, Any]]:
    """The features of an article, by name."""
    return {feature["name"]: feature for feature in answer["features"]}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """With the example installed from its source, as a person would, but without a network."""
    folder = tmp_path_factory.mktemp("plugin")
    made = Installation(folder)
    source = folder / "source"
    shutil.copytree(EXAMPLE, source)
    made.pip("install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", str(source))
    shutil.rmtree(source)
    yield made
    made.server.shutdown()
    made.server.server_close()


WAITING = ("inbox", "--all", "--limit", "999")


def explained_in_its_own_words(terminal: Terminal, loud: str, quiet: str) -> dict[str, dict[str, Any]]:
    """Ask why about an article that shouts and one that does not; return the features of the first."""
    features = explained(terminal.asks("why", loud))
    assert features["exclamations"]["value"] == pytest.approx(1.0986, abs=1e-4)
    assert features["exclamations"]["meaning"] == "at least 3 exclamation marks"
    assert features["exclamations"]["correlation"] == pytest.approx(1.0)
    assert features["excitement"]["value"] == pytest.approx(13 / 14)
    assert features["excitement"]["meaning"] == "as loud as what you often like"
    assert features["excitement"]["used"] is True
    assert features["excitement"]["contribution"] > 0
    assert (features["luck"]["value"], features["luck"]["contribution"]) == (None, 0.0)
    assert features["length"]["value"] > 0
    assert explained(terminal.asks("why", quiet))["excitement"]["value"] == pytest.approx(1 / 14)
    assert "as loud as what you often like" in terminal.types("why", "--details", loud)[0]
    return features


def test_the_life_of_a_plug_in(installation: Installation) -> None:
    life = installation
    with life.terminal() as terminal:
        feeds = life.folder / "feeds.yaml"
        feeds.write_text(f"feeds:\n  - url: http://127.0.0.1:{life.server.server_address[1]}/\n")
        terminal.types("init", "--feeds", str(feeds))

        # What fails costs its own feature, and the user sees a message.
        life.brings(24)
        printed, messages = terminal.types("poll", "--force", "--json")
        warning = "iscore: extractor unlucky: RuntimeError: it was not my day; its features are missing"
        assert messages.splitlines() == [warning]
        view = json.loads(printed)
        assert view["extractor_problems"] == [{"name": "unlucky", "reason": "RuntimeError: it was not my day"}]
        assert (view["new_articles"], view["decided"], view["failed"]) == (24, 24, 0)

        # It measures and learns.
        loud, quiet = waiting(terminal.asks(*WAITING))
        assert (len(loud), len(quiet)) == (12, 12)
        terminal.types("like", *loud)
        terminal.types("dislike", *quiet)
        life.brings(4)
        terminal.types("poll", "--force")
        (one, *_), (other, *_) = waiting(terminal.asks(*WAITING))

    # What it learned is in the snapshot, which another process restores without learning anything again.
    with life.terminal(LOADED) as terminal:
        assert json.loads(terminal.line()) == {"learned": 0, "judged": [[12, 0], [0, 12]]}
        assert terminal.asks("model", "rebuild", "--check")["equal"] is True

        features = explained_in_its_own_words(terminal, one, other)

    # Without it the database works, and what it measured is passed over.
    life.pip("uninstall", "--quiet", "--yes", "iscore-exclamations")
    with life.terminal() as terminal:
        life.brings(4)
        assert terminal.asks("poll", "--force")["decided"] == 4
        assert set(features) - set(explained(terminal.asks("why", one))) == {"exclamations", "excitement", "luck"}
        assert terminal.asks("model", "rebuild", "--check")["equal"] is True
        status = terminal.asks("status")
        assert (status["likes"], status["dislikes"], status["extractor_problems"]) == (12, 12, [])

    # One that cannot even be loaded is named by whatever would have used it.
    information = life.site / "press_room-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: press-room\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[iscore.extractors]\npress = press_room:make\n")
    with life.terminal() as terminal:
        (problem,) = json.loads(terminal.types("status", "--json")[0])["extractor_problems"]
        assert problem["name"] == "press"
        assert "No module named 'press_room'" in problem["reason"]
        messages = terminal.types("status")[1]
        assert messages.startswith("iscore: extractor press: press_room:make cannot be")
