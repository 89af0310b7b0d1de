"""The process that parses: ``python -m iscore.feeds.parsing.worker``, started and spoken to by ``parser_children``.

It reads jobs from standard input and writes results to standard output, frames of ``wire`` both, until its
input ends. It sees no database and no network. The kernel ends it when a job takes more processor time or
memory than allowed, wherever it hangs; nothing is lost with it but that one job.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

from iscore.feeds.errors import NotAFeedError, NoTextError
from iscore.feeds.parsing import protocol
from iscore.feeds.parsing.memory_limit import MemoryAllowance
from iscore.feeds.parsing.parse import parse

try:
    import resource
except ImportError:  # a system without limits: the parent's clock is what remains
    resource = None  # type: ignore[assignment]


def main() -> None:
    """Serve jobs, each of which says how much processor time it may take. The argument: bytes of memory for each."""
    memory = int(sys.argv[1])
    # Ctrl-C on the terminal reaches the whole group, but it is for the parent to end its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library might print must not get between the frames
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allowance = MemoryAllowance(memory)
    last = False
    while not last and (prefix := source.read(protocol.PREFIX.size)):
        answer, last = _answer(source, prefix, allowance)
        sink.write(answer)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sink.flush()


def _answer(source: BinaryIO, prefix: bytes, allowance: MemoryAllowance) -> tuple[bytes, bool]:
    """Do one job. Also says whether it was the last: who has little memory left must not meet another document."""
    header_length, rest_length = protocol.lengths(prefix)
    header = json.loads(source.read(header_length))
    rest = source.read(rest_length)
    # Without a handler the signal ends the process, even inside of C code.
    signal.setitimer(signal.ITIMER_PROF, header["seconds"])
    match header.get("task"):
        case "page":
            to_frame = _page(header, rest, allowance)
        case "links":
            from iscore.feeds.parsing.page_links import feed_links

            to_frame = partial(protocol.links_to_frame, feed_links(protocol.links_job_from(header, rest)))
        case "robots":
            from iscore.feeds.parsing.robots_rules import permission

            to_frame = partial(protocol.permission_to_frame, permission(protocol.robots_job_from(header, rest)))
        case _:
            to_frame = _feed(header, rest)
    last = allowance.is_worn()
    return to_frame(last=last), last


def _feed(header: protocol.Header, rest: bytes) -> Callable[..., bytes]:
    try:
        return partial(protocol.feed_to_frame, parse(protocol.job_from(header, rest)))
    except NotAFeedError as error:
        return partial(_refusal, "not_a_feed", str(error))


def _page(header: protocol.Header, rest: bytes, allowance: MemoryAllowance) -> Callable[..., bytes]:
    from iscore.feeds.parsing.page_text import load, page_text

    with allowance.lifted():
        load()
    try:
        return partial(_text, page_text(protocol.page_job_from(header, rest)).encode())
    except NoTextError as error:
        return partial(_refusal, "no_text", str(error))


def _text(text: bytes, *, last: bool) -> bytes:
    return protocol.frame({"last": last}, text)


def _refusal(name: str, reason: str, *, last: bool) -> bytes:
    return protocol.frame({name: reason, "last": last})


if __name__ == "__main__":
    main()
