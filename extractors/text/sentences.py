"""Where the sentences of articles' bodies are, and which of them report speech."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from extractors.arrays import Bools, Bytes, Int32s, Int64s
from extractors.numba_kernel import compiled
from extractors.text.lexicon import SAYING
from extractors.text.text import Texts


class Sentences(NamedTuple):
    """Sentences in order of their articles; arrays have one element per sentence."""

    article: Int64s
    """Row of the article, ascending."""
    starts: Int64s
    ends: Int64s
    """The sentence has the words ``starts:ends`` of ``Texts``; at least one."""
    speech: Bools
    """Whether it has a quotation mark or a reporting verb."""


class _Words(NamedTuple):
    """Fields of ``Texts``."""

    word_starts: Int64s
    title_words: Int64s
    sentence_of: Int32s
    sentence_starts: Int64s
    quoted: Bools
    word_flags: Bytes


def body_sentences(texts: Texts, wanted: Bools) -> Sentences:
    """Return the sentences in the bodies of those articles that are ``wanted``; shape (articles,)."""
    total = int(texts.sentences[wanted].sum())
    article, starts, ends = (np.empty(total, dtype=np.int64) for _ in range(3))
    found = Sentences(article, starts, ends, np.empty(total, dtype=np.bool_))
    _find(wanted, _Words(*(getattr(texts, name) for name in _Words._fields)), found)
    return found


@compiled
def _find(wanted: Bools, words: _Words, found: Sentences) -> None:
    n = 0
    for row in range(len(wanted)):
        if not wanted[row]:
            continue
        end = words.word_starts[row + 1]
        last, speech = -1, False
        for word in range(words.word_starts[row] + words.title_words[row], end):
            if words.sentence_of[word] != last:
                if last >= 0:
                    found.ends[n], found.speech[n] = word, speech
                    n += 1
                last = words.sentence_of[word]
                found.article[n], found.starts[n] = row, word
                speech = words.quoted[words.sentence_starts[row] + last]
            speech |= (words.word_flags[word] & SAYING) > 0
        if last >= 0:
            found.ends[n], found.speech[n] = end, speech
            n += 1
