"""The pages of rules: what a form asks for, and what a rule does. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from iscore.core.errors import RuleError
from iscore.core.translation import gettext, gettext_noop, ngettext
from iscore.presentation.wording.story import title_line
from iscore.rules.boosts import boost_words
from iscore.rules.rule import IN_TEXT, Field
from iscore.rules.wording import rule_text
from iscore.services.views.rules import RemovedFeed, RemovedRule, RuleTrial, RuleView
from storage.records.rules import Action

DOES = (
    (Action.NEVER.value, gettext_noop("Never show")),
    (Action.ALWAYS.value, gettext_noop("Always show")),
    ("slightly down", gettext_noop("Show less, slightly")),
    ("clearly down", gettext_noop("Show less, clearly")),
    ("strongly down", gettext_noop("Show less, strongly")),
    ("slightly", gettext_noop("Show more, slightly")),
    ("clearly", gettext_noop("Show more, clearly")),
    ("strongly", gettext_noop("Show more, strongly")),
)
"""What a rule does, as the form has it: its value, and its words as a message."""
LOOKS_AT = (
    (Field.WORD.value, gettext_noop("the word")),
    (Field.PHRASE.value, gettext_noop("the words in a row")),
    (Field.SOURCE.value, gettext_noop("the source")),
    (Field.AUTHOR.value, gettext_noop("the author")),
    (Field.CATEGORY.value, gettext_noop("the category")),
    (Field.TAG.value, gettext_noop("the folder")),
    (Field.REGEX.value, gettext_noop("the regular expression")),
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
            raise RuleError(gettext("write the last day like 2026-12-24")) from None


def does(form: RuleForm) -> tuple[tuple[str, str], ...]:
    """Return the choices of what a rule does; one with a size of its own stays a choice."""
    found = [(value, gettext(words)) for value, words in DOES]
    if form.does and form.does not in [value for value, _ in DOES]:
        found.append((form.does, gettext("Change the score by %(number)s", number=form.does)))
    return tuple(found)


def looks_at() -> tuple[tuple[str, str], ...]:
    """Return the choices of what a rule looks at."""
    return tuple((value, gettext(words)) for value, words in LOOKS_AT)


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
    words = gettext(
        "Of %(stories)s without a verdict that arrived in the last %(days)s it matches %(number)s: it %(effect)s.",
        stories=ngettext("%(count)s story", "%(count)s stories", trial.stories),
        days=ngettext("%(count)s day", "%(count)s days", trial.days),
        number=trial.touched,
        effect=_effect(trial),
    )
    matched = tuple((each.id, title_line(each.title), each.source) for each in trial.items)
    return Preview(words, matched, trial.touched - len(matched))


def _effect(trial: RuleTrial) -> str:
    numbers = {"hidden": trial.hidden, "shown": trial.shown}
    if trial.hidden and trial.shown:
        return gettext("hides %(hidden)s and newly shows %(shown)s", **numbers)
    if trial.hidden:
        return gettext("hides %(hidden)s", **numbers)
    return gettext("newly shows %(shown)s", **numbers) if trial.shown else gettext("changes no list")


def removed(view: RemovedFeed | RemovedRule | None) -> str:
    """Say which rule was removed; empty if it was none, or cannot be brought back any more."""
    if not isinstance(view, RemovedRule):
        return ""
    return gettext("Removed the rule “%(rule)s”.", rule=words(view))


def words(rule: RuleView | RemovedRule) -> str:
    """Return all that a rule does."""
    return rule_text(rule.action, rule.field, rule.text, rule.boost, in_title=rule.in_title)


def state(rule: RuleView) -> str:
    """Return what else is to say about a rule; empty if nothing is."""
    if rule.problem:
        return gettext("Switched off: %(problem)s", problem=rule.problem)
    if rule.until is not None:
        day = rule.until.isoformat()
        return gettext("until %(day)s", day=day) if rule.in_force else gettext("expired on %(day)s", day=day)
    return ""
