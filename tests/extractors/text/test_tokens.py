"""Words and sentences out of characters."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.text.tokens import CAPITALS, DIGITS, LETTERS, PUNCTUATIONS, VISIBLE, Tokens, code_points, tokenise


def _tokens(title: str, body: str) -> Tokens:
    whole = f"{title}\n\n{body}"
    return tokenise(code_points(whole), [0, len(whole)], [len(title)])


def _words(body: str, title: str = "") -> list[str]:
    whole = f"{title}\n\n{body}"
    tokens = _tokens(title, body)
    return [whole[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]


def _sentences(body: str) -> int:
    return len(_tokens("", body).quoted)


def test_everything_but_letters_marks_and_digits_parts_words() -> None:
    assert _words("Dell'economia: well-known, e-mail 3x!") == ["Dell", "economia", "well", "known", "e", "mail", "3x"]
    assert _words("cafe\u0301 नमस्ते") == ["cafe\u0301", "नमस्ते"]


def test_scripts_without_spaces_give_pairs_of_characters() -> None:
    assert _words("日本銀行 EU加盟 山") == ["日本", "本銀", "銀行", "EU", "加盟", "山"]
    assert _words("한국 은행") == ["한국", "은행"]


@pytest.mark.parametrize(
    ("body", "sentences"),
    [
        ("", 0),
        ("...", 0),
        ("One. Two! Three? Four", 4),
        ("Prices rose 3.5 percent on example.org today.", 1),
        ("Mr. Smith met J. Doe of the U.S. Senate. They spoke.", 2),
        ("It grew by approx. five percent.", 1),
        ("A heading\n\nA paragraph", 2),
        ("He said: “Go.” Then he went.", 2),
        ("雨が降る。風が吹く。", 2),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(body: str, sentences: int) -> None:
    assert _sentences(body) == sentences


def test_a_quotation_mark_belongs_to_its_sentence() -> None:
    tokens = _tokens("", "He left. “We go,” she said. It rained. «Vero».\n\nEnd.")
    assert tokens.quoted.tolist() == [False, True, False, True, False]


def test_the_title_has_sentences_of_its_own_and_is_left_out_of_the_characters() -> None:
    tokens = _tokens("Big NEWS", "Ten 10, Ab.")
    assert tokens.n_title.tolist() == [2]
    assert tokens.sentence_of.tolist() == [0, 0, 1, 1, 1]
    counts = tokens.characters[0]
    assert [counts[i] for i in (LETTERS, CAPITALS, DIGITS, PUNCTUATIONS, VISIBLE)] == [5, 2, 2, 2, 9]


def test_case_does_not_change_a_word_s_hash_and_spelling_does() -> None:
    hashes = _tokens("", "PARIS Paris paris parìs ÉTÉ été").hashes
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]
    assert hashes[4] == hashes[5]
    assert len(np.unique(hashes)) == 3


def test_articles_in_one_go_are_those_one_by_one() -> None:
    articles = [
        ("Big NEWS", "He left. “We go,” she said."),
        ("", ""),
        ("“", "”"),
        ("日本", "3.5 U.S. «No»."),
        ("A", "B"),
    ]
    pieces = [f"{title}\n\n{body}" for title, body in articles]
    starts = np.cumsum([0, *map(len, pieces)]).tolist()
    title_ends = [start + len(title) for start, (title, _) in zip(starts, articles, strict=False)]
    together = tokenise(code_points("".join(pieces)), starts, title_ends)
    for number, (title, body) in enumerate(articles):
        alone = _tokens(title, body)
        words = slice(*together.word_starts[number : number + 2])
        sentences = slice(*together.sentence_starts[number : number + 2])
        assert together.hashes[words].tolist() == alone.hashes.tolist()
        assert (together.starts[words] - starts[number]).tolist() == alone.starts.tolist()
        assert (together.ends[words] - starts[number]).tolist() == alone.ends.tolist()
        assert together.sentence_of[words].tolist() == alone.sentence_of.tolist()
        assert together.quoted[sentences].tolist() == alone.quoted.tolist()
        assert together.n_title[number] == alone.n_title[0]
        assert together.characters[number].tolist() == alone.characters[0].tolist()
