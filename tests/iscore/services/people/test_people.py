"""Several people in one data folder: each has feeds, rules and settings of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.core.documents import DocumentChangedError
from iscore.core.errors import ConfigError, IscoreError, UnknownUserError
from iscore.feeds.errors import SubscriptionsError
from iscore.jobs.maintenance.export import ExportError
from iscore.jobs.maintenance.import_person import UNFINISHED, import_person
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import LastAdmin, TakenUserName
from storage.records.users import Role
from tests.iscore.services.news_life import START

FEEDS = "# mine\nfeeds:\n  - https://harbour.example/feed  # the best\n"
CONFIG = '# all settings\ninbox_days = 9\npoll_interval = 7200\nmail_to = "me@harbour.example"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The data folder of one person, with files written by hand."""
    folder = tmp_path / "home"
    NewsFilter.create(folder).close()
    (folder / "feeds.yaml").write_text(FEEDS)
    (folder / "rules.yaml").write_text("# mine\nrules:\n  - action: never\n    word: celebrity\n")
    (folder / "config.toml").write_text(CONFIG)
    return folder


@pytest.fixture
def two(home: Path) -> Iterator[tuple[NewsFilter, NewsFilter]]:
    """The first person, and Anna."""
    with opened(home) as news:
        news.people.add("Anna", time_zone="Asia/Tokyo")
        with opened(home, "anna") as anna:
            yield news, anna


def opened(home: Path, user: str = "") -> NewsFilter:
    return NewsFilter.open(home, user=user, clock=lambda: START)


def urls(news: NewsFilter) -> list[str]:
    return [each.url for each in news.subscriptions.feeds()]


def test_with_one_person_the_files_are_the_truth(home: Path) -> None:
    with opened(home) as news:
        news.subscriptions.add(["https://other.example/feed"], discover=False)
        assert str(news.context.feeds) == str(home / "feeds.yaml")
    assert (home / "feeds.yaml").read_text().startswith(FEEDS)
    assert sorted(each.name for each in home.glob("*.moved*")) == []


def test_the_first_invitation_moves_files_into_the_database_and_keeps_copies(home: Path) -> None:
    with opened(home) as news:
        moved = news.people.add("Anna").moved
        assert [each.name for each in moved] == [
            f"{name}.moved-{START:%Y-%m-%d-%H%M%S}" for name in ("feeds.yaml", "rules.yaml", "config.toml")
        ]
        assert [each.read_text() for each in moved][::2] == [FEEDS, CONFIG]
        assert (home / "config.toml").read_text() == "# all settings\npoll_interval = 7200\n"
        assert not (home / "feeds.yaml").exists()
        assert news.people.add("Bert").moved == ()
    with opened(home) as news:
        assert (news.context.settings.inbox_days, news.context.settings.poll_interval) == (9, 7200)
        assert news.context.settings.mail_to == "me@harbour.example"
        news.subscriptions.add(["https://other.example/feed"], discover=False)
        assert news.context.feeds.read().decode() == FEEDS + "  - url: https://other.example/feed\n"
        assert [rule.text for rule in news.rules.list()] == ["celebrity"]


def test_each_has_feeds_rules_and_settings_of_their_own(two: tuple[NewsFilter, NewsFilter]) -> None:
    news, anna = two
    assert (urls(anna), anna.rules.list(), anna.context.settings.inbox_days) == ([], [], 7)
    assert (anna.context.settings.mail_to, anna.context.settings.poll_interval) == ("", 7200)
    anna.subscriptions.add(["https://orchard.example/feed"], discover=False)
    anna.rules.add("always", "word", "apples")
    assert urls(news) == ["https://harbour.example/feed"]
    assert [rule.text for rule in news.rules.list()] == ["celebrity"]
    assert [rule.text for rule in anna.rules.list()] == ["apples"]
    assert news.context.postponed != anna.context.postponed


def test_the_environment_speaks_for_the_server_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_MAIL_TO", "all@harbour.example")
    monkeypatch.setenv("ISCORE_POLL_INTERVAL", "9000")
    with opened(home) as news:
        news.people.add("Anna")
    with opened(home) as news, opened(home, "Anna") as anna:
        assert (news.context.settings.mail_to, news.context.settings.inbox_days) == ("all@harbour.example", 9)
        assert (anna.context.settings.mail_to, anna.context.settings.poll_interval) == ("", 9000)


