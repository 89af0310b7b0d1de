"""The home that has read the corpus of hostile strings."""

from __future__ import annotations

import pytest

from tests.hostile.hostile_folder import HostileFolder, make_hostile_folder


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    """One that every test copies. Its feeds answer no more."""
    return make_hostile_folder(tmp_path_factory.mktemp("hostile"))
