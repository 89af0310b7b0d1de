"""What must hold of any text that stands in ``feeds.yaml`` or ``rules.yaml``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from iscore.errors import IscoreError, ListFileError
from iscore.feeds import feeds_file, subscriptions
from iscore.feeds.address import sameness
from iscore.rules import rules_file
from iscore.rules.rule import make_rule
from storage.records import Subscription
from tests.hostile.fuzz.opml_claim import is_a_safe_subscription
from tests.hostile.fuzz.refusal import refused

NEW_FEED = Subscription("https://new.example/feed", "New", ("a", "b"))
NEW_RULE = make_rule("never", "word", "entirely", note="new")


def feeds_are_read_safely(content: bytes) -> bool:
    """Raise ``AssertionError`` if an accepted file cannot be edited, or is changed elsewhere; return whether it is
    accepted. Anything but ``SubscriptionsError`` that comes out of here is a fault too.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "feeds.yaml"
        path.write_bytes(content)
        before = _read(feeds_file.read, path)
        if before is None:
            return False
        for feed in before.feeds:
            is_a_safe_subscription(feed)
        known = any(sameness(feed.url) == sameness(NEW_FEED.url) for feed in before.feeds)
        if not known and _edited(lambda: subscriptions.add_all(path, [NEW_FEED])):
            assert feeds_file.read(path).feeds == (*before.feeds, NEW_FEED)
            assert _edited(lambda: subscriptions.remove(path, [NEW_FEED.url]))
        assert feeds_file.read(path).feeds == before.feeds
        for feed in before.feeds[:2]:
            if _edited(lambda feed=feed: subscriptions.remove(path, [feed.url])):
                assert feed not in feeds_file.read(path).feeds
    return True


def rules_are_read_safely(content: bytes) -> bool:
    """The same of ``rules.yaml``, and ``RulesError``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yaml"
        path.write_bytes(content)
        before = _read(rules_file.read, path)
        if before is None:
            return False
        for rule in before.rules:
            assert rule.text.isprintable()
            assert rule.note.isprintable()
            assert -10.0 <= rule.boost <= 10.0
            assert len(rule.words.splitlines()) == 1
        if all(rule.identity != NEW_RULE.identity for rule in before.rules) and _edited(
            lambda: rules_file.add(path, NEW_RULE)
        ):
            assert rules_file.read(path).rules == (*before.rules, NEW_RULE)
            assert _edited(lambda: rules_file.remove(path, len(before.rules) + 1))
        assert rules_file.read(path).rules == before.rules
        again = Path(folder) / "again.yaml"
        assert rules_file.add_all(again, before.rules) == list(before.rules)
        assert rules_file.read(again).rules == before.rules
    return True


def _read(read: Callable[[Path], Any], path: Path) -> Any:
    try:
        return read(path)
    except ListFileError as error:
        refused(error)
        return None


def _edited(edit: Callable[[], object]) -> bool:
    """Carry an edit out; some files cannot be edited safely, which is said and changes nothing."""
    try:
        edit()
    except IscoreError:
        return False
    return True
