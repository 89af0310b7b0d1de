"""A server whose every address is hostile in a way of its own. Anyone can start it:

    python -m tests.hostile.server

says where it listens and serves until its input ends (or Ctrl-C). ``/`` lists what it has, ``/feeds.yaml`` is the list
to follow, ``/authority.pem`` the authority that its certificates but the self-signed one come from, and ``/seen`` says
as JSON what was asked of each path and how often anybody called at the canary's port, where nobody must ever call.

Each address is on a loopback host of its own (Linux has 127.0.0.0/8), so that a poller that spaces its requests per
host is not slowed down. With ``--good-first`` the first answer at each address is a well-behaved feed of two entries:
so one sees what a feed that turns hostile costs what was known of it. Several servers at a time need networks of their
own, or they share hosts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from tests.hostile import document_faults, server_faults
from tests.hostile.certificates import Authority
from tests.hostile.fault import Fault
from tests.servers.feed_server import Behaviour, FeedServer, Request, answer, document, rss

GOOD = 5
"""Well-behaved feeds beside the hostile ones; the first of them has a new entry at each asking."""


class HostileServer:
    """Use as ``async with HostileServer() as server``. Without openssl it has no certificates, hence no row 12."""

    def __init__(self, *, good_first: bool = False, network: int = 8) -> None:
        self.addresses: dict[str, str] = {}
        """Path to address, with login and query as one would follow it."""
        self.faults: list[Fault] = []
        self.calls = 0
        """At the canary."""
        self.seen: Counter[str] = Counter()
        self.requests: list[str] = []
        """Paths with query, as they came."""
        self._good_first = good_first
        self._network = f"127.{network}"
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> HostileServer:
        canary = await asyncio.start_server(self._canary, "127.0.0.1", 0)
        self._stack.callback(canary.close)
        self.canary: int = canary.sockets[0].getsockname()[1]
        self.faults = [*server_faults.faults(self.canary), *document_faults.faults(self.canary)]
        plain = [fault for fault in self.faults if not fault.certificate]
        good = [f"/good-{number}" for number in range(GOOD)]
        hosts = [f"{self._network}.{place // 250}.{1 + place % 250}" for place in range(len(plain) + GOOD)]
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self.web = await self._stack.enter_async_context(FeedServer(("127.0.0.1", *hosts)))
        self.web.routes |= {"/": self._index, "/feeds.yaml": self._list, "/seen": self._seen}
        for path, behave in server_faults.redirect_targets(self.canary):
            self.web.routes[path] = self._noted(path, behave)
        for host, path in zip(hosts, good, strict=False):
            self.addresses[path] = self.web.url(path, host)
            self.web.routes[path] = document(rss(3, title=path, site=f"https://{path[1:]}.example"), ETag='"good"')
        self.web.routes[good[0]] = document_faults.in_turn(lambda asking: rss(3 + asking, title=good[0]))
        for host, fault in zip(hosts[GOOD:], plain, strict=True):
            self.addresses[fault.path] = self._address(self.web, fault, host)
            self.web.routes[fault.path] = self._behaviour(fault)
        if shutil.which("openssl"):
            await self._open_secure([fault for fault in self.faults if fault.certificate])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _open_secure(self, faults: Sequence[Fault]) -> None:
        authority = Authority(self._folder)
        self.web.routes["/authority.pem"] = document(authority.file.read_bytes(), Content_Type="application/x-pem-file")
        good = Fault(0, "right-certificate", "", document(rss(3), ETag='"good"'), certificate="right")
        for number, fault in enumerate((good, *faults), start=1):
            host = f"{self._network}.255.{number}"
            server = FeedServer((host,), authority.context(fault.certificate, host))
            await self._stack.enter_async_context(server)
            server.routes[fault.path] = self._noted(fault.path, fault.behave)
            self.addresses[fault.path] = self._address(server, fault, host)

    def _address(self, server: FeedServer, fault: Fault, host: str) -> str:
        address = server.url(fault.path + (f"?{fault.query}" if fault.query else ""), host)
        return address.replace("//", f"//{fault.login}@") if fault.login else address

    def _behaviour(self, fault: Fault) -> Behaviour:
        behave = self._noted(fault.path, fault.behave)
        if not self._good_first:
            return behave
        good = document(rss(2, title=fault.path, site=f"https://{fault.name}.example"), ETag='"good"')

        async def good_first(request: Request, writer: asyncio.StreamWriter) -> None:
            first = self.seen[fault.path] == 0
            self.seen[fault.path] += first
            await (good if first else behave)(request, writer)

        return good_first

    def _noted(self, path: str, behave: Behaviour) -> Behaviour:
        async def noted(request: Request, writer: asyncio.StreamWriter) -> None:
            self.seen[path] += 1
            self.requests.append(request.path)
            await behave(request, writer)

        return noted

    async def _canary(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        writer.close()

    async def _index(self, _: Request, writer: asyncio.StreamWriter) -> None:
        lines = [
            f"{fault.row:2} {self.addresses.get(fault.path, '(needs openssl)')}\n   {fault.what}"
            for fault in self.faults
        ]
        answer(writer, 200, {"Content-Type": "text/plain; charset=utf-8"}, "\n".join((*lines, "")).encode())

    async def _list(self, _: Request, writer: asyncio.StreamWriter) -> None:
        listed = "".join(f"  - url: {json.dumps(address)}\n" for address in self.addresses.values())
        answer(writer, 200, {"Content-Type": "application/yaml"}, f"feeds:\n{listed}".encode())

    async def _seen(self, _: Request, writer: asyncio.StreamWriter) -> None:
        log = {"seen": self.seen, "requests": self.requests, "canary": self.calls, "addresses": self.addresses}
        answer(writer, 200, {"Content-Type": "application/json"}, json.dumps(log).encode())


async def serve(*, good_first: bool, network: int) -> None:
    """Serve until standard input ends."""
    async with HostileServer(good_first=good_first, network=network) as server:
        print(server.web.url("/"), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A server whose every address is hostile in a way of its own.")
    parser.add_argument("--good-first", action="store_true", help="the first answer at each address is a good feed")
    parser.add_argument("--network", type=int, default=8, help="its hosts are 127.NETWORK.0.1 and so on (default: 8)")
    arguments = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(good_first=arguments.good_first, network=arguments.network))
