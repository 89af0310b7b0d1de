"""What must hold of any text that stands in ``feeds.yaml`` or ``rules.yaml``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from iscore.core.errors import IscoreError, RulesError
from iscore.feeds.errors import SubscriptionsError
from iscore.feeds.subscriptions import editing, feeds_yaml
from iscore.feeds.urls import url_key
from iscore.rules import rules_file
from iscore.rules.rule import make_rule
from storage.records.feeds import Subscription
from tests.hostile.fuzz.opml_claim import is_a_safe_subscription
from tests.hostile.fuzz.refusal import refused

NEW_FEED = Subscription("https://new.example/feed", "New", ("a", "b"))
NEW_RULE = make_rule("never", "word", "entirely", note="new")
_PATH = Path("list.yaml")


def feeds_are_read_safely(content: bytes) -> bool:
    """Raise ``AssertionError`` if a subscription that is accepted could do harm; return whether the file is accepted.

    Anything but ``SubscriptionsError`` that comes out of here is a fault too.
    """
    try:
        found = feeds_yaml.parse(content.decode("utf-8", "replace"), _PATH)
    except SubscriptionsError as error:
        return refused(error)
    for feed in found.feeds:
        is_a_safe_subscription(feed)
    assert len({url_key(feed.url) for feed in found.feeds}) == len(found.feeds)
    return True


def rules_are_read_safely(content: bytes) -> bool:
    """The same of rules, and ``RulesError``."""
    try:
        found = rules_file.parse(content.decode("utf-8", "replace"), _PATH)
    except RulesError as error:
        return refused(error)
    for rule in found.rules:
        assert rule.text.isprintable()
        assert rule.note.isprintable()
        assert -10.0 <= rule.boost <= 10.0
        assert len(rule.words.splitlines()) == 1
    assert len({rule.identity for rule in found.rules}) == len(found.rules)
    return True


def feeds_are_edited_safely(content: bytes) -> bool:
    """Raise ``AssertionError`` if an edit changes another subscription; return whether the file is accepted.

    An edit may be refused, by an error that is iScore's own; then nothing has changed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "feeds.yaml"
        path.write_bytes(content)
        try:
            before = feeds_yaml.read(path).feeds
        except SubscriptionsError as error:
            return refused(error)
        known = any(url_key(feed.url) == url_key(NEW_FEED.url) for feed in before)
        if not known and _edited(lambda: editing.add_all(path, [NEW_FEED])):
            assert feeds_yaml.read(path).feeds == (*before, NEW_FEED)
            if _edited(lambda: editing.remove(path, [NEW_FEED.url])):
                assert feeds_yaml.read(path).feeds == before
        else:
            assert path.read_bytes() == content
        if before and _edited(lambda: editing.remove(path, [before[0].url])):
            assert before[0] not in feeds_yaml.read(path).feeds
    return True


def rules_are_edited_safely(content: bytes) -> bool:
    """The same of rules, which are written into a new file as well."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yaml"
        path.write_bytes(content)
        try:
            before = rules_file.read(path).rules
        except RulesError as error:
            return refused(error)
        known = any(rule.identity == NEW_RULE.identity for rule in before)
        if not known and _edited(lambda: rules_file.add(path, NEW_RULE)):
            assert rules_file.read(path).rules == (*before, NEW_RULE)
            if _edited(lambda: rules_file.remove(path, len(before) + 1)):
                assert rules_file.read(path).rules == before
        else:
            assert path.read_bytes() == content
        again = Path(folder) / "again.yaml"
        assert rules_file.add_all(again, before) == list(before)
        assert rules_file.read(again).rules == before
    return True


def note_is_read_again(note: str) -> None:
    """Raise ``AssertionError`` if a rule's note is not read as it was written."""
    rule = make_rule("never", "word", "abc", note=note)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yaml"
        rules_file.add(path, rule)
        assert rules_file.read(path).rules == (rule,)


def _edited(edit: Callable[[], object]) -> bool:
    try:
        edit()
    except IscoreError as error:
        return refused(error)
    return True
