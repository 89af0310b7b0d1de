"""The command line. ``main`` is its only boundary: here errors become one line and an exit code.

    arguments ─► app ─► one command ─► NewsFilter ─► a view ─► for people (terminal) or programs (as_json)

Commands hold no logic. This package imports nothing heavy before a command needs it.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from io import TextIOWrapper
from typing import Protocol, runtime_checkable

from iscore.core.file_permissions import private

SUCCESS, FAILURE, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

COLLECTION = (100_000, 50, 50)
"""When Python's collector looks for cycles. A command lives for seconds and holds thousands of articles at a time,
which are no garbage: with Python's own (700, 10, 10) a tenth of a poll's processor time goes into looking."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 success, 1 failure, 2 wrong usage, 130 interrupted.

    ``arguments`` are those after the program's name; None takes the process's own. Nobody sees a traceback
    unless ``ISCORE_DEBUG=1`` asks for it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a narrow encoding must not fail a command
    if arguments is None:
        gc.set_threshold(*COLLECTION)
    try:
        with private():
            code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone. Without this the interpreter would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except Exception as error:  # noqa: BLE001, RUF100 -- the boundary: what gets here would be a traceback
        return _explain(error)
    return code


def _run(arguments: Sequence[str]) -> int:
    code = _program()(args=with_home_first(arguments), prog_name="iscore", standalone_mode=False)
    return code if isinstance(code, int) else SUCCESS


@cache
def _program() -> Callable[..., object]:
    """Return the commands with their options, which take a twentieth of a second to make."""
    from typer.main import get_command

    from iscore.cli.app import app  # so that tests and tools can import the boundary alone

    return get_command(app)


def with_home_first(arguments: Sequence[str]) -> list[str]:
    """Let the global ``--home DIR`` (or ``--home=DIR``) also stand after the command."""
    home: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            rest += [argument, *waiting]
            break
        if argument == "--home":
            if not waiting:
                return [argument]  # typer says what is missing
            home = [argument, waiting.pop(0)]
        elif argument.startswith("--home="):
            home = [argument]
        else:
            rest.append(argument)
    return home + rest


@runtime_checkable
class _UsageProblem(Protocol):
    """What typer raises for a wrong option or a missing argument."""

    exit_code: int

    def format_message(self) -> str: ...


def _explain(error: Exception) -> int:
    from iscore.cli.terminal.output import tell
    from iscore.core.errors import IscoreError
    from storage.errors import StorageError

    if os.environ.get("ISCORE_DEBUG") == "1":
        traceback.print_exception(error)
    if isinstance(error, _UsageProblem):
        place = getattr(getattr(error, "ctx", None), "command_path", "iscore")
        tell(f"iscore: {error.format_message().rstrip('.')} (`{place} --help` tells more)")
        return error.exit_code
    if isinstance(error, IscoreError | StorageError):
        tell(f"iscore: {error}")
    elif isinstance(error, OSError) and error.filename is not None:
        tell(f"iscore: {os.fspath(error.filename)}: {error.strerror}")
    else:
        tell(
            f"iscore: unexpected {type(error).__name__}: {error} -- please report this; "
            "ISCORE_DEBUG=1 shows where it happened"
        )
    return FAILURE
