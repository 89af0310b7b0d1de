"""Compiles in a child process what scoring needs, once per version: a command starts it, and a later one waits for it.

``python -m iscore.services.compilation`` is the child. It takes a lock, so a second one waits for the first and finds
nothing left to do. A file beside the compiled code says for which version it was made, and how far it is. Compiled code
is cached for the user who runs it.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from iscore.core.timings import Progress

WHAT = "compiling, once per version"
TO_INGEST = 1
"""The first stages, with what a user needs who has given no verdict yet: articles arrive and are listed."""
_INTERVAL = 0.1
"""Seconds between two looks at the child."""


def pending() -> bool:
    """Whether there is something to compile that can be kept."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    done, total = state()
    return done < total and os.access(_folder(), os.W_OK)


def start() -> subprocess.Popen[bytes]:
    """Start the child. It goes on when this process ends."""
    return subprocess.Popen(
        [sys.executable, "-m", "iscore.services.compilation"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait(child: subprocess.Popen[bytes], progress: Progress, stages: int | None = None) -> None:
    """Wait until the first ``stages`` are done, or for the child's end.

    If it fails, kernels are compiled when they are called.
    """
    while child.poll() is None:
        done, total = state()
        if stages is not None and done >= stages:
            return
        progress(done, min(total, stages or total), WHAT)
        time.sleep(_INTERVAL)


def state() -> tuple[int, int]:
    """Return how many stages are done for this version, and how many there are."""
    with suppress(OSError, ValueError):
        version, done, total = _record().read_text("ascii").split()
        if version == _version():
            return int(done), int(total)
    return 0, 1


def save(done: int, total: int) -> None:
    """Save what ``state`` returns."""
    unfinished = _record().with_suffix(".new")
    unfinished.write_text(f"{_version()} {done} {total}\n", "ascii")
    unfinished.replace(_record())


def lock_path() -> Path:
    """Return the file to lock while compiling."""
    return _record().with_suffix(".lock")


def _record() -> Path:
    return _folder() / "iscore-kernels.txt"


def _folder() -> Path:
    """Return where numba keeps compiled code: ``NUMBA_CACHE_DIR``, else the installation, else the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    installed = _package("extractors")
    if chosen:
        folder = Path(chosen)
    elif os.access(installed, os.W_OK):
        folder = installed / "__pycache__"
    else:
        import platformdirs

        folder = platformdirs.user_cache_path("iscore", appauthor=False)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def _version() -> str:
    """Return a digest of the sources of everything that is compiled, and of the compiler, as this process found them.

    It takes 10 ms, and a waiting process asks ten times a second.
    """
    sources = [path for name in ("extractors", "iscore") for path in _package(name).rglob("*.py")]
    found = [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sorted(sources)]
    numba = find_spec("numba")
    if numba is not None and numba.origin is not None:
        found.append(f"{numba.origin} {Path(numba.origin).stat().st_mtime_ns}")
    return sha256("\n".join(found).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _package(name: str) -> Path:
    """Return the folder of a package without importing it: every command on a terminal asks, and few need numba."""
    spec = find_spec(name)
    assert spec is not None  # noqa: S101 -- it is part of the distribution
    assert spec.submodule_search_locations is not None  # noqa: S101 -- likewise
    return Path(spec.submodule_search_locations[0])


def main() -> None:
    """Compile, if no other process has done so. Until it is this one's turn, it loads next to nothing."""
    from filelock import FileLock

    gc.disable()  # the compiler makes few cycles, and looking for them takes a sixth of its time
    with FileLock(lock_path()):
        if pending():
            from iscore.services.compile_kernels import compile_kernels

            compile_kernels(save)
    gc.freeze()  # nor need Python look for garbage at its end


if __name__ == "__main__":
    main()
