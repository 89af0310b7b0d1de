"""The words behind the terms: what a person reads where a learner sees buckets."""

from __future__ import annotations

from extractors.document import Document
from extractors.lexicon import NO_TERM
from extractors.text import read_words


def spellings(document: Document) -> dict[int, str]:
    """Return the first spelling in the article of each of its terms, by the term's bucket."""
    tokens, terms, _, _, codes = read_words(document)
    found: dict[int, str] = {}
    for start, end, term in zip(tokens.starts.tolist(), tokens.ends.tolist(), terms.tolist(), strict=True):
        if term != NO_TERM and term not in found:
            found[term] = codes[start:end].tobytes().decode("utf-32-le", "replace")
    return found
