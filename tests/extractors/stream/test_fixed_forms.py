"""Articles of one form with other numbers or names are told apart; reprints, corrections and reworded ones are not."""

from __future__ import annotations

import pytest

from extractors.stream.fixed_forms import SAMPLE, Marks, apart, numbers_of
from extractors.text.analysis import analyse

FUND = "The {} Insured Fund pays its monthly dividend of 6.5 cents on April 30 to holders of record on April 15."
RATES = "The pound closed at {} dollars, {} yen and {} marks. It had opened at {}."


@pytest.fixture
def told_apart(piece):
    """Return whether the second of two articles, each a title and a text, is other news than the first."""

    def made(first: tuple[str, str], second: tuple[str, str]) -> bool:
        of = [piece(title=title, text=text, language="en") for title, text in (first, second)]
        earlier, later = (Marks.of(document, analyse(document).terms) for document in of)
        return apart(later, earlier.title, earlier.numbers)

    return made


@pytest.mark.parametrize(
    ("title", "later"),
    [
        ("Version 3.8.7 released", "Version 3.8.8 released"),
        ("Weather for 2 March", "Weather for 3 March"),
        ("Ship sinks: 3 dead", "Ship sinks: 5 dead"),
        ("Tender 14/2026 of the harbour", "Tender 15/2026 of the harbour"),
        ("Grain prices at 12:00", "Grain prices at 12:20"),
    ],
)
def test_each_title_has_a_number_of_its_own(told_apart, title: str, later: str) -> None:
    assert told_apart((title, FUND), (later, FUND))
    assert told_apart((title, ""), (later, ""))


@pytest.mark.parametrize(
    ("title", "later"),
    [
        ("17 miners found alive", "Seventeen miners found alive"),
        ("Repairs cost 1,500,000", "Repairs cost 1.500.000"),
        ("Ship sinks: 3 dead", "UPDATE 2 - Ship sinks: 3 dead"),
        ("Fund pays 6.5 cents on 30 April", "Fund pays 6.5 cents to holders of record on 15 April"),  # both in the text
        ("Fund sets payout", "Dividend announced"),
        ("Ohio fund sets payout", "Fund sets payout"),
        ("", "Ohio fund sets payout"),
    ],
)
def test_a_number_or_a_word_in_one_title_only_is_no_other_news(told_apart, title: str, later: str) -> None:
    text = FUND.format("Ohio")
    assert not told_apart((title, text), (later, text))
    assert not told_apart((later, text), (title, text))


def test_each_title_and_text_have_a_name_of_their_own(told_apart) -> None:
    ohio, minnesota = ((f"Insured Fund {state} sets payout", FUND.format(state)) for state in ("Ohio", "Minnesota"))
    assert told_apart(ohio, minnesota)
    # The same text under two headlines, neither of which has a word that the other text lacks.
    assert not told_apart(ohio, ("Dividend of Ohio fund unveiled", ohio[1]))


def test_less_than_half_of_the_numbers_in_both_texts(told_apart) -> None:
    monday = ("Closing rates", RATES.format(1.61, 244, 2.93, 1.60))
    tuesday = ("Closing rates", RATES.format(1.63, 246, 2.93, 1.61))
    corrected = ("Closing rates", RATES.format(1.61, 245, 2.93, 1.60))
    beginning = ("Closing rates", "The pound closed at 1.61 dollars")
    assert told_apart(monday, tuesday)
    assert not told_apart(monday, corrected)
    assert not told_apart(monday, beginning)
    assert not told_apart(beginning, monday)


def test_long_tables_are_compared_by_a_sample(told_apart) -> None:
    table = [str(number) for number in range(100, 100 + 20 * SAMPLE)]
    other = [str(number) for number in range(5000, 5000 + 20 * SAMPLE)]
    few_new = [*table[:-SAMPLE], *other[:SAMPLE]]
    assert told_apart(("Table", " ".join(table)), ("Table", " ".join(other)))
    assert not told_apart(("Table", " ".join(table)), ("Table", " ".join(few_new)))


def test_without_numbers_and_names_nothing_tells_apart(told_apart) -> None:
    assert not told_apart(("", ""), ("", ""))
    assert not told_apart(("Fund sets payout", ""), ("Company reports loss", ""))
    assert len(numbers_of("no number")) == 0
