"""The commands as they are typed, and rules on their way into a backup, an export and another home."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iscore.cli import main
from tests.iscore.rules.conftest import NOW, Reader

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(judged: Reader, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Run a command on the home of somebody with judged articles; return code, answer and messages."""
    monkeypatch.setenv("ISCORE_NOW", NOW.isoformat())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def typed_it(*arguments: str, home: Path | None = None) -> tuple[int, str, str]:
        code = main(["--home", str(home or judged.archive.home.path), *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return typed_it


def test_rules_are_added_listed_and_removed(typed: Typed, judged: Reader) -> None:
    assert typed("rules", "list") == (
        0,
        "No rules yet. Add one, such as `iscore rules add never word celebrity`.\n",
        "",
    )
    code, out, err = typed("rules", "add", "never", "word", "celebrity", "--for", "30d", "--note", "enough")
    assert (code, out) == (0, "Added rule 1, never: word “celebrity” (until 2026-04-01).\n")
    assert "`iscore rules remove 1` removes the rule" in err
    assert typed("rules", "add", "boost", "source", "The Orrery", "--by", "slightly down")[0] == 0
    assert typed("rules", "add", "always", "phrase", "space probe", "--in-title", "--until", "2026-01-01")[0] == 0
    code, out, _ = typed("rules", "list")
    assert out.splitlines() == [
        "1  never: word “celebrity”",
        "   until 2026-04-01 · enough",
        "2  boost slightly down: source “The Orrery”",
        "3  always: phrase “space probe” in the title",
        "   expired on 2026-01-01",
    ]
    listed = json.loads(typed("rules", "list", "--json")[1])
    assert [(each["number"], each["boost"], each["in_force"]) for each in listed] == [
        (1, 0.0, True),
        (2, -0.7, True),
        (3, 0.0, False),
    ]
    assert typed("rules", "remove", "2")[:2] == (0, "Removed boost slightly down: source “The Orrery”.\n")
    assert len(judged.news.rules.list()) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("remove", "7"), 1, "no rule has the number 7; there are no rules"),
        (("add", "mute", "word", "a"), 1, "'mute' is not an action; use always, never, boost"),
        (("add", "boost", "word", "aa", "--by", "loudly"), 1, "'loudly' is not a boost"),
        (("add", "never", "word", "aa", "--until", "soon"), 2, "'soon' is not a date"),
        (("add", "never", "word", "aa", "--for", "1h"), 2, "at least a day"),
        (("add", "never", "word", "aa", "--for", "1d", "--until", "2026-04-01"), 2, "use either"),
        (("test", "never", "word", "***"), 1, "neither letters nor digits"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(
    typed: Typed, judged: Reader, arguments: tuple[str, ...], code: int, said: str
) -> None:
    found, out, err = typed("rules", *arguments)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert said in err
    assert not judged.path.exists()


def test_a_broken_file_is_named_with_its_line(typed: Typed, judged: Reader) -> None:
    judged.path.write_text("rules:\n- action: never\n  wrod: a\n")
    for command in (("inbox",), ("rules", "list"), ("rules", "add", "never", "word", "aa"), ("digest",)):
        code, out, err = typed(*command)
        assert (code, out) == (1, "")
        assert err == f"iscore: {judged.path}, line 3: 'wrod' is not known; did you mean `word`?\n"


def test_rule_is_tried_and_shown_in_the_inbox(typed: Typed, judged: Reader) -> None:
    item = judged.news.inbox(limit=1).items[0]
    code, out, _ = typed("rules", "test", "never", "phrase", item.title)
    assert code == 0
    assert out.splitlines()[0].startswith("Matches 1 of ")
    assert "it would add 0 to your inbox and hide 1." in " ".join(out.split())
    assert item.id in out
    trial = json.loads(typed("rules", "test", "never", "word", "zzz", "--json")[1])
    assert (trial["touched"], trial["items"]) == (0, [])
    assert typed("rules", "test", "never", "word", "zzz", "--days", "1")[1].startswith("Matches none of ")
    typed("rules", "add", "always", "phrase", item.title)
    out = typed("inbox", "--limit", "1")[1]
    assert "always, by your rule: phrase" in " ".join(out.split())
    (listed,) = json.loads(typed("inbox", "--limit", "1", "--json")[1])
    assert listed["rule_outcome"] == f"always, by your rule: phrase “{item.title}”"
    assert "always, by your rule" in " ".join(typed("why", item.id)[1].split())
    assert "always, by your rule" in " ".join(typed("show", item.id)[1].split())


def test_rules_go_along_in_a_backup_and_in_an_export(typed: Typed, judged: Reader, tmp_path: Path) -> None:
    typed("rules", "add", "never", "regex", r"win(ner)?s?: .*", "--note", "yes", "--until", "2027-01-01")
    typed("rules", "add", "boost", "tag", "daily", "--by", "0.123456789")
    text = judged.path.read_text().replace("\nrules:", "\n# mine\nrules:")
    judged.path.write_text(text)
    rules = judged.news.rules.list()
    assert typed("backup", str(tmp_path / "b.zip"))[0] == 0
    assert typed("export", str(tmp_path / "e.jsonl"))[0] == 0
    assert [json.loads(line)["kind"] for line in (tmp_path / "e.jsonl").read_text().splitlines()].count("rule") == 2
    other = tmp_path / "restored"
    assert typed("restore", str(tmp_path / "b.zip"), home=other)[0] == 0
    assert (other / "rules.yaml").read_text() == text
    fresh = tmp_path / "imported"
    for rules_taken in (2, 0):
        told = json.loads(typed("import", str(tmp_path / "e.jsonl"), "--json", home=fresh)[1])
        assert told["rules"] == rules_taken
    views: list[dict[str, Any]] = json.loads(typed("rules", "list", "--json", home=fresh)[1])
    assert [(each["words"], each["until"], each["note"], each["boost"]) for each in views] == [
        (each.words, each.until and each.until.isoformat(), each.note, each.boost) for each in rules
    ]
    lines = (tmp_path / "e.jsonl").read_text().replace('"field": "tag"', '"field": "tug"')
    (tmp_path / "bad.jsonl").write_text(lines)
    code, _, err = typed("import", str(tmp_path / "bad.jsonl"), home=tmp_path / "bad")
    assert code == 1
    assert "a rule cannot match 'tug'" in err


def test_the_doctor_names_a_mistake_in_the_rules(judged: Reader) -> None:
    from iscore.jobs.maintenance.checks import State, rules

    assert (rules(judged.path).state, rules(judged.path).found) == (State.OK, "none")
    judged.path.write_text("rules:\n- never")
    assert rules(judged.path).state is State.BROKEN
    assert "line 2" in rules(judged.path).found
    judged.path.write_text("rules:\n- {action: never, word: aa}\n")
    assert rules(judged.path).found == "1 in rules.yaml"
