"""The parser process: ``python -m iscore.feeds.parsing.worker``, started by ``processes``.

It reads jobs from standard input and writes results to standard output, frames of ``protocol`` both, until its input
ends. It sees no database and no network. The kernel ends it when a job takes more processor time or memory than
allowed, wherever it hangs; only that one job is lost.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import astuple
from typing import BinaryIO, assert_never

from iscore.feeds.errors import NoPictureError, NotAFeedError, NoTextError
from iscore.feeds.parsing import protocol
from iscore.feeds.parsing.jobs import FeedJob, Job, LinksJob, PageJob, PictureJob, RobotsJob
from iscore.feeds.parsing.memory_limit import MemoryLimit
from iscore.feeds.parsing.parse import parse

try:
    import resource
except ImportError:  # a system without limits: the parent's deadline is what remains
    resource = None  # type: ignore[assignment]


def main() -> None:
    """Do jobs, each of which says how much processor time it may take. The argument: bytes of memory for each."""
    # Ctrl-C on the terminal reaches the whole process group, but the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library might print must not get between the frames
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = MemoryLimit(int(sys.argv[1]))
    last = False
    while not last and (prefix := source.read(protocol.PREFIX.size)):
        job, seconds = _next_job(source, prefix)
        with limit.lifted():
            _load(job)
        # Without a handler the signal ends the process, even inside of C code.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        header, body = _result(job)
        # A process with little memory left must not get another document.
        last = header["last"] = limit.is_worn()
        sink.write(protocol.frame(header, body))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sink.flush()


def _next_job(source: BinaryIO, prefix: bytes) -> tuple[Job, float]:
    """Return the job, and the seconds of processor time that it may take."""
    header_length, body_length = protocol.lengths(prefix)
    header = json.loads(source.read(header_length))
    body = source.read(body_length)
    return protocol.job_from(header, body), header["seconds"]


def _load(job: Job) -> None:
    """Import what takes more time and memory than the document may."""
    match job:
        case PageJob():
            from iscore.feeds.parsing import page_text

            page_text.load()
        case PictureJob():
            from iscore.feeds.parsing import picture_scaling

            picture_scaling.load()


def _result(job: Job) -> tuple[protocol.Header, bytes]:
    try:
        match job:
            case FeedJob():
                return protocol.feed_to_answer(parse(job))
            case PageJob():
                from iscore.feeds.parsing.page_text import page_article

                article = page_article(job)
                return {"html": article.html}, article.text.encode()
            case LinksJob():
                from iscore.feeds.parsing.page_links import feed_links

                return {"links": [astuple(link) for link in feed_links(job)]}, b""
            case RobotsJob():
                from iscore.feeds.parsing.robots_rules import permission

                return {"permission": astuple(permission(job))}, b""
            case PictureJob():
                from iscore.feeds.parsing.picture_scaling import scaled

                return {}, scaled(job)
            case _:
                assert_never(job)
    except (NoPictureError, NotAFeedError, NoTextError) as error:
        return {"refusal": str(error)}, b""


if __name__ == "__main__":
    main()
