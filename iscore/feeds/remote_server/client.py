"""The Google Reader API of another server, as FreshRSS, Miniflux and iScore itself speak it.

    sign in ─► feeds, labels, numbers of items by stream, items ─► tags

It asks nothing of a stream that may not exist: FreshRSS answers with everything then. Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.remote_server import answers
from iscore.feeds.remote_server.answers import LABEL, FoundItem, long_id
from iscore.feeds.remote_server.errors import (
    ReaderServerBusyError,
    ReaderServerError,
    RequestRefusedError,
    SignInRefusedError,
)
from iscore.feeds.remote_server.http_client import HttpClient
from iscore.feeds.urls import check_url, without_password
from storage.records.connections import ReaderKind, RemoteFeed

API = "/reader/api/0/"
SIGN_IN = "/accounts/ClientLogin"
NUMBERS = 10_000
"""Items in one list."""
MOST_LISTS = 30
CONTENTS = 50
"""Items with contents in one answer: even with 200 kB each they stay within the largest document allowed."""
EDITED = 100
"""Items whose tag is changed by one request."""

_JSON = [("output", "json")]
_PASSWORDS = {
    ReaderKind.FRESHRSS: "FreshRSS wants the API password, which is set in its profile page",
    ReaderKind.MINIFLUX: "Miniflux wants the name and password of its integration Google Reader",
    ReaderKind.GREADER: "some servers have a password of its own for apps",
}


def api_address(kind: ReaderKind, url: str) -> str:
    """Return where the API begins, of the address that a user gives. Raises ``UrlError``."""
    parts = urlsplit(without_password(check_url(url)))
    path = parts.path.rstrip("/")
    path = path[: path.index(SIGN_IN)] if SIGN_IN in path else path
    if kind is ReaderKind.FRESHRSS and not path.endswith("/greader.php"):
        path += "/greader.php" if path.endswith("/api") else "/api/greader.php"
    return f"{parts.scheme}://{parts.netloc}{path}"


class ReaderClient:
    """One account of another server. Use as ``async with``, then ``sign_in``. All calls raise ``ReaderServerError``."""

    def __init__(
        self,
        kind: ReaderKind,
        address: str,
        settings: PollSettings,
        clock: Callable[[], datetime],
        *,
        guarded: bool = False,
    ) -> None:
        """``guarded``: whether the address has to be public, unless the settings allow it."""
        self._kind = kind
        self._address = address
        self._http = HttpClient(address, settings, clock, guarded=guarded)
        self._signed: dict[str, str] = {}
        self._token = ""

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    async def sign_in(self, name: str, password: str) -> None:
        """Sign in. Raises ``SignInRefusedError``, ``NotAReaderServerError``."""
        try:
            answer = await self._http.post(SIGN_IN, [("Email", name), ("Passwd", password)])
        except SignInRefusedError as error:
            raise SignInRefusedError(
                f"{self._address} does not accept this name and password; {_PASSWORDS[self._kind]}"
            ) from error
        except RequestRefusedError as error:
            raise SignInRefusedError(f"{error}; is the name right, and the address?") from error
        except ReaderServerBusyError as error:
            if self._kind is ReaderKind.FRESHRSS and error.until is None:
                hint = "in FreshRSS, allow API access (Administration, Authentication)"
                raise ReaderServerBusyError(f"{error}; {hint}", None) from error
            raise
        self._signed = {"Authorization": f"GoogleLogin auth={answers.token(answer)}"}
        try:
            token = await self._http.get(f"{API}token", headers=self._signed)
        except RequestRefusedError:
            token = b""  # where the header is enough
        self._token = token[:1000].decode("ascii", "replace").strip()

    async def feeds(self) -> list[RemoteFeed]:
        """List what the user follows there."""
        return answers.feeds(await self._get("subscription/list"))

    async def labels(self) -> list[str]:
        """List the names of labels and folders."""
        return answers.labels(await self._get("tag/list"))

    async def numbers(self, stream: str, *, since: datetime | None = None, without: str = "") -> list[int]:
        """List the numbers of the items of a stream, newest first; all of them, or an error."""
        query = [("s", stream), ("n", str(NUMBERS))]
        query += [("ot", str(int(since.timestamp())))] if since else []
        query += [("xt", without)] if without else []
        found: dict[int, None] = {}
        following = ""
        for _ in range(MOST_LISTS):
            more, following = answers.item_numbers(
                await self._get("stream/items/ids", *query, *([("c", following)] if following else []))
            )
            found |= dict.fromkeys(more)
            if not following or not more:
                return list(found)
        raise ReaderServerError(f"{self._address}: a list has more than {MOST_LISTS * NUMBERS:,} items")

    async def label(self, name: str) -> list[int]:
        """List the numbers of the items with a label, which exists."""
        return await self.numbers(f"{LABEL}{name}")

    async def items(self, numbers: Sequence[int], folders: Collection[str] = ()) -> list[FoundItem]:
        """Return at most ``CONTENTS`` items; those that are gone are left out. ``folders`` as in ``answers.items``."""
        form = [("i", long_id(each)) for each in numbers] + _JSON + [("T", self._token)]
        try:
            body = await self._http.post(f"{API}stream/items/contents", form, self._signed)
        except RequestRefusedError:
            if self._kind is ReaderKind.MINIFLUX:  # its answer when all are gone
                return []
            raise
        return answers.items(body, folders)

    async def set_tag(self, numbers: Sequence[int], stream: str, *, wanted: bool) -> None:
        """Give items a tag, or take it from them; what is so already stays so."""
        form = [("i", long_id(each)) for each in numbers]
        form += [("a" if wanted else "r", stream), ("ac", "edit"), ("T", self._token)]
        await self._http.post(f"{API}edit-tag", form, self._signed)

    async def delete_label(self, name: str) -> None:
        """Delete a label, if it is there."""
        with suppress(RequestRefusedError):
            await self._http.post(f"{API}disable-tag", [("s", f"{LABEL}{name}"), ("T", self._token)], self._signed)

    async def _get(self, call: str, *query: tuple[str, str]) -> bytes:
        return await self._http.get(f"{API}{call}", [*query, *_JSON], self._signed)
