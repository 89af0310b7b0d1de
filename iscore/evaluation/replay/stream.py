"""Files of labelled streams: JSON Lines, plain or as ``.gz`` or ``.xz``, an article a line in order of arrival.

Files are read and written line by line, so memory does not grow with them. ``stream_format`` describes a line.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from iscore.core.errors import StreamError
from iscore.evaluation.replay.stream_format import (
    EPOCH,
    LONGEST,
    LabelledArticle,
    StreamFormatError,
    read_line,
    write_line,
)


@dataclass(frozen=True, slots=True)
class Labels:
    """Number of verdicts of a reader of a stream."""

    liked: int
    disliked: int


@dataclass(frozen=True, slots=True)
class Survey:
    """The contents of a stream."""

    articles: int
    readers: dict[str, Labels]
    """By name, in the order of their first verdicts."""
    first: datetime
    """When the first article arrives."""
    last: datetime
    texts: bool
    """Whether any article has a title or a text."""
    features: tuple[str, ...]
    """Names of the ratings that come with articles, in alphabetical order."""


def read_stream(path: Path) -> Iterator[LabelledArticle]:
    """Yield the articles of a file, one after the other; blank lines are ignored.

    Raises ``StreamError`` with file and line at the first line that is not an article.
    """
    now, number = EPOCH, 0
    try:
        with _opened(path) as lines:
            while line := lines.readline(LONGEST + 1):
                number += 1
                if not line.isspace():
                    article = read_line(line, now)
                    now = article.arrived
                    yield article
    except StreamFormatError as error:
        raise StreamError(path, str(error), line=number) from error
    except UnicodeDecodeError as error:
        raise StreamError(path, "is not in UTF-8", line=number + 1) from error
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as error:
        raise StreamError(path, f"is damaged: {error}", line=number + 1) from error
    except OSError as error:
        raise StreamError(path, (error.strerror or str(error)).lower()) from error


def write_stream(path: Path, articles: Iterable[LabelledArticle]) -> int:
    """Write articles in order of arrival; return how many. Equal articles give equal bytes.

    The file appears when it is complete. Raises ``ValueError`` when an article arrives before the previous one.
    """
    now, written = EPOCH, 0
    part = path.with_name(f"{path.name}.part")
    try:
        with _created(part, path.suffix) as lines:
            for article in articles:
                if article.arrived < now:
                    raise ValueError(f"article {article.id} arrives before the one before it")
                lines.write(write_line(article, now) + "\n")
                now = article.arrived
                written += 1
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return written


def survey(path: Path) -> Survey:
    """Read a file once and count. Raises ``StreamError``, also for a file without articles."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    features: set[str] = set()
    articles, texts, first, last = 0, False, EPOCH, EPOCH
    for article in read_stream(path):
        for reader, liked in article.labels.items():
            counts[reader][liked] += 1
        features.update(article.features)
        texts = texts or bool(article.title or article.text)
        first = first if articles else article.arrived
        last = article.arrived
        articles += 1
    if not articles:
        raise StreamError(path, "has no articles")
    readers = {reader: Labels(liked, disliked) for reader, (disliked, liked) in counts.items()}
    return Survey(articles, readers, first, last, texts, tuple(sorted(features)))


def content_hash(path: Path) -> str:
    """Return 32 hexadecimal digits that change with the file's bytes. Raises ``StreamError``."""
    try:
        with path.open("rb") as file:
            digest = blake2b(digest_size=16)
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise StreamError(path, (error.strerror or str(error)).lower()) from error
    return digest.hexdigest()


def stream_name(path: Path) -> str:
    """Return a stream's name: its file's without ``.jsonl``, ``.gz`` and ``.xz``."""
    name = path.name
    for ending in (".xz", ".gz", ".jsonl", ".json"):
        name = name.removesuffix(ending)
    return name or path.name


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    if path.suffix == ".xz":
        with lzma.open(path, "rt", encoding="utf-8-sig") as file:
            yield file
    elif path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8-sig") as file:
            yield cast(TextIO, file)
    else:
        with path.open(encoding="utf-8-sig") as file:
            yield file


@contextmanager
def _created(path: Path, suffix: str) -> Iterator[TextIO]:
    with path.open("wb") as raw:
        if suffix == ".xz":
            binary = cast(BinaryIO, lzma.LZMAFile(raw, "wb"))  # noqa: SIM115 -- the text around it closes it
        elif suffix == ".gz":
            # Without name and time, so that equal articles give equal bytes.
            binary = cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=raw, mtime=0))
        else:
            binary = raw
        with TextIOWrapper(binary, encoding="utf-8", newline="\n") as text:
            yield text
