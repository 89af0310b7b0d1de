"""Rows 9, 10, 11 and 63 of docs/reliability.md: from the public internet nobody reaches this machine or its network.

The command runs with its settings as they come, in a namespace where this machine has public and private
addresses and a name server that lies: see ``private_network``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.private_network import MIXED, PRIVATE_NAMES, REBOUND, SPELLINGS, namespace_command

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in that namespace."""
    if sys.platform != "linux" or shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("there is no unshare or ip to make a network with")
    if subprocess.run(
        [*namespace_command(), "ip", "link", "set", "lo", "up"], capture_output=True, check=False
    ).returncode:
        pytest.skip("this system lets nobody make a network of their own")
    home = tmp_path_factory.mktemp("private") / "home"
    command = [*namespace_command(), sys.executable, "-m", "tests.hostile.private_network", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refusals(result: dict[str, Any], beginning: str, number: int = 0) -> dict[str, str]:
    """The errors of the feeds whose path begins so, in the first or second poll."""
    problems = result["rounds"][number]["view"]["problems"]
    errors = {problem["url"].partition("://")[2].partition("/")[2]: problem["error"] for problem in problems}
    return {path: error for path, error in errors.items() if path.startswith(beginning)}


def test_the_canaries_are_silent_though_they_listen(result: dict[str, Any]) -> None:
    assert result["listening"] is True
    assert result["called"] == []


def test_what_is_public_is_served_meanwhile(result: dict[str, Any]) -> None:
    for number in (0, 1):
        assert not refusals(result, "good", number)
        assert result["rounds"][number]["code"] == 0
        assert "Traceback" not in result["rounds"][number]["err"]
    assert result["asked"].count("/good") == 4  # by number and by name, twice
    assert result["rounds"][0]["view"]["new_articles"] == 8


def test_row_9_redirects_into_the_private_network(result: dict[str, Any]) -> None:
    for number in (0, 1):
        refused = refusals(result, "9-redirect-to-", number)
        assert len(refused) == 7
        assert all("is on a private network" in reason for reason in refused.values())


def test_row_10_all_spellings_of_inner_addresses(result: dict[str, Any]) -> None:
    refused = refusals(result, "spelled/")
    assert set(refused) == {f"spelled/{host}" for host in SPELLINGS}
    readable = ("is on a private network", "not a valid address")
    assert all(any(words in reason for words in readable) for reason in refused.values())


def test_row_63_public_addresses_of_this_machine_and_its_networks(result: dict[str, Any]) -> None:
    for number in (0, 1):
        refused = refusals(result, "own-", number)
        assert len(refused) == 8
        assert all("is on a private network" in reason for reason in refused.values())


def test_row_11_names_that_lead_inwards_at_once_or_later(result: dict[str, Any]) -> None:
    inner = {f"named/{name}" for name in (*PRIVATE_NAMES, MIXED)}
    assert set(refusals(result, "named/")) == inner
    assert f"/named/{REBOUND}" in result["asked"]
    # Asked again, the name has changed its mind.
    assert set(refusals(result, "named/", 1)) == inner | {f"named/{REBOUND}"}
    assert result["names"][REBOUND] == 2
    assert "is on a private network" in refusals(result, "named/", 1)[f"named/{REBOUND}"]
