"""Compiles regular expressions in a process of its own, within limits on memory and time: see ``expression``.

Run as a program. It reads a JSON list of expressions, and writes a line of JSON for each: a result of ``compiled``.
A hostile expression may end the process; then the lines of this and later expressions are missing.
"""

from __future__ import annotations

import json
import signal
import sys
from contextlib import suppress
from pathlib import Path

import regex

MEMORY = 64_000_000
"""Bytes of address space for compiling, above what the process has at its start."""
SECONDS = 1.0
"""Of processor time for one expression."""


def compiled(text: str) -> dict[str, object]:
    """Compile an expression, ignoring case.

    Returns ``size``, the bytes of the compiled expression, and ``everything``, whether it matches an empty text; or
    ``problem`` and ``at``, the place of the mistake or None; or ``complicated`` if memory or time do not suffice.
    """
    try:
        pattern = regex.compile(text, regex.IGNORECASE)
        return {"size": pattern.__sizeof__(), "everything": pattern.search("", timeout=SECONDS) is not None}
    except regex.error as error:
        return {"problem": error.msg, "at": error.pos}
    except (RecursionError, MemoryError, OverflowError, TimeoutError):
        return {"complicated": True}


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # other systems than Linux tell or limit it in other ways
        import resource

        used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or used + MEMORY < hard:
            resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Compile the expressions of standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends this process
    expressions = json.load(sys.stdin)
    _limit_memory()
    for text in expressions:
        # Without a handler the signal ends the process, even inside of C code.
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        print(json.dumps(compiled(text)), flush=True)


if __name__ == "__main__":
    main()
