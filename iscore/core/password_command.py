"""Passwords that a command of the user prints, such as that of a password manager."""

from __future__ import annotations

import shlex
import subprocess

from iscore.core.errors import IscoreError

TIMEOUT = 60.0
"""Seconds; the command may ask the user to unlock something."""


class PasswordCommandError(IscoreError):
    """A command printed no password. The message says why, without a subject."""


def printed_password(command: str) -> str:
    """Return the first line that a command prints. It runs without a shell. Raises ``PasswordCommandError``.

    >>> printed_password("echo secret")
    'secret'
    """
    try:
        done = subprocess.run(  # noqa: S603 -- the user's own command, without a shell
            shlex.split(command), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
    except (OSError, ValueError, IndexError) as error:
        raise PasswordCommandError(f"cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise PasswordCommandError(f"took more than {TIMEOUT:.0f} s") from error
    if done.returncode != 0:
        output = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
        raise PasswordCommandError(f"failed with exit code {done.returncode}{f' ({output})' if output else ''}")
    first = done.stdout.decode("utf-8", "replace").partition("\n")[0].strip("\r")
    if not first:
        raise PasswordCommandError("printed nothing")
    return first
