"""From documents to ``Texts``: many articles are analysed in one call, once for all extractors."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from extractors.arrays import Bytes, Float32s, Int32s, Int64s, UInt32s
from extractors.article import Document
from extractors.numba_kernel import compiled
from extractors.text.addresses import host_term, hosts, without_addresses
from extractors.text.boilerplate import Boilerplate
from extractors.text.frequencies import Frequencies
from extractors.text.language import languages_of
from extractors.text.lexicon import FUNCTION_WORD, NO_TERM, SAYING, Lexicon
from extractors.text.pairs import Pairs, find_pairs, sort
from extractors.text.terms import HOST, IN_OPENING, IN_TITLE, TermBatch
from extractors.text.text import Text, Texts
from extractors.text.tokens import CAPITALS, DIGITS, LETTERS, PUNCTUATIONS, VISIBLE, Tokens, code_points, tokenise

TITLE_WEIGHT: Final = 2
"""A word of the title counts as two of the body: a title names the topic, but is only one sentence."""

OPENING: Final = 40
"""Words of the body that are its opening: news says first what it is about, and short feed descriptions have about
as many words."""

MAX_CHARACTERS = 100_000
"""Only the beginning of longer bodies is analysed: 15,000 words are enough to know what an article is about."""

CHUNK_ARTICLES = 128
CHUNK_CHARACTERS = 400_000
"""Articles that are analysed in one call: enough that the calls cost little, few enough to stay within the processor's
cache."""

_SENTENCES, _LONG, _FUNCTION, _CONTENT, _DISTINCT, _SPEECH = range(6)

_lexicon = Lexicon()


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of articles before anything is counted."""

    codes: UInt32s
    """The code points of the articles."""
    tokens: Tokens
    languages: tuple[str, ...]
    terms: Int32s
    """Bucket of each word's stem, or ``lexicon.NO_TERM``; shape (words,)."""
    flags: Bytes
    hosts: Int32s
    """Bucket of the host that each article is about, or ``lexicon.NO_TERM``; shape (articles,)."""


def analyse(document: Document, frequencies: Frequencies | None = None) -> Text:
    """Return the analysis of an article, weighted with the document frequencies of the articles before it, if given.

    Changes nothing: the caller calls ``frequencies.observe(text.terms)`` once, after the article.
    """
    frequencies = frequencies or Frequencies()
    words = read([document])
    ids, counts, parts, indptr, numbers = _counted(words)
    return _texts(words, TermBatch(indptr, ids, counts, frequencies.weigh(ids, counts), parts), numbers)[0]


def analyse_many(
    documents: Sequence[Document],
    frequencies: Frequencies | None = None,
    boilerplate: Boilerplate | None = None,
    *,
    apart: bool = False,
) -> Texts:
    """Return the analyses of consecutive articles; ``frequencies``, empty if not given, observes each in turn.

    So does ``boilerplate``, if given, which is left out, unless the articles are ``apart`` from the stream.
    """
    frequencies = frequencies or Frequencies()
    words = read(documents, boilerplate, apart=apart)
    ids, counts, parts, indptr, numbers = _counted(words)
    return _texts(
        words, TermBatch(indptr, ids, counts, frequencies.weigh_and_observe(indptr, ids, counts), parts), numbers
    )


def chunks(documents: Sequence[Document]) -> list[Sequence[Document]]:
    """Split articles, in order, into chunks of a good size for ``analyse_many``."""
    parts: list[Sequence[Document]] = []
    start, characters = 0, 0
    for number, document in enumerate(documents):
        characters += min(len(document.text), MAX_CHARACTERS)
        if number + 1 - start == CHUNK_ARTICLES or characters >= CHUNK_CHARACTERS:
            parts.append(documents[start : number + 1])
            start, characters = number + 1, 0
    return [*parts, documents[start:]] if start < len(documents) else parts


