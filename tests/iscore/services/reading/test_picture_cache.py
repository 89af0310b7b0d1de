"""The cache of pictures: what is stored comes back, the oldest leave, nothing of it is needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from iscore.services.reading.pictures import PictureCache


def test_a_picture_comes_back_by_address_and_size(tmp_path: Path) -> None:
    cache = PictureCache(tmp_path / "pictures")
    assert cache.get("https://a.example/1", "whole") is None
    cache.put("https://a.example/1", "whole", b"large")
    cache.put("https://a.example/1", "icon", b"small")
    assert (cache.get("https://a.example/1", "whole"), cache.get("https://a.example/1", "icon")) == (b"large", b"small")
    assert cache.get("https://a.example/2", "whole") is None
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "pictures").iterdir()}
    assert modes == {0o600}


def test_the_oldest_leave_when_there_are_too_many(tmp_path: Path) -> None:
    cache = PictureCache(tmp_path, max_bytes=1000)
    for number in range(10):
        cache.put(str(number), "whole", bytes(100))
        for path in tmp_path.iterdir():  # each is a minute older than the next
            os.utime(path, ns=(0, path.stat().st_mtime_ns - 60_000_000_000))
    cache.put("new", "whole", bytes(100))
    assert [number for number in range(10) if cache.get(str(number), "whole") is None] == [0, 1]
    assert cache.get("new", "whole") is not None
    assert cache.size() == 900


def test_it_can_be_emptied_and_another_process_may_have_filled_it(tmp_path: Path) -> None:
    PictureCache(tmp_path).put("1", "whole", bytes(700))
    cache = PictureCache(tmp_path, max_bytes=1000)
    cache.put("2", "whole", bytes(700))
    assert cache.get("1", "whole") is None
    assert cache.purge() == 700
    assert list(tmp_path.iterdir()) == []
    assert cache.purge() == 0


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = PictureCache(tmp_path / "file" / "pictures")
    cache.put("1", "whole", b"x")
    assert cache.get("1", "whole") is None
    assert cache.purge() == 0
