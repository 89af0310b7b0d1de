"""``rules.yaml``: how it is written, reading it, and editing it.

# Comments and order are the user's, and stay.
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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from iscore.core import yaml_list
from iscore.core.documents import Document, again_if_changed, replace
from iscore.core.errors import RuleError, RulesError, UnknownRuleError
from iscore.core.translation import gettext
from iscore.core.yaml_list import ListFile, ListForm, edited, fields, line_of, optional_text, text
from iscore.rules.boosts import boost_yaml, read_boost
from iscore.rules.expression import check_all
from iscore.rules.rule import Field, Rule, make_rule
from storage.records.rules import Action

_KEYS = ("action", "by", *Field, "in", "until", "note")
_FORM = ListForm("rules", RulesError, "one rule in each item", "rule")
_BEGINNING = "# My own rules: what iScore always shows, never shows, or boosts. The guide tells how they are written.\n"


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A file that was read and found to be in order."""

    list: ListFile
    rules: tuple[Rule, ...]
    """One for each item of the list, in its order."""


def read(path: Document) -> RulesFile:
    """Read the file at ``path``; without a file there are no rules.

    Raises ``RulesError`` with file and line for anything invalid, and for a rule given twice.
    """
    if not path.exists():
        return parse(_BEGINNING, path)
    return _understood(yaml_list.read(path, _FORM))


def parse(content: str, path: Document) -> RulesFile:
    """Read the text of a file; ``path`` is for messages. Raises ``RulesError``."""
    return _understood(yaml_list.parse(content, path, _FORM))


def add(path: Document, rule: Rule) -> int:
    """Append a rule, and remove one that differs only in boost, expiry and note.

    Returns its number. Raises ``RulesError`` when the file is invalid.
    """
    return again_if_changed(lambda: _add(path, rule))


def _add(path: Document, rule: Rule) -> int:
    before = read(path)
    if rule in before.rules:
        return before.rules.index(rule) + 1
    same = [position for position, each in enumerate(before.rules) if each.identity == rule.identity]
    left = [each for each in before.rules if each.identity != rule.identity]
    _replace(before, edited(before.list, remove=same, add=[_fields(rule)]), [*left, rule])
    return len(left) + 1


def add_all(path: Document, rules: Sequence[Rule]) -> list[Rule]:
    """Append rules, and return those that were not there before, whatever their expiry. Raises ``RulesError``."""
    return again_if_changed(lambda: _add_all(path, rules))


def _add_all(path: Document, rules: Sequence[Rule]) -> list[Rule]:
    before = read(path)
    known = {rule.identity for rule in before.rules}
    new = list({rule.identity: rule for rule in rules if rule.identity not in known}.values())
    if new:
        _replace(before, edited(before.list, add=[_fields(rule) for rule in new]), [*before.rules, *new])
    return new


def remove(path: Document, number: int) -> Rule:
    """Take a rule out by its number, from 1, and return it.

    Raises ``RulesError`` when the file is not in order, ``UnknownRuleError``.
    """
    return again_if_changed(lambda: _remove(path, number))


def remove_all(path: Document, unwanted: Callable[[Rule], bool]) -> int:
    """Take all rules out that are ``unwanted``, and return how many. Raises ``RulesError``."""
    return again_if_changed(lambda: _remove_all(path, unwanted))


def _remove_all(path: Document, unwanted: Callable[[Rule], bool]) -> int:
    before = read(path)
    places = [position for position, rule in enumerate(before.rules) if unwanted(rule)]
    if places:
        left = [rule for rule in before.rules if not unwanted(rule)]
        _replace(before, edited(before.list, remove=places), left)
    return len(places)


def _remove(path: Document, number: int) -> Rule:
    before = read(path)
    if not 1 <= number <= len(before.rules):
        raise UnknownRuleError(number, len(before.rules))
    left = [rule for position, rule in enumerate(before.rules, start=1) if position != number]
    _replace(before, edited(before.list, remove=[number - 1]), left)
    return before.rules[number - 1]


def change(path: Document, number: int, was: Rule, new: Rule) -> None:
    """Replace a rule at its place, if it is still ``was``.

    Raises ``RuleError`` when another rule differs from ``new`` only in boost, expiry and note, ``UnknownRuleError``
    when the rule is another one by now, ``RulesError`` when the file is invalid.
    """
    again_if_changed(lambda: _change(path, number, was, new))


