"""Where real data lies: in the folder that ``ISCORE_DATA`` names."""

from __future__ import annotations

import csv
import json
import lzma
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def data_folder() -> Path:
    """Return the folder of real data. Raises ``SystemExit`` with what to do when it is not set."""
    folder = os.environ.get("ISCORE_DATA")
    if not folder or not Path(folder).is_dir():
        raise SystemExit("set ISCORE_DATA to the folder of real data")
    return Path(folder)


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of an xz-compressed JSON Lines file."""
    with lzma.open(data_folder() / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def records(name: str) -> Iterator[dict[str, str]]:
    """Yield the records of an xz-compressed CSV file with a line of headings."""
    with lzma.open(data_folder() / name, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def moment(text: str) -> datetime:
    """Return the time that a data set states; without a zone it is UTC."""
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def site_of(url: str) -> str:
    """Return the host of an address, without www; empty when there is none."""
    return (urlsplit(url).hostname or "").removeprefix("www.")
