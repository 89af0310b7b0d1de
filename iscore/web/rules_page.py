"""The pages of rules: what a form asks for, and what a rule does. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.story import title_line
from iscore.rules.boosts import WORDS, boost_words
from iscore.rules.errors import RuleError
from iscore.rules.rule import IN_TEXT, Field
from iscore.services.views.rules import RuleTrial, RuleView
from storage.records import Action

DOES = (
    (Action.NEVER.value, "Never show"),
    (Action.ALWAYS.value, "Always show"),
    *((f"{name} down", f"Show less, {name}") for name in WORDS),
    *((name, f"Show more, {name}") for name in WORDS),
)
"""What a rule does, as the form has it: its value and its words."""
LOOKS_AT = (
    (Field.WORD.value, "the word"),
    (Field.PHRASE.value, "the words in a row"),
    (Field.SOURCE.value, "the source"),
    (Field.AUTHOR.value, "the author"),
    (Field.CATEGORY.value, "the category"),
    (Field.TAG.value, "the folder"),
    (Field.REGEX.value, "the regular expression"),
)
"""What a rule looks at, likewise."""


@dataclass(frozen=True, slots=True)
class RuleForm:
    """The fields of the form, as the user filled them in."""

    does: str = Action.NEVER.value
    field: str = Field.WORD.value
    text: str = ""
    in_title: bool = False
    until: str = ""
    """A date like 2026-12-24, or empty."""
    note: str = ""

    @classmethod
    def of(cls, rule: RuleView) -> RuleForm:
        """Return the form of a rule."""
        does = boost_words(rule.boost).removeprefix("by ") if rule.action == Action.BOOST else rule.action
        until = rule.until.isoformat() if rule.until else ""
        return cls(does, rule.field, rule.text, rule.in_title, until, rule.note)

    @classmethod
    def read(cls, values: Mapping[str, str]) -> RuleForm:
        """Return what was sent."""
        does, field, text, until, note = (
            values.get(name, "").strip() for name in ("does", "field", "text", "until", "note")
        )
        return cls(does, field, text, field in list(IN_TEXT) and "in-title" in values, until, note)

    @property
    def action(self) -> str:
        """``always``, ``never`` or ``boost``."""
        return self.does if self.does in (Action.NEVER, Action.ALWAYS) else Action.BOOST.value

    @property
    def last_day(self) -> date | None:
        """The last day on which the rule is active. Raises ``RuleError``."""
        try:
            return date.fromisoformat(self.until) if self.until else None
        except ValueError:
            raise RuleError("write the last day like 2026-12-24") from None


def does(form: RuleForm) -> tuple[tuple[str, str], ...]:
    """Return the choices of what a rule does; one with a size of its own stays a choice."""
    known = form.does in [value for value, _ in DOES]
    return DOES if known or not form.does else (*DOES, (form.does, f"Change the score by {form.does}"))


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule does to the stories of the last days."""

    words: str
    stories: tuple[tuple[str, str, str], ...]
    """Id, title and source of the newest that it matches."""
    more: int
    """How many more there are."""


def preview(trial: RuleTrial) -> Preview:
    """Say what a rule would do, or has done."""
    effects = [
        f"hides {trial.hidden}" if trial.hidden else "",
        f"newly shows {trial.shown}" if trial.shown else "",
    ]
    effect = " and ".join(filter(None, effects)) or "changes no list"
    days = counted(trial.days, "day")
    words = (
        f"Of {counted(trial.stories, 'story', 'stories')} of the last {days} it matches {trial.touched}: it {effect}."
    )
    matched = tuple((each.id, title_line(each.title), each.source) for each in trial.items)
    return Preview(words, matched, trial.touched - len(matched))


def state(rule: RuleView) -> str:
    """Return what else is to say about a rule; empty if nothing is."""
    if rule.problem:
        return f"Switched off: {rule.problem}"
    if rule.until is not None:
        return f"until {rule.until.isoformat()}" if rule.in_force else f"expired on {rule.until.isoformat()}"
    return ""
