"""An expression that takes for ever takes a moment, and no article is lost by it. Nothing is loaded for nothing."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from iscore.rules import matcher as module
from iscore.rules.matcher import SECONDS_AN_ARTICLE, STRIKES, Matcher
from iscore.rules.rule import make_rule
from storage.records.rules import Action, RuleInput, RuleSource
from tests.iscore.rules.conftest import NOW, Reader

FOR_EVER = "(a+)+$"
TRAP = "a" * 5000 + "!"
CARRIED = (RuleSource(1, 1, ("Example",), ()),)


def story(seq: int, text: str) -> RuleInput:
    return RuleInput(seq, "A title", text, "", (), CARRIED)


def test_an_expression_that_takes_for_ever_is_stopped_and_switched_off() -> None:
    rule = make_rule("never", "regex", FOR_EVER)
    matcher = Matcher([rule, make_rule("always", "word", "title")])
    started = time.process_time()
    found = [matcher.outcome(story(seq, TRAP)) for seq in range(50)]
    took = time.process_time() - started
    # Stopped each time, and asked no more after the third: fifty would take fifty times as long.
    assert SECONDS_AN_ARTICLE * STRIKES * 0.9 < took < SECONDS_AN_ARTICLE * STRIKES * 5
    assert [each and each.action for each in found] == [Action.ALWAYS] * 50
    assert matcher.switched_off == {rule.identity: "its expression took too long on 3 articles; simplify it"}


def test_one_article_alone_switches_no_rule_off() -> None:
    matcher = Matcher([make_rule("never", "regex", FOR_EVER + "|tail")])
    assert matcher.outcome(story(1, TRAP)) is None
    found = matcher.outcome(story(2, "a tail"))
    assert found is not None
    assert not matcher.switched_off


def test_what_takes_little_each_time_but_much_in_all_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.02)
    monkeypatch.setattr(module, "SECONDS_EACH", 0.0)
    matcher = Matcher([make_rule("never", "regex", "(a+)+b")])
    for seq in range(10_000):
        matcher.outcome(story(seq, "a" * 400))
        if matcher.switched_off:
            break
    (why,) = matcher.switched_off.values()
    assert why == "its expression took too long on all articles together; simplify it"


def test_a_busy_machine_does_not_accuse_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = itertools.count(step=3600.0)
    busy = SimpleNamespace(perf_counter=lambda: next(hours), thread_time=time.thread_time)
    monkeypatch.setattr(module, "time", busy)
    matcher = Matcher([make_rule("never", "regex", "a+b")])
    for seq in range(100):
        matcher.outcome(story(seq, "a" * 40))
    assert not matcher.switched_off


def test_articles_are_scored_when_a_rule_is_switched_off(reader: Reader, pieces: list[Any]) -> None:
    traps = [replace(piece, id=f"t{n}", text=f"{piece.text} {n} {TRAP}") for n, piece in enumerate(pieces[60:66])]
    reader.path.write_text(f"rules:\n- {{action: always, word: the}}\n- {{action: never, regex: '{FOR_EVER}'}}\n")
    assert reader.news.inbox().items == ()
    reader.arrive(traps)
    rows = reader.judge()
    assert len(rows) == len(reader.archive.leaders())
    (problem,) = reader.news.rules.problems()
    assert problem == (
        f"rule 2 (never: regex “{FOR_EVER}”) is switched off: its expression took too long on 3 articles; simplify it"
    )
    assert [bool(each.problem) for each in reader.news.rules.list()] == [False, True]
    listed = reader.news.inbox(limit=None).items
    assert {item.rule_outcome for item in listed} == {"always, by your rule: word “the”", ""}
    # It stays off, and is tried again when it is added again; other rules do not mind.
    reader.news.rules.add("never", "word", "nothing")
    assert len(reader.news.rules.problems()) == 1
    assert reader.news.rules.add("never", "regex", FOR_EVER).problem
    assert reader.news.rules.add("never", "regex", "a{5}!$").problem == ""
    reader.news.rules.remove(2)
    assert reader.news.rules.problems() == ()


LOADED = f"""
import sys
from datetime import datetime
from pathlib import Path
from iscore.services.news_filter import NewsFilter
with NewsFilter.open(Path(sys.argv[1]), clock=lambda: datetime.fromisoformat({NOW.isoformat()!r})) as news:
    news.inbox()
print(*sorted({{name.partition(".")[0] for name in sys.modules}} & {{"ruamel", "regex", "numpy"}}))
"""


@pytest.mark.long
def test_an_inbox_whose_rules_have_not_changed_reads_none(judged: Reader) -> None:
    judged.news.rules.add("never", "source", "The Orrery")
    judged.news.rules.add("never", "regex", "qq+")
    judged.archive.database.close()

    def loaded() -> str:
        home = str(judged.archive.home.path)
        return subprocess.run(
            [sys.executable, "-c", LOADED, home], capture_output=True, encoding="utf-8", timeout=120, check=True
        ).stdout.strip()

    assert loaded() == ""
    judged.path.write_text(judged.path.read_text() + "# a comment\n")
    assert loaded() == "regex ruamel"
    assert loaded() == ""
