"""The words behind the terms: what a person reads where a learner sees buckets."""

from __future__ import annotations

from extractors.article import Document
from extractors.text.analysis import read
from extractors.text.lexicon import NO_TERM


def spellings(document: Document) -> dict[int, str]:
    """Return the first spelling in the article of each of its terms, by the term's bucket."""
    reading = read([document])
    tokens, codes = reading.tokens, reading.codes
    found: dict[int, str] = {}
    for start, end, term in zip(tokens.starts.tolist(), tokens.ends.tolist(), reading.terms.tolist(), strict=True):
        if term != NO_TERM and term not in found:
            found[term] = codes[start:end].tobytes().decode("utf-32-le", "replace")
    return found
