"""A network namespace in which this machine has public and private addresses and a name server that lies.

    python -m tests.hostile.private_network <home>

is run inside fresh network and mount namespaces (``namespace_command``), so it needs Linux and root, or user
namespaces. At the public address 93.184.216.34 there is a good feed, and feeds that redirect to private addresses
(``server_faults.redirects_inwards``); packets to it come back to this machine, though no interface has it. A canary
listens at every other address. ``Names`` is the name server. The module makes a data folder subscribed to all of it,
polls with the real command and the default settings, and prints what happened as JSON.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import cast

from tests.hostile.server_faults import redirects_inwards
from tests.servers.feed_server import FeedServer, document, redirect, rss

PUBLIC, REBOUND = "93.184.216.34", "rebound.example"
PRIVATE = ("10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "192.0.0.8", "192.88.99.1")
PRIVATE_6 = ("fd00::1", "fe80::1", "fec0::1", "2002:7f00:1::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2001::1")
OWN = ("198.41.0.4", "2a00:1450::4")
"""Public addresses of this machine."""
NEIGHBOURS = ("198.41.0.9", "2a00:1450::9")
"""Of other machines in its networks; this one plays the first."""
SPELLINGS = (
    *("127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "localhost"),
    *(
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[::ffff:7f00:1]",
        "127.0.0.1.",
        "[::ffff:169.254.169.254]",
    ),
    *PRIVATE,
    *(f"[{address}]" for address in PRIVATE_6),
    *("[::ffff:0:127.0.0.1]", "[5f00::1]", "[3fff::1]"),
    *("224.0.0.1", "[ff02::1]", "255.255.255.255"),
)
"""Row 10."""
PRIVATE_NAMES = ("loopback.example", "private.example", "mapped.example")
"""Names that resolve to private addresses at once."""
MIXED = "mixed.example"
"""A name with two addresses: a public one at which nobody listens, and this machine."""
SILENT = "93.184.216.99"


def namespace_command() -> list[str]:
    """The command prefix that runs a program in new namespaces."""
    return ["unshare", "--user", "--map-root-user", "--net", "--mount", "--"]


class Names(asyncio.DatagramProtocol):
    """A name server: ``REBOUND`` is public when it is asked first, and this machine from then on (row 11)."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        labels, place = [], 12
        while length := data[place]:
            labels.append(data[place + 1 : place + 1 + length].decode("ascii").lower())
            place += 1 + length
        name, (kind,) = ".".join(labels), struct.unpack(">H", data[place + 1 : place + 3])
        found = self._addresses(name, kind)
        self.asked[name] += kind == 1
        head = data[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0)
        answers = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(each)) + each for each in found)
        self._transport.sendto(head + data[12 : place + 5] + answers, addr)

    def _addresses(self, name: str, kind: int) -> list[bytes]:
        if kind == 28:
            return [socket.inet_pton(socket.AF_INET6, "::ffff:127.0.0.1")] if name == "mapped.example" else []
        known = {"loopback.example": ["127.0.0.1"], "private.example": ["10.0.0.1"], "public.example": [PUBLIC]}
        known |= {REBOUND: ["127.0.0.1" if self.asked[name] else PUBLIC], MIXED: [SILENT, "127.0.0.1"]}
        return [socket.inet_aton(each) for each in known.get(name, [])] if kind == 1 else []


def configure_network(folder: Path) -> None:
    """Add the addresses and use our name server."""
    commands = ["link set lo up", f"route add local {PUBLIC}/32 dev lo"]
    commands += [f"addr add {OWN[0]}/24 dev lo", f"addr add {OWN[1]}/64 dev lo nodad"]
    commands += [f"route add local {NEIGHBOURS[0]}/32 dev lo"]
    commands += [f"addr add {address}/32 dev lo" for address in PRIVATE]
    commands += [f"addr add {address}/128 dev lo nodad" for address in PRIVATE_6]
    for command in commands:
        subprocess.run(["ip", *command.split()], check=True, capture_output=True)
    files = {"resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", "hosts": "127.0.0.1 localhost\n"}
    for name, content in files.items():
        (folder / name).write_text(content)
        subprocess.run(["mount", "--bind", str(folder / name), str(Path("/etc", name).resolve())], check=True)


