"""Names → IP addresses, without delays by names that do not answer."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult


class ThreadedResolver(AbstractResolver):
    """The system's resolver in threads of its own.

    aiohttp's resolver uses the event loop's few default threads: some names that do not answer would delay all other
    feeds until their deadline.
    """

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolve")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Addresses of a name. Raises ``OSError`` when there are none."""
        answers = await asyncio.get_running_loop().run_in_executor(
            self._threads,
            lambda: socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG),
        )
        return [
            ResolveResult(
                hostname=host,
                host=str(target[0]) + (f"%{target[3]}" if len(target) == 4 and target[3] else ""),
                port=int(target[1]),
                family=answer_family,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for answer_family, _, protocol, _, target in answers
        ]

    async def close(self) -> None:
        """Stop the threads, without waiting for names that never answer."""
        self._threads.shutdown(wait=False, cancel_futures=True)
