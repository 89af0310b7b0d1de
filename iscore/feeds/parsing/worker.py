"""The parser process: ``python -m iscore.feeds.parsing.worker``, started by ``parser_pool``.

It reads jobs from standard input and writes results to standard output, both as frames of ``jobs``, until its input
ends. It has no access to the database and uses no network. The kernel ends it when a job takes more processor time or
memory than allowed, wherever it hangs; only that one job is lost.

A document may take a fixed amount of memory above what the process needs anyway. Memory that is not freed after a
document counts too, since Python seldom returns memory; ``MemoryLimit.is_worn`` tells when a fresh process is better.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import BinaryIO, assert_never

from iscore.feeds.errors import NoPictureError, NotAFeedError, NoTextError
from iscore.feeds.parsing import jobs
from iscore.feeds.parsing.jobs import FeedJob, IconJob, IconLinksJob, Job, LinksJob, PageJob, PictureJob, RobotsJob
from iscore.feeds.parsing.parse import parse

try:
    import resource
except ImportError:  # a system without such limits: only the parent's deadline ends a job
    resource = None  # type: ignore[assignment]


_SIZES = Path("/proc/self/statm")


class MemoryLimit:
    """Limits this process to ``size`` bytes above its memory when this object is made."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._base = _mapped()
        self._limit(self._base + size)

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Lift the limit for a block, and raise it by the memory that the block adds, for instance by an import."""
        before = _mapped()
        self._limit(None)
        try:
            yield
        finally:
            self._base += max(_mapped() - before, 0) if self._base else 0
            self._limit(self._base + self._size)

    def _limit(self, limit: int | None) -> None:
        if resource is None or not self._base:
            return
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if limit is None or (hard != resource.RLIM_INFINITY and limit > hard):
            limit = hard
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))

    def is_worn(self) -> bool:
        """Whether more than half of the memory is used. The rest may be too little for a large document."""
        if self._base:
            return _mapped() - self._base > self._size // 2
        if resource is None:
            return False
        # Other systems tell only the peak.
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > 2 * self._size


def _mapped() -> int:
    """Return the bytes of address space in use; 0 if the system does not say."""
    if resource is None:
        return 0
    try:
        return int(_SIZES.read_text("ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def main() -> None:
    """Do jobs, each within its own processor time. The argument of the process: bytes of memory for a job."""
    # Ctrl-C on the terminal reaches the whole process group, but the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of a library must not get between the frames
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = MemoryLimit(int(sys.argv[1]))
    last = False
    while not last and (prefix := source.read(jobs.PREFIX.size)):
        job, seconds = _next_job(source, prefix)
        with limit.lifted():
            _load(job)
        # Without a handler the signal ends the process, even inside of C code.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        header, body = _result(job)
        # A process with little memory left must get no other document.
        last = header["last"] = limit.is_worn()
        sink.write(jobs.frame(header, body))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sink.flush()


def _next_job(source: BinaryIO, prefix: bytes) -> tuple[Job, float]:
    """Read the job, and the seconds of processor time that it may take."""
    header_length, body_length = jobs.lengths(prefix)
    header = json.loads(source.read(header_length))
    body = source.read(body_length)
    return jobs.job_from(header, body), header["seconds"]


def _load(job: Job) -> None:
    """Import libraries that take more time and memory than a document may."""
    match job:
        case PageJob():
            from iscore.feeds.parsing.pages import load_trafilatura

            load_trafilatura()
        case PictureJob() | IconJob():
            from iscore.feeds.picture_files import load_pillow

            load_pillow()


def _result(job: Job) -> tuple[jobs.Header, bytes]:
    try:
        answer: tuple[jobs.Header, bytes]
        match job:
            case FeedJob():
                answer = jobs.feed_to_answer(parse(job))
            case PageJob():
                from iscore.feeds.parsing.pages import page_article

                article = page_article(job)
                answer = {"html": article.html}, article.text.encode()
            case IconLinksJob():
                from iscore.feeds.parsing.pages import icon_links

                answer = {"links": icon_links(job)}, b""
            case LinksJob():
                from iscore.feeds.parsing.pages import feed_links

                answer = {"links": [astuple(link) for link in feed_links(job)]}, b""
            case RobotsJob():
                from iscore.feeds.parsing.pages import permission

                answer = {"permission": astuple(permission(job))}, b""
            case PictureJob():
                from iscore.feeds.picture_files import scaled

                answer = {}, scaled(job.body, job.edge, job.max_bytes, job.max_pixels)
            case IconJob():
                from iscore.feeds.picture_files import icon_pixels

                answer = {}, icon_pixels(job.body)
            case _:
                assert_never(job)
    except (NoPictureError, NotAFeedError, NoTextError) as error:
        return {"refusal": str(error)}, b""
    return answer


if __name__ == "__main__":
    main()
