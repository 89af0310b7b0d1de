"""``/metrics`` of a worker, which has no pages: a server of its own, in a thread, for the work of its process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.responses import PlainTextResponse

from iscore.core.clock import Clock
from iscore.core.errors import ServeError
from iscore.web.app import known_hosts
from iscore.web.metrics import METRICS, Metrics, MetricsAccess, MetricsRequests
from iscore.web.security.client_address import ClientAddress
from iscore.web.server import listening, uvicorn_config


@contextmanager
def serving_metrics(address: str, access: MetricsAccess, clock: Clock) -> Iterator[str]:
    """Answer requests for ``/metrics`` while the block runs; gives the URL.

    ``address``: host and port, such as ``127.0.0.1:8474`` or ``[::1]:8474``; port 0 takes any free one. Raises
    ``ServeError`` if that is no address, or not available.
    """
    host, port = _parts(address)
    with listening(host, port) as bound:
        app = MetricsRequests(
            PlainTextResponse("Not Found\n", 404),
            Metrics(None, clock),
            access,
            ClientAddress(),
            known_hosts(host),
        )
        server = uvicorn.Server(uvicorn_config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="metrics", daemon=True)
        thread.start()
        try:
            shown = f"[{host}]" if ":" in host else host
            yield f"http://{shown}:{bound.getsockname()[1]}{METRICS}"
        finally:
            server.should_exit = True
            thread.join()


def _parts(address: str) -> tuple[str, int]:
    """Return host and port. Raises ``ServeError``.

    >>> _parts("[::1]:8474")
    ('::1', 8474)
    """
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ServeError(f"--metrics {address}: write an address and a port, such as 127.0.0.1:8474")
    return host.removeprefix("[").removesuffix("]"), int(port)
