"""The pages of rules, in a browser without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from tests.iscore.rules.conftest import NOW, Reader
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, site

RULES = """\
# Mine.
rules:
  - action: never   # enough
    phrase: harbour
  - action: boost
    by: slightly
    author: Ada
"""


@pytest.fixture
def folder(judged: Reader) -> Path:
    judged.path.write_text(RULES, encoding="utf-8")
    judged.archive.database.close()
    CredentialStore(judged.archive.home.path).mark_set_up()
    return judged.archive.home.path


@pytest.fixture
def client(folder: Path) -> Iterator[AppClient]:
    with site(folder, NOW) as running:
        yield running.client()


def sent(client: AppClient, path: str, **form: str) -> Answer:
    answer = client.post(path, {"token": client.get("/rules").hidden("token")} | form)
    return client.get(answer.place) if answer.status == 303 else answer


def words(folder: Path) -> list[str]:
    with NewsFilter.open(folder, clock=lambda: NOW) as news:
        return [each.words for each in news.rules.list()]


HARBOUR = "never: phrase “harbour”"


def test_a_rule_shows_what_it_hides_is_changed_at_its_place_and_comments_stay(client: AppClient, folder: Path) -> None:
    assert "it matches" in client.get("/rules/1").body
    form = {"was": HARBOUR, "does": "strongly down", "field": "word", "text": "harbour", "in-title": "on", "note": "n"}
    assert "it matches" in sent(client, "/rules/1", action="preview", **form).body
    assert words(folder)[0] == HARBOUR
    sent(client, "/rules/1", action="save", **form)
    assert words(folder) == ["boost strongly down: word “harbour” in the title", "boost slightly: author “Ada”"]
    assert (folder / "rules.yaml").read_text().startswith("# Mine.\nrules:\n  - action: boost   # enough\n")


def test_a_rule_that_is_removed_comes_back_by_undo(client: AppClient, folder: Path) -> None:
    removed = sent(client, "/rules/1", action="remove", was=HARBOUR)
    assert words(folder) == ["boost slightly: author “Ada”"]
    sent(client, "/rules", action="undo", undo=removed.hidden("undo"))
    assert sorted(words(folder)) == ["boost slightly: author “Ada”", HARBOUR]


def test_a_form_of_a_rule_that_has_another_number_by_now_changes_nothing(client: AppClient, folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES.replace("harbour", "winter"), encoding="utf-8")
    assert sent(client, "/rules/1", action="remove", was=HARBOUR).status == 404
    assert sent(client, "/rules/9", action="remove", was=HARBOUR).status == 404
    assert words(folder)[0] == "never: phrase “winter”"


@pytest.mark.parametrize(
    "wrong", [{"text": ""}, {"field": "x"}, {"does": "+99"}, {"does": ""}, {"until": "soon"}, {"text": "x" * 400}]
)
def test_a_form_that_is_no_rule_says_why_and_keeps_what_was_written(client: AppClient, wrong: dict[str, str]) -> None:
    form = {"does": "never", "field": "word", "text": "<b>ha", "until": "", "note": ""} | wrong
    for action in ("add", "preview"):
        if action == "add" or "until" not in wrong:
            answer = sent(client, "/rules", action=action, **form)
            assert answer.status == 400
            assert 'role="alert"' in answer.body
    assert "<b>ha" not in answer.body


def test_a_rule_is_added_with_all_that_the_form_has(client: AppClient, folder: Path) -> None:
    form = {"does": "always", "field": "word", "text": "orrery", "until": "2026-12-24", "note": "exhibition"}
    assert "exhibition" in sent(client, "/rules", action="add", **form).body
    assert words(folder)[-1] == "always: word “orrery”"
    assert "until: 2026-12-24" in (folder / "rules.yaml").read_text()
