"""How much of the program a command enters: the files and functions of ours that run, without what only imports do.

    python -m benchmarks.files_entered

Each command runs in a process of its own on the folder that ``iscore demo`` makes, a day later, under a profiler
(``sys.setprofile`` in every thread): a poll that finds 30 new articles, a verdict, and the inbox and a digest after it.
What the parsers do in processes of their own does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.results import Cell, write

NEW = 30
NOW = datetime(2026, 3, 31, 6, tzinfo=UTC)
"""Some days after the demo's last."""
WORDS = ("harbour", "tide", "crane", "cargo", "ferry", "pilot", "berth", "quay", "freight", "customs", "tariff", "dock")

PROFILED = """
import json, sys, threading
from pathlib import Path

import iscore

ROOT = str(Path(iscore.__file__).parents[1])
OURS = tuple(f"{ROOT}/{name}/" for name in ("iscore", "extractors", "storage"))
OF_FUNCTIONS = 1  # CO_OPTIMIZED, a flag that the code of modules and classes lacks
entered = set()

def note(frame, event, argument):
    if event == "call":
        code = frame.f_code
        if code.co_flags & OF_FUNCTIONS and code.co_filename.startswith(OURS):
            entered.add((code.co_filename[len(ROOT) + 1 :], code.co_qualname))

from iscore.cli import main

threading.setprofile(note)
sys.setprofile(note)
code = main(sys.argv[2:])
sys.setprofile(None)
named = {(file, name) for file, name in entered if not name.endswith(">")}
Path(sys.argv[1]).write_text(json.dumps([code, sorted({file for file, _ in entered}), len(named)]))
"""


def document() -> bytes:
    """Return a feed with 30 entries of some length."""
    items = []
    for number in range(NEW):
        words = [WORDS[(number * 7 + place * (1 + number % 5)) % len(WORDS)] for place in range(90)]
        date = format_datetime(NOW - timedelta(minutes=10 * number + 1), usegmt=True)
        names = f"<title>{' '.join(words[:6])} {number}</title><link>http://harbour.example/{number}</link>"
        text = f"<pubDate>{date}</pubDate><description>{' '.join(words)}.</description>"
        items.append(f"<item>{names}<guid>harbour-{number}</guid>{text}</item>")
    channel = f"<channel><title>Harbour</title><link>http://harbour.example/</link>{''.join(items)}</channel>"
    return f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0">{channel}</rss>'.encode()


@contextmanager
def served(body: bytes) -> Iterator[str]:
    """Serve one document on the loopback; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/feed" else 404)
            self.send_header("Content-Type", "application/rss+xml")
            self.end_headers()
            if self.path == "/feed":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/feed"
        server.shutdown()


def command(home: Path, *arguments: str) -> str:
    """Run ``iscore`` and return what it printed."""
    line = [sys.executable, "-m", "iscore", "--home", str(home), *arguments]
    environment = os.environ | {"ISCORE_NOW": NOW.isoformat()}
    return subprocess.run(line, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def entered(home: Path, *arguments: str) -> tuple[int, int]:
    """Return how many files and functions of ours a command enters, on a copy of a data folder."""
    with tempfile.TemporaryDirectory() as folder:
        copy, found = Path(folder, "home"), Path(folder, "found.json")
        shutil.copytree(home, copy)
        line = [sys.executable, "-c", PROFILED, str(found), "--home", str(copy), *arguments]
        environment = os.environ | {"ISCORE_NOW": NOW.isoformat()}
        subprocess.run(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        code, files, functions = json.loads(found.read_text())
        if code:
            raise RuntimeError(f"iscore {' '.join(arguments)} ended with {code}")
        return len(files), functions


def measure() -> list[tuple[Cell, ...]]:
    """Return a row for each command."""
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory() as folder, served(document()) as address:
        demo = [sys.executable, "-m", "iscore", "demo", "--output", folder]
        subprocess.run(demo, stdout=subprocess.DEVNULL, check=True)
        home = Path(folder, "home")
        (home / "feeds.yaml").write_text(f"feeds:\n  - url: {address}\n")
        rows.append(("poll, 30 new articles", *entered(home, "poll")))
        command(home, "poll")
        listed = json.loads(command(home, "inbox", "--all", "--json"))
        rows.append(("dislike", *entered(home, "dislike", listed[0]["id"])))
        command(home, "dislike", listed[0]["id"])
        rows += [(f"{name} after a verdict", *entered(home, name)) for name in ("inbox", "digest")]
    return rows


def main() -> None:
    """Measure and write the results."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    columns = ("command", "files", "functions")
    notes = "Files and named functions of iscore, extractors and storage that run in the command's own process."
    write("files_entered", "What of the program a command enters", columns, measure(), notes)


if __name__ == "__main__":
    main()
