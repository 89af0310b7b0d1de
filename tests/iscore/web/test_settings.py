"""The page of settings: what it changes, the user's data, the end of an account."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.core.passwords import hash_password
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.model_process import LocalModels, Verb
from iscore.web.pages.settings import BETAS, steps
from iscore.web.security.credentials import CredentialStore
from storage.people import users
from storage.records.users import LOCAL_USER
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
PASSWORD = "a walk by the harbour"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Site]:
    archive = Archive(tmp_path / "home")
    archive.home.config.write_text("# Mine.\nbeta = 0.5 # half\n", encoding="utf-8")
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    with site(archive.home.path, NOW) as served:
        yield served


def save(client: AppClient, path: str = "/settings", **form: str) -> Answer:
    return client.post(path, {"token": client.get("/settings").hidden("token")} | form)


def test_settings_are_saved_with_the_comments_of_the_file(running: Site, tmp_path: Path) -> None:
    client = running.client()
    file = tmp_path / "home" / "config.toml"
    assert save(client, beta="1.4").status == 303
    assert save(client, theme="sepia", font_size="large", **{"has-pictures": "1"}).status == 303
    assert file.read_text() == '# Mine.\nbeta = 1.4 # half\ntheme = "sepia"\nfont_size = "large"\npictures = false\n'
    assert ' class="sepia large"' in client.get("/feeds").body
    file.write_text('mail_to = "a@example.org"\n', encoding="utf-8")  # in an editor, meanwhile
    running.context.users.forget(LOCAL_USER)
    assert save(client, digest_at="06:30").status == 303
    assert file.read_text() == 'mail_to = "a@example.org"\ndigest_at = "06:30"\n'


def test_settings_that_another_process_changes_hold_from_the_next_request_on(running: Site, tmp_path: Path) -> None:
    running.context.users.entry(LOCAL_USER).news.people.add("Ben", password=PASSWORD)  # settings are in the database
    running.context.users.forget(LOCAL_USER)
    client, models = running.signed_in("Ben", PASSWORD), LocalModels(tmp_path / "home")
    assert ' class="sepia' not in client.get("/feeds").body
    with NewsFilter.open(tmp_path / "home", user="Ben", clock=lambda: NOW) as other:
        ben = other.context.user_id
        entry, before = running.context.users.entry(ben), models._of(ben)
        assert before.context.settings.beta != 1.4
        client.get("/feeds")
        assert running.context.users.entry(ben) is entry
        assert models._of(ben) is before
        other.settings.change({"theme": "sepia", "beta": "1.4"})
    assert ' class="sepia' in client.get("/feeds").body
    assert models._of(ben).context.settings.beta == 1.4
    models.release(ben)


@pytest.mark.parametrize(
    ("name", "value"), [("beta", "3"), ("theme", "x"), ("digest_at", "7"), ("time_zone", "Mars"), ("beta", "<b>")]
)
def test_a_wrong_value_is_named_and_nothing_changes(running: Site, tmp_path: Path, name: str, value: str) -> None:
    answer = save(running.client(), **{name: value})
    assert answer.status == 400
    assert f"setting &#39;{name}&#39;" in answer.body or "time zone" in answer.body
    assert (tmp_path / "home" / "config.toml").read_text() == "# Mine.\nbeta = 0.5 # half\n"


def test_settings_of_the_server_are_not_changed_here(running: Site, tmp_path: Path) -> None:
    save(running.client(), mail_password_command="rm", serve_port="80", classifier="x")
    assert (tmp_path / "home" / "config.toml").read_text() == "# Mine.\nbeta = 0.5 # half\n"


def test_steps_say_how_many_stories_are_expected() -> None:
    found = steps(0.6, [0.1, 0.5, 1, 2.5, 9, 10, 30, 99])
    assert [each.value for each in found] == ["0.25", "0.35", "0.5", "0.6", "0.7", "1", "1.4", "2"]
    assert [each.words for each in found[:5]] == [
        *("hardly any", "about 4 a week", "about 1 a day", "about 2.5 a day", "about 9 a day")
    ]
    assert [each.value for each in found if each.chosen] == ["0.6"]
    assert {each.words for each in steps(0.5, [0.0] * len(BETAS))} == {""}


def test_the_process_that_learns_knows_how_many_stories_to_expect(running: Site, tmp_path: Path) -> None:
    del running
    models = LocalModels(tmp_path / "home")
    assert models.answer(LOCAL_USER, Verb.RECOMMENDATIONS_A_DAY, "0.25", "2").a_day == (0.0, 0.0)
    models.release(LOCAL_USER)


def test_the_data_can_be_downloaded(running: Site) -> None:
    answer = running.client().get("/settings/export")
    assert 'filename="iscore-2026-03-04.jsonl"' in answer.headers["content-disposition"]
    kinds = [json.loads(line)["kind"] for line in answer.body.splitlines()]
    assert kinds[:3] == ["iscore", "settings", "subscription"]


def test_only_the_right_password_deletes_an_account_and_all_that_is_theirs(running: Site) -> None:
    database = running.context.users.entry(LOCAL_USER).news.database
    assert "the only user" in running.client().get("/settings/delete").body
    running.context.users.entry(LOCAL_USER).news.people.add("Ben", password=PASSWORD)
    accounts = Accounts(database, lambda: NOW)
    accounts.set_password(LOCAL_USER, hash_password(PASSWORD))
    running.context.users.forget(LOCAL_USER)
    ben, anna = running.signed_in("Ben", PASSWORD), running.signed_in("local", PASSWORD)
    assert save(ben, "/settings/delete", password="wrong").status == 403
    assert "only admin" in save(anna, "/settings/delete", password=PASSWORD).body
    assert save(ben, "/settings/delete", password=PASSWORD).place == "/login"
    assert ben.get("/settings").status == 303
    with database.read() as tx:
        assert [each.name for each in users.list_users(tx)] == ["local"]
