"""One hostile server for all tests of this folder that want it, and homes that follow it."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hostile.household import Household, Seen, hostile_server

FollowRows = Callable[..., Household]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Address of a server that is good at first."""
    if sys.platform != "linux":
        pytest.skip("only Linux has a whole network of loopback addresses, and /proc")
    with hostile_server("--good-first") as url:
        yield url


@pytest.fixture(scope="module")
def follow(server: str, tmp_path_factory: pytest.TempPathFactory) -> FollowRows:
    """Make a home that follows the good feeds and those of some rows; ``settings`` go into its config.toml."""

    def follow_rows(first: int, last: int, **settings: object) -> Household:
        folder = tmp_path_factory.mktemp("hostile")
        chosen = {
            path: address
            for path, address in Seen(server).addresses.items()
            if path.startswith("/good") or path == "/0-right-certificate" or first <= row_of(path) <= last
        }
        environment = {}
        if any(address.startswith("https") for address in chosen.values()):
            authority = folder / "authority.pem"
            with urllib.request.urlopen(server + "authority.pem") as answer:
                authority.write_bytes(answer.read())
            environment["SSL_CERT_FILE"] = str(authority)
        return Household(folder / "home", chosen, environment).settle(**settings)

    return follow_rows


def row_of(path: str) -> int:
    """The row of a fault's path; 0 for the others."""
    number = path[1:].partition("-")[0]
    return int(number) if number.isdigit() else 0
