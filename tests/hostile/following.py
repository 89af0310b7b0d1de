"""A home that follows the hostile feeds of some rows, beside the good ones."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.household import Household, Seen, hostile_server


@contextmanager
def followed(
    folder: Path, rows: Collection[int], *arguments: str, **settings: object
) -> Iterator[tuple[str, Household]]:
    """Start a server with these arguments, and make a home; ``settings`` go into its config.toml.

    Gives the server's address and the home.
    """
    if sys.platform != "linux":
        pytest.skip("only Linux has a whole network of loopback addresses, and /proc")
    with hostile_server(*arguments) as server:
        chosen = {path: url for path, url in Seen(server).addresses.items() if row_of(path) in (0, *rows)}
        environment = {}
        if any(url.startswith("https") for url in chosen.values()):
            authority = folder / "authority.pem"
            with urllib.request.urlopen(server + "authority.pem") as answer:
                authority.write_bytes(answer.read())
            environment["SSL_CERT_FILE"] = str(authority)
        home = Household(folder / "home", chosen, environment).settle(**settings)
        home.fresh = bool(environment)  # authorities are read while a process loads
        yield server, home


def row_of(path: str) -> int:
    """The row of a fault's path; 0 for the others, which are good."""
    number = path[1:].partition("-")[0]
    return int(number) if number.isdigit() else 0
