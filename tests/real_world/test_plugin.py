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
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]
EXAMPLE = CHECKOUT / "tests" / "example_plugin"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python"]
THINGS = ("harbour", "council", "orchard", "railway", "museum", "bakery", "bridge", "market", "island", "theatre")
LOADED = """
import json, sys
from pathlib import Path
from iscore.news_filter import NewsFilter
with NewsFilter.open(Path(sys.argv[1])) as news:
    kept = news._parts.keeper.load()
    judged = kept.model.state()["features"]["excitement"]["judged"].tolist()
print(json.dumps({"learned": kept.learned, "judged": judged}))
"""

SEVERAL = """
import json, sys
from iscore.cli import main
for command in json.loads(sys.argv[1]):
    if code := main(command):
        sys.exit(code)
    print(end="\\0", flush=True)
"""
"""Commands one after the other in one process: starting takes longer than most of them."""


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
            f"<link>https://paper.example/{number}</link></item>"
        )


class Installation:
    """An environment of its own with iScore and its dependencies, a home, and the paper."""

    def __init__(self, folder: Path) -> None:
        self.environment, self.home = folder / "environment", folder / "home"
        venv.create(self.environment, symlinks=True)
        self.python = str(self.environment / "bin" / "python")
        self.site = next(self.environment.glob("lib/python*/site-packages"))
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

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_", "PYTHON"))}
        settings = {
            "ISCORE_HOME": str(self.home),
            "ISCORE_NOW": (NOON + timedelta(hours=self.hours)).isoformat(),
            "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
            "PYTHONWARNINGS": "error",
        }
        command = [self.python, "-P", *arguments]
        done = subprocess.run(
            command,
            cwd=self.site,
            env={**kept, **settings},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done

    def iscore(self, *command: str) -> Any:
        """What a command answers a program."""
        return json.loads(self.run("-m", "iscore", *command, "--json").stdout)

    def several(self, *commands: tuple[str, ...]) -> list[str]:
        """What commands print, one after the other in one process."""
        *printed, nothing = self.run("-c", SEVERAL, json.dumps(commands)).stdout.split("\0")
        assert (len(printed), nothing) == (len(commands), "")
        return printed

    def poll(self, count: int) -> subprocess.CompletedProcess[str]:
        """Let the paper bring ``count`` more, and poll it."""
        self.brings(count)
        return self.run("-m", "iscore", "poll", "--force", "--json")

    def brings(self, count: int) -> None:
        """Let the paper bring ``count`` more, two hours later."""
        self.paper.count += count
        self.hours += 2


WAITING = ("inbox", "--all", "--limit", "999", "--json")


def waiting(printed: str) -> tuple[list[str], list[str]]:
    """The ids of what waits: what shouts, and what does not."""
    listed = {item["title"]: item["id"] for item in json.loads(printed)}
    loud, quiet = ([name for title, name in listed.items() if title.endswith(mark)] for mark in "!.")
    return loud, quiet


def explained(printed: str) -> dict[str, dict[str, Any]]:
    """The features of an article, by name."""
    return {feature["name"]: feature for feature in json.loads(printed)["features"]}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """With the example installed from its source, as a person would, but without a network."""
    folder = tmp_path_factory.mktemp("plugin")
    made = Installation(folder)
    source = folder / "source"
    shutil.copytree(EXAMPLE, source)
    made.pip("install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", str(source))
    shutil.rmtree(source)
    feeds = folder / "feeds.yaml"
    feeds.write_text(f"feeds:\n  - url: http://127.0.0.1:{made.server.server_address[1]}/\n")
    made.run("-m", "iscore", "init", "--feeds", str(feeds))
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_the_life_of_a_plug_in(installation: Installation) -> None:
    life = installation

    # What fails costs its own feature, and the person is told.
    first = life.poll(24)
    told = "iscore: extractor unlucky: RuntimeError: it was not my day; its features are missing"
    assert first.stderr.splitlines() == [told]
    view = json.loads(first.stdout)
    assert view["extractor_problems"] == [{"name": "unlucky", "reason": "RuntimeError: it was not my day"}]
    assert (view["new_articles"], view["judged"], view["failed"]) == (24, 24, 0)

    # It measures, it learns, and it is explained in its own words.
    loud, quiet = waiting(life.run("-m", "iscore", *WAITING).stdout)
    assert (len(loud), len(quiet)) == (12, 12)
    life.brings(4)
    *_, listed = life.several(("like", *loud), ("dislike", *quiet), ("poll", "--force"), WAITING)
    (one, *_), (other, *_) = waiting(listed)
    of_one, of_other, words = life.several(("why", one, "--json"), ("why", other, "--json"), ("why", one))
    features = explained(of_one)
    assert features["exclamations"]["value"] == pytest.approx(1.0986, abs=1e-4)
    assert features["exclamations"]["meaning"] == "with many exclamation marks"
    assert features["exclamations"]["correlation"] == pytest.approx(1.0)
    assert features["excitement"]["value"] == pytest.approx(13 / 14)
    assert features["excitement"]["meaning"] == "as loud as what you often like"
    assert features["excitement"]["used"] is True
    assert features["excitement"]["contribution"] > 0
    assert (features["luck"]["value"], features["luck"]["contribution"]) == (None, 0.0)
    assert features["length"]["value"] > 0
    assert explained(of_other)["excitement"]["value"] == pytest.approx(1 / 14)
    assert "as loud as what you often like" in words

    # What it learned is in the snapshot, which another process restores without learning anything again.
    assert json.loads(life.run("-c", LOADED, str(life.home)).stdout) == {"learned": 0, "judged": [[12, 0], [0, 12]]}
    assert life.iscore("model", "rebuild", "--check")["equal"] is True

    # Without it the database works, and what it measured is passed over.
    life.pip("uninstall", "--quiet", "--yes", "iscore-exclamations")
    last = life.poll(4)
    assert last.stderr == ""
    assert json.loads(last.stdout)["judged"] == 4
    rest, rebuilt, now = life.several(
        ("why", one, "--json"), ("model", "rebuild", "--check", "--json"), ("status", "--json")
    )
    assert set(features) - set(explained(rest)) == {"exclamations", "excitement", "luck"}
    assert json.loads(rebuilt)["equal"] is True
    status = json.loads(now)
    assert (status["likes"], status["dislikes"], status["extractor_problems"]) == (12, 12, [])

    # One that cannot even be loaded is named by whatever would have used it.
    information = life.site / "press_room-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: press-room\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[iscore.extractors]\npress = press_room:make\n")
    (problem,) = life.iscore("status")["extractor_problems"]
    assert problem["name"] == "press"
    assert "No module named 'press_room'" in problem["reason"]
    assert life.run("-m", "iscore", "status").stderr.startswith("iscore: extractor press: press_room:make cannot be")
