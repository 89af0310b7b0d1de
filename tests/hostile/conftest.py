"""The home that has read the corpus of nasty strings."""

from __future__ import annotations

import pytest

from tests.hostile.nasty_home import NastyHome, make_nasty_home


@pytest.fixture(scope="session")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> NastyHome:
    """One that every test copies. Its feeds answer no more."""
    return make_nasty_home(tmp_path_factory.mktemp("nasty"))
