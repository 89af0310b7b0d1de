"""A real FreshRSS on the loopback, from a checkout of its public source that ``ISCORE_FRESHRSS`` names.

It is installed in a folder of its own by its own commands, with SQLite, one user and PHP's own web server. With
``faketime`` its clock shows any time that a test sets.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

USER, PASSWORD = "anna", "a walk by the harbour"
API = "/api/greader.php"
READING_LIST = "user/-/state/com.google/reading-list"
STARRED, READ = "user/-/state/com.google/starred", "user/-/state/com.google/read"
EXTENSIONS = ("sqlite3", "pdo_sqlite", "curl", "xml", "mbstring", "intl", "zip")


def missing() -> str:
    """Say why FreshRSS cannot run here; empty if it can."""
    source = os.environ.get("ISCORE_FRESHRSS", "")
    if not source:
        return "ISCORE_FRESHRSS is not set"
    if not (Path(source) / "p" / "api" / "greader.php").is_file():
        return f"ISCORE_FRESHRSS: {source} is no checkout of FreshRSS"
    if shutil.which("php") is None:
        return "php is not installed"
    found = subprocess.run(["php", "-m"], capture_output=True, text=True, check=True).stdout.lower().split()
    lacking = [each for each in EXTENSIONS if each not in found]
    return f"php lacks {', '.join(lacking)}" if lacking else ""


def free_port() -> int:
    """Return a port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class FreshRSS:
    """An installation with one user. Use as ``with``; ``start``, ``kill`` and ``start`` again are fine."""

    def __init__(self, folder: Path, now: datetime | None = None) -> None:
        self.now = now
        """What its clock shows when a process of it starts; None: the system's."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        shutil.copytree(os.environ["ISCORE_FRESHRSS"], folder, ignore=shutil.ignore_patterns(".git"))
        self._run(
            "do-install.php", "--default-user", USER, "--auth-type", "form", "--api-enabled", "--db-type", "sqlite"
        )
        # Instead of the feed of its own releases; the option --no-default-feeds fails in some versions.
        (folder / "opml.default.xml").write_text('<opml version="2.0"><body/></opml>')
        given = ("--user", USER, "--password", PASSWORD, "--api-password", PASSWORD)
        self._run("create-user.php", *given, "--feed-ttl-default", "60")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def address(self) -> str:
        """What a user would enter."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the web server; return when it answers."""
        self._process = subprocess.Popen(
            [*self._clock(), "php", "-S", f"127.0.0.1:{self.port}", "-t", str(self._folder / "p")],
            env={**os.environ, "PHP_CLI_SERVER_WORKERS": "2"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(200):
            with suppress(OSError):
                urllib.request.urlopen(f"{self.address}{API}", timeout=20).read()
                return
            time.sleep(0.05)
        raise RuntimeError("FreshRSS does not answer")

    def kill(self) -> None:
        """Kill the web server with all that it is doing."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def refresh(self) -> None:
        """Let it fetch all its feeds."""
        self._run("actualize-user.php", "--user", USER)

    def follow(self, addresses: Sequence[str], folder: Path) -> None:
        """Let its user follow feeds, all in the category *News*."""
        listed = "".join(f'<outline type="rss" text="{each}" xmlUrl="{each}"/>' for each in addresses)
        opml = folder / "feeds.opml"
        opml.write_text(f'<opml version="2.0"><body><outline text="News">{listed}</outline></body></opml>')
        self._run("import-for-user.php", "--user", USER, "--filename", str(opml))

    def app(self) -> App:
        """Return a client app of its user, who has signed in."""
        return App(f"{self.address}{API}", USER, PASSWORD)

    def _run(self, command: str, *arguments: str) -> None:
        words = [*self._clock(), "php", str(self._folder / "cli" / command), *arguments]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stdout[-1000:]}{done.stderr[-1000:]}")

    def _clock(self) -> list[str]:
        return ["faketime", f"{self.now:%Y-%m-%d %H:%M:%S}"] if self.now is not None else []


class App:
    """A client app, in few lines and without any of iScore's code: what the user sees and does there."""

    def __init__(self, base: str, name: str, password: str) -> None:
        self._base = base
        form = urlencode({"Email": name, "Passwd": password})
        said = self._ask("/accounts/ClientLogin", form)
        self._token = dict(line.split("=", 1) for line in said.splitlines())["Auth"]

    def get(self, call: str, *pairs: tuple[str, object]) -> Any:
        """Return the JSON of a call."""
        return json.loads(self._ask(f"/reader/api/0/{call}?{urlencode([*pairs, ('output', 'json')])}"))

    def post(self, call: str, *pairs: tuple[str, object]) -> str:
        """Send a form."""
        return self._ask(f"/reader/api/0/{call}", urlencode(pairs))

    def numbers(self, stream: str = READING_LIST, *pairs: tuple[str, object]) -> list[str]:
        """List the items of a stream, newest first."""
        return [each["id"] for each in self.get("stream/items/ids", ("s", stream), ("n", 100_000), *pairs)["itemRefs"]]

    def labels(self) -> list[str]:
        """List all labels."""
        tags = self.get("tag/list")["tags"]
        return [each["id"].partition("/label/")[2] for each in tags if each.get("type") == "tag"]

    def labelled(self, name: str) -> set[str]:
        """Return the items with a label; FreshRSS answers with everything when it has no such label."""
        return set(self.numbers(f"user/-/label/{name}")) if name in self.labels() else set()

    def items(self, numbers: Sequence[str]) -> list[dict[str, Any]]:
        """Return items."""
        found: list[dict[str, Any]] = []
        for start in range(0, len(numbers), 100):
            pairs = [("i", each) for each in numbers[start : start + 100]]
            found += json.loads(self.post("stream/items/contents", *pairs))["items"]
        return found

    def tag(self, numbers: Sequence[str], stream: str, *, add: bool = True) -> None:
        """Set a tag, or remove it."""
        self.post("edit-tag", *[("i", each) for each in numbers], ("a" if add else "r", stream))

    def _ask(self, path: str, form: str | None = None) -> str:
        headers = {"Authorization": f"GoogleLogin auth={self._token}"} if hasattr(self, "_token") else {}
        data = form.encode() if form is not None else None
        request = urllib.request.Request(f"{self._base}{path}", data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(answer.read().decode())
