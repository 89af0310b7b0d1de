"""What figures depend on beside the stream: code and versions, as digits that change with them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import extractors
from iscore.filtering.features.factory import load_extractors

_ISCORE = Path(__file__).parents[2]
_MEASURING = (
    *("filtering/features/computation.py", "filtering/features/fault_isolation.py", "filtering/features/factory.py"),
    *("feeds/urls.py", "plugins/carried.py", "plugins/proxies.py", "plugins/servant.py"),
    *(
        f"evaluation/replay/{name}.py"
        for name in ("labelled_article", "stream_format", "feature_cache", "feature_cache_build", "stream")
    ),
)


@cache
def sources_of_measures() -> str:
    """Return 16 hexadecimal digits for what document and stream features depend on.

    Of an extractor from another package only the file counts that defines it.
    """
    origins = [
        getattr(extractor, "origin", None) or getattr(sys.modules.get(type(extractor).__module__), "__file__", None)
        for extractor in load_extractors().extractors.values()
    ]
    return _digits(
        [
            *Path(extractors.__file__).parent.rglob("*.py"),
            *(_ISCORE / name for name in _MEASURING),
            *(Path(origin) for origin in origins if origin),
        ]
    )


@cache
def sources_of_outcomes() -> str:
    """Return 16 hexadecimal digits for all that decisions depend on."""
    folders = ("core", "learners", "filtering", "evaluation/replay")
    files = [file for folder in folders for file in (_ISCORE / folder).rglob("*.py")]
    return blake2b((_digits(files) + sources_of_measures()).encode(), digest_size=8).hexdigest()


def _digits(files: Iterable[Path]) -> str:
    digest = blake2b(" ".join(version(name) for name in ("iscore-news", "numba", "numpy")).encode(), digest_size=8)
    for file in sorted(set(files)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
