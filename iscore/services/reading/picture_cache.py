"""Pictures on disk, so that each is fetched once: in the folder ``pictures`` of the data folder, a file each.

The oldest leave when there are more than ``MAX_BYTES``. All of it can be deleted at any time. A picture is known by the
address that a publisher gave it, and its file by a hash of that.
"""

from __future__ import annotations

import os
import secrets
import threading
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from iscore.core import file_access

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
