"""The web app in this process, and browsers that call it without a socket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp

from iscore.core.data_folder import DataFolder
from iscore.core.timings import Progress
from iscore.services.news_filter import NewsFilter
from iscore.web.app import make_app, make_context
from iscore.web.config import ServerConfig
from iscore.web.context import AppContext
from iscore.web.model_process import Answer, LocalModels, Verb
from iscore.web.request_log import HandledRequest
from storage.opening.database import open_database
from tests.iscore.web.client import Answer as PageAnswer
from tests.iscore.web.client import Client

PORT = 8473


class NoModels(LocalModels):
    """Learns nothing and explains nothing, at once."""

    def answer(self, user_id: int, verb: Verb, *given: str, progress: Progress | None = None) -> Answer:  # noqa: ARG002 -- another's signature
        return Answer()


class Clock:
    """A clock that is moved by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class AppClient(Client):
    """A browser on the app."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        peer: str = "127.0.0.1",
        host: str = f"127.0.0.1:{PORT}",
        run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run,
    ) -> None:
        super().__init__(f"http://127.0.0.1:{PORT}/")
        self._app = app
        self._run = run
        self._peer = peer
        self._host = host

    def _ask(self, method: str, path: str, headers: dict[str, str], body: str | None) -> PageAnswer:
        fields = {"host": self._host} | {name.replace("_", "-").lower(): value for name, value in headers.items()}
        if self.cookies and "cookie" not in fields:
            fields["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        plain, _, query = path.partition("?")
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(plain),
            "raw_path": plain.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
            "client": (self._peer, 50_000),
            "server": ("127.0.0.1", PORT),
        }
        sent: list[Any] = []

        received: list[bool] = []

        async def receive() -> Any:
            if received:
                await asyncio.Event().wait()  # the browser stays
            received.append(True)
            return {"type": "http.request", "body": (body or "").encode(), "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        self._run(self._app(scope, receive, send))  # type: ignore[arg-type]
        got = [(name.decode().lower(), value.decode()) for name, value in sent[0]["headers"]]
        for name, value in got:
            if name == "set-cookie":
                pair = value.partition(";")[0]
                self.cookies[pair.partition("=")[0]] = pair.partition("=")[2]
        text = b"".join(each.get("body", b"") for each in sent[1:]).decode()
        return PageAnswer(sent[0]["status"], dict(got), text)


class EventLoop:
    """The event loop of an app, as a server has it: one for all requests, since to make one takes as long as a page."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._thread = threading.get_ident()

    def run(self, request: Coroutine[Any, Any, None]) -> None:
        """Run a request to its end; in another thread in a loop of its own."""
        if threading.get_ident() == self._thread:
            self._runner.run(request)
        else:
            asyncio.run(request)

    def close(self) -> None:
        """Cancel what is left."""
        self._runner.close()


@dataclass(frozen=True)
class Site:
    """An app with what is behind it."""

    app: ASGIApp
    context: AppContext
    clock: Clock
    logged: list[str]
    requests: list[HandledRequest]
    loop: EventLoop

    def client(self, **where: str) -> AppClient:
        """A new browser."""
        return AppClient(self.app, run=self.loop.run, **where)

    def signed_in(self, name: str, password: str) -> AppClient:
        """A new browser in which a user has signed in."""
        client = self.client()
        page = client.get("/login")
        form = {"token": page.hidden("token"), "name": name, "password": password, "next": ""}
        assert client.post("/login", form).status == 303
        return client


@contextmanager
def site(
    folder: Path,
    now: datetime,
    *,
    complaints: int = 0,
    models: type[LocalModels] | None = None,
    polls: bool = True,
    **chosen: Any,
) -> Iterator[Site]:
    """Serve a data folder in this process; ``complaints`` is the number of lines that it logs.

    ``polls``: whether the pages are those of a server that polls, too. None of these does. ``chosen``: the rest of the
    ``ServerConfig``.
    """
    clock = Clock(now)
    data = DataFolder(folder)
    logged: list[str] = []
    requests: list[HandledRequest] = []
    config = ServerConfig(
        **{"host": "127.0.0.1", "wake": (lambda: None) if polls else None} | chosen,
        port=PORT,
        log=logged.append,
        observe=requests.append,
    )
    with open_database(data.database_place) as database:
        news = NewsFilter(data, database, clock)
        context = make_context(config, news, (models or NoModels)(folder))
        loop = EventLoop()
        yield Site(make_app(context, config, news), context, clock, logged, requests, loop)
        loop.close()
        context.users.close(60)
        context.pictures.close()
    assert len(logged) == complaints, logged


def set_language(client: AppClient, language: str) -> None:
    """Choose the language of the pages in the settings."""
    form = {"token": client.get("/settings").hidden("token"), "language": language}
    assert client.post("/settings", form).status == 303
