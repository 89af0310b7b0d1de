"""Regular expressions of the user's rules: compiled only after a process of its own has shown that this is harmless.

A short expression may need gigabytes when it is compiled, and ``regex`` cannot be stopped meanwhile. So a child process
with limits compiles it first (``expression_compiler``), once for each text in this process. What comes out larger than
``LARGEST`` is refused, since every rule stays in memory.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from iscore.core.errors import RuleError
from iscore.core.translation import gettext

if TYPE_CHECKING:
    import regex

LARGEST = 100_000
"""Bytes of a compiled expression. A long list of words has 10,000; a count of 900 repetitions reaches this."""
_MOST_DEATHS = 3
"""Children that may die of one list of expressions. Then all expressions that are left are refused."""
_SECONDS = 60.0
"""Of the clock for all expressions of a list, on a busy machine."""
_MOST_KNOWN = 10_000
_COMPILER = Path(__file__).with_name("expression_compiler.py")
_VERBOSE = re.compile(r"(?<!\\)\(\?[A-Za-z0-9]*x[A-Za-z0-9]*[-:)]")

_known: dict[str, dict[str, Any]] = {}
_lock = Lock()


class Expression:
    """One regular expression, ignoring case, looked for during a limited time only.

    Some expressions take for ever on some texts. The texts come from strangers, and the standard library's ``re``
    cannot be stopped; ``regex`` can, by a time-out that it keeps itself.

    Raises ``RuleError`` for an invalid one, for one that is too large, and for one that matches every article.
    """

    def __init__(self, text: str) -> None:
        _check(text)
        import regex

        self._compiled: regex.Pattern[str] = regex.compile(text, regex.IGNORECASE)

    def found(self, text: str, *, seconds: float) -> bool:
        """Whether it matches anywhere in the text. Raises ``TimeoutError`` after so much processor time."""
        return self._compiled.search(text, timeout=seconds) is not None


def check_all(texts: Sequence[str]) -> None:
    """Let the child process compile many expressions at once, so that ``Expression`` needs no process for each."""
    if all(text in _known for text in texts):  # the lock may be held while the child compiles what others wrote
        return
    with _lock:
        if len(_known) > _MOST_KNOWN:
            _known.clear()
        unknown = [text for text in dict.fromkeys(texts) if text not in _known]
        if unknown:
            _known.update(zip(unknown, _compiled_apart(unknown), strict=True))


def _check(text: str) -> None:
    if not text:
        raise RuleError(gettext("this expression is empty"))
    if _VERBOSE.search(text):
        raise RuleError(gettext("the flag x of expressions is not supported; write the expression without blanks"))
    check_all([text])
    found = _known.get(text, {"complicated": True})
    if "problem" in found:
        problem, at = found["problem"], found["at"]
        if at is None:
            raise RuleError(gettext("not a valid regular expression: %(problem)s", problem=problem))
        raise RuleError(
            gettext(
                "not a valid regular expression: %(problem)s, at character %(number)s", problem=problem, number=at + 1
            )
        )
    if "complicated" in found:
        raise RuleError(gettext("this expression is too complicated"))
    if found["size"] > LARGEST:
        raise RuleError(gettext("this expression is too large; write + or * instead of a large count"))
    if found["everything"]:
        raise RuleError(gettext("this expression matches every article, since it matches an empty text"))


def _compiled_apart(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return what the child process says of each text."""
    found: list[dict[str, Any]] = []
    for _ in range(_MOST_DEATHS):
        found += _compiled_by_one_child(texts[len(found) :])
        if len(found) == len(texts):
            return found
        found.append({"complicated": True})  # this one ended the process
        if len(found) == len(texts):
            return found
    return found + [{"complicated": True}] * (len(texts) - len(found))


def _compiled_by_one_child(texts: Sequence[str]) -> list[dict[str, Any]]:
    try:
        output = subprocess.run(  # noqa: S603 -- the program is ours, the expressions are its input
            [sys.executable, "-I", str(_COMPILER)],
            input=json.dumps(list(texts)).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
    return [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")][: len(texts)]