def read(documents: Sequence[Document], boilerplate: Boilerplate | None = None, *, apart: bool = False) -> Words:
    """Return the words of articles, their stems' buckets, and the languages; without addresses and boilerplate."""
    pieces: list[str] = []
    linked: list[list[str]] = []
    starts, title_ends, end = [0], [], 0
    for document in documents:
        title, in_title = without_addresses(_composed(document.title))
        body, in_body = without_addresses(_composed(document.text))
        linked.append(hosts(document, in_title + in_body))
        pieces += (title, "\n\n", body)
        title_ends.append(end + len(title))
        end += len(title) + 2 + len(body)
        starts.append(end)
    codes = code_points("".join(pieces))
    tokens = tokenise(codes, starts, title_ends)
    chosen = np.zeros(len(documents), dtype=np.int64)
    if boilerplate is not None:
        sources = [document.source for document in documents]
        tokens, chosen = boilerplate.take_out(codes, starts, tokens, sources, linked, count=not apart)
    terms_of_hosts = [
        host_term(each[place]) if each else NO_TERM for each, place in zip(linked, chosen.tolist(), strict=True)
    ]
    languages = languages_of([document.language for document in documents], codes, starts, tokens)
    terms, flags = _lexicon.look_up(codes, tokens, languages)
    return Words(codes, tokens, languages, terms, flags, np.array(terms_of_hosts, dtype=np.int32))


def _composed(text: str) -> str:
    text = text[:MAX_CHARACTERS]
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _counted(
    words: Words,
) -> tuple[
    Int32s,
    Float32s,
    Bytes,
    Int64s,
    Int64s,
]:
    """Return ids, counts and parts of the terms, where each article's begin, and the numbers named above."""
    tokens = words.tokens
    room = len(words.terms) + len(words.hosts)
    ids = np.empty(room, dtype=np.int32)
    counts = np.empty(room, dtype=np.float32)
    parts = np.empty(room, dtype=np.uint8)
    indptr = np.zeros(len(tokens.word_starts), dtype=np.int64)
    numbers = np.zeros((len(tokens.n_title), 6), dtype=np.int64)
    _count_terms(tokens, words.terms, words.hosts, ids, counts, parts, indptr, numbers)
    _count_words(tokens, words.terms, words.flags, numbers)
    n_terms = indptr[-1]
    return ids[:n_terms].copy(), counts[:n_terms].copy(), parts[:n_terms].copy(), indptr, numbers


def _texts(words: Words, terms: TermBatch, numbers: Int64s) -> Texts:
    tokens = words.tokens
    pair_indptr = np.zeros(len(tokens.word_starts), dtype=np.int64)
    pair_ids = np.empty(len(words.terms), dtype=np.int32)
    find_pairs(tokens.word_starts, tokens.sentence_of, words.terms, pair_indptr, pair_ids)
    return Texts(
        languages=words.languages,
        title_words=tokens.n_title,
        words=np.diff(tokens.word_starts) - tokens.n_title,
        sentences=numbers[:, _SENTENCES],
        letters=tokens.characters[:, LETTERS],
        capitals=tokens.characters[:, CAPITALS],
        digits=tokens.characters[:, DIGITS],
        punctuation=tokens.characters[:, PUNCTUATIONS],
        characters=tokens.characters[:, VISIBLE],
        long_words=numbers[:, _LONG],
        function_words=numbers[:, _FUNCTION],
        content_words=numbers[:, _CONTENT],
        distinct_terms=numbers[:, _DISTINCT],
        speech_sentences=numbers[:, _SPEECH],
        word_starts=tokens.word_starts,
        word_hashes=tokens.hashes,
        word_terms=words.terms,
        word_flags=words.flags,
        sentence_of=tokens.sentence_of,
        sentence_starts=tokens.sentence_starts,
        quoted=tokens.quoted,
        terms=terms,
        pairs=Pairs(pair_indptr, pair_ids[: pair_indptr[-1]].copy()),
    )


