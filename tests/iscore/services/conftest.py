"""An archive with verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.iscore.conftest import Archive
from tests.iscore.services.scored_archive import arrive, give_verdicts


@pytest.fixture(scope="module")
def opinionated_home(filled_home: Path, pieces, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody with verdicts on sixty articles, and a hundred that came later, closed."""
    archive = Archive.copied(filled_home, tmp_path_factory.mktemp("opinionated") / "home")
    give_verdicts(archive, 60)
    assert archive.news.models.current().trained
    arrive(archive, pieces[60:160])
    archive.database.close()
    return archive.home.path


@pytest.fixture
def opinionated(opinionated_home: Path, tmp_path: Path):
    """An archive with verdicts on sixty articles, and a hundred that came later; none has a decision yet."""
    archive = Archive.copied(opinionated_home, tmp_path / "home")
    yield archive
    archive.database.close()
