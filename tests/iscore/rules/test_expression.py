"""No expression takes the memory or the time of this process, whatever it says."""

from __future__ import annotations

import resource
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.core.errors import RuleError
from iscore.rules import expression as module
from iscore.rules.expression import LARGEST, Expression, check_all

REFUSED = {
    r"(?x)(a{ 9999 }){ 9999 }": "the flag x",
    r"b(?ix: a{9} )": "the flag x",
    r"(?i-x:a{9999}){9999}": "too complicated",
    r"(a{9999}){9999}": "too complicated",
    r"((a{99}){99}){99}": "too complicated",
    r"(?:(?:(?:\p{L}{999}){99}){99}|b)": "too complicated",
    r"(?P<a>a{99}(?&a)){9999}": "too complicated",
    r"(?:[a-z\W]{9999}){9999}": "too complicated",
    r"a{9999}": "too large",
    r"|".join(["b{900}"] * 30): "too large",
    r"a*": "matches every article",
    r"(a": "missing ), at character 3",
    "": "is empty",
}
HARMLESS = (r"win(ner)?s?: .*", "|".join(f"word{n}" for n in range(45)), r"\b(?:ä|\p{Lu}){2,40}\b", "[(?x]a")
PEAK = 60_000_000
"""Bytes by which this process may grow over all these expressions; one of them takes gigabytes."""


def peak() -> int:
    """Return the largest memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize(("text", "reason"), REFUSED.items())
def test_harmful_and_invalid_expressions_are_refused(text: str, reason: str) -> None:
    before = peak()
    with pytest.raises(RuleError, match=reason.replace(")", r"\)")):
        Expression(text)
    assert peak() - before < PEAK


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_expressions_are_used(text: str) -> None:
    assert Expression(text).found("the WINNER: word7 ÄÄ [a ?a", seconds=1.0)


def test_expressions_that_end_the_compiler_are_refused_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = []

    def dying(texts: list[str]) -> list[dict[str, object]]:
        good = list(texts[: texts.index("bad") if "bad" in texts else None])
        deaths.append(len(texts))
        return [{"size": 1, "everything": False} for _ in good]

    monkeypatch.setattr(module, "_compiled_by_one_child", dying)
    monkeypatch.setattr(module, "_known", {})
    check_all(["one", "bad", "two"])
    assert deaths == [3, 1]
    assert [Expression(each).found("two", seconds=1.0) for each in ("one", "two")] == [False, True]
    with pytest.raises(RuleError, match="too complicated"):
        Expression("bad")


def test_a_list_of_hostile_expressions_takes_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    children = []

    def dead(texts: list[str]) -> list[dict[str, object]]:
        children.append(len(texts))
        return []

    monkeypatch.setattr(module, "_compiled_by_one_child", dead)
    monkeypatch.setattr(module, "_known", {})
    check_all([f"bad{n}" for n in range(1000)])
    assert children == [1000, 999, 998]


def test_each_expression_is_compiled_apart_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(["once upon", "a time"])
    monkeypatch.setattr(module, "_compiled_by_one_child", None)  # a call would fail
    monkeypatch.setattr(module, "_lock", None)  # as would waiting for what another user has compiled
    Expression("once upon")
    Expression("a time")


_ATOMS = st.sampled_from(["a", r"\w", r"\p{L}", "[a-z]", "[^b]", ".", r"\b", "é", "(?i)", "(?1)", "(?=a)", "x", " "])
_COUNTS = st.sampled_from(["", "*", "+", "?", "{9}", "{99}", "{9999}", "{ 99 }", "{,999}", "{1,9999}", "{e<=3}", "{e}"])


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    groups = st.sampled_from(["(", "(?:", "(?>", "(?x:", "(?P<n>", "(?|", "(?<=", "(?i-x:", "(?r:", "(?b)("])
    grouped = st.tuples(groups, inner, st.just(")"), _COUNTS)
    return st.one_of(grouped.map("".join), st.tuples(inner, inner).map("".join), st.tuples(inner, inner).map("|".join))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.recursive(st.tuples(_ATOMS, _COUNTS).map("".join), _nested, max_leaves=12), max_size=20))
def test_no_made_up_expression_takes_memory_or_time(texts: list[str]) -> None:
    texts = [text for text in texts if text]
    check_all(texts)
    before, began = peak(), time.process_time()
    for text in texts:
        try:
            compiled = Expression(text)
        except RuleError:
            continue
        assert compiled._compiled.__sizeof__() <= LARGEST
    assert peak() - before < PEAK
    assert time.process_time() - began < 2.0 + 0.1 * len(texts)
