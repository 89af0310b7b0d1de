"""A small HTTP server on the loopback that serves feeds as they are at a simulated time."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import blake2b
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Document:
    """A feed as it is served."""

    body: bytes
    content_type: str
    modified: datetime


class FeedServer:
    """Serves documents while its context is open, with ETag and Last-Modified; conditional requests get 304.

    ``document`` returns what is at a path, or None. ``clock`` is the time of the Date header. The preferred address
    is used if it is free; otherwise the system chooses a port of 127.0.0.1.
    """

    def __init__(
        self,
        document: Callable[[str], Document | None],
        clock: Callable[[], datetime],
        preferred: tuple[str, int] = ("127.0.0.1", 0),
    ) -> None:
        self._handler = type("Handler", (_Handler,), {"document": staticmethod(document), "clock": staticmethod(clock)})
        self._preferred = preferred
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.url = ""
        """``http://host:port``, set on entering the context."""

    def __enter__(self) -> Self:
        try:
            self._server = _Server(self._preferred, self._handler)
        except OSError:
            self._server = _Server(("127.0.0.1", 0), self._handler)
        host, port = self._server.server_address[:2]
        self.url = f"http://{host!s}:{port}"
        # A short interval makes closing fast.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering and free the port; a second call does nothing."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None


class _Server(ThreadingHTTPServer):
    # Closing waits for requests in progress; a silent client is dropped by the handler's timeout.
    daemon_threads = False

    def server_bind(self) -> None:
        """Bind without the reverse look-up of the host name that the parent does."""
        if os.name == "posix":  # so that the port can be used again at once; elsewhere two servers could share it
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]


class _Handler(BaseHTTPRequestHandler):
    document: Callable[[str], Document | None]
    clock: Callable[[], datetime]
    timeout = 2.0

    def do_GET(self) -> None:
        """Answer with the document, or that it has not changed, or that there is none."""
        found = self.document(self.path)
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        etag = f'"{blake2b(found.body, digest_size=8).hexdigest()}"'
        modified = found.modified.astimezone(UTC)
        unchanged = self._is_current(etag, modified)
        self.send_response(HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus.OK)
        self.send_header("ETag", etag)
        self.send_header("Last-Modified", format_datetime(modified, usegmt=True))
        if not unchanged:
            self.send_header("Content-Type", found.content_type)
            self.send_header("Content-Length", str(len(found.body)))
        self.end_headers()
        if not unchanged:
            self.wfile.write(found.body)

    def _is_current(self, etag: str, modified: datetime) -> bool:
        """Whether the client has this version; the ETag decides when both validators are sent (RFC 9110, 13.2.2)."""
        if "If-None-Match" in self.headers:
            return etag in [tag.strip() for tag in self.headers["If-None-Match"].split(",")]
        if "If-Modified-Since" in self.headers:
            try:
                since = parsedate_to_datetime(self.headers["If-Modified-Since"])
            except ValueError:
                return False
            return since.tzinfo is not None and modified.replace(microsecond=0) <= since
        return False

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
        """Print nothing: the terminal belongs to the program."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the Date header in simulated time."""
        if timestamp is not None:
            return super().date_time_string(timestamp)
        return format_datetime(self.clock().astimezone(UTC), usegmt=True)
