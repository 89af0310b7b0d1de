"""Fuzzing, guided by coverage: all that ``tests/hostile/fuzz`` claims, tried for as long as one likes.

    python -m benchmarks.fuzzing [--seconds 60] [--only feeds opml …]

The tests try the same claims on a few hundred inputs, always the same. Here atheris keeps the inputs that reach new
code and goes on from them. Each target has a process of its own and works until its time is up: a fault is counted and
told, and ends nothing; a crash or an input that takes 30 seconds ends its target, and counts as a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import results

LONGEST = 20_000
"""Bytes of an input."""
PATIENCE = 30
"""Seconds that one input may take."""
INSTRUMENTED = ["iscore", "storage", "feedparser", "ruamel", "email"]
"""Packages whose code counts as covered; others are libraries that are not doubted here, or compiled."""
SHARES = {"feeds": 2, "cutting": 4}
"""Of time, where one is not enough: these inputs are the largest and strangest, and feedparser takes its time."""
_TOLD = "fuzzed: "


def main() -> int:
    """Fuzz every target in a process of its own and write the table; return 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description="Fuzzing guided by coverage")
    parser.add_argument("--seconds", type=float, default=60, help="for each target, some take several")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--target", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.target:
        return fuzz(options.target, options.seconds)
    from tests.hostile.fuzz.targets import TARGETS

    found = [_run(name, options.seconds) for name in TARGETS if not options.only or name in options.only]
    rows = [[*(each[column] for column in _COLUMNS)] for each in found]
    inputs = sum(each["inputs"] for each in found)
    faults = [fault for each in found for fault in each["faults told"]]
    results.write(
        "fuzzing",
        f"{inputs:,} inputs tried by fuzzing",
        list(_COLUMNS),
        rows,
        notes=(
            f"atheris {_version()}, {options.seconds:g} s for each target, more for the first two. *Accepted*: not "
            "refused by an error in words; of cutting, documents that could be cut. *Branches*: of Python reached. "
            "*Faults*: kinds of exceptions that are not the named ones, and claims that did not hold."
            + ("" if os.environ.get("ISCORE_DATA") else " Without ISCORE_DATA, so no real feeds to start from.")
        ),
    )
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


_COLUMNS = ("target", "inputs", "accepted", "branches", "seconds", "slowest, s", "MB", "faults")


def _run(name: str, seconds: float) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.fuzzing",
        "--target",
        name,
        "--seconds",
        str(seconds * SHARES.get(name, 1)),
    ]
    with tempfile.TemporaryDirectory() as folder:  # of all that a process leaves that ends in the middle of its work
        environment = os.environ | {"TMPDIR": folder}
        done = subprocess.run(command, capture_output=True, check=False, env=environment)
    printed = done.stdout.decode(errors="replace")
    counted = [line for line in printed.splitlines() if line.startswith(_TOLD)]
    covered = re.findall(rb"cov: (\d+)", done.stderr)
    if not counted:
        last = done.stderr.decode(errors="replace")[-2000:]
        counted = [_TOLD + json.dumps(dict.fromkeys(_COLUMNS, 0) | {"faults told": [f"{name}: it ended: {last}"]})]
    found: dict[str, Any] = json.loads(counted[-1].removeprefix(_TOLD))
    found |= {"target": name, "branches": int(covered[-1]) if covered else 0, "faults": len(found["faults told"])}
    print({each: found[each] for each in _COLUMNS}, *found["faults told"], sep="\n", file=sys.stderr, flush=True)
    return found


def fuzz(name: str, seconds: float) -> int:
    """Fuzz one target in this process, which ends with it; say on standard output what was found."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.hostile.fuzz.targets import target
    with ExitStack() as process, tempfile.TemporaryDirectory() as folder:
        fuzzed = target(name, process)
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, start in enumerate(fuzzed.starts):
            (corpus / str(number)).write_bytes(start)
        tally = _Tally(name, time.monotonic() + seconds)

        def change(data: bytes, most: int, seed: int) -> bytes:
            chance = Random(seed)
            if fuzzed.spoil is None or chance.random() < 0.4:
                return bytes(atheris.Mutate(data, most))
            return fuzzed.spoil(data, chance)[:most]

        arguments = [f"-max_len={LONGEST}", f"-timeout={PATIENCE}", "-rss_limit_mb=2000", "-reload=0"]
        atheris.Setup(
            [name, str(corpus), *arguments], lambda data: tally.tried(fuzzed.claim, data), custom_mutator=change
        )
        atheris.Fuzz()
    return 0


class _Tally:
    """What was tried and found. When time is up it says so and ends the process, which atheris would go on with."""

    def __init__(self, name: str, end: float) -> None:
        self._name = name
        self._began = time.monotonic()
        self._end = end
        self._inputs = self._accepted = 0
        self._slowest = 0.0
        self._faults: dict[str, str] = {}

    def tried(self, claim: Any, data: bytes) -> None:
        """Try an input."""
        began = time.monotonic()
        try:
            self._accepted += bool(claim(data))
        except Exception as error:
            places = [f"{Path(at.filename).name}: {at.line}" for at in traceback.extract_tb(error.__traceback__)]
            kind = f"{type(error).__name__} at {places[-1]}, from {places[-2]}"
            self._faults.setdefault(kind, f"{self._name}: {kind}: {error!s:.300}: {data[:1000]!r}")
        now = time.monotonic()
        self._inputs += 1
        self._slowest = max(self._slowest, now - began)
        if now > self._end:
            self._report()

    def _report(self) -> None:
        result = {
            "inputs": self._inputs,
            "accepted": self._accepted,
            "seconds": round(time.monotonic() - self._began),
            "slowest, s": round(self._slowest, 2),
            "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "faults told": list(self._faults.values()),
        }
        print(_TOLD + json.dumps(result), flush=True)
        os._exit(0)


def _version() -> str:
    from importlib import metadata

    return metadata.version("atheris")


if __name__ == "__main__":
    sys.exit(main())
