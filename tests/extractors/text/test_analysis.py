"""Terms back into words."""

from __future__ import annotations

from extractors.text.analysis import host_term, spellings
from extractors.text.lexicon import term_of


def test_each_term_has_its_first_spelling_and_function_words_have_none(piece) -> None:
    found = spellings(piece(title="Strikes end", text="The strike in the PORT ended.", language="en"))
    assert found == {
        term_of("strike", "en"): "Strikes",
        term_of("end", "en"): "end",
        term_of("port", "en"): "PORT",
        host_term("example.org"): "example.org",
    }
