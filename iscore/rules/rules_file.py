"""``rules.yaml``: how it is written, reading it, and editing it without touching another line of it.

# Comments and order are the person's, and stay.
rules:
  - action: never              # or always, or boost
    word: celebrity            # or phrase, source, author, category, tag, regex
    in: title                  # optional, as everything below: title, or everywhere
    until: 2026-12-24          # the last day on which it is in force
    note: enough of this
  - action: boost
    by: strongly               # slightly, clearly, strongly; with `down` to lower; or log-odds, as +0.5
    source: LWN.net
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ruamel.yaml.nodes import MappingNode, Node

from iscore.core.yaml_list import parsing
from iscore.core.yaml_list.editing import replace, with_items, without_items, word
from iscore.core.yaml_list.parsing import Form, ListFile
from iscore.core.yaml_list.values import given, keyed, text, text_if_given
from iscore.rules.boosts import boost_yaml, read_boost
from iscore.rules.errors import RuleError, RulesError, UnknownRuleError
from iscore.rules.rule import Field, Rule, make_rule
from storage.records import Action

_KEYS = ("action", "by", *Field, "in", "until", "note")
_FORM = Form("rules", RulesError, "one rule in each item", "rule")
_BEGINNING = "# My own rules: what iScore always shows, never shows, or boosts. The guide tells how they are written.\n"


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A file that was read and found to be in order."""

    list: ListFile
    rules: tuple[Rule, ...]
    """One for each item of the list, in its order."""


def read(path: Path) -> RulesFile:
    """The file at ``path``; without one there are no rules.

    Raises ``RulesError`` with file and line for whatever is not as described above, and for a rule given twice.
    """
    if not path.exists():
        return parse(_BEGINNING, path)
    return _understood(parsing.read(path, _FORM))


def parse(content: str, path: Path) -> RulesFile:
    """Read the text of a file; ``path`` is for messages. Raises ``RulesError``."""
    return _understood(parsing.parse(content, path, _FORM))


def add(path: Path, rule: Rule) -> int:
    """Append a rule, and take out one that says the same but for how much, how long and why.

    Returns its number. Raises ``RulesError`` when the file is not in order.
    """
    before = read(path)
    if rule in before.rules:
        return before.rules.index(rule) + 1
    same = [place for place, each in enumerate(before.rules) if each.identity == rule.identity]
    left = [each for place, each in enumerate(before.rules) if place not in same]
    if same:
        before = parse(without_items(before.list, same), path)
    _replace(before, with_items(before.list, [_keys(rule)]), [*left, rule])
    return len(left) + 1


def add_all(path: Path, rules: Sequence[Rule]) -> list[Rule]:
    """Append rules, and return those that were not there before, whatever their end. Raises ``RulesError``."""
    before = read(path)
    known = {rule.identity for rule in before.rules}
    new = list({rule.identity: rule for rule in rules if rule.identity not in known}.values())
    if new:
        _replace(before, with_items(before.list, [_keys(rule) for rule in new]), [*before.rules, *new])
    return new


def remove(path: Path, number: int) -> Rule:
    """Take a rule out by its number, from 1, and return it.

    Raises ``RulesError`` when the file is not in order, ``UnknownRuleError``.
    """
    before = read(path)
    if not 1 <= number <= len(before.rules):
        raise UnknownRuleError(number, len(before.rules))
    left = [rule for place, rule in enumerate(before.rules, start=1) if place != number]
    _replace(before, without_items(before.list, [number - 1]), left)
    return before.rules[number - 1]


def _replace(before: RulesFile, content: str, expected: Sequence[Rule]) -> None:
    """Put the new text in the file's place at once, if it reads as what was meant."""
    path = before.list.path
    if list(parse(content, path).rules) != list(expected):
        raise RulesError(path, "is written in a way that cannot be edited safely; edit it by hand")
    replace(path, content, before.list)


def _understood(file: ListFile) -> RulesFile:
    rules: list[Rule] = []
    lines: dict[str, int] = {}
    for item in file.items:
        rule = _rule(file, item.node)
        line = lines.setdefault(rule.identity, item.first_line)
        if line != item.first_line:
            raise file.wrong(item.node, f"this rule stands already in line {line + 1}")
        rules.append(rule)
    return RulesFile(file, tuple(rules))


def _rule(file: ListFile, item: Node) -> Rule:
    if not isinstance(item, MappingNode):
        raise file.wrong(item, "this is no rule; write `action: never`, and below it `word: …`")
    values = keyed(file, item, _KEYS)
    if given(values, "action") is None:
        raise file.wrong(item, f"this rule has no `action:`; there are {', '.join(Action)}")
    fields = [field for field in Field if given(values, field) is not None]
    if len(fields) != 1:
        wrong = "looks at nothing" if not fields else f"looks at {' and '.join(fields)} at once"
        raise file.wrong(item, f"this rule {wrong}; each looks at one of {', '.join(Field)}")
    (field,) = fields
    boost = _boost(file, given(values, "by"))
    in_title, until = _in_title(file, given(values, "in")), _until(file, given(values, "until"))
    action, looked_for = (text_if_given(file, values, key) for key in ("action", field))
    note = text_if_given(file, values, "note")
    try:
        return make_rule(action, field, looked_for, boost=boost, in_title=in_title, until=until, note=note)
    except RuleError as error:
        place = "action" if action not in list(Action) else "by" if boost and action != Action.BOOST else field
        raise file.wrong(values[place], str(error)) from error


def _boost(file: ListFile, node: Node | None) -> float | None:
    if node is None:
        return None
    try:
        return read_boost(text(file, node, "`by`"))
    except RuleError as error:
        raise file.wrong(node, str(error)) from error


def _in_title(file: ListFile, node: Node | None) -> bool:
    where = "everywhere" if node is None else text(file, node, "`in`")
    if node is not None and where not in ("title", "everywhere"):
        raise file.wrong(node, "`in` must be title or everywhere")
    return where == "title"


def _until(file: ListFile, node: Node | None) -> date | None:
    if node is None:
        return None
    try:
        return date.fromisoformat(text(file, node, "`until`"))
    except ValueError as error:
        raise file.wrong(node, "`until` must be a date, as 2026-12-24") from error


def _keys(rule: Rule) -> list[str]:
    """What makes a rule, a line each, without indentation."""
    said = [f"action: {rule.action}"]
    if rule.action is Action.BOOST:
        said.append(f"by: {boost_yaml(rule.boost)}")
    said.append(f"{rule.field}: {word(rule.text)}")
    if rule.in_title:
        said.append("in: title")
    if rule.until is not None:
        said.append(f"until: {rule.until.isoformat()}")
    if rule.note:
        said.append(f"note: {word(rule.note)}")
    return said
