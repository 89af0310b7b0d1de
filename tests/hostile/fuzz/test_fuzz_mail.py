"""Whatever texts a digest holds, its mail is one sound message that nothing obeys."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.mail_claim import mail_has_no_active_content, texts_of
from tests.hostile.hostile_texts import HOSTILE_TEXTS

texts = st.text(st.characters(codec=None), max_size=60) | st.sampled_from(list(HOSTILE_TEXTS.values()))


@examples(6)
@given(st.lists(texts, max_size=10))
@example(["=?utf-8?q?a=0D=0ABcc:_victim@example.org?="])
def test_any_texts(shown: list[str]) -> None:
    mail_has_no_active_content(shown)


@examples(6)
@given(damaged(seeds.TEXTS))
def test_hostile_texts_that_were_damaged(data: bytes) -> None:
    mail_has_no_active_content(texts_of(data))