@compiled
def _count_terms(
    tokens: Tokens, word_terms: Int32s, hosts: Int32s, ids: Int32s, counts: Float32s, parts: Bytes, indptr: Int64s,
    numbers: Int64s,
) -> None:  # fmt: skip
    word_starts, n_title = tokens.word_starts, tokens.n_title
    # Each word as 8·term + its part, sorted, so that equal terms meet.
    n_terms = 0
    for article in range(len(n_title)):
        start, end = word_starts[article], word_starts[article + 1]
        keys = np.empty(end - start + 1, dtype=np.int32)
        n_keys = 0
        for word in range(start, end):
            if word_terms[word] != NO_TERM:
                at = word - start - n_title[article]
                keys[n_keys] = 8 * word_terms[word] + (IN_TITLE if at < 0 else IN_OPENING if at < OPENING else 0)
                n_keys += 1
        if hosts[article] != NO_TERM:
            keys[n_keys] = 8 * hosts[article] + HOST
            n_keys += 1
        distinct = 0
        last, last_of_body = -1, -1
        sort(keys[:n_keys])
        for place in range(n_keys):
            term, part = keys[place] >> 3, keys[place] & 7
            if term != last:
                ids[n_terms] = term
                counts[n_terms] = 0.0
                parts[n_terms] = 0
                n_terms += 1
                last = term
            if part not in (IN_TITLE, HOST) and term != last_of_body:
                distinct += 1
                last_of_body = term
            counts[n_terms - 1] += TITLE_WEIGHT if part == IN_TITLE else 1
            parts[n_terms - 1] |= part
        indptr[article + 1] = n_terms
        numbers[article, _DISTINCT] = distinct


@compiled
def _count_words(tokens: Tokens, word_terms: Int32s, word_flags: Bytes, numbers: Int64s) -> None:
    word_starts, sentence_of = tokens.word_starts, tokens.sentence_of
    for article in range(len(tokens.n_title)):
        last, speech = -1, False
        row = numbers[article]
        for word in range(word_starts[article] + tokens.n_title[article], word_starts[article + 1]):
            if sentence_of[word] != last:
                last = sentence_of[word]
                row[_SENTENCES] += 1
                speech = tokens.quoted[tokens.sentence_starts[article] + last]
                row[_SPEECH] += speech
            if not speech and word_flags[word] & SAYING:
                speech = True
                row[_SPEECH] += 1
            row[_LONG] += tokens.ends[word] - tokens.starts[word] > 6
            row[_FUNCTION] += (word_flags[word] & FUNCTION_WORD) > 0
            row[_CONTENT] += word_terms[word] != NO_TERM


def spellings(document: Document) -> dict[int, str]:
    """Return the first spelling in the article of each of its terms, by the term's bucket, for explanations.

    A host is spelled as it is; which one is a term depends on the feed, so all are there.
    """
    linked = hosts(document, without_addresses(document.title)[1] + without_addresses(_composed(document.text))[1])
    found = {host_term(host): host for host in reversed(linked)}
    for _, word, term in _spelled(read([document])):
        if term != NO_TERM:
            found.setdefault(term, word)
    return found


CONJUNCTIONS = {
    "da": "og eller", "de": "und oder sowie", "en": "and or", "es": "y e o u", "fi": "ja tai sekä", "fr": "et ou",
    "it": "e ed o od", "nl": "en of", "no": "og eller", "pl": "i oraz lub", "pt": "e ou", "ru": "и или",
    "sv": "och eller",
}  # fmt: skip
"""The words that separate the parts of an enumeration, by language; an unknown language has commas only."""


def enumerated(document: Document) -> list[Int32s]:
    """Return the terms of each part of an enumeration, ascending: "physics, chess and old maps" has three parts."""
    words = read([document])
    separators = CONJUNCTIONS.get(words.languages[0], "").split()
    parts: list[set[int]] = [set()]
    for before, word, term in _spelled(words):
        if not _JOINING.issuperset(before) or word.lower() in separators:
            parts.append(set())
        if term != NO_TERM:
            parts[-1].add(term)
    return [np.array(sorted(part), dtype=np.int32) for part in parts if part]


_JOINING = frozenset(" -'’“”\"\n")
"""What stands between the words of one part."""


def _spelled(words: Words) -> Iterator[tuple[str, str, int]]:
    """Yield the words of an article, each after what stands before it, with the bucket of its stem."""
    tokens, codes = words.tokens, words.codes
    last = 0
    for start, end, term in zip(tokens.starts.tolist(), tokens.ends.tolist(), words.terms.tolist(), strict=True):
        before, word = codes[last:start].tobytes(), codes[start:end].tobytes()
        yield before.decode("utf-32-le", "replace"), word.decode("utf-32-le", "replace"), term
        last = end
