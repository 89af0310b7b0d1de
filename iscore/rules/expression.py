"""A regular expression of the user's, looked for during a limited time only.

Some expressions take for ever on some texts. The texts come from strangers, and the standard library's ``re`` cannot be
stopped; ``regex`` can, by a time-out that it keeps itself.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from iscore.core.translation import gettext, grouped
from iscore.rules.errors import RuleError

if TYPE_CHECKING:
    import regex

MOST_REPEATS = 10_000
"""Largest product of all counts in ``{…}``: an expression is compiled once for each repetition."""
_COUNTS = re.compile(r"\{(\d*),?(\d*)\}")


class Expression:
    """One regular expression, ignoring case. Raises ``RuleError`` for an invalid one, and for one that matches every
    article.
    """

    def __init__(self, text: str) -> None:
        import regex

        if not text:
            raise RuleError(gettext("this expression is empty"))
        counts = [max(int(n[:9] or 0) for n in found) for found in _COUNTS.findall(text)]
        if math.prod(max(count, 1) for count in counts) > MOST_REPEATS:
            raise RuleError(
                gettext(
                    "this expression repeats more than %(number)s times; write + or * instead of a count",
                    number=grouped(MOST_REPEATS),
                )
            )
        try:
            self._compiled: regex.Pattern[str] = regex.compile(text, regex.IGNORECASE)
            everything = self.found("", seconds=1.0)
        except regex.error as error:
            if error.pos is None:
                raise RuleError(gettext("not a valid regular expression: %(problem)s", problem=error.msg)) from error
            raise RuleError(
                gettext(
                    "not a valid regular expression: %(problem)s, at character %(number)s",
                    problem=error.msg,
                    number=error.pos + 1,
                )
            ) from error
        except (RecursionError, MemoryError, OverflowError, TimeoutError) as error:
            raise RuleError(gettext("this expression is too complicated")) from error
        if everything:
            raise RuleError(gettext("this expression matches every article, since it matches an empty text"))

    def found(self, text: str, *, seconds: float) -> bool:
        """Whether it matches anywhere in the text. Raises ``TimeoutError`` after so much processor time."""
        return self._compiled.search(text, timeout=seconds) is not None
