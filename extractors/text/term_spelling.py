"""The spelling of terms, for explanations: learners only see hash buckets."""

from __future__ import annotations

from extractors.article import Document
from extractors.text.analysis import read
from extractors.text.lexicon import NO_TERM


def spellings(document: Document) -> dict[int, str]:
    """Return the first spelling in the article of each of its terms, by the term's bucket."""
    words = read([document])
    tokens, codes = words.tokens, words.codes
    found: dict[int, str] = {}
    for start, end, term in zip(tokens.starts.tolist(), tokens.ends.tolist(), words.terms.tolist(), strict=True):
        if term != NO_TERM and term not in found:
            found[term] = codes[start:end].tobytes().decode("utf-32-le", "replace")
    return found
