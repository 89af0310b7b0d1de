"""Rows 9, 10, 11 and 63 of docs/reliability.md: from the public internet nobody reaches this machine or its network.

The command runs with its settings as they come, in a world of its own where this machine has public and private
addresses and a name server that lies: see ``private_world``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.private_world import INNER_NAMES, REBOUND, SPELLINGS, enter

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in that world."""
    if sys.platform != "linux" or shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("there is no unshare or ip to make a network with")
    if subprocess.run([*enter(), "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody make a network of their own")
    home = tmp_path_factory.mktemp("private") / "home"
    command = [*enter(), sys.executable, "-m", "tests.hostile.private_world", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refusals(world: dict[str, Any], beginning: str, number: int = 0) -> dict[str, str]:
    """What is said of the feeds whose path begins so, in the first or second round."""
    problems = world["rounds"][number]["view"]["problems"]
    told = {problem["url"].partition("://")[2].partition("/")[2]: problem["error"] for problem in problems}
    return {path: error for path, error in told.items() if path.startswith(beginning)}


def test_the_canaries_are_silent_though_they_listen(world: dict[str, Any]) -> None:
    assert world["listening"] is True
    assert world["called"] == []


def test_what_is_public_is_served_meanwhile(world: dict[str, Any]) -> None:
    for number in (0, 1):
        assert not refusals(world, "good", number)
        assert world["rounds"][number]["code"] == 0
        assert "Traceback" not in world["rounds"][number]["err"]
    assert world["asked"].count("/good") == 4  # by number and by name, twice
    assert world["rounds"][0]["view"]["new_articles"] == 8


def test_row_9_redirects_into_the_private_network(world: dict[str, Any]) -> None:
    for number in (0, 1):
        refused = refusals(world, "9-redirect-to-", number)
        assert len(refused) == 7
        assert all("leads into a private network" in reason for reason in refused.values())


def test_row_10_all_spellings_of_inner_addresses(world: dict[str, Any]) -> None:
    refused = refusals(world, "spelled/")
    assert set(refused) == {f"spelled/{host}" for host in SPELLINGS}
    readable = ("leads into a private network", "cannot be understood")
    assert all(any(words in reason for words in readable) for reason in refused.values())


def test_row_63_public_addresses_of_this_machine_and_its_networks(world: dict[str, Any]) -> None:
    for number in (0, 1):
        refused = refusals(world, "own-", number)
        assert len(refused) == 8
        assert all("leads into a private network" in reason for reason in refused.values())


def test_row_11_names_that_lead_inwards_at_once_or_later(world: dict[str, Any]) -> None:
    inner = {f"named/{name}" for name in INNER_NAMES}
    assert set(refusals(world, "named/")) == inner
    assert f"/named/{REBOUND}" in world["asked"]
    # Asked again, the name has changed its mind.
    assert set(refusals(world, "named/", 1)) == inner | {f"named/{REBOUND}"}
    assert world["names"][REBOUND] == 2
    assert "leads into a private network" in refusals(world, "named/", 1)[f"named/{REBOUND}"]
