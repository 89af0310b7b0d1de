"""Rules and their outcomes in words, in the language of the reader.

What is stored of an outcome is English, as ``Rule.part`` has it.
"""

from __future__ import annotations

import re

from iscore.core.translation import SOURCE, gettext, language, ngettext
from iscore.rules.rule import boost_words
from storage.records.rules import Action, RuleOutcome

_PART = re.compile(r"(?P<field>[a-z]+) “(?P<text>.*)”(?P<title> in the title)?(?: \((?P<boost>[^()]*)\))?", re.DOTALL)
_BEST = re.compile(r"only the best of this feed \((?P<boost>[^()]*)\)")


def outcome_text(outcome: RuleOutcome | None) -> str:
    """Return one line; empty without a rule outcome.

    ``always, by your rule: word “inflation”``; ``boosted by your rules: source “LWN.net” (strongly); …``
    """
    if outcome is None:
        return ""
    number, rules = len(outcome.rules), "; ".join(map(_part_text, outcome.rules))
    if outcome.action is Action.BOOST:
        return ngettext("boosted by your rule: %(rules)s", "boosted by your rules: %(rules)s", number, rules=rules)
    if outcome.action is Action.ALWAYS:
        return ngettext("always, by your rule: %(rules)s", "always, by your rules: %(rules)s", number, rules=rules)
    return ngettext("never, by your rule: %(rules)s", "never, by your rules: %(rules)s", number, rules=rules)


def rule_text(action: str, field: str, text: str, boost: float, *, in_title: bool) -> str:
    """Return all that a rule does: ``never: word “crypto”``, as ``Rule.words`` in the language of the reader."""
    target = _target_text(field, text, in_title=in_title)
    if action == Action.BOOST:
        return gettext("boost %(boost)s: %(target)s", boost=_boost_text(boost_words(boost)), target=target)
    if action == Action.ALWAYS:
        return gettext("always: %(target)s", target=target)
    return gettext("never: %(target)s", target=target)


def _part_text(part: str) -> str:
    if language() == SOURCE:
        return part
    if best := _BEST.fullmatch(part):
        return gettext("only the best of this feed (%(boost)s)", boost=_boost_text(best["boost"]))
    found = _PART.fullmatch(part)
    if not found:
        return gettext("everything of this feed") if part == "everything of this feed" else part
    target = _target_text(found["field"], found["text"], in_title=bool(found["title"]))
    if not found["boost"]:
        return target
    return gettext("%(target)s (%(boost)s)", target=target, boost=_boost_text(found["boost"]))


def _target_text(field: str, text: str, *, in_title: bool) -> str:
    names = {
        "word": gettext("word"),
        "phrase": gettext("phrase"),
        "source": gettext("source"),
        "author": gettext("author"),
        "category": gettext("category"),
        "tag": gettext("tag"),
        "regex": gettext("regex"),
    }
    name = names.get(field, field)
    if in_title:
        return gettext("%(field)s “%(text)s” in the title", field=name, text=text)
    return gettext("%(field)s “%(text)s”", field=name, text=text)


def _boost_text(words: str) -> str:
    names = {
        "slightly": gettext("slightly"),
        "clearly": gettext("clearly"),
        "strongly": gettext("strongly"),
        "slightly down": gettext("slightly down"),
        "clearly down": gettext("clearly down"),
        "strongly down": gettext("strongly down"),
    }
    if words in names:
        return names[words]
    return gettext("by %(number)s", number=words.removeprefix("by "))
