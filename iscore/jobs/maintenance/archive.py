"""The backup file: a ZIP archive of the data folder's files and a manifest. How finished files get their names.

    backup.json     the manifest: files with size and SHA-256; schema, and rows of each table
    iscore.db       the database
    config.toml     the settings, if any
    feeds.yaml      the subscriptions, if any
    rules.yaml      the user's rules, if any

An archive may come from anybody. No name in it becomes a path: only these five names are accepted. No file is unpacked
beyond the size in the manifest, or beyond the free space of the disk.

A backup is made in a temporary folder beside the backup file:

    .NAME.zip.x7k2/     lock (held while the process runs)   iscore.db   archive

A killed process leaves its folder with a copy of everything. The system releases its lock, so the next backup into the
same folder can tell that it is abandoned, and removes it. A finished file gets its name atomically, and overwrites
another file only when asked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from iscore.core.errors import IscoreError, os_problem

MANIFEST, DATABASE, CONFIG, FEEDS, RULES = "backup.json", "iscore.db", "config.toml", "feeds.yaml", "rules.yaml"
FORMAT, VERSION = "iscore-backup", 1

LARGEST_TEXT = 16_000_000
"""Bytes of a manifest, of settings or of subscriptions; real ones have a few kilobytes."""
SMALL = 64_000_000
"""Bytes from which ``DENSEST`` applies; smaller files do not fill a disk."""
DENSEST = 100
"""The highest accepted compression ratio; real databases stay below, deflate reaches about 1000."""
RESERVE = 50_000_000
"""Bytes that unpacking leaves free on the disk."""

_BLOCK = 1 << 20


class BackupError(IscoreError):
    """A backup cannot be written or read."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a backup."""

    made: datetime
    iscore: str
    """Version of the program that made it."""
    schema: str
    rows: dict[str, int]
    files: dict[str, tuple[int, str]]
    """Bytes and SHA-256 (hexadecimal) by name."""


def write(
    target: IO[bytes], files: Mapping[str, Path], *, made: datetime, schema: str, rows: Mapping[str, int]
) -> None:
    """Write an archive of files, given by their names in it."""
    from iscore import __version__

    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        listed = {}
        for name, path in files.items():
            digest, size = hashlib.sha256(), 0
            with path.open("rb") as file, archive.open(name, "w", force_zip64=True) as member:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    size += len(block)
                    member.write(block)
            listed[name] = {"bytes": size, "sha256": digest.hexdigest()}
        about = {
            "format": FORMAT,
            "version": VERSION,
            "made": made.isoformat(),
            "iscore": __version__,
            "schema": schema,
            "rows": dict(rows),
            "files": listed,
        }
        archive.writestr(MANIFEST, json.dumps(about, indent=2))


