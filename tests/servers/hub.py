"""A small WebSub hub on the loopback: it verifies intents and distributes what a publisher has, over real HTTP."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit


@dataclass
class Hub:
    """What the hub was asked, and how it behaves. Keys of ``subscribers`` are topics."""

    address: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    subscribers: dict[str, dict[str, str]] = field(default_factory=dict)
    lease: int = 864_000
    status: int = 202
    redirect: str = ""
    """Where requests are sent instead, with 307."""
    verifies: bool = True
    answers: list[tuple[int, str]] = field(default_factory=list)
    """What callback addresses answered, with the challenges expected."""

    def verify(self, callback: str, mode: str, topic: str, challenge: str = "a b&c", **other: str) -> tuple[int, str]:
        """Ask a callback address whether somebody wants this; return its status and body."""
        query = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
        query |= {f"hub.{name}": value for name, value in other.items()}
        separator = "&" if "?" in callback else "?"
        answer = send("GET", f"{callback}{separator}{urlencode(query)}")
        self.answers.append(answer)
        return answer

    def distribute(
        self, topic: str, body: bytes, *, method: str = "sha256", secret: str | None = None, kind: str = "text/xml"
    ) -> int:
        """Push contents to the subscriber of a topic, signed with its secret or another; return the answer's status."""
        asked = self.subscribers[topic]
        key = asked["hub.secret"] if secret is None else secret
        signature = hmac.new(key.encode(), body, getattr(hashlib, method)).hexdigest()
        link = f'<{self.address}>; rel="hub", <{topic}>; rel="self"'
        headers = {"Content-Type": kind, "X-Hub-Signature": f"{method}={signature}", "Link": link}
        return send("POST", asked["hub.callback"], body, headers)[0]


def send(method: str, url: str, body: bytes = b"", headers: dict[str, str] | None = None) -> tuple[int, str]:
    """Send a request; return status and body."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port or 80, timeout=60)
    try:
        connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body, headers or {})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@contextmanager
def running_hub() -> Iterator[Hub]:
    """Run a hub. It verifies before it answers a request, as some do."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            hub.asked.append(form)
            if hub.status == 202 and hub.verifies and not hub.redirect:
                self._verify(form)
            self.send_response(307 if hub.redirect else hub.status)
            if hub.redirect:
                self.send_header("Location", hub.redirect)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _verify(self, form: dict[str, str]) -> None:
            mode, topic = form["hub.mode"], form["hub.topic"]
            lease = {"lease_seconds": str(hub.lease)} if mode == "subscribe" else {}
            if hub.verify(form["hub.callback"], mode, topic, **lease) != (200, "a b&c"):
                return
            if mode == "subscribe":
                hub.subscribers[topic] = form
            else:
                del hub.subscribers[topic]

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub.address = f"http://127.0.0.1:{server.server_port}/hub"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield hub
        finally:
            server.shutdown()
