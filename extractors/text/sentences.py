"""Where the sentences of articles' bodies lie, and which of them report speech."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from extractors.arrays import Bools, Bytes, Int32s, Int64s
from extractors.numba_kernel import compiled
from extractors.text.lexicon import SAYING
from extractors.text.text import Texts


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Sentences in order of their articles; arrays have one element per sentence."""

    article: Int64s
    """Row of the article, ascending."""
    starts: Int64s
    ends: Int64s
    """The sentence has the words ``starts:ends`` of ``Texts``; at least one."""
    speech: Bools
    """Whether it has a quotation mark or a verb of saying."""


def body_sentences(texts: Texts, wanted: Bools) -> Sentences:
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
    wanted: Bools,
    word_starts: Int64s,
    title_words: Int64s,
    sentence_of: Int32s,
    sentence_starts: Int64s,
    quoted: Bools,
    word_flags: Bytes,
    article: Int64s,
    starts: Int64s,
    ends: Int64s,
    speech: Bools,
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
