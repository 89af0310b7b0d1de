"""The home that has read the corpus of hostile strings."""

from __future__ import annotations

import pytest

from tests.hostile.hostile_folder import HostileFolder, make_hostile_folder, open_hostile_folder
from tests.made_once import made_once


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    """One that every test copies. Its feeds answer no more."""
    return open_hostile_folder(made_once("hostile", tmp_path_factory, make_hostile_folder))
