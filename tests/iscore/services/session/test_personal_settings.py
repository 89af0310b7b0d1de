"""A user's own settings are changed in their text, and nothing else in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.core.errors import ConfigError
from iscore.core.settings_text import values_of, with_values
from iscore.services.news_filter import NewsFilter

CONFIG = """\
# Mine.
beta = 0.5      # half
mail_to = "a#b@example.org" # "quoted"
trusted_proxies = [
  "10.0.0.1",   # the cellar
]
inbox_days = 3"""


def test_values_change_and_comments_stay() -> None:
    changed = with_values(CONFIG, {"beta": 1.0, "mail_to": 'x"\\\x7f', "theme": "dark", "pictures": False})
    assert (
        changed
        == CONFIG.replace("0.5  ", "1.0")
        .replace("1.0    #", "1.0      #")
        .replace('"a#b@example.org"', '"x\\"\\\\\\u007f"')
        + '\ntheme = "dark"\npictures = false\n'
    )


@given(
    st.dictionaries(st.sampled_from(["beta", "mail_to", "new"]), st.one_of(st.text(), st.booleans(), st.floats(0, 9)))
)
def test_what_is_written_reads_as_it_was_meant(values: dict[str, str | bool | float]) -> None:
    try:
        text = with_values(CONFIG, values)
    except ValueError:
        assert any(isinstance(each, str) and not each.isprintable() for each in values.values())
    else:
        assert values_of(text) == values_of(CONFIG) | values


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    NewsFilter.create(tmp_path / "home").close()
    (tmp_path / "home" / "config.toml").write_text(CONFIG, encoding="utf-8")
    return tmp_path / "home"


def test_a_change_holds_at_once_and_a_mistake_changes_nothing(folder: Path) -> None:
    with NewsFilter.open(folder) as news:
        news.settings.change({"beta": "1.4", "time_zone": "Asia/Tokyo"})
        assert (news.context.settings.beta, str(news.context.zone)) == (1.4, "Asia/Tokyo")
        before = (folder / "config.toml").read_text()
        wrong = [{"beta": "9"}, {"beta": "nan"}, {"digest_at": "25:00"}, {"theme": "pink"}, {"time_zone": "Mars"}]
        for each in (*wrong, {"serve_port": "80"}, {"bta": "1"}, {"mail_password_command": "rm"}):
            with pytest.raises(ConfigError):
                news.settings.change({"theme": "dark"} | each)
        assert (folder / "config.toml").read_text() == before


def test_each_of_several_people_has_their_own(folder: Path) -> None:
    with NewsFilter.open(folder) as news:
        news.people.add("Ben", time_zone="Europe/Rome")
        ben = news.for_user(2)
        ben.settings.change({"beta": "2", "time_zone": "Asia/Tokyo"})
        assert (ben.context.settings.beta, str(ben.context.zone)) == (2.0, "Asia/Tokyo")
        assert news.context.settings.beta == 0.5
        assert {each.name: each.value for each in ben.settings.list()}["time_zone"] == "Asia/Tokyo"


def test_a_variable_of_the_environment_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_BETA", "0.7")
    with NewsFilter.open(folder) as news:
        (beta,) = [each for each in news.settings.list() if each.name == "beta"]
    assert (beta.value, beta.variable) == (0.7, "ISCORE_BETA")
