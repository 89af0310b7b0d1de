"""rules.yaml is the person's: what they wrote stays, and a mistake is named with its line."""

from __future__ import annotations

import contextlib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.core.errors import RuleError, RulesError, UnknownRuleError
from iscore.rules.boosts import boost_words, read_boost
from iscore.rules.rule import LONGEST, Field, Rule, make_rule
from iscore.rules.rules_file import add, parse, read, remove
from storage.records.rules import Action

KEPT = """\
# What I know for certain.

rules:
  # --- enough of it ---
  - action: never     # for now
    word: celebrity
    in: title
    until: 2026-12-24
    note: "until Christmas: peace"

  # --- my trade ---
  - {action: always, phrase: hospital budget}
  - by: strongly
    action: boost
    source: 'LWN.net'

# the end
"""
RULES = (
    Rule(Action.NEVER, Field.WORD, "celebrity", 0.0, True, date(2026, 12, 24), "until Christmas: peace"),
    Rule(Action.ALWAYS, Field.PHRASE, "hospital budget"),
    Rule(Action.BOOST, Field.SOURCE, "LWN.net", 2.1),
)


def written(folder: Path, text: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_reads_every_kind_of_rule(tmp_path: Path) -> None:
    assert read(written(tmp_path, KEPT)).rules == RULES


def test_without_a_file_there_are_no_rules_and_the_first_one_makes_it(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    assert read(path).rules == ()
    assert add(path, RULES[2]) == 1
    assert path.read_text().startswith("# My own rules")
    assert path.read_text().endswith("rules:\n  - action: boost\n    by: strongly\n    source: LWN.net\n")
    assert path.stat().st_mode & 0o077 == 0
    assert read(path).rules == RULES[2:]


def test_adding_and_removing_leave_every_other_line_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    new = make_rule("never", "regex", r"\bwin(ner)?s?: .*", note="yes")
    assert add(path, new) == 4
    before, _, after = KEPT.partition("\n# the end")
    lines = "  - action: never\n    regex: '\\bwin(ner)?s?: .*'\n    note: yes\n"
    assert path.read_text() == before + lines + "\n# the end" + after
    assert remove(path, 4) == new
    assert path.read_text() == KEPT
    assert remove(path, 1) == RULES[0]
    assert "# --- enough of it ---\n\n  # --- my trade ---\n" in path.read_text()
    assert read(path).rules == RULES[1:]


def test_the_same_rule_with_another_end_gives_way(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    assert add(path, RULES[1]) == 2
    assert path.read_text() == KEPT
    longer = make_rule("never", "word", "Celebrity", in_title=True, until=date(2027, 12, 24))
    assert add(path, longer) == 3
    assert read(path).rules == (*RULES[1:], longer)
    assert add(path, make_rule("never", "word", "celebrity")) == 4  # anywhere is not in the title


def test_an_unknown_number_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    for number in (0, -1, 4):
        with pytest.raises(UnknownRuleError, match="there are rules 1 to 3"):
            remove(path, number)
    with pytest.raises(UnknownRuleError, match="there are no rules"):
        remove(tmp_path / "none.yaml", 1)
    assert path.read_text() == KEPT


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("rules: [", 1, "not valid YAML"),
        ("feeds: []", 1, "only `rules:` is"),
        ("rules:\n- never celebrity", 2, "not a rule"),
        ("rules:\n- action: never\n  word: b\n\n- word: a", 5, "has no `action:`"),
        ("rules:\n- action: never\n  word: aa\n- action: always", 4, "matches nothing"),
        ("rules:\n- action: never\n  word: a\n  tag: b", 2, "looks at word and tag at once"),
        ("rules:\n- action: nver\n  word: a", 2, "'nver' is not an action"),
        ("rules:\n- action: never\n  wrd: a", 3, "did you mean `word`?"),
        ("rules:\n- action: never\n  word: '***'", 3, "neither letters nor digits"),
        ("rules:\n- action: never\n  word: a*", 3, "would match nearly everything"),
        ("rules:\n- action: never\n  word: [a]", 3, "must be a text"),
        ("rules:\n- action: never\n  regex: (a", 3, "not a valid regular expression: missing )"),
        ("rules:\n- action: never\n  regex: a*", 3, "matches every article"),
        ("rules:\n- action: never\n  regex: '(?:(?:a{999}){999}){999}'", 3, "too complicated"),
        ("rules:\n- action: never\n  word: a\n  by: strongly", 4, "only `boost` takes a size"),
        ("rules:\n- action: boost\n  word: a\n  by: loudly", 4, "is not a boost"),
        ("rules:\n- action: boost\n  word: a\n  by: 99", 4, "between -10 and 10"),
        ("rules:\n- action: never\n  tag: a\n  in: title", 3, "not looked for in titles"),
        ("rules:\n- action: never\n  word: a\n  in: text", 4, "title or everywhere"),
        ("rules:\n- action: never\n  word: a\n  until: tomorrow", 4, "must be a date"),
        ("rules:\n- action: never\n  word: Aé\n- action: never\n  word: aÉ", 4, "duplicate of line 2"),
        (f"rules:\n- action: never\n  word: {'a' * (LONGEST + 1)}", 3, "longer than"),
        ('rules:\n- action: never\n  word: "a\\u202Eb"', 3, "invisible characters"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_changes_nothing(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RulesError) as caught:
        read(path)
    assert (caught.value.line, str(caught.value).partition(": ")[0]) == (line, f"{path}, line {line}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(RulesError):
        add(path, RULES[0])
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "log_odds"),
    [("strongly", 2.1), ("slightly down", -0.7), ("Clearly  up", 1.4), ("+0.5", 0.5), ("-3", -3.0)],
)
def test_boost_in_words_or_log_odds(text: str, log_odds: float) -> None:
    assert read_boost(text) == log_odds


@pytest.mark.parametrize("text", ["", "0", "nan", "inf", "10.1", "strongly left", "very"])
def test_what_is_no_boost_is_refused(text: str) -> None:
    with pytest.raises(RuleError):
        read_boost(text)


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)
VALID = st.builds(
    dict,
    action=st.sampled_from(list(Action)),
    field=st.sampled_from(list(Field)),
    text=st.one_of(
        TEXT, st.sampled_from(["null", "yes", "~", "1.0", "a: b", "- a", "#x", "'", '"', "\\d+", "[a]", "%a"])
    ),
    boost=st.one_of(st.none(), st.floats(-10, 10).filter(bool)),
    in_title=st.booleans(),
    until=st.one_of(st.none(), st.dates()),
    note=st.one_of(st.just(""), TEXT),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(VALID, max_size=4), st.sampled_from(["", "# mine\n", "rules: []\n", KEPT, KEPT.replace("\n", "\r\n")]))
def test_what_is_added_is_read_again_and_removing_it_leaves_the_comments(
    tmp_path_factory: pytest.TempPathFactory, wishes: list[dict], text: str
) -> None:
    path = written(tmp_path_factory.mktemp("home"), text)
    expected = list(read(path).rules)
    for wish in wishes:
        if wish["action"] is not Action.BOOST:
            wish["boost"] = None
        try:
            rule = make_rule(**wish)
        except RuleError:
            continue
        expected = [each for each in expected if each.identity != rule.identity or each == rule]
        expected += [] if rule in expected else [rule]
        number = add(path, rule)
        found = read(path).rules
        assert (list(found), found[number - 1]) == (expected, rule)
    while read(path).rules:
        remove(path, 1)
    comments = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    assert [line.strip() for line in path.read_text().splitlines() if line.strip().startswith("#")] == comments


@given(st.floats(-10, 10).filter(bool))
def test_boosts_in_words_are_read_as_what_they_were(boost: float) -> None:
    assert read_boost(boost_words(boost).removeprefix("by ")) == boost


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_file_gives_rules_or_an_error(text: str) -> None:
    for content in (text, f"rules:\n- {text}", f"rules:\n- action: {text}\n  word: a"):
        with contextlib.suppress(RulesError):
            assert isinstance(parse(content, Path("rules.yaml")).rules, tuple)
