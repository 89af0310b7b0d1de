"""The home folder: made once, never over something that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from iscore.core.data_folder import CONFIG, DataFolder, default_feeds
from iscore.core.errors import DataFolderError
from iscore.core.settings import load_settings
from iscore.feeds.subscriptions.editing import load


def test_a_new_home_has_settings_and_feeds_that_can_be_used(tmp_path: Path) -> None:
    home = DataFolder(tmp_path / "deep" / "home")
    home.create(None)
    assert sorted(path.name for path in home.path.iterdir()) == ["config.toml", "feeds.yaml"]
    assert home.path.stat().st_mode & 0o077 == 0
    assert home.config.stat().st_mode & 0o777 == 0o600
    assert load_settings(home.config).model_dump() == load_settings(tmp_path / "none").model_dump()
    assert len(load(home.feeds)) > 5
    with pytest.raises(DataFolderError, match=r"no iscore\.db"):
        home.require()


def test_the_settings_it_comments_on_exist_with_these_defaults(tmp_path: Path) -> None:
    lines = [line.removeprefix("# ") for line in CONFIG.splitlines() if line.startswith("# ") and " = " in line]
    assert len(lines) >= 5
    (tmp_path / "config.toml").write_text("\n".join(lines))
    assert load_settings(tmp_path / "config.toml").model_dump() == load_settings(tmp_path / "none").model_dump()


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("inbox_days = 3\n")
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    DataFolder(tmp_path).create(None)
    assert (tmp_path / "config.toml").read_text() == "inbox_days = 3\n"
    assert (tmp_path / "feeds.yaml").read_text() == "feeds: []\n"
    DataFolder(tmp_path).create(tmp_path / "feeds.yaml")
    assert (tmp_path / "feeds.yaml").read_text() == "feeds: []\n"


def test_ones_own_feeds_are_copied(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("# mine\nfeeds: []\n")
    home = DataFolder(tmp_path / "home")
    home.create(mine)
    assert home.feeds.read_bytes() == mine.read_bytes()


def test_a_home_is_not_made_twice(tmp_path: Path) -> None:
    (tmp_path / "iscore.db").touch()
    with pytest.raises(DataFolderError, match="already a data folder; nothing changed"):
        DataFolder(tmp_path).create(None)
    assert [path.name for path in tmp_path.iterdir()] == ["iscore.db"]
    DataFolder(tmp_path).require()


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match="is not a folder"):
        DataFolder(tmp_path / "file").create(None)
    with pytest.raises(DataFolderError, match="cannot be created: Not a directory"):
        DataFolder(tmp_path / "file" / "home").create(None)
    with pytest.raises(DataFolderError, match="no data folder here"):
        DataFolder(tmp_path / "none").require()


def test_the_default_feeds_are_the_projects() -> None:
    assert load(default_feeds())
