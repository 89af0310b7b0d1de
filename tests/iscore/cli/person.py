"""A user who types commands, with a data folder of their own."""

from __future__ import annotations

import contextlib
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from iscore.cli import main

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FEEDS = "# what I read\nfeeds:\n  - url: https://mine.example/feed  # the first\n    tags: [kept]\n\n# the end\n"


class Done(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    messages: str

    def document(self) -> Any:
        """Return the JSON that it printed."""
        return json.loads(self.out)


class Person:
    """A user at the command line of one data folder."""

    def __init__(self, home: Path, feeds: str) -> None:
        """``feeds``: the text of feeds.yaml."""
        self.home, self.now = home, START
        file = home.parent / f"{home.name}.yaml"
        file.write_text(feeds, encoding="utf-8")
        assert self.types("init", "--feeds", str(file)).code == 0

    def types(self, *arguments: str, stdin: bytes = b"") -> Done:
        """Run a command in this process."""
        out, messages = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ISCORE_NOW", self.now.isoformat())
            patch.setenv("ISCORE_ALLOW_PRIVATE_NETWORKS", "1")
            patch.setenv("ISCORE_HOST_SPACING", "0")
            patch.setenv("ISCORE_PARSE_PROCESSES", "1")
            patch.setenv("COLUMNS", "100")
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
                code = main(["--home", str(self.home), *arguments])
        return Done(code, out.getvalue(), messages.getvalue())

    def feeds(self) -> str:
        """Return the text of feeds.yaml."""
        return (self.home / "feeds.yaml").read_text(encoding="utf-8")
