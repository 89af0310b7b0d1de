"""A data folder subscribed to the hostile feeds of some rows and to the good ones."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.polled_folder import PolledFolder, ServerLog, hostile_server


@contextmanager
def subscribed(
    folder: Path, rows: Collection[int], *arguments: str, **settings: object
) -> Iterator[tuple[str, PolledFolder]]:
    """Start a server with these arguments and create a data folder; ``settings`` go into its config.toml.

    Yields the server's address and the folder.
    """
    if sys.platform != "linux":
        pytest.skip("only Linux has a whole network of loopback addresses, and /proc")
    with hostile_server(*arguments) as server:
        chosen = {path: url for path, url in ServerLog(server).addresses.items() if row_of(path) in (0, *rows)}
        environment = {}
        if any(url.startswith("https") for url in chosen.values()):
            authority = folder / "authority.pem"
            with urllib.request.urlopen(server + "authority.pem") as answer:
                authority.write_bytes(answer.read())
            environment["SSL_CERT_FILE"] = str(authority)
        home = PolledFolder(folder / "home", chosen, environment).create(**settings)
        home.fresh = bool(environment)  # authorities are read while a process loads
        yield server, home


def row_of(path: str) -> int:
    """The row of a fault's path; 0 for a good feed."""
    number = path[1:].partition("-")[0]
    return int(number) if number.isdigit() else 0
