"""How the whole suite is spread over processes, by ``--dist loadscope``: a file is done by one process, since its tests
share what was costly to make, and what takes longest begins first, so that none is left over at the end.

With an empty cache of compiled kernels most of them are compiled by the two units that come first, while the other
processes do what needs none; else all would compile the same at the same time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

TOGETHER = {
    "tests/iscore/replay/": "a week of news, measured",
    "tests/iscore/web/": "a server, a browser and the home that they show",
    "tests/hostile/test_sink": "the home that has read all nasty texts",
}
"""How paths begin that are one unit though they are several files, with what they share."""

COMPILING = ("tests/iscore/replay/", "tests/iscore/learners/test_linear_contract.py")
"""Between them they use nearly all kernels."""

WITHOUT_KERNELS = (
    "tests/iscore/feeds/test_real_feeds.py",
    "tests/iscore/feeds/parsing/test_page_text.py",
    "tests/iscore/feeds/test_poll.py",
    "tests/iscore/feeds/",
    "tests/storage/",
    "tests/hostile/fuzz/",
)

LONG = (
    "tests/real_world/test_real_feeds.py",
    "tests/real_world/test_plugin.py",
    "tests/iscore/filtering/test_classifiers.py",
    "tests/iscore/web/",
    "tests/hostile/test_servers.py",
    "tests/hostile/test_documents.py",
    "tests/hostile/test_kills.py",
    "tests/benchmarks/test_rivals.py",
    "tests/benchmarks/test_rival_learners.py",
    "tests/iscore/services/test_model_store.py",
    "tests/iscore/filtering/test_pipeline.py",
    "tests/iscore/cli/test_full_text.py",
    "tests/iscore/services/test_news_filter.py",
    "tests/extractors/test_contract.py",
    "tests/hostile/",
    "tests/real_world/",
    "tests/iscore/plugins/test_hanging.py",
    "tests/iscore/evaluation/test_demo.py",
    "tests/iscore/cli/test_end_to_end.py",
    "tests/benchmarks/test_streams.py",
    "tests/test_docs.py",
    "tests/iscore/filtering/test_drift_adaptation.py",
    "tests/iscore/learners/test_contract.py",
    "tests/iscore/learners/naive_bayes/test_subset_naive_bayes.py",
)
"""What takes more than five seconds, the longest first; the rest follows as it was found."""

ORDER = (*COMPILING, *WITHOUT_KERNELS, *LONG)


def unit(path: str) -> str:
    """Return the name of the unit to which a file of tests belongs."""
    return next((beginning for beginning in TOGETHER if path.startswith(beginning)), path)


def rank(path: str) -> int:
    """Return the place in the order: the first name in it with which the path begins, or with which its unit does."""
    return next((place for place, name in enumerate(ORDER) if path.startswith(name)), len(ORDER))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the units in order where there are several processes; alone, tests run as they were found."""
    if hasattr(config, "workerinput"):
        places: dict[str, tuple[int, int]] = {}
        for item in items:
            path = item.nodeid.partition("::")[0]
            places.setdefault(unit(path), (rank(path), len(places)))
        items.sort(key=lambda item: places[unit(item.nodeid.partition("::")[0])])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Take one process more than there are processors: many tests wait, for deadlines or for processes."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    from joblib import cpu_count

    return int(cpu_count()) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole units, in order."""
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid.partition("::")[0])

    config.option.loadscopereorder = False
    return Units(config, log)