def test_messages_name_whose_text_is_wrong(two: tuple[NewsFilter, NewsFilter]) -> None:
    _, anna = two
    anna.context.feeds.replace("feds: []", before="feeds: []\n")
    with pytest.raises(SubscriptionsError, match=r"^feeds.yaml of Anna, line 1: 'feds' is not known here"):
        urls(anna)
    for text, problem in (
        ("inbx_days = 7", "there is no setting 'inbx_days'; did you mean 'inbox_days'?"),
        ("poll_interval = 600", "setting 'poll_interval' is the server's"),
        ("inbox_days = 0", "setting 'inbox_days': write a whole number, at least 1 and at most 365"),
        ("inbox_days", "is not valid TOML"),
    ):
        anna.context.personal_settings.replace(text, before=anna.context.personal_settings.read().decode())
        with pytest.raises(ConfigError) as found:
            _ = anna.context.settings
        assert str(found.value).startswith(f"config.toml of Anna: {problem}")


@pytest.mark.parametrize("stored", [False, True])
def test_a_text_that_changed_meanwhile_is_read_again(
    home: Path, *, stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from iscore.feeds.subscriptions import editing

    with opened(home) as news:
        if stored:
            news.people.add("Anna")
        feeds, edited = news.context.feeds, editing.edited
        meanwhile = iter([FEEDS + "# a note\n"])

        def slowly(*given: object, **named: object) -> str:
            text: str = edited(*given, **named)  # type: ignore[arg-type]
            for changed in meanwhile:
                feeds.replace(changed, before=feeds.read().decode())
            return text

        monkeypatch.setattr(editing, "edited", slowly)
        editing.add(feeds, ["https://other.example/feed"])
        assert feeds.read().decode() == FEEDS + "  - url: https://other.example/feed\n# a note\n"
        with pytest.raises(DocumentChangedError):
            feeds.replace("feeds: []", before="what it never was")


def test_people_are_renamed_and_removed_and_an_admin_is_left(two: tuple[NewsFilter, NewsFilter]) -> None:
    news, _ = two
    people = news.people
    with pytest.raises(TakenUserName):
        people.add("ANNA")
    with pytest.raises(LastAdmin):
        people.remove("local")
    people.rename("local", "Bert")
    people.set_password("bert", "a long password")
    people.set_role("anna", Role.ADMIN)
    listed = [(each.name, each.role, each.has_password, each.feeds) for each in people.list()]
    assert listed == [("Bert", "admin", True, 0), ("Anna", "admin", False, 0)]
    people.remove("Bert")
    assert [each.name for each in people.list()] == ["Anna"]
    assert list(news.context.folder.path.glob("*.moved-*")) == []
    with pytest.raises(UnknownUserError):
        people.remove("Bert")
    with pytest.raises(ConfigError, match="unknown time zone 'Mars'"):
        people.add("Eve", time_zone="Mars")


def test_another_folder_becomes_a_person(home: Path, tmp_path: Path) -> None:
    NewsFilter.create(tmp_path / "server").close()
    (tmp_path / "server" / "feeds.yaml").write_text("feeds: []\n")
    with opened(home) as theirs:
        theirs.subscriptions.follow()
    done = import_person(opened(tmp_path / "server").context.folder, "Bert", home, lambda: START)
    assert (done.imported.subscriptions, done.imported.rules) == (1, 1)
    assert (done.settings, done.left_out) == (("inbox_days", "mail_to"), ("poll_interval",))
    with opened(tmp_path / "server", "Bert") as bert, opened(tmp_path / "server") as first:
        assert (urls(bert), urls(first)) == (["https://harbour.example/feed"], [])
        assert bert.context.settings.inbox_days == 9
    broken = tmp_path / "broken.jsonl"
    broken.write_text("nothing")
    with pytest.raises(ExportError):
        import_person(first.context.folder, "Eve", broken, lambda: START)
    with opened(tmp_path / "server") as first:
        assert [each.name for each in first.people.list()] == ["local", "Bert"]
        first.people.add(UNFINISHED)  # what an import leaves that is killed
    with pytest.raises(IscoreError, match="iscore users remove 'unfinished import'"):
        import_person(first.context.folder, "Eve", home, lambda: START)


def test_settings_of_an_export_from_before_the_first_schema_are_taken_over(home: Path, tmp_path: Path) -> None:
    config = 'classifier = "two-opinions"  # the best\nexplore_share = 0.2\nfollow_changes = true\nbeta = 1\n'
    lines = ({"kind": "iscore", "format": 1}, {"kind": "settings", "config": config})
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    done = import_person(opened(home).context.folder, "Bert", earlier, lambda: START)
    assert (done.settings, done.left_out) == (("classifier", "beta"), ())
    with opened(home, "Bert") as bert:
        assert bert.context.personal_settings.read().decode() == 'classifier = "stacking"  # the best\nbeta = 1\n'
        assert (bert.context.settings.classifier, bert.context.settings.beta) == ("stacking", 1)
