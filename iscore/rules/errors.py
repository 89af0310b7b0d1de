"""What can be wrong with a rule. Each message is one line."""

from __future__ import annotations

from iscore.core.errors import IscoreError, ListFileError


class RuleError(IscoreError):
    """A rule that cannot be: of an unknown kind, without a text, or with an expression that cannot be used."""


class RulesError(ListFileError):
    """``rules.yaml`` cannot be read, or has an invalid rule."""


class UnknownRuleError(IscoreError):
    """No rule has this number."""

    def __init__(self, number: int, rules: int) -> None:
        has = f"there are rules 1 to {rules}" if rules else "there are no rules"
        super().__init__(f"no rule has the number {number}; {has} (`iscore rules list`)")
        self.number = number
