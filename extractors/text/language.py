"""The language of an article: as its feed declares, checked against its function words and its script; the detector
decides where these disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from extractors.arrays import Int64s, UInt16s, UInt32s, UInt64s
from extractors.numba_kernel import compiled
from extractors.text.characters import LETTER, N_CODES, characters
from extractors.text.function_words import FUNCTION_WORDS
from extractors.text.tokens import Tokens, code_points, word_hash

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES: Final = tuple(FUNCTION_WORDS)
"""The languages that words can vote for, in the order of the votes."""

MAX_VOTERS: Final = 300
"""Words from the start that vote: more never changed the answer."""

_LAST_LATIN: Final = 0x024F
_SIZE: Final = 1 << 13
"""Slots of the hash table, four times the words."""


def votes_of(hashes: UInt64s, word_starts: Int64s) -> Int64s:
    """Return how many words of each article are function words of each language; shape (articles, ``LANGUAGES``).

    Article ``i`` has the words with ``hashes[word_starts[i]:word_starts[i + 1]]``.
    """
    votes = np.zeros((len(word_starts) - 1, len(LANGUAGES)), dtype=np.int64)
    _vote(hashes, word_starts, *_masks(), votes)
    return votes


def scripts_of(codes: UInt32s, article_starts: Int64s, sample: int) -> Int64s:
    """Return how many letters of each article are Latin, and how many are not, among its first ``sample`` characters;
    shape (articles, 2). Article ``i`` is ``codes[article_starts[i]:article_starts[i + 1]]``."""
    scripts = np.zeros((len(article_starts) - 1, 2), dtype=np.int64)
    _count_letters(codes, article_starts, sample, characters().kinds, scripts)
    return scripts


@cache
def _masks() -> tuple[UInt64s, UInt32s]:
    # An open-addressing table: the hash of a function word, and one bit for each language that has it.
    keys = np.zeros(_SIZE, dtype=np.uint64)
    masks = np.zeros(_SIZE, dtype=np.uint32)
    lower = characters().lower
    for bit, words in enumerate(FUNCTION_WORDS.values()):
        for word in words:
            codes = code_points(word)
            key = int(word_hash(codes, lower, 0, len(codes)))
            slot = key % _SIZE
            while keys[slot] not in (0, key):
                slot = (slot + 1) % _SIZE
            keys[slot] = key
            masks[slot] |= 1 << bit
    return keys, masks


@compiled
def _vote(
    hashes: UInt64s,
    word_starts: Int64s,
    keys: UInt64s,
    masks: UInt32s,
    votes: Int64s,
) -> None:
    for article in range(len(word_starts) - 1):
        start, end = word_starts[article], word_starts[article + 1]
        for word in range(start, min(end, start + MAX_VOTERS)):
            slot = np.int64(hashes[word] & np.uint64(len(keys) - 1))
            while keys[slot] != 0:
                if keys[slot] == hashes[word]:
                    mask, language = np.int64(masks[slot]), 0
                    while mask > 0:
                        votes[article, language] += mask & 1
                        mask >>= 1
                        language += 1
                    break
                slot = (slot + 1) & (len(keys) - 1)


@compiled
def _count_letters(
    codes: UInt32s,
    article_starts: Int64s,
    sample: int,
    kinds: UInt16s,
    scripts: Int64s,
) -> None:
    for article in range(len(scripts)):
        start, end = article_starts[article], article_starts[article + 1]
        for at in range(start, min(end, start + sample)):
            code = codes[at]
            if code >= N_CODES or kinds[code] & LETTER:
                scripts[article, int(code > _LAST_LATIN)] += 1


_NOT_IN_NEWS: Final = frozenset({"la", "sa", "vo"})
"""Languages that the detector often returns by mistake for short texts."""


def detected(text: str) -> tuple[str, float]:
    """Return the likeliest language's two-letter code, and its probability; lone surrogates do no harm.

    The detector is py3langid: naive Bayes over sequences of bytes (Lui & Baldwin 2012, "langid.py: an off-the-shelf
    language identification tool"), here with a hundred languages. It takes longer than the rest of the analysis of a
    short article, and half a second and 70 MB of memory to load, so it is loaded at its first use. Its model comes
    with the package as plain arrays: nothing is downloaded, and nothing in it can be executed.
    """
    code, probability = _detector().classify(text)
    return str(code), float(probability)


@cache
def _detector() -> LanguageIdentifier:
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
    from py3langid.modelio import load_model

    # Not by `set_languages`, which keeps the probabilities of all languages, 28 MB, beside those of the chosen ones.
    probabilities, priors, codes, moves, rows, output = load_model(MODEL_DIR / MODEL_FILE)
    chosen = [place for place, code in enumerate(codes) if len(code) == 2 and code not in _NOT_IN_NEWS]
    return LanguageIdentifier(
        np.ascontiguousarray(probabilities[:, chosen]),  # by rows, as it is read: a third less time
        priors[chosen],
        [codes[place] for place in chosen],
        moves,
        output,
        norm_probs=True,
        tk_row=rows,
    )


HEAD_START: Final = 5
"""Votes for the declared language: many feeds declare their software's default, ``en-US``, over texts in other
languages."""
CLEAR: Final = 2
"""Votes by which a language has to lead for the vote to count."""
PROSE: Final = 0.1
"""Share of the words that are function words in nearly all prose; of other languages' function words, fewer occur by
chance."""
ENOUGH_WORDS: Final = 20
"""Words from which the share is reliable."""

SAMPLE: Final = 150
"""Characters from the start that the detector and the check of the script use. With twice as many the detector is right
in one case in a hundred more, for twice the time."""
LIKELY: Final = 0.3
"""Probability from which the detector is believed when nothing else is known: on Reuters and Italian articles it is
wrong 2 times in 1,000 then."""
SURE: Final = 0.9
"""Probability from which it is believed against the feed."""

_CODES: Final = {
    "any script": "az bs ha kk ku ky ms pa sd sr su tg tk tt ug uz za",
    "not Latin": "ab am ar as ba be bg bn bo ce cv dv dz el fa gu he hi hy ii ja ka km kn ko ks lo mk ml mn mr my ne"
    " or os ps ru sa si ta te th ti uk ur yi zh",
    "like Czech or Polish": "bs hr sk sl sr",
    "like Russian": "be bg mk sr uk",
}
_ANY_SCRIPT: Final = frozenset(_CODES["any script"].split())
_NOT_LATIN: Final = frozenset(_CODES["not Latin"].split())
_RELATIVES: Final = {
    "cs": frozenset(_CODES["like Czech or Polish"].split()),
    "es": frozenset({"gl"}),
    "nl": frozenset({"af", "fy"}),
    "pl": frozenset(_CODES["like Czech or Polish"].split()),
    "pt": frozenset({"gl"}),
    "ru": frozenset(_CODES["like Russian"].split()),
}
"""Languages that have no list of function words, and many words of one that has."""
_ALIASES: Final = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "mo": "ro"}
"""Older codes, and the two ways of writing Norwegian, which have one stemmer."""
_NUMBERS: Final = {code: number for number, code in enumerate(LANGUAGES)}
_NONE: Final[frozenset[str]] = frozenset()


class Evidence(NamedTuple):
    """What is known of one article before the detector is used."""

    declared: str
    """The language that the feed declares, or empty."""
    winner: str
    """The language with most function words, of equals the first in ``LANGUAGES``."""
    most: int
    """How many words voted for it."""
    second: int
    """How many voted for the next."""
    own: int
    """How many voted for the declared language."""
    words: int
    """How many could vote."""
    latin: int
    """Letters of the Latin script."""
    other: int
    """Letters of other scripts."""

    def fits(self) -> bool:
        """Whether the declared language is written in the script of most letters."""
        balanced = self.latin == self.other
        return balanced or self.declared in _ANY_SCRIPT or (self.declared in _NOT_LATIN) == (self.other > self.latin)


def languages_of(
    declared: Sequence[str], codes: UInt32s, article_starts: Sequence[int], tokens: Tokens
) -> tuple[str, ...]:
    """Return the two-letter code of each article's language, or empty if it is unknown.

    ``declared`` has the languages that the feeds declare, or empty strings. Article ``i`` is
    ``codes[article_starts[i]:article_starts[i + 1]]``; ``tokens`` are the words of all.
    """
    languages = []
    for article, evidence in enumerate(_evidence(declared, codes, article_starts, tokens)):
        language = _without_doubt(evidence)
        if language is None:
            start, end = article_starts[article], article_starts[article + 1]
            language = _in_doubt(evidence, codes[start : min(end, start + SAMPLE)])
        languages.append(language)
    return tuple(languages)


def _evidence(
    declared: Sequence[str], codes: UInt32s, article_starts: Sequence[int], tokens: Tokens
) -> Iterator[Evidence]:
    votes = votes_of(tokens.hashes, tokens.word_starts)
    known = [_ALIASES.get(code, code) for code in (feed[:2].lower() for feed in declared)]
    own = votes[np.arange(len(known)), [_NUMBERS.get(code, 0) for code in known]]
    scripts = scripts_of(codes, np.array(article_starts, dtype=np.int64), SAMPLE)
    return map(
        Evidence,
        known,
        [LANGUAGES[number] for number in votes.argmax(axis=1).tolist()],
        votes.max(axis=1).tolist(),
        np.partition(votes, -2, axis=1)[:, -2].tolist(),
        own.tolist(),
        np.minimum(np.diff(tokens.word_starts), MAX_VOTERS).tolist(),
        scripts[:, 0].tolist(),
        scripts[:, 1].tolist(),
    )


def _without_doubt(evidence: Evidence) -> str | None:
    """Return the language if feed, words and script agree, or if the words clearly show another, else None."""
    declared, winner, most, second, own, words, latin, other = evidence
    if latin + other == 0:
        return declared
    if declared and not evidence.fits():
        return None
    relatives = _RELATIVES.get(winner, _NONE)
    clear = most - second >= CLEAR and most >= PROSE * words
    if not declared:
        settled = clear and not relatives
        return winner if settled else None
    if declared not in _NUMBERS:
        contradicted = clear and most >= HEAD_START and declared not in relatives
        return None if contradicted else declared
    if clear and most - own > HEAD_START and not relatives:
        return winner
    foreign = words >= ENOUGH_WORDS and most < PROSE * words and (most > own or most == 0)
    return None if most - own >= CLEAR or foreign else declared


def _in_doubt(evidence: Evidence, sample: UInt32s) -> str:
    """Return the detector's language if its probability is high enough, else the declared one if the script fits, else
    nothing."""
    guess, probability = detected(sample.tobytes().decode("utf-32-le", "surrogatepass"))
    guess = _ALIASES.get(guess, guess)
    if evidence.declared and evidence.fits():
        return guess if probability >= SURE else evidence.declared
    voted = guess == evidence.winner and evidence.most > evidence.second
    return guess if probability >= LIKELY or voted else ""
