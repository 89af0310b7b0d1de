"""Whether the server works, for whatever starts and watches it: ``/healthz`` and ``/readyz``.

Both answer without sign-in, under any host name, and say nothing that is private.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from iscore.web.request_log import note_route
from storage.engine.errors import StorageError
from storage.opening.database import Database
from storage.schema import REVISIONS

HEALTHZ, READYZ = "/healthz", "/readyz"
PATIENCE = 5.0
"""Seconds to wait for the database; clients give up after ten or so."""
NO_ANSWER = "the database does not answer"
OTHER_TABLES = "the database has the tables of another version of iScore"


class Readiness:
    """Asks the database, once for all who want to know at the same time, in a thread of its own.

    ``log`` gets a line when the database stops answering, and when it answers again.
    """

    def __init__(self, database: Database, log: Callable[[str], None], *, patience: float = PATIENCE) -> None:
        self._database = database
        self._log = log
        self._patience = patience
        self._thread = ThreadPoolExecutor(1, "ready")
        self._check: Future[str] | None = None
        self._last = ""

    async def problem(self) -> str:
        """Return why requests cannot be answered; empty if they can."""
        if self._check is None or self._check.done():
            self._check = self._thread.submit(self._ask)
        try:
            async with asyncio.timeout(self._patience):
                # A check that hangs goes on for the next request.
                return await asyncio.shield(asyncio.wrap_future(self._check))
        except TimeoutError:
            return self._noted(NO_ANSWER, f"{self._database.name} does not answer")

    def _ask(self) -> str:
        try:
            revision = self._database.revision()
        except StorageError as error:
            return self._noted(NO_ANSWER, str(error))
        if revision != REVISIONS[-1]:
            return self._noted(OTHER_TABLES, f"{self._database.name} has schema {revision}, not {REVISIONS[-1]}")
        return self._noted("", f"{self._database.name} answers again")

    def _noted(self, problem: str, line: str) -> str:
        if problem != self._last:
            self._last = problem
            self._log(f"readiness: {line}")
        return problem


class HealthRequests:
    """Answers requests for ``/healthz`` and ``/readyz``, and hands all others on."""

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        self._app = app
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in (HEALTHZ, READYZ):
            await self._app(scope, receive, send)
            return
        note_route(scope, scope["path"])
        await (await self._answer(Request(scope)))(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("Method Not Allowed\n", 405, {"allow": "GET, HEAD"})
        problem = await self._readiness.problem() if request.url.path == READYZ else ""
        return PlainTextResponse(f"{problem or 'OK'}\n", 503 if problem else 200)
