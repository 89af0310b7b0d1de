"""How a finished file gets its name: whole, and never over another one unasked."""

from __future__ import annotations

import os
from pathlib import Path

TAKEN = "is there already and was not touched; give another name, or --replace"


def give_name(unfinished: Path, file: Path, *, replace: bool) -> None:
    """Name a finished file. Raises ``FileExistsError`` when the name is taken, unless ``replace``."""
    if replace:
        unfinished.replace(file)
        return
    try:
        file.hardlink_to(unfinished)  # unlike a renaming it fails where something is
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if file.exists():
            raise FileExistsError(file) from None
        unfinished.rename(file)


def settle(folder: Path) -> None:
    """Have the folder's entries written, so that the name survives a loss of power."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
