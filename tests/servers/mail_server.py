"""A real SMTP server on the loopback that keeps what it accepts and misbehaves on request."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "you@example.org", "correct horse battery"

Behaviour = Callable[[SMTP], Awaitable[str]]
"""What happens instead of an answer; it returns one, or cuts the connection."""


@dataclass(frozen=True, slots=True)
class Received:
    """A message that the server has accepted."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes
    login: str
    encrypted: bool


class MailServer:
    """Listens while its context is open. ``security`` as in the settings; a login is wanted wherever TLS is."""

    def __init__(self, security: str = "none", tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        """In order of acceptance."""
        self.answers: dict[str, deque[str | Behaviour]] = {"MAIL": deque(), "RCPT": deque(), "DATA": deque()}
        """What the next commands get; without any, all is well. DATA's is that to the message's end."""
        self.linger = 0.0
        """Seconds between accepting a message and saying so."""
        self.conversations = 0
        self.port = 0
        self._security, self._tls = security, tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(600)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(600)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(600)
        self._loop.close()

    async def _open(self) -> None:
        self._server = await self._loop.create_server(
            self._conversation, "127.0.0.1", self.port, ssl=self._tls if self._security == "tls" else None
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in asyncio.all_tasks():
            if task is not asyncio.current_task():
                task.cancel()
        await asyncio.sleep(0.01)

    def _conversation(self) -> SMTP:
        self.conversations += 1
        starttls = self._security == "starttls"
        encrypted = self._security != "none"
        return SMTP(
            self,
            hostname="mail.example",
            tls_context=self._tls if starttls else None,
            require_starttls=starttls,
            auth_required=starttls,
            auth_require_tls=starttls,  # aiosmtpd does not notice encryption from the start
            authenticator=self._login if encrypted else None,
            loop=self._loop,
        )

    def _login(self, _server: SMTP, session: Session, _envelope: Envelope, _way: str, said: Any) -> AuthResult:
        right = said == LoginPassword(USER.encode(), PASSWORD.encode())
        session.login = USER if right else ""  # type: ignore[attr-defined]
        return AuthResult(success=right, handled=False)

    async def _answer(self, command: str, server: SMTP) -> str:
        waiting = self.answers[command]
        if not waiting:
            return ""
        answer = waiting.popleft()
        return answer if isinstance(answer, str) else await answer(server)

    async def handle_MAIL(  # noqa: N802 -- the names are aiosmtpd's, here and below
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = await self._answer("MAIL", server)
        if self._security == "tls" and not getattr(session, "login", ""):
            return "530 login first"
        if not answer:
            envelope.mail_from = address
            envelope.mail_options.extend(options)
        return answer or "250 OK"

    async def handle_RCPT(  # noqa: N802 -- aiosmtpd's name
        self, server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        answer = await self._answer("RCPT", server)
        if not answer:
            envelope.rcpt_tos.append(address)
        return answer or "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 -- aiosmtpd's name
        answer = await self._answer("DATA", server)
        if answer and not answer.startswith("2"):
            return answer
        assert isinstance(envelope.content, bytes)
        encrypted = session.ssl is not None or self._security == "tls"
        login = getattr(session, "login", "")
        message = Received(str(envelope.mail_from), tuple(envelope.rcpt_tos), envelope.content, login, encrypted)
        self.received.append(message)
        await asyncio.sleep(self.linger)
        return answer or "250 kept"


async def hang_up(server: SMTP) -> str:
    """Cut the connection without an answer."""
    assert isinstance(server.transport, asyncio.WriteTransport)
    server.transport.abort()
    return "421 never seen"


def after(seconds: float, answer: str) -> Behaviour:
    """Answer late."""

    async def late(_server: SMTP) -> str:
        await asyncio.sleep(seconds)
        return answer

    return late


class Blunt:
    """Something else that listens: greets so (perhaps not at all), and answers every line with the same."""

    def __init__(self, greeting: bytes, answer: bytes = b"") -> None:
        self._greeting, self._answer = greeting, answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.conversations: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for each in self.conversations:
            each.close()
        self._thread.join(600)

    def _serve(self) -> None:
        try:
            while True:
                conversation, _ = self._listening.accept()
                self.conversations.append(conversation)
                conversation.sendall(self._greeting)
                while self._answer and conversation.recv(65536):
                    conversation.sendall(self._answer)
        except OSError:
            return


class Breaking(Blunt):
    """A mail server that keeps to the protocol up to a step, and then hangs up or is silent."""

    STEPS = ("greeting", "EHLO", "MAIL", "RCPT", "DATA", "text", "end", "acceptance", "QUIT")

    def __init__(self, step: str, *, hangs: bool) -> None:
        super().__init__(b"")
        self._step, self._hangs = step, hangs
        self.accepted = 0
        """Messages."""

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                conversation, _ = self._listening.accept()
                self.conversations.append(conversation)
                with suppress(OSError), conversation.makefile("rb") as lines:
                    self._converse(conversation, lines)
                    if not self._hangs:
                        conversation.shutdown(socket.SHUT_RDWR)

    def _converse(self, conversation: socket.socket, lines: BinaryIO) -> None:
        if self._step == "greeting":
            return
        conversation.sendall(b"220 hello\r\n")
        for line in lines:
            command = line[:4].decode().upper()
            if command == self._step or (command == "HELO" and self._step == "EHLO"):
                return
            if command == "DATA":
                conversation.sendall(b"354 go on\r\n")
                lines.readline()
                if self._step == "text":
                    return
                while lines.readline() not in (b".\r\n", b""):
                    pass
                self.accepted += self._step != "end"
                if self._step in ("end", "acceptance"):
                    return
            conversation.sendall(b"250 fine\r\n")


def certificate(folder: Path, host: str = "localhost", *, days: int = 2) -> Path:
    """Make a certificate for ``host`` and 127.0.0.1, its key in ``key.pem`` beside it. It signs itself."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    file = folder / "server.pem"
    key = folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", str(days), "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host},IP:127.0.0.1",
         "-keyout", str(key), "-out", str(file)],
        check=True, capture_output=True,
    )  # fmt: skip
    return file


def tls_context(file: Path) -> ssl.SSLContext:
    """Return what a server needs that shows the certificate of ``certificate``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, file.with_name("key.pem"))
    return context
