"""The process that extractors of other packages are forked from: ``python -m iscore.plugins.host``.

It has loaded what all of them need, runs nobody's code itself, and ends with iScore, its children with it.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
import warnings
from contextlib import suppress

from iscore.plugins.servant import serve

MESSAGE = struct.Struct("<BI")
START, END = 1, 2
"""What it is asked: to start a process that serves at the socket that comes along, and to end one, by its number."""


def main() -> None:
    """Serve at the socket whose number is the argument, until the other side is gone."""
    # Ctrl-C on the terminal reaches the whole group, but it is for iScore to end its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what an extractor prints must not get between what a command prints
    children: set[int] = set()
    with socket.socket(fileno=int(sys.argv[1])) as iscore:
        while True:
            message, given, _, _ = socket.recv_fds(iscore, MESSAGE.size, 1)
            if not message:
                break
            # Only who has been waited for may have left their number to somebody else.
            children -= {child for child in children if os.waitpid(child, os.WNOHANG)[0]}
            verb, child = MESSAGE.unpack(message)
            if verb == START:
                children.add(_forked(iscore, given[0]))
                os.close(given[0])
            elif child in children:
                os.kill(child, signal.SIGKILL)
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _forked(iscore: socket.socket, given: int) -> int:
    """Start a process, and tell its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads that numpy may have, which do nothing
        child = os.fork()
    if child:
        iscore.sendall(child.to_bytes(4, "little"))
        return child
    code = 1
    try:
        iscore.close()
        with socket.socket(fileno=given) as channel:
            serve(channel)
        code = 0
    except (OSError, EOFError):
        pass  # nobody is there to be answered
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
