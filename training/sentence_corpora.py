"""The corpora from which sentence classifiers are trained, as the product's own words.

Both are published under CC BY 4.0 (``NOTICE``). They lie where the environment variable ISCORE_DATA says.
"""

from __future__ import annotations

import os
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from extractors.text.tokens import code_points, tokenise

CORPORA = {
    "subjectivity": (
        "subjectivity-v1.0.zip",
        "subjectivity/quote.tok.gt9.5000",
        "subjectivity/plot.tok.gt9.5000",
    ),
    "polarity": (
        "sentence-polarity-v1.0.zip",
        "sentence_polarity/rt-polarity.pos",
        "sentence_polarity/rt-polarity.neg",
    ),
}
"""Name → archive in ``movie-reviews``, its sentences of the first kind and of the second, one per line."""


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Sentences of two kinds."""

    hashes: npt.NDArray[np.uint64]
    """The words of all sentences."""
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    """A sentence has the words ``hashes[starts:ends]``; shape (sentences,)."""
    first: npt.NDArray[np.bool_]
    """Whether it is of the first kind: subjective, positive; shape (sentences,)."""

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Corpus:
        return Corpus(self.hashes, self.starts[chosen], self.ends[chosen], self.first[chosen])

    def words(self, sentence: int) -> npt.NDArray[np.uint64]:
        """Return the hashes of one sentence's words."""
        return self.hashes[self.starts[sentence] : self.ends[sentence]]

    def texts(self) -> npt.NDArray[np.int64]:
        """Return numbers that equal sentences share and different ones do not; shape (sentences,)."""
        numbers: dict[bytes, int] = {}
        same = [numbers.setdefault(self.words(i).tobytes(), len(numbers)) for i in range(len(self))]
        return np.array(same, dtype=np.int64)


def load(name: str) -> Corpus:
    """Return a corpus. Raises ``SystemExit`` with what to do when ISCORE_DATA is not set."""
    folder = os.environ.get("ISCORE_DATA")
    if not folder or not Path(folder).is_dir():
        raise SystemExit("set ISCORE_DATA to the folder of real data")
    archive, first, second = CORPORA[name]
    with zipfile.ZipFile(Path(folder) / "movie-reviews" / archive) as files:
        lines = [files.read(member).decode("utf-8").rstrip("\n").split("\n") for member in (first, second)]
    return corpus(lines[0] + lines[1], np.arange(len(lines[0]) + len(lines[1])) < len(lines[0]))


def corpus(lines: list[str], first: npt.NDArray[np.bool_]) -> Corpus:
    """Return sentences given as text, each whole: the corpora's lines are in lower case, which hides their ends."""
    pieces = ["\n\n" + unicodedata.normalize("NFC", line) for line in lines]
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).tolist()
    tokens = tokenise(code_points("".join(pieces)), starts, starts[:-1])
    return Corpus(tokens.hashes, tokens.word_starts[:-1], tokens.word_starts[1:], first)
