"""How long a verdict in the browser takes while others keep ``iscore serve`` busy.

    python -m benchmarks.crowded_pages [--verdicts 20]

The real command serves a data folder with 3,000 articles. One reader rates stories, one each 0.2 s, on a connection of
its own for each: alone; beside 250 connections that send nothing, or one letter of a request each second, each opened
again when the server closes it; and beside 200 readers of whom each opens the inbox, and again 10 s after it came;
pages wait up to 4 s for reasons. All come from one address. A verdict should be answered within 1 s.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks import homes
from benchmarks.reader_pages import served
from benchmarks.results import Cell, write
from iscore.web.security.credentials import CredentialStore
from tests.iscore.web.client import Client

ARTICLES, LIKES = 3000, 300
IDLE, READERS = 250, 200
PAUSE, PAGE_EACH = 0.2, 10.0
SETTLE = 2.0
"""Seconds until a crowd is complete."""
WANTED = 1.0

Visitor = Callable[[str, int], Coroutine[None, None, None]]


class Crowd:
    """Visitors in a thread of their own."""

    def __init__(self, address: Client) -> None:
        self._place = (address.host, address.port)
        self.pages = 0
        """Pages that readers got."""

    @contextmanager
    def present(self, visitor: Visitor, count: int) -> Iterator[None]:
        """Keep a number of visitors on the server; stop them at the end."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        visits = [asyncio.run_coroutine_threadsafe(visitor(*self._place), loop) for _ in range(count)]
        try:
            yield
        finally:
            for visit in visits:
                visit.cancel()
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0.1), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    async def silent(self, host: str, port: int) -> None:
        """Say nothing."""
        await _held(host, port, b"", b"")

    async def slow(self, host: str, port: int) -> None:
        """Send a letter each second."""
        await _held(host, port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x")

    async def reader(self, host: str, port: int) -> None:
        """Open the inbox now and then."""
        await asyncio.sleep(random.random() * SETTLE)
        while True:
            with suppress(OSError):
                answer, asking = await asyncio.open_connection(host, port)
                asking.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.pages += (await answer.read()).startswith(b"HTTP/1.1 200")
                asking.close()
            await asyncio.sleep(PAGE_EACH)


async def _held(host: str, port: int, start: bytes, each_second: bytes) -> None:
    while True:
        with suppress(OSError):
            answer, asking = await asyncio.open_connection(host, port)
            asking.write(start)
            ended = False
            while not ended:
                with suppress(TimeoutError):
                    ended = not await asyncio.wait_for(answer.read(1), 1.0)
                asking.write(each_second)
        await asyncio.sleep(0.1)


def verdicts(client: Client, count: int) -> list[float]:
    """Rate a number of stories; return the seconds until each answer."""
    page = client.get("/")
    seconds = []
    for number in range(count):
        began = time.perf_counter()
        answer = client.vote(page, page.ids[number % len(page.ids)], ("like", "dislike", "skip")[number % 3])
        seconds.append(time.perf_counter() - began)
        if answer.status != 303:
            raise RuntimeError(f"a verdict was answered with {answer.status}")
        time.sleep(PAUSE)
    return seconds


def main() -> None:
    """Measure and write ``benchmarks/results/crowded_pages``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="three verdicts each")
    options = parser.parse_args()
    count = 3 if options.quick else options.verdicts
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        homes.make(home, "summary", ARTICLES, days=6.9, verdicts=LIKES)
        CredentialStore(home).mark_set_up()  # for one user, without a password
        with served(home) as server:
            client = Client(server.address)
            crowd = Crowd(client)
            situations: tuple[tuple[str, Visitor, int], ...] = (
                ("alone", crowd.silent, 0),
                (f"{IDLE} silent connections", crowd.silent, IDLE),
                (f"{IDLE} connections with a letter a second", crowd.slow, IDLE),
                (f"{READERS} readers", crowd.reader, READERS),
            )
            for name, visitor, visitors in situations:
                crowd.pages = 0
                with crowd.present(visitor, visitors):
                    time.sleep(SETTLE if visitors else 0.0)
                    seconds = verdicts(client, count)
                late = sum(each > WANTED for each in seconds)
                figures = (statistics.median(seconds), max(seconds))
                rows.append((name, count, *(round(1000 * each) for each in figures), late, crowd.pages))
                print(*rows[-1], flush=True)
    columns = ("meanwhile", "verdicts", "median (ms)", "slowest (ms)", "later than 1 s", "pages of the readers")
    write("crowded_pages", "Verdicts while iscore serve is busy", columns, rows, notes=(__doc__ or "").strip())


if __name__ == "__main__":
    main()
