"""Where the sentences of articles' bodies lie, and which of them report speech."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from extractors.text.lexicon import SAYING
from extractors.text.text import Texts


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Sentences in order of their articles; arrays have one element per sentence."""

    article: npt.NDArray[np.int64]
    """Row of the article, ascending."""
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    """The sentence has the words ``starts:ends`` of ``Texts``; at least one."""
    speech: npt.NDArray[np.bool_]
    """Whether it has a quotation mark or a verb of saying."""


def body_sentences(texts: Texts, wanted: npt.NDArray[np.bool_]) -> Sentences:
    """Return the sentences of the bodies of those articles that are ``wanted``; shape (articles,)."""
    total = int(texts.sentences[wanted].sum())
    found = Sentences(
        article=np.empty(total, dtype=np.int64),
        starts=np.empty(total, dtype=np.int64),
        ends=np.empty(total, dtype=np.int64),
        speech=np.empty(total, dtype=np.bool_),
    )
    _find(
        wanted,
        texts.word_starts,
        texts.title_words,
        texts.sentence_of,
        texts.sentence_starts,
        texts.quoted,
        texts.word_flags,
        found.article,
        found.starts,
        found.ends,
        found.speech,
    )
    return found


@compiled
def _find(
    wanted: npt.NDArray[np.bool_],
    word_starts: npt.NDArray[np.int64],
    title_words: npt.NDArray[np.int64],
    sentence_of: npt.NDArray[np.int32],
    sentence_starts: npt.NDArray[np.int64],
    quoted: npt.NDArray[np.bool_],
    word_flags: npt.NDArray[np.uint8],
    article: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    speech: npt.NDArray[np.bool_],
) -> None:
    n = 0
    for row in range(len(wanted)):
        if not wanted[row]:
            continue
        last, spoken = -1, False
        for word in range(word_starts[row] + title_words[row], word_starts[row + 1]):
            if sentence_of[word] != last:
                if last >= 0:
                    ends[n], speech[n] = word, spoken
                    n += 1
                last = sentence_of[word]
                article[n], starts[n] = row, word
                spoken = quoted[sentence_starts[row] + last]
            spoken |= (word_flags[word] & SAYING) > 0
        if last >= 0:
            ends[n], speech[n] = word_starts[row + 1], spoken
            n += 1
