"""Take the pictures of ``docs/images`` and the sample output of the guide anew, from a run of the demo.

    python -m benchmarks.pictures

Needs Chromium. ``docs/images/made_from.json`` gets the figures of the demo's first days; ``tests/iscore/evaluation/
test_demo.py`` compares them with those of the program, and so notices when the pictures show another model.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from iscore.evaluation.demo import DemoResult, run
from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from tests.servers.chromium import Chromium, Page, chromium

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
GUIDE = ROOT / "docs" / "guide"
RECORD = IMAGES / "made_from.json"
DAYS = 4
"""Days of the demo whose figures are recorded; a test runs as many."""
SCALE = 1.5
PHONE = (390, 844)
GAP = 27
"""Between the two phones, in CSS pixels."""

_SEQUENCES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")
"""Colours and links of a terminal."""


def figures(result: DemoResult) -> dict[str, Any]:
    """Return the figures of a demo of ``DAYS`` days, as ``RECORD`` has them."""
    with NewsFilter.open(Path(result.home)) as news:
        threshold = news.status().threshold
    return {"verdicts": result.verdicts, "threshold": round(threshold, 4), "days": [asdict(day) for day in result.days]}


def main() -> None:
    """Run the demo twice, for ``DAYS`` days and in full; write record, pictures and sample output."""
    with tempfile.TemporaryDirectory() as folder:
        short = run(Path(folder) / "short", days=DAYS)
        record = json.dumps(figures(short), indent=1) + "\n"
        demo = Path(folder) / "demo"
        run(demo)
        with chromium(Path(folder) / "profile") as browser:
            _pictures(browser, demo)
        _sample_output(demo / "home")
        RECORD.write_text(record, encoding="utf-8")


def _pictures(browser: Chromium, demo: Path) -> None:
    _shoot(browser, f"file://{demo}/digest.html", "digest", 860, 1100)
    _shoot(browser, f"file://{demo}/report.html", "report", 1100, 1150)
    _shoot(browser, f"file://{demo}/learning.html", "learning", 580, 640)
    digest = f"file://{demo}/digest.html"
    _phones(browser, demo, "phone", (digest, False), (digest, True))
    CredentialStore(demo / "home").mark_set_up()
    with _serving(demo / "home") as address:
        _shoot(browser, address, "serve", 1200, 860)
        story = browser.page()
        story.go(address)
        article = str(story.evaluate("document.querySelector('[data-stop] h3 a').href"))
        _phones(browser, demo, "reader", (address, False), (article, False), (article, True))


def _phones(browser: Chromium, folder: Path, name: str, *shown: tuple[str, bool]) -> None:
    """Take a picture of pages on phones beside each other: addresses, and whether they are dark."""
    shots = []
    for number, (url, dark) in enumerate(shown):
        file = folder / f"{name}-{number}.png"
        page = browser.page(width=PHONE[0], height=PHONE[1], dark=dark)
        _sized(page, *PHONE)
        page.go(url)
        page.screenshot(file)
        shots.append(f'<img src="{file.name}" width="{PHONE[0]}">')
    together = folder / f"{name}.html"
    together.write_text(f'<body style="margin:0;display:flex;gap:{GAP}px">{"".join(shots)}')
    width = len(shown) * (PHONE[0] + GAP) - GAP
    _shoot(browser, f"file://{together}", name, width, PHONE[1])


def _shoot(browser: Chromium, url: str, name: str, width: int, height: int) -> None:
    page = browser.page(width=width, height=height)
    _sized(page, width, height)
    page.go(url)
    page.screenshot(IMAGES / f"{name}.png")


def _sized(page: Page, width: int, height: int) -> None:
    page.ask(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=SCALE, mobile=width < 600
    )


@contextmanager
def _serving(home: Path) -> Iterator[str]:
    command = [*_iscore(home), "serve", "--pages-only", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_environment(home)) as process:
        assert process.stdout is not None
        text = ""
        while '"address"' not in text:
            text += process.stdout.readline()
        try:
            yield str(re.findall(r"http://[^\"]+", text)[0])
        finally:
            process.terminate()


def _sample_output(home: Path) -> None:
    """Replace the output below ``$ iscore …`` in the guide; as many lines as there are now."""
    digest = json.loads(_printed(home, "digest", "--json"))
    best = digest["recommended"][0]["item"]["id"]
    for page, command in (("statistics", ["stats"]), ("inbox-and-verdicts", ["why", best])):
        file = GUIDE / f"{page}.md"
        shown = re.search(rf"\$ iscore {command[0]}\b[^\n]*\n(.*?)\[…\]\n", file.read_text(encoding="utf-8"), re.DOTALL)
        assert shown is not None, page
        output = _printed(home, *command).splitlines()[: shown[1].count("\n")]
        lines = "\n".join([f"$ iscore {' '.join(command)}", *(line.rstrip() for line in output), "[…]", ""])
        file.write_text(file.read_text(encoding="utf-8").replace(shown[0], lines), encoding="utf-8")


def _printed(home: Path, *words: str) -> str:
    done = subprocess.run(
        [*_iscore(home), *words], capture_output=True, text=True, check=True, env=_environment(home), encoding="utf-8"
    )
    return _SEQUENCES.sub("", done.stdout)


def _iscore(home: Path) -> list[str]:
    return [sys.executable, "-m", "iscore", "--home", str(home)]


def _environment(home: Path) -> Mapping[str, str]:
    """Return an environment in which it is a minute after the last poll, so that no feed is due."""
    with NewsFilter.open(home) as news:
        last: datetime | None = news.status().last_poll
    assert last is not None
    now = (last + timedelta(minutes=1)).isoformat()
    terminal = {"COLUMNS": "80", "FORCE_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **terminal, "ISCORE_NOW": now, "TZ": "UTC"}


if __name__ == "__main__":
    main()
