"""Settings: defaults, file, environment, and mistakes that must not pass silently."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from iscore.core.errors import ConfigError
from iscore.core.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ISCORE_"):
            monkeypatch.delenv(name)


def test_without_a_file_the_defaults_are_in_force(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "none.toml")
    assert settings.classifier == "stacking"
    assert settings.allow_private_networks is False
    assert settings.poll_interval == 3600


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_the_file_is_read_and_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.toml"
    file.write_text("inbox_days = 3\nhost_spacing = 0.2\ncontact = 'https://me.example'\n")
    assert load_settings(file).inbox_days == 3
    monkeypatch.setenv("ISCORE_INBOX_DAYS", "5")
    monkeypatch.setenv("ISCORE_ALLOW_PRIVATE_NETWORKS", "1")
    settings = load_settings(file)
    assert (settings.inbox_days, settings.host_spacing, settings.contact) == (5, 0.2, "https://me.example")
    assert settings.allow_private_networks is True
    assert load_settings(file, inbox_days=9).inbox_days == 9


def test_other_variables_of_ours_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_HOME", "/somewhere")
    monkeypatch.setenv("ISCORE_NOW", "2025-03-01")
    assert load_settings(tmp_path / "none.toml").inbox_days == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inbox_day = 3", "line 1: there is no setting 'inbox_day'; did you mean 'inbox_days'?"),
        ("# mine\n\ninbox_days = 0", "line 3: setting 'inbox_days': write a whole number, at least 1 and at most 365"),
        ("poll_interval = 10", "setting 'poll_interval'"),
        ("beta = 9", "setting 'beta': write a number, at least 0.25 and at most 2"),
        ("digest_at = '7:00'", "setting 'digest_at': write hour and minute like 07:00"),
        ("digest_at = '24:00'", "setting 'digest_at'"),
        ("mail_security = 'ssl'", "setting 'mail_security': write one of 'starttls', 'tls', 'none'"),
        ("mail_port = 70000", "setting 'mail_port'"),
        ("fetch_timeout = 'soon'", "setting 'fetch_timeout'"),
        ("inbox_days = ", "is not valid TOML"),
        ("[section]\nx = 1", "line 1: there is no setting 'section'"),
        ("mail_empty = 3", "write true or false"),
        ("contact = 3", "write a text in quotes"),
        ("inbox_days = 7\na b", "line 2: is not valid TOML"),
    ],
)
def test_mistakes_are_named_with_the_file(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_settings(file)
    assert str(raised.value).startswith(str(file))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_wrong_variable_is_an_error_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_INBOX_DAYS", "many")
    with pytest.raises(ConfigError, match=r"^ISCORE_INBOX_DAYS: .*'inbox_days'.* at most 365"):
        load_settings(tmp_path / "none.toml")


def test_a_variable_has_a_list_in_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_TRUSTED_PROXIES", '["10.0.0.1", "10.1.0.0/16"]')
    assert load_settings(tmp_path / "none.toml").trusted_proxies == ("10.0.0.1", "10.1.0.0/16")


@pytest.mark.parametrize("text", ["10.0.0.1", "[10.0.0.1]", '"10.0.0.1"', "[1]", ""])
def test_a_variable_that_is_no_list_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ISCORE_TRUSTED_PROXIES", text)
    with pytest.raises(ConfigError, match=r"^ISCORE_TRUSTED_PROXIES: .*write a list of texts in quotes"):
        load_settings(tmp_path / "none.toml")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"contact = '\xe9'"])
def test_a_file_that_is_no_text_is_an_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_settings(file)


def test_a_password_is_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("mail_password = 'correct horse'\n")
    settings = load_settings(file)
    assert settings.mail_password == "correct horse"
    assert "horse" not in f"{settings!r} {settings}"
    file.write_text("mail_password = ['correct horse']\n")
    with pytest.raises(ConfigError) as raised:
        load_settings(file)
    assert "horse" not in str(raised.value)


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "none.toml")
    with pytest.raises(ValidationError):
        settings.inbox_days = 3  # type: ignore[misc]