def _change(path: Document, number: int, was: Rule, new: Rule) -> None:
    before = read(path)
    place = number - 1
    if not 0 <= place < len(before.rules) or before.rules[place] != was:
        raise UnknownRuleError(number, len(before.rules))
    if new.identity in {each.identity for each in before.rules if each != was}:
        raise RuleError(gettext("you have another rule for the same"))
    old, now = _fields(was), _fields(new)
    fields = {key: now.get(key) for key in (old | now) if old.get(key) != now.get(key)}
    if fields:
        left = [*before.rules[:place], new, *before.rules[number:]]
        _replace(before, edited(before.list, change={place: fields}), left)


def _replace(before: RulesFile, content: str, expected: Sequence[Rule]) -> None:
    """Replace the file, if the new text reads as what was meant."""
    path = before.list.path
    if list(parse(content, path).rules) != list(expected):
        raise RulesError(path, "cannot be edited safely by iScore; edit it by hand")
    replace(path, content, before=before.list.text if path.exists() else "")


def _understood(file: ListFile) -> RulesFile:
    rules: list[Rule] = []
    lines: dict[str, int] = {}
    check_all([node.value.strip() for item in file.items for node in _expressions(item)])
    for item in file.items:
        rule = _rule(file, item)
        if rule.identity in lines:
            raise file.error(f"duplicate of line {lines[rule.identity]}", item)
        lines[rule.identity] = line_of(item)
        rules.append(rule)
    return RulesFile(file, tuple(rules))


def _expressions(item: Node) -> list[ScalarNode]:
    pairs = item.value if isinstance(item, MappingNode) else []
    return [node for key, node in pairs if key.value == Field.REGEX and isinstance(node, ScalarNode)]


def _rule(file: ListFile, item: Node) -> Rule:
    if not isinstance(item, MappingNode):
        raise file.error("not a rule; write `action: never`, and below it `word: …`", item)
    values = fields(file, item, _KEYS)
    if "action" not in values:
        raise file.error(f"this rule has no `action:`; use {', '.join(Action)}", item)
    conditions = [field for field in Field if field in values]
    if len(conditions) != 1:
        wrong = "matches nothing" if not conditions else f"looks at {' and '.join(conditions)} at once"
        raise file.error(f"this rule {wrong}; it needs exactly one of {', '.join(Field)}", item)
    (field,) = conditions
    boost, in_title, until = _boost(file, values), _in_title(file, values), _until(file, values)
    action, looked_for, note = (optional_text(file, values, key) for key in ("action", field, "note"))
    try:
        return make_rule(action, field, looked_for, boost=boost, in_title=in_title, until=until, note=note)
    except RuleError as error:
        place = "action" if action not in list(Action) else "by" if boost and action != Action.BOOST else field
        raise file.error(str(error), values[place]) from error


def _boost(file: ListFile, values: Mapping[str, Node]) -> float | None:
    if "by" not in values:
        return None
    try:
        return read_boost(text(file, values["by"], "`by`"))
    except RuleError as error:
        raise file.error(str(error), values["by"]) from error


def _in_title(file: ListFile, values: Mapping[str, Node]) -> bool:
    where = optional_text(file, values, "in") if "in" in values else "everywhere"
    if where not in ("title", "everywhere"):
        raise file.error("`in` must be title or everywhere", values["in"])
    return where == "title"


def _until(file: ListFile, values: Mapping[str, Node]) -> date | None:
    if "until" not in values:
        return None
    try:
        return date.fromisoformat(text(file, values["until"], "`until`"))
    except ValueError as error:
        raise file.error("`until` must be a date like 2026-12-24", values["until"]) from error


def _fields(rule: Rule) -> dict[str, object]:
    """The rule as it is written in the file."""
    values: dict[str, object] = {"action": str(rule.action)}
    if rule.action is Action.BOOST:
        values["by"] = boost_yaml(rule.boost)
    values[str(rule.field)] = rule.text
    if rule.in_title:
        values["in"] = "title"
    if rule.until is not None:
        values["until"] = rule.until
    if rule.note:
        values["note"] = rule.note
    return values
