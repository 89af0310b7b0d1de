"""Digests of the code and the versions on which the results of a replay depend."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import extractors
from extractors.text.meaning import DIRECTIONS, encoder_name
from iscore.filtering.features.factory import load_extractors

VERSIONS = ("iscore-news", "numba", "numpy", "scipy")
"""Packages on which features and decisions depend."""
_ISCORE = Path(__file__).parents[2]
_FEATURES = (
    *("filtering/features/computation.py", "filtering/features/factory.py", "feeds/urls.py"),
    *(f"evaluation/replay/{name}.py" for name in ("stream_format", "feature_cache", "feature_cache_build", "stream")),
)


@cache
def digest_of_features() -> str:
    """Return 16 hexadecimal digits for the code of document and stream features.

    Of an extractor from another package only the file that defines it counts.
    """
    origins = [
        getattr(sys.modules.get(type(extractor).__module__), "__file__", None)
        for extractor in load_extractors().extractors.values()
    ]
    return _digits(
        [
            *Path(extractors.__file__).parent.rglob("*.py"),
            *(_ISCORE / name for name in _FEATURES),
            *(Path(origin) for origin in origins if origin),
        ]
    )


@cache
def digest_of_decisions() -> str:
    """Return 16 hexadecimal digits for the code of features and decisions."""
    folders = ("core", "learners", "filtering", "evaluation/replay")
    files = [file for folder in folders for file in (_ISCORE / folder).rglob("*.py")]
    files += [_ISCORE / "services" / name for name in ("reading/headlines.py", "learning/imported_item.py")]
    return blake2b((_digits(files) + digest_of_features()).encode(), digest_size=8).hexdigest()


def _digits(files: Iterable[Path]) -> str:
    versions = [*(version(name) for name in VERSIONS), encoder_name()]
    digest = blake2b(" ".join(versions).encode(), digest_size=8)
    for file in sorted({*files, DIRECTIONS}):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
