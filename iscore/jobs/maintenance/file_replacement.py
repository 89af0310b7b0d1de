"""Give a finished file its name atomically, without overwriting another file unless asked."""

from __future__ import annotations

import os
from pathlib import Path

EXISTS = "exists already and was not changed; use another name, or --replace"


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
