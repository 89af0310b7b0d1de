"""Client apps of PyPI sign in, list, read, mark, star, label, follow and read again on a real server."""

from __future__ import annotations

import ast
import json
import subprocess
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest

from iscore.web.api.google_reader_names import item_number
from tests.clients import drivers
from tests.clients.conftest import NEW, Account, Table

pytestmark = pytest.mark.clients

OWN_FAULTS = {
    "rss-ai-middleware (Miniflux)": dict.fromkeys(("mark", "star"), "no: Miniflux has no such request, either"),
    "miniflux-tui-py": {"add a feed": "yes, but it reports an error: it expects a feed where its library has a number"},
}
"""What fails in a client whatever the server, with what the table says of it."""


def number(item: object) -> int:
    """Return the number of an item that a client names."""
    return item if isinstance(item, int) else item_number(str(item))


@pytest.mark.parametrize("name", drivers.DRIVERS)
def test_a_client(name: str, clients: Path, account: Account, feeds: dict[str, str], table: Table) -> None:
    before = account.followed()
    command = [clients / "bin/python", drivers.__file__, name, account.address, account.user, account.password]
    done = subprocess.run([*command, feeds[NEW]], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    did: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    faults = OWN_FAULTS.get(name, {})
    failed = {action: each["failed"] for action, each in did.items() if "failed" in each}
    assert failed.keys() <= faults.keys(), failed
    assert {*faults} <= {*failed}, "a fault of the client is gone"
    got = {action: each["value"] for action, each in did.items() if "value" in each}

    assert got["sign in"] is True
    assert got["list"] == before
    stories = account.stories()
    read, again = sorted(map(number, got["read"])), sorted(map(number, got["sync again"]))
    assert read == again == stories  # nothing lost, nothing doubled
    assert account.marked("read_at") == ([number(got["mark"])] if "mark" in got else [])
    starred = [number(got["star"])] if "star" in got else []
    assert account.marked("saved_at") == account.liked() == starred
    if "label" in got:
        assert account.server.rows("SELECT story, label FROM labels") == [(number(got["label"]), "Later")]
    if "add a feed" in got:
        assert got["add a feed"] == [*before, feeds[NEW]]
    if "remove a feed" in got:
        assert got["remove a feed"] == before
    assert account.followed() == before
    table.put(name, version(clients, name), dict.fromkeys(got, "yes") | faults)


def version(clients: Path, name: str) -> str:
    """Return the version of a client."""
    (packages,) = clients.glob("lib/python*/site-packages")
    return next(
        str(each.version)
        for each in Distribution.discover(path=[str(packages)])
        if each.name.replace("_", "-") == name.partition(" ")[0]
    )


def test_drivers_import_nothing_of_iscore() -> None:
    tree = ast.parse(Path(drivers.__file__).read_text())
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in names if name.partition(".")[0] in ("iscore", "storage", "tests")]
