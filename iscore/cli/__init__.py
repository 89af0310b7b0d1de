"""The command line. ``main`` turns errors into one line and an exit code.

    arguments ─► app ─► command ─► NewsFilter ─► view ─► text (terminal) or JSON (as_json)

Commands hold no logic. This package imports nothing heavy before a command needs it.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from io import TextIOWrapper
from typing import Protocol, runtime_checkable

from iscore.core import garbage_collection
from iscore.core.file_access import private

SUCCESS, FAILURE, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

ONE_BLAS_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
"""For the environment, before numpy is loaded. On a busy machine threads of BLAS wait for each other, actively, up to
500 times as long as one takes alone; and the bits of a sum depend on how many there are."""

GLOBAL_OPTIONS = ("--home", "--user", "--database")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 success, 1 failure, 2 wrong usage, 130 interrupted.

    ``arguments`` come after the program's name; None means those of the process. Tracebacks are shown only with
    ``ISCORE_DEBUG=1``.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a narrow encoding must not fail a command
    if arguments is None:
        garbage_collection.set_thresholds(garbage_collection.COMMAND)
        # At its end Python looks for garbage among all objects, those of numba included: a fifth of `iscore why`.
        atexit.register(gc.freeze)
        os.environ.update(ONE_BLAS_THREAD)  # the processes that a command starts inherit it
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # it would look for some in every installed package
    try:
        with private():
            code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        from iscore.cli.terminal.output import message

        message("iscore: interrupted; everything recorded so far is kept")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe. Without this the interpreter would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except Exception as error:  # noqa: BLE001, RUF100 -- the boundary
        return _report(error)
    return code


def _run(arguments: Sequence[str]) -> int:
    options, rest = global_options_apart(help_option_last(arguments))
    program = _program(rest[0] if rest else "")
    from typer import Abort  # Ctrl-C, or the end of the input, at a question

    try:
        code = program(args=options + rest, prog_name="iscore", standalone_mode=False)
    except Abort:
        if sys.stdin is not None and not sys.stdin.isatty():
            from iscore.cli.terminal.output import message

            message("iscore: standard input ended before an answer")
            return FAILURE
        raise KeyboardInterrupt from None
    if code == INTERRUPTED:  # typer's answer to Ctrl-C
        raise KeyboardInterrupt
    return code if isinstance(code, int) else SUCCESS


@cache
def _program(name: str) -> Callable[..., object]:
    """Build the command of that name with its options; all commands if there is none, for help and errors."""
    from typer.main import get_command

    from iscore.cli.app import app, with_only  # not needed to import ``main``

    return get_command(with_only(app, name))


def help_option_last(arguments: Sequence[str]) -> list[str]:
    """Turn ``help COMMAND`` into ``COMMAND --help``."""
    return [*arguments[1:], "--help"] if arguments[:1] == ["help"] else list(arguments)


def global_options_apart(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the global ``--home DIR``, ``--user NAME`` and others (or ``--home=DIR``), and all other arguments."""
    given: dict[str, list[str]] = {}
    rest: list[str] = []
    remaining = list(arguments)
    while remaining:
        argument = remaining.pop(0)
        if argument == "--":
            rest += [argument, *remaining]
            break
        name = argument.partition("=")[0]
        if name not in GLOBAL_OPTIONS:
            rest.append(argument)
        elif argument != name:
            given[name] = [argument]
        elif not remaining:
            return [argument], []  # typer reports the missing value
        else:
            given[name] = [argument, remaining.pop(0)]
    return [word for words in given.values() for word in words], rest


@runtime_checkable
class _UsageError(Protocol):
    """A wrong option or a missing argument, raised by typer."""

    exit_code: int

    def format_message(self) -> str: ...


def _report(error: Exception) -> int:
    from iscore.cli.terminal.output import message
    from iscore.core.errors import FULL, IscoreError, os_problem
    from storage.engine.errors import StorageError

    if os.environ.get("ISCORE_DEBUG") == "1":
        traceback.print_exception(error)
    if isinstance(error, _UsageError):
        from iscore.cli.usage import plain

        command = getattr(getattr(error, "ctx", None), "command_path", "iscore")
        message(f"iscore: {plain(error.format_message())} (see `{command} --help`)")
        return error.exit_code
    if isinstance(error, IscoreError | StorageError):
        message(f"iscore: {error}")
    elif isinstance(error, OSError) and (error.filename is not None or error.errno in FULL):
        where = "" if error.filename is None else f"{os.fspath(error.filename)}: "
        message(f"iscore: {where}{os_problem(error)}")
    else:
        message(
            f"iscore: unexpected {type(error).__name__}: {error} -- please report this; "
            "ISCORE_DEBUG=1 shows a traceback"
        )
    return FAILURE
