"""``/metrics``: what Prometheus collects, in its text format. Numbers of the whole server, nothing about anybody.

Names are those of Miniflux, with ``iscore_`` for ``miniflux_``, where they mean the same.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from secrets import compare_digest
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from iscore.core import timings
from iscore.core.clock import Clock
from iscore.core.errors import ServeError
from iscore.web.request_log import HandledRequest, note_route
from iscore.web.security.client_address import ClientAddress, parsed
from iscore.web.security.headers_and_hosts import host_of
from storage.engine.errors import StorageError
from storage.exchange import server_counts
from storage.opening.database import Database
from storage.records.server import ServerCounts

if TYPE_CHECKING:
    from prometheus_client import Metric

METRICS = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
COUNTED_AGAIN = 15.0
"""Seconds for which counts of the database are good: however many ask, it counts no more often."""
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds of a request."""
LOCAL_NETWORKS = ("127.0.0.0/8", "::1/128")

_WORK = {
    timings.MEASURE: ("measured_articles", "Articles whose features were computed", "measure"),
    timings.LOAD: ("model_loads", "Models of readers that were made from their snapshots", "model_load"),
    timings.LEARN: ("learned_verdicts", "Verdicts that a model has learned, again after each load", "learn"),
    timings.DECIDE: ("decided_articles", "New articles that were decided about, once for each reader", "decide"),
}
"""For each kind of work: the name of its count, what it counts, and the name of its seconds."""


class Metrics:
    """The metrics of this process, of the processes that it starts, and of its database.

    ``database`` None: what the database contains is counted elsewhere.
    """

    def __init__(self, database: Database | None, clock: Clock) -> None:
        # A server without metrics does not load it.
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics

        disable_created_metrics()
        self._database = database
        self._clock = clock
        self._counts: ServerCounts | None = None
        self._size = 0
        self._counted = float("-inf")
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "iscore_http_requests",
            "Requests that were answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "iscore_http_request_duration_seconds",
            "Time that requests took",
            ("route",),
            buckets=BUCKETS,
            registry=self._registry,
        )
        ProcessCollector(registry=self._registry)
        self._registry.register(self)

    def observe(self, request: HandledRequest) -> None:
        """Count a request."""
        self._requests.labels(request.method, request.route, str(request.status)).inc()
        self._seconds.labels(request.route).observe(request.seconds)

    def text(self) -> bytes:
        """Return all metrics. Those of the database are missing while it does not answer."""
        from prometheus_client import generate_latest

        return bytes(generate_latest(self._registry))

    def collect(self) -> Iterator[Metric]:
        """Yield what is known when somebody asks; the registry calls this."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        totals = timings.totals()
        for kind, (count, what, seconds) in _WORK.items():
            total = totals.get(kind, timings.Total(0, 0.0))
            yield CounterMetricFamily(f"iscore_{count}", what, total.count)
            yield CounterMetricFamily(f"iscore_{seconds}_seconds", f"Time for iscore_{count}_total", total.seconds)
        if self._database is None:
            return
        counts = self._fresh_counts(self._database)
        yield GaugeMetricFamily("iscore_db_up", "Whether the database answers", float(counts is not None))
        if counts is None:
            return
        yield GaugeMetricFamily("iscore_db_size_bytes", "Size of the database", self._size)
        yield _labelled("iscore_users", "Users by role", "role", counts.users)
        feeds = {"enabled": counts.feeds_enabled, "disabled": counts.feeds_disabled}
        yield _labelled("iscore_feeds", "Feeds by status", "status", feeds)
        yield GaugeMetricFamily("iscore_broken_feeds", "Feeds whose last fetch failed", counts.feeds_broken)
        yield _labelled("iscore_entries", "Articles", "status", {"total": counts.articles})
        if counts.last_fetch is not None:
            last = counts.last_fetch.timestamp()
            yield GaugeMetricFamily("iscore_last_fetch_timestamp_seconds", "Last fetch of a feed without error", last)
        what = "For how long the oldest that is due has been so"
        yield _labelled("iscore_oldest_due_seconds", what, "queue", counts.oldest_due)
        yield GaugeMetricFamily("iscore_set_aside", "Work that has failed too often", counts.set_aside)

    def describe(self) -> Sequence[Metric]:
        """Return nothing, so that the registry does not collect when it is made."""
        return ()

    def _fresh_counts(self, database: Database) -> ServerCounts | None:
        now = time.monotonic()
        if now - self._counted >= COUNTED_AGAIN:
            self._counted = now
            try:
                with database.read() as tx:
                    self._counts = server_counts.server_counts(tx, self._clock())
                self._size = database.size()
            except StorageError:  # ``/readyz`` logs it
                self._counts = None
        return self._counts


def _labelled(name: str, what: str, label: str, values: Mapping[str, float]) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    family = GaugeMetricFamily(name, what, labels=(label,))
    for value, number in values.items():
        family.add_metric((value,), number)
    return family


@dataclass(frozen=True, slots=True)
class MetricsAccess:
    """Who may ask for metrics. Raises ``ServeError`` if that cannot be meant."""

    networks: Sequence[str] = LOCAL_NETWORKS
    user: str = ""
    password: str = field(default="", repr=False)
    """With the user's name by HTTP's Basic authentication; both empty: anybody in one of the networks."""

    def __post_init__(self) -> None:
        if bool(self.user) != bool(self.password):
            raise ServeError("set both metrics_user and metrics_password, or neither")
        for each in self.networks:
            try:
                ip_network(each)
            except ValueError as error:
                raise ServeError(f"metrics_networks: {error}; write networks such as 10.0.0.0/8") from error

    def has_network(self, address: str) -> bool:
        """Whether an address is in one of the networks."""
        found = parsed(address)
        return found is not None and any(found in ip_network(each) for each in self.networks)

    def has_password(self, authorization: str) -> bool:
        """Whether a header ``Authorization`` has the name and the password, if there are any."""
        if not self.user:
            return True
        scheme, _, encoded = authorization.partition(" ")
        try:
            given = b64decode(encoded, validate=True) if scheme.lower() == "basic" else b""
        except ValueError:
            return False
        return compare_digest(given, f"{self.user}:{self.password}".encode())


class MetricsRequests:
    """Answers requests for ``/metrics``, and hands all others on.

    Without a password the request must also name the server: otherwise a web page whose name resolves to this machine
    could read them in a browser that is allowed to (DNS rebinding). ``is_ours`` says so of a host name.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        access: MetricsAccess,
        clients: ClientAddress,
        is_ours: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._access = access
        self._clients = clients
        self._is_ours = is_ours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != METRICS:
            await self._app(scope, receive, send)
            return
        note_route(scope, METRICS)
        await (await self._answer(Request(scope)))(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if not self._access.has_network(self._clients.of(request)):
            return PlainTextResponse("Not Found\n", 404)
        if not self._access.user and not self._is_ours(host_of(request.headers.get("host", ""))):
            return PlainTextResponse("Unknown host name. Set metrics_user and metrics_password.\n", 421)
        if not self._access.has_password(request.headers.get("authorization", "")):
            return PlainTextResponse("Unauthorized\n", 401, {"www-authenticate": 'Basic realm="metrics"'})
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("Method Not Allowed\n", 405, {"allow": "GET, HEAD"})
        text = await asyncio.to_thread(self._metrics.text)
        return Response(text, headers={"content-type": CONTENT_TYPE})
