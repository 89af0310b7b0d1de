"""The process that parses: ``python -m iscore.feeds.worker``, started and spoken to by ``parser_pool``.

It reads jobs from standard input and writes results to standard output, frames of ``wire`` both, until its
input ends. It sees no database and no network. The kernel ends it when a job takes more processor time or
memory than allowed, wherever it hangs; nothing is lost with it but that one job.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from iscore.feeds import wire
from iscore.feeds.errors import NotAFeedError, NoTextError
from iscore.feeds.parse import parse

try:
    import resource
except ImportError:  # a system without limits: the parent's clock is what remains
    resource = None  # type: ignore[assignment]

_SIZES = Path("/proc/self/statm")
LARGE = 200 << 20
"""Bytes of memory after which the process makes room for a fresh one: Python seldom gives memory back."""


def main() -> None:
    """Serve jobs. The arguments are the processor seconds per job and the bytes of address space."""
    cpu_seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    # Ctrl-C on the terminal reaches the whole group, but it is for the parent to end its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library might print must not get between the frames
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    last = False
    while not last and (prefix := source.read(wire.PREFIX.size)):
        # Without a handler the signal ends the process, even inside of C code.
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        last = _is_large()
        sink.write(_answer(source, prefix, last=last))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sink.flush()


def _answer(source: BinaryIO, prefix: bytes, *, last: bool) -> bytes:
    header_length, rest_length = wire.lengths(prefix)
    header = json.loads(source.read(header_length))
    rest = source.read(rest_length)
    if "seconds" in header:
        signal.setitimer(signal.ITIMER_PROF, header["seconds"])
    match header.get("task"):
        case "page":
            return _page(header, rest, last=last)
        case "links":
            from iscore.feeds.page_links import feed_links

            return wire.links_to_frame(feed_links(wire.links_job_from(header, rest)), last=last)
        case "robots":
            from iscore.feeds.robots_rules import permission

            return wire.permission_to_frame(permission(wire.robots_job_from(header, rest)), last=last)
    try:
        return wire.feed_to_frame(parse(wire.job_from(header, rest)), last=last)
    except NotAFeedError as error:
        return wire.frame({"not_a_feed": str(error), "last": last})


def _page(header: wire.Header, rest: bytes, *, last: bool) -> bytes:
    from iscore.feeds.page_text import page_text

    try:
        return wire.frame({"last": last}, page_text(wire.page_job_from(header, rest)).encode())
    except NoTextError as error:
        return wire.frame({"no_text": str(error), "last": last})


def _is_large() -> bool:
    if resource is None:
        return False
    try:
        return int(_SIZES.read_text("ascii").split()[1]) * resource.getpagesize() > LARGE
    except OSError:
        # Elsewhere the highest so far must do. (On Linux it begins with that of the parent, who may be large.)
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > LARGE


if __name__ == "__main__":
    main()