async def run(home: Path) -> dict[str, object]:
    """Open the servers, poll twice, and report."""
    loop = asyncio.get_running_loop()
    names = Names()
    transport, _ = await loop.create_datagram_endpoint(lambda: names, ("127.0.0.1", 53))
    called: list[str] = []

    async def canary(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called.append(str(writer.get_extra_info("sockname")[0]))
        writer.close()

    async with FeedServer((PUBLIC,)) as server:
        everywhere = ["127.0.0.1", "::1", *PRIVATE, *(a for a in PRIVATE_6 if not a.startswith("fe80"))]
        everywhere += [*OWN, NEIGHBOURS[0]]
        canaries = [await asyncio.start_server(canary, address, server.port) for address in everywhere]
        server.routes["/good"] = document(rss(3), ETag='"good"')
        server.routes |= {fault.path: fault.behave for fault in redirects_inwards(server.port)}
        addresses = {"/good": server.url("/good", PUBLIC), "/by-name": f"http://public.example:{server.port}/good"}
        addresses |= {fault.path: server.url(fault.path, PUBLIC) for fault in redirects_inwards(server.port)}
        for address in (*OWN, *NEIGHBOURS):
            host = f"[{address}]" if ":" in address else address
            server.routes[f"/own-redirect-to-{address}"] = redirect(f"http://{host}:{server.port}/feed")
            addresses[f"/own-redirect-to-{address}"] = server.url(f"/own-redirect-to-{address}", PUBLIC)
            addresses[f"/own-{address}"] = f"http://{host}:{server.port}/own-{address}"
        addresses |= {f"/spelled/{host}": f"http://{host}:{server.port}/spelled/{host}" for host in SPELLINGS}
        addresses |= {
            f"/named/{name}": f"http://{name}:{server.port}/named/{name}" for name in (*PRIVATE_NAMES, REBOUND, MIXED)
        }
        server.routes[f"/named/{REBOUND}"] = document(rss(2, first=700))
        rounds = await loop.run_in_executor(None, polled, home, addresses)
        before = len(called)
        for address in everywhere:  # the canaries do listen
            _, writer = await asyncio.open_connection(address, server.port)
            writer.close()
        await asyncio.sleep(0.1)
        for each in canaries:
            each.close()
    transport.close()
    asked = [request.path for request in server.requests]
    listening = sorted(called[before:]) == sorted(everywhere)
    return {"rounds": rounds, "called": called[:before], "listening": listening, "asked": asked, "names": names.asked}


COMMANDS = """
import contextlib, io, json, pathlib, sys
from iscore.cli import main

def done(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(["--home", home, *words])
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}

home, feeds = sys.argv[1:]
begun = done("init", "--feeds", feeds)
assert begun["code"] == 0, begun
pathlib.Path(home, "config.toml").write_text("host_spacing = 0\\nrefresh_cooldown = 0\\nfetch_timeout = 8\\n")
print(json.dumps([done("poll", "--force", "--json") for _ in range(2)]))
"""
"""One process for all commands: loading takes longer than what they do."""


def polled(home: Path, addresses: dict[str, str]) -> list[dict[str, object]]:
    """Create a data folder and poll twice."""
    feeds = home.with_suffix(".yaml")
    feeds.write_text("feeds:\n" + "".join(f"  - url: {json.dumps(url)}\n" for url in addresses.values()))
    command = [sys.executable, "-W", "error", "-c", COMMANDS, str(home), str(feeds)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    rounds = json.loads(done.stdout)
    return [{"code": each["code"], "view": json.loads(each["out"]), "err": each["err"]} for each in rounds]


if __name__ == "__main__":
    place = Path(sys.argv[1])
    configure_network(place.parent)
    json.dump(asyncio.run(run(place)), sys.stdout)
    sys.stdout.flush()
    shutil.rmtree(place, ignore_errors=True)
