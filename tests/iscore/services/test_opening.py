"""Which folders can be opened, and where a data folder can be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from iscore.core.errors import DataFolderError
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import NotADatabase


def test_a_home_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError, match="iscore init"):
        NewsFilter.open(tmp_path / "none")
    with pytest.raises(DataFolderError, match=r"no iscore\.db"):
        NewsFilter.open(tmp_path)
    (tmp_path / "iscore.db").write_bytes(b"something else" * 200)
    with pytest.raises(NotADatabase):
        NewsFilter.open(tmp_path)
    with pytest.raises(DataFolderError, match="already"):
        NewsFilter.create(tmp_path)
    assert (tmp_path / "iscore.db").read_bytes() == b"something else" * 200
    assert not (tmp_path / "feeds.yaml").exists()
