"""Serves the documents of a folder from a process of its own, each from a loopback address of its own.

    python -m benchmarks.made_up_server FOLDER

prints its port, then serves until its standard input ends. ``address`` tells the address of a document.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def address(number: int, port: int) -> str:
    """Return the address of document ``number``, ``number.xml`` in the folder."""
    return f"http://{_host(number)}:{port}/{number}.xml"


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a folder; gives the port."""
    command = [sys.executable, "-m", "benchmarks.made_up_server", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.stdin.close()


def _host(number: int) -> str:
    return f"127.1.{number // 250}.{1 + number % 250}"


async def _serve(folder: Path) -> None:
    documents = {f"/{path.name}": path.read_bytes() for path in folder.glob("*.xml")}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = documents[head.split(b" ", 2)[1].decode()]
        fields = f"Content-Type: application/xml\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
        writer.write(f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode() + body)
        await writer.drain()
        writer.close()

    hosts = [_host(int(name[1:-4])) for name in documents]
    first = await asyncio.start_server(answer, hosts[0], 0)
    port = first.sockets[0].getsockname()[1]
    if hosts[1:]:
        await asyncio.start_server(answer, hosts[1:], port)
    print(port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
