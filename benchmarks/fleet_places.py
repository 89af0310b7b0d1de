"""Where the processes of the simulated fleet run, and the links between them, which can be cut.

With the right to make network namespaces, each process has one of its own, as if it ran on a machine of its own, and a
link that is cut swallows all packets without a word. All of this is in namespaces of the benchmark itself, so nothing
is left when it ends, however it ends. Without that right everything is on the loopback, and each worker and web process
reaches the database through a proxy, which breaks its connections when the link is cut.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from typing import Protocol

from benchmarks.fleet_net import Link, Net

HOSTS = "hosts"
"""The place of all hosts with feeds."""
_PRIVATE = ("unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child")
_NAMES = "mount -t tmpfs tmpfs /run && mkdir /run/netns && ip link set lo up"


class Places(Protocol):
    """Places by name, each with an address."""

    how: str
    """How links are cut, as part of a sentence."""
    database: str
    """The address at which the database listens, besides 127.0.0.1; empty: nowhere else."""

    def inside(self, name: str) -> list[str]:
        """Return how the command of a process begins that runs there."""

    def address(self, name: str) -> str:
        """Return the address at which a place is reached."""

    def host(self, number: int) -> str:
        """Return the address of a host with feeds; those from 250 do not exist."""

    def way_to(self, name: str, port: int) -> tuple[str, int]:
        """Return host and port by which a place reaches the database, which has a port of its own."""

    def free_port(self, name: str) -> int:
        """Return a port at which nobody listens."""

    def cut(self, name: str, *, off: bool) -> None:
        """Cut the link of a place, or mend it."""

    def close(self) -> None:
        """End what runs for it."""


def may_have_namespaces() -> bool:
    """Return whether network namespaces can be made here."""
    if not all(map(shutil.which, ("unshare", "ip", "mount"))):
        return False
    probe = [
        *_PRIVATE,
        "sh",
        "-c",
        f"{_NAMES} && ip netns add probe && ip link add probe0 type veth peer name eth0 netns probe",
    ]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def in_private_namespace(words: Sequence[str]) -> list[str]:
    """Return a command that runs another in namespaces of its own, in which ``Namespaces`` can be made.

    All processes that it starts end with it.
    """
    return [*_PRIVATE, "sh", "-c", f'{_NAMES} && exec "$@"', "fleet", *words]


class Namespaces:
    """A network namespace for each place, and a bridge between them, at which the database is."""

    how = "Each process has a network namespace of its own; a cut link swallows all packets."
    database = "10.77.0.1"

    def __init__(self, names: Sequence[str]) -> None:
        self._numbers = {name: 2 + number for number, name in enumerate(names)}
        _ip("link", "add", "fleet", "type", "bridge")
        _ip("addr", "add", f"{self.database}/16", "dev", "fleet")
        _ip("link", "set", "fleet", "up")
        for name in names:
            _ip("netns", "add", name)
            _ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("link", "set", name, "master", "fleet", "up")
            addresses = [self.host(number) for number in range(250)] if name == HOSTS else []
            for address in (self.address(name), *addresses):
                _ip("-n", name, "addr", "add", f"{address}/16", "dev", "eth0")
            for device in ("lo", "eth0"):
                _ip("-n", name, "link", "set", device, "up")

    def inside(self, name: str) -> list[str]:
        return ["ip", "netns", "exec", name]

    def address(self, name: str) -> str:
        return f"10.77.0.{self._numbers[name]}"

    def host(self, number: int) -> str:
        return f"10.77.1.{1 + number}"

    def way_to(self, name: str, port: int) -> tuple[str, int]:  # noqa: ARG002 -- the same way for all
        return self.database, port

    def free_port(self, name: str) -> int:  # noqa: ARG002 -- each has all ports for itself
        return 8000

    def cut(self, name: str, *, off: bool) -> None:
        _ip("link", "set", name, "down" if off else "up")

    def close(self) -> None:
        """Leave all to the kernel, which ends it with the last process."""


class Proxies:
    """Everything on the loopback, and a proxy before the database for each place."""

    how = (
        "Without the right to make network namespaces, links to the database were cut by a TCP proxy, which breaks "
        "connections; those to hosts and to readers were not."
    )
    database = ""

    def __init__(self, names: Sequence[str]) -> None:
        self._net = Net(0)
        self._net.__enter__()
        self._links: dict[str, Link] = {}
        self._names = names

    def inside(self, name: str) -> list[str]:  # noqa: ARG002 -- all are here
        return []

    def address(self, name: str) -> str:  # noqa: ARG002
        return "127.0.0.1"

    def host(self, number: int) -> str:
        return f"127.3.1.{1 + number}"

    def way_to(self, name: str, port: int) -> tuple[str, int]:
        if name not in self._links:
            self._links[name] = Link(self._net, port)
        return "127.0.0.1", self._links[name].port

    def free_port(self, name: str) -> int:  # noqa: ARG002
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    def cut(self, name: str, *, off: bool) -> None:
        if name in self._links:
            self._links[name].cut(off=off)

    def close(self) -> None:
        self._net.__exit__(None, None, None)


def _ip(*words: str) -> None:
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    subprocess.run(["ip", *words], check=True, env={**os.environ, "PATH": path})
