"""Every command of the README works, in a new folder."""

from __future__ import annotations

import os
import re
import select
import shlex
import signal
import socket
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from tests.documentation import (
    README,
    command_lines,
)
from tests.servers import fork_server

# The commands of the README


@pytest.mark.long
def test_every_command_of_the_readme_works(tmp_path: Path) -> None:
    """Run each line as it is, with a feed of the sample news for the address and real articles for the IDs."""
    start = datetime(2025, 3, 3, tzinfo=UTC)
    noon = start + timedelta(days=1, hours=12)
    lines = command_lines(README)
    assert [shlex.split(line)[1] for line in lines[:4]] == ["init", "feeds", "poll", "inbox"]
    (tmp_path / "bookmarks.html").write_text(
        '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="https://example.org/solar">Solar power</A></DL>'
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ISCORE_")} | {
        "ISCORE_HOME": str(tmp_path / "home"),
        "ISCORE_NOW": noon.isoformat(),
        "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
        "ISCORE_HOST_SPACING": "0",
        "ISCORE_SERVE_PORT": str(_free_port()),
        "BROWSER": "true",
        "PYTHONWARNINGS": "error",
        "COLUMNS": "100",
    }
    ids: list[str] = []
    with NewsServer(News(seed=7, start=start, days=2), at=noon) as server:
        address, *others = server.urls.values()
        outlines = "".join(f'<outline type="rss" xmlUrl="{url}"/>' for url in others)
        (tmp_path / "subscriptions.opml").write_text(f'<opml version="2.0"><body>{outlines}</body></opml>')
        for line in lines:
            words = shlex.split(line)[1:]
            if words[:2] == ["feeds", "add"]:
                words[2:] = [address]
                # A new data folder follows feeds on the internet; here there is none.
                (tmp_path / "home" / "feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
            elif words[0] in ("like", "dislike", "why") and "--digest" not in words:
                words[1:] = [ids.pop(0)]
            if words[0] == "serve":
                _serves_until_stopped(words, tmp_path, environment)
                continue
            done = fork_server.run(*words, cwd=tmp_path, env=environment, timeout=600)
            assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
            assert done.stdout or words[0] == "digest", line
            if words[0] == "inbox":
                ids = re.findall(r"^([a-z2-7]{8}) ", done.stdout, re.MULTILINE)
                assert len(ids) > 3
    assert (tmp_path / "today.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _serves_until_stopped(words: list[str], folder: Path, environment: dict[str, str]) -> None:
    process = fork_server.start(
        *words, cwd=folder, env={**environment, "PYTHONUNBUFFERED": "1"}, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 600)[0], "no line"
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate(timeout=600)
    assert process.returncode == 0, printed
