"""A backup as a file: a ZIP archive of the home's files and a list of what they must be.

    backup.json     the list: which files, how many bytes, their SHA-256; the schema, and the rows of each table
    iscore.db       the database
    config.toml     the settings, if there were any
    feeds.yaml      the subscriptions, if there were any
    rules.yaml      the person's own rules, if there were any

An archive may come from anybody. No name in it ever becomes a path: the five names above are looked up, and every other
one is refused. Nothing is unpacked beyond the bytes that the list tells, nor beyond what the disk holds.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from iscore.jobs.maintenance.errors import BackupError

LIST, DATABASE, CONFIG, FEEDS, RULES = "backup.json", "iscore.db", "config.toml", "feeds.yaml", "rules.yaml"
FORMAT, VERSION = "iscore-backup", 1

LARGEST_TEXT = 16_000_000
"""Bytes of a list, of settings or of subscriptions; real ones have some kilobytes."""
SMALL = 64_000_000
"""Bytes from which on a file must not be squeezed more than ``DENSEST``; below, no disk is filled."""
DENSEST = 100
"""Deflated, no real database is a hundredth of its size; deflate's limit is about a thousandth."""
ROOM = 50_000_000
"""Bytes that unpacking leaves free on the disk."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Contents:
    """What the list of a backup says."""

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
    """Write an archive of these files, given by their names in it."""
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
        archive.writestr(LIST, json.dumps(about, indent=2))


class Archive:
    """An archive, opened for reading. Use as a context manager. All methods raise ``BackupError``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise BackupError(path, "there is no such file") from None
        except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError) as error:
            raise BackupError(path, "is no backup of iScore") from error
        except OSError as error:
            raise BackupError(path, f"cannot be read: {error.strerror or error}") from error
        try:
            self._members = self._checked_members()
            self.contents = self._checked_contents()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def verify(self) -> None:
        """Read everything, and compare it with the list."""
        for name in self.contents.files:
            self._copy(name, None)

    def unpack(self, name: str, target: Path) -> None:
        """Write one file of the archive into ``target``, which exists. Raises ``BackupError`` unless it is whole."""
        size, _ = self.contents.files[name]
        if shutil.disk_usage(target.parent).free < size + ROOM:
            raise BackupError(self.path, f"{name} has {size:,} bytes, for which {target.parent} has no room")
        with target.open("wb") as file:
            self._copy(name, file)

    def _checked_members(self) -> dict[str, zipfile.ZipInfo]:
        found: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            name = member.filename
            if name not in {LIST, DATABASE, CONFIG, FEEDS, RULES} or name in found:
                raise BackupError(self.path, f"is no backup of iScore: it holds {name!r}")
            if name != DATABASE and member.file_size > LARGEST_TEXT:
                raise BackupError(self.path, f"{name} has {member.file_size:,} bytes, which is not believable")
            if member.file_size > SMALL and member.file_size > DENSEST * member.compress_size:
                raise BackupError(self.path, f"{name} unpacks to {member.file_size:,} bytes, which is not believable")
            found[name] = member
        if not {LIST, DATABASE} <= found.keys():
            raise BackupError(self.path, "is no backup of iScore: its list or its database is missing")
        return found

    def _checked_contents(self) -> Contents:
        try:
            with self._zip.open(self._members[LIST]) as file:
                said = json.loads(file.read(LARGEST_TEXT))
            if said["format"] != FORMAT:
                raise BackupError(self.path, "is no backup of iScore")
            if said["version"] != VERSION:
                raise BackupError(self.path, "was made by a newer iScore; update iScore to restore it")
            contents = Contents(
                made=datetime.fromisoformat(said["made"]),
                iscore=str(said["iscore"]),
                schema=str(said["schema"]),
                rows={str(name): int(count) for name, count in said["rows"].items()},
                files={str(name): (int(each["bytes"]), str(each["sha256"])) for name, each in said["files"].items()},
            )
        except BackupError:
            raise
        except _BROKEN as error:
            raise BackupError(self.path, "is damaged: its list cannot be read") from error
        if contents.files.keys() | {LIST} != self._members.keys():
            raise BackupError(self.path, "is damaged: it does not hold what its list says")
        return contents

    def _copy(self, name: str, target: IO[bytes] | None) -> None:
        size, wanted = self.contents.files[name]
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
            raise BackupError(self.path, f"{name} cannot be unpacked: {error.strerror or error}") from error
        if (read, digest.hexdigest()) != (size, wanted):
            raise BackupError(self.path, f"is damaged: {name} is not what its list says")


_BROKEN: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # another compression
    RuntimeError,  # encrypted
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
)