class Archive:
    """An archive for reading. Use as a context manager. All methods raise ``BackupError``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise BackupError(path, "no such file") from None
        except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError) as error:
            raise BackupError(path, "is not a backup of iScore") from error
        except OSError as error:
            raise BackupError(path, f"cannot be read: {error.strerror or error}") from error
        try:
            self._members = self._checked_members()
            self.manifest = self._checked_manifest()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def verify(self) -> None:
        """Read everything and compare it with the manifest."""
        for name in self.manifest.files:
            self._copy(name, None)

    def unpack(self, name: str, target: Path) -> None:
        """Write one file of the archive into ``target``. Raises ``BackupError`` unless it matches the manifest."""
        size, _ = self.manifest.files[name]
        if shutil.disk_usage(target.parent).free < size + RESERVE:
            raise BackupError(self.path, f"not enough space in {target.parent} for {name} ({size:,} bytes)")
        with target.open("wb") as file:
            self._copy(name, file)

    def _checked_members(self) -> dict[str, zipfile.ZipInfo]:
        found: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            name = member.filename
            if name not in {MANIFEST, DATABASE, CONFIG, FEEDS, RULES} or name in found:
                raise BackupError(self.path, f"is not a backup of iScore: it has {name!r}")
            if name != DATABASE and member.file_size > LARGEST_TEXT:
                raise BackupError(self.path, f"{name} is too large ({member.file_size:,} bytes)")
            if member.file_size > SMALL and member.file_size > DENSEST * member.compress_size:
                raise BackupError(self.path, f"{name} is compressed too much (to unpack to {member.file_size:,} bytes)")
            found[name] = member
        if not {MANIFEST, DATABASE} <= found.keys():
            raise BackupError(self.path, "is not a backup of iScore: its manifest or its database is missing")
        return found

    def _checked_manifest(self) -> Manifest:
        try:
            with self._zip.open(self._members[MANIFEST]) as file:
                found = json.loads(file.read(LARGEST_TEXT))
            if found["format"] != FORMAT:
                raise BackupError(self.path, "is not a backup of iScore")
            if found["version"] != VERSION:
                raise BackupError(self.path, "was made by a newer iScore; update iScore to restore it")
            manifest = Manifest(
                made=datetime.fromisoformat(found["made"]),
                iscore=str(found["iscore"]),
                schema=str(found["schema"]),
                rows={str(name): int(count) for name, count in found["rows"].items()},
                files={str(name): (int(each["bytes"]), str(each["sha256"])) for name, each in found["files"].items()},
            )
        except BackupError:
            raise
        except _BROKEN as error:
            raise BackupError(self.path, "is damaged: its manifest cannot be read") from error
        if manifest.files.keys() | {MANIFEST} != self._members.keys():
            raise BackupError(self.path, "is damaged: it does not match its manifest")
        return manifest

    def _copy(self, name: str, target: IO[bytes] | None) -> None:
        size, wanted = self.manifest.files[name]
        digest, read = hashlib.sha256(), 0
        try:
            with self._zip.open(self._members[name]) as member:
                while block := member.read(_BLOCK):
                    read += len(block)
                    if read > size:
                        break
                    digest.update(block)
                    if target is not None:
                        target.write(block)
        except _BROKEN as error:
            raise BackupError(self.path, f"is damaged: {name} cannot be unpacked") from error
        except OSError as error:
            raise BackupError(self.path, f"{name} cannot be unpacked: {os_problem(error)}") from error
        if (read, digest.hexdigest()) != (size, wanted):
            raise BackupError(self.path, f"is damaged: {name} does not match the manifest")


_BROKEN: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # another compression method
    RuntimeError,  # encrypted
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
)


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ARCHIVE, LOCK = "archive", "lock"
ABANDONED = 3600
"""Seconds after which a folder without a lock is abandoned; before, it may just be created."""
EXISTS = "exists already and was not changed; use another name, or --replace"

_NAME = re.compile(r"\..+\.[a-z0-9_]{8}")
_FILES = re.compile(rf"{ARCHIVE}|{LOCK}(?:\.new)?|{re.escape(DATABASE)}(?:\.unfinished-[0-9]+)?(?:-wal|-shm|-journal)?")


@contextmanager
def temporary_folder(file: Path) -> Iterator[Path]:
    """Create a private folder beside ``file`` and remove it at the end. Raises ``OSError``."""
    remove_abandoned(file.parent)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as name:
        folder = Path(name)
        handle = os.open(folder / f"{LOCK}.new", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            if fcntl is not None:
                with suppress(OSError):  # some network file systems have no locks
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / f"{LOCK}.new").rename(folder / LOCK)  # nobody sees it before it is locked
            yield folder
        finally:
            os.close(handle)


def remove_abandoned(parent: Path) -> list[Path]:
    """Remove temporary folders that killed backups left, and return them. Never raises ``OSError``."""
    removed = []
    with suppress(OSError):
        for folder in parent.iterdir():
            if _NAME.fullmatch(folder.name) and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed.append(folder)
    return removed


def _is_abandoned(folder: Path) -> bool:
    """Whether a folder was certainly made by a backup that has ended, and has nothing else in it."""
    try:
        if folder.is_symlink() or not folder.is_dir():
            return False
        status, inside = folder.stat(), {path.name for path in folder.iterdir()}
        if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
            return False
        if not inside or not all(map(_FILES.fullmatch, inside)):
            return False
        if LOCK in inside and fcntl is not None:
            return _is_free(folder / LOCK)
        return time.time() - status.st_mtime > ABANDONED
    except OSError:  # removed meanwhile
        return False


def _is_free(lock: Path) -> bool:
    handle = os.open(lock, os.O_WRONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(handle)


def give_name(unfinished: Path, file: Path, *, replace: bool) -> None:
    """Name a finished file. Raises ``FileExistsError`` if the name is taken, unless ``replace``."""
    if replace:
        unfinished.replace(file)
        return
    try:
        file.hardlink_to(unfinished)  # unlike rename, this fails if the file exists
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if file.exists():
            raise FileExistsError(file) from None
        unfinished.rename(file)


def sync_folder(folder: Path) -> None:
    """Flush the folder's entries to disk, so that the name survives a power failure."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
