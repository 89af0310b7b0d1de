"""Pictures of articles, from the cache or from their publishers, so that no browser asks a publisher for anything.

    source ─► cache ─► fetch: checked addresses, limits, first bytes ─► small enough? ─► cache ─► answer
                                                                └─► scaled down, in a child process

One thread with an event loop does it, for all pages. What has failed is not fetched again for ``RETRY`` seconds.

The cache is the folder ``pictures`` of the data folder, a file each. The oldest leave when there are more than
``MAX_BYTES``. All of it can be deleted at any time. A picture is known by the address that a publisher gave it, and its
file by a hash of that.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iscore.core import file_access
from iscore.core.errors import IscoreError
from iscore.services.reading.contents import PictureSource, Size

if TYPE_CHECKING:
    from iscore.feeds.parsing.parser_pool import ParserPool
    from iscore.feeds.poll_settings import PollSettings


MAX_BYTES = 500_000_000
ROOM = 0.9
"""Share of ``MAX_BYTES`` to which the cache shrinks, so that it need not for every picture."""


class PictureCache:
    """The pictures of one data folder. Can be used by several threads and processes at once."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._bytes: int | None = None
        """In the folder, as far as this process knows; None before it was counted."""
        self._lock = threading.Lock()

    def get(self, url: str, size: str) -> bytes | None:
        """Return a picture; None if it is not here."""
        try:
            return self._path(url, size).read_bytes()
        except OSError:
            return None

    def put(self, url: str, size: str, data: bytes) -> None:
        """Store a picture. If that cannot be done, it is fetched again the next time."""
        path = self._path(url, size)
        unfinished = path.with_name(f"{path.name}.unfinished-{secrets.token_hex(4)}")
        try:
            self._folder.mkdir(mode=file_access.FOLDER, exist_ok=True)
            file_access.write(unfinished, data)
            unfinished.replace(path)
        except OSError:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            return
        with self._lock:
            self._bytes = None if self._bytes is None else self._bytes + len(data)
            if self._bytes is None or self._bytes > self._max_bytes:
                self._shrink()

    def size(self) -> int:
        """Return the bytes of all pictures."""
        return sum(size for _, size, _ in self._files())

    def purge(self) -> int:
        """Delete all pictures, and return how many bytes they had."""
        with self._lock:
            removed = sum(size for _, size, path in self._files() if _removed(path))
            self._bytes = None
            return removed

    def _shrink(self) -> None:
        """Count the bytes in the folder; if they are too many, delete the oldest files."""
        files = sorted(self._files())
        total = sum(size for _, size, _ in files)
        if total > self._max_bytes:
            for _, size, path in files:
                if total <= ROOM * self._max_bytes:
                    break
                total -= size if _removed(path) else 0
        self._bytes = total

    def _files(self) -> list[tuple[float, int, Path]]:
        """List all files with the times at which they were written, and their sizes."""
        found = []
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):  # another process has deleted it meanwhile
                    about = entry.stat(follow_symlinks=False)
                    found.append((about.st_mtime, about.st_size, Path(entry.path)))
        return found

    def _path(self, url: str, size: str) -> Path:
        return self._folder / blake2b(f"{size} {url}".encode(), digest_size=20).hexdigest()


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


AT_ONCE = 6
"""Pictures fetched at the same time, as by a browser from one host."""
RETRY = 600.0
"""Seconds before a picture that could not be had is asked for again."""
MAX_FAILURES = 2000
"""Addresses that are remembered as failed."""
MEMORY = 256 << 20
"""Bytes for decoding a picture: 25 megapixels take 100 MB, twice while they are turned or converted."""
LIMITS = {Size.WHOLE: (1600, 2_000_000), Size.THUMBNAIL: (320, 20_000)}
"""Pixels that a picture which is scaled down may be wide and high, and its bytes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a page can show."""

    data: bytes
    media_type: str
    """By its first bytes: PNG, JPEG, GIF, WebP or AVIF."""


class Pictures:
    """Gets pictures. ``settings`` are those of the client that fetches."""

    def __init__(self, cache: PictureCache, settings: PollSettings) -> None:
        self._cache = cache
        self._settings = settings
        self._failures: OrderedDict[str, tuple[float, str]] = OrderedDict()
        """Address → when to ask again, and why it failed."""
        self._running: dict[PictureSource, asyncio.Task[Picture]] = {}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def get(self, source: PictureSource) -> Future[Picture]:
        """Get a picture. The result raises ``IscoreError`` when it cannot be had, with the reason."""
        return self._submit(self._shared(source))

    def close(self) -> None:
        """End what runs, and the child processes."""
        with self._lock:
            loop, self._loop = self._loop, None
            thread, self._thread = self._thread, None
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(self._end(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _submit(self, work: Coroutine[Any, Any, Picture]) -> Future[Picture]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._slots = asyncio.Semaphore(AT_ONCE)
                self._pool: ParserPool | None = None
                self._thread = threading.Thread(target=self._loop.run_forever, name="pictures", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _shared(self, source: PictureSource) -> Picture:
        """Get a picture once for all that wait for it."""
        task = self._running.get(source)
        if task is None:
            task = self._running[source] = asyncio.create_task(self._get(source))
            task.add_done_callback(lambda _: self._running.pop(source, None))
        return await asyncio.shield(task)

    async def _get(self, source: PictureSource) -> Picture:
        cached = await self._cached(source.url, source.size)
        if cached is not None:
            return cached
        until, reason = self._failures.get(source.url, (0.0, ""))
        if time.monotonic() < until:
            raise IscoreError(reason)
        try:
            async with self._slots:
                picture = await self._made(source)
        except IscoreError as error:
            self._failures[source.url] = time.monotonic() + RETRY, str(error)
            while len(self._failures) > MAX_FAILURES:
                self._failures.popitem(last=False)
            raise
        await asyncio.to_thread(self._cache.put, source.url, source.size, picture.data)
        return picture

    async def _cached(self, url: str, size: Size) -> Picture | None:
        from iscore.feeds.picture_files import read_header

        data = await asyncio.to_thread(self._cache.get, url, size)
        header = read_header(data) if data else None
        return Picture(data, header.media_type) if data and header else None

    async def _made(self, source: PictureSource) -> Picture:
        """Fetch a picture and scale it down if need be; a small one is made of a whole one that is here.

        ICO is always converted: not every browser shows it, and it may hold any number of pictures.
        """
        from iscore.feeds.parsing.jobs import PictureJob
        from iscore.feeds.picture_files import ICO, read_header
        from iscore.feeds.pictures import MAX_PIXELS, fetch_picture, is_too_large_to_show

        whole = await self._cached(source.url, Size.WHOLE) if source.size is not Size.WHOLE else None
        header = read_header(whole.data) if whole else None
        if whole and header:
            data = whole.data
        else:
            data, header = await fetch_picture(source.url, self._settings, private=source.private)
        edge, max_bytes = LIMITS[source.size]
        fits = max(header.width, header.height) <= edge and len(data) <= max_bytes
        as_it_is = fits or (source.size is Size.WHOLE and not is_too_large_to_show(header))
        if as_it_is and header.media_type != ICO:
            return Picture(data, header.media_type)
        return Picture(await self._child().picture(PictureJob(data, edge, max_bytes, MAX_PIXELS)), "image/webp")

    def _child(self) -> ParserPool:
        from iscore.feeds.parsing.parser_pool import ParserPool

        if self._pool is None:
            self._pool = ParserPool(1, memory=MEMORY)
        return self._pool

    async def _end(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._pool is not None:
            await self._pool.close()
