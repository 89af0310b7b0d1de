"""What tests of parser processes share."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from iscore.feeds.parsing.jobs import FeedJob

NOW = datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC)


def job(items: str = "<item><guid>ä</guid></item>") -> FeedJob:
    body = f'<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>{items}</channel></rss>'
    return FeedJob(body.encode(), "https://x.org/feed", "application/rss+xml", NOW)


SLOW = {
    "comments": job("<item><title>" + "&lt;!--" * 10 + "</title>" + "<!--<!" * 60_000),
    "tags": job("<item><description>" + "&lt;div&gt;&lt;p&gt;" * 60_000 + "</description></item>"),
    "unfinished": job("<item><title>" + "<a " * 400_000),
}


def children() -> set[str]:
    """The processes that this one has begun; where the system does not list them ``ps`` does, and is one of them."""
    listed = list(Path("/proc/self/task").glob("*/children"))
    if not listed:
        command = ["ps", "-o", "pid=", "--ppid", str(os.getpid())]
        return set(subprocess.run(command, capture_output=True, text=True, check=False).stdout.split())
    found: set[str] = set()
    for of_a_thread in listed:
        with suppress(OSError):  # it has ended
            found |= set(of_a_thread.read_text().split())
    return found
