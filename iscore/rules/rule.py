"""One rule: what it looks for, where, and what follows."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from iscore.core.errors import RuleError
from iscore.core.translation import gettext, gettext_noop
from iscore.rules.boosts import DEFAULT_BOOST, boost_words, checked_boost
from iscore.rules.expression import Expression
from storage.records.rules import Action
from storage.stream.folding import folded, joins

LONGEST = 300
"""Characters of what a rule looks for, and of its note."""


class Field(StrEnum):
    """What a rule looks at."""

    WORD = "word"
    """In title and text."""
    PHRASE = "phrase"
    """Words in a row, in title and text."""
    SOURCE = "source"
    """A feed by its whole name, or by its site."""
    AUTHOR = "author"
    """Words of the author's name."""
    CATEGORY = "category"
    """One that the publisher gave, whole."""
    TAG = "tag"
    """One of the user's on a feed, whole."""
    REGEX = "regex"
    """A regular expression, in title and text."""


IN_TEXT = (Field.WORD, Field.PHRASE, Field.REGEX)
"""These look at title and text, or at the title alone."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One of the user's rules."""

    action: Action
    field: Field
    text: str
    boost: float = 0.0
    """Log-odds; 0 unless the action is ``boost``."""
    in_title: bool = False
    until: date | None = None
    """The last day on which it is in force; None: for ever."""
    note: str = ""

    @property
    def identity(self) -> str:
        """Equal for rules that differ only in boost, expiry and note; rules with and without accents are two rules."""
        text = self.text if self.field is Field.REGEX else unicodedata.normalize("NFKC", self.text).casefold()
        return "\n".join((self.action, self.field, "title" if self.in_title else "", text))

    def in_force(self, today: date) -> bool:
        """Whether it has not expired."""
        return self.until is None or today <= self.until

    @property
    def target(self) -> str:
        """What it looks for, in words."""
        where = " in the title" if self.in_title else ""
        return f"{self.field} “{self.text}”{where}"

    @property
    def words(self) -> str:
        """All that it does, in words."""
        much = f" {boost_words(self.boost)}" if self.action is Action.BOOST else ""
        return f"{self.action}{much}: {self.target}"

    @property
    def part(self) -> str:
        """The rule in a rule outcome, in words."""
        return f"{self.target} ({boost_words(self.boost)})" if self.action is Action.BOOST else self.target


def make_rule(
    action: str,
    field: str,
    text: str,
    *,
    boost: float | None = None,
    in_title: bool = False,
    until: date | None = None,
    note: str = "",
) -> Rule:
    """Make a rule that is in order. Raises ``RuleError`` with one line on what is wrong."""
    if action not in list(Action):
        raise RuleError(f"{action!r} is not an action; use {', '.join(Action)}")
    if field not in list(Field):
        raise RuleError(f"a rule cannot match {field!r}; use {', '.join(Field)}")
    does = Action(action)
    if boost is not None and does is not Action.BOOST:
        raise RuleError(f"only `boost` takes a size; `{action}` ignores the score")
    text = text.strip() if field == Field.REGEX else " ".join(text.split())
    rule = Rule(does, Field(field), text, 0.0, in_title, until, " ".join(note.split()))
    _check(rule)
    return (
        replace(rule, boost=checked_boost(DEFAULT_BOOST if boost is None else boost)) if does is Action.BOOST else rule
    )


def _check(rule: Rule) -> None:
    for name, value in ((str(rule.field), rule.text), (gettext_noop("note"), rule.note)):
        if len(value) > LONGEST:
            raise RuleError(
                gettext("this %(field)s is longer than %(number)s characters", field=gettext(name), number=LONGEST)
            )
        if not value.isprintable():
            raise RuleError(
                gettext(
                    "this %(field)s has invisible characters, %(text)s", field=gettext(name), text=ascii(value[:40])
                )
            )
    if rule.in_title and rule.field not in IN_TEXT:
        fields = ", ".join(gettext(each) for each in IN_TEXT)
        raise RuleError(
            gettext("a %(field)s is not looked for in titles; %(fields)s are", field=gettext(rule.field), fields=fields)
        )
    if rule.field is Field.REGEX:
        Expression(rule.text)
        return
    looked_for = folded(rule.text).removesuffix("*")
    if not any(joins(character) or character.isalnum() for character in looked_for):
        raise RuleError(gettext("this %(field)s has neither letters nor digits", field=gettext(rule.field)))
    if rule.text.endswith("*") and len(looked_for) < 2:
        raise RuleError(
            gettext(
                "%(text)s would match nearly everything; write two letters or more before the star",
                text=repr(rule.text),
            )
        )
