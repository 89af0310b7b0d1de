"""The catalogues have every message of the code, translated whole, and are compiled."""

from __future__ import annotations

import re
from functools import cache
from typing import get_args

import pytest
from babel.messages.catalog import Catalog, Message

from iscore.core.settings import Settings
from iscore.core.translation import LANGUAGES, SOURCE, gettext, grouped, ngettext, use_language
from tests import translations

OTHERS = sorted(LANGUAGES.keys() - {SOURCE})
PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")
TAG = re.compile(r"<[^>]*>|`")


@cache
def extracted() -> Catalog:
    return translations.extracted()


def messages(catalog: Catalog) -> dict[tuple[str, str], Message]:
    return {(each.context or "", _texts(each.id)[0]): each for each in catalog if each.id}


def _texts(value: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def test_the_languages_of_the_setting_have_a_catalogue() -> None:
    allowed = get_args(Settings.model_fields["language"].annotation)
    assert set(allowed) == {"automatic", *LANGUAGES}
    assert all(translations.file_of(name).is_file() for name in OTHERS)


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_the_messages_of_the_code(language: str) -> None:
    known, wanted = messages(translations.read(language)).keys(), messages(extracted()).keys()
    assert sorted(wanted - known) == [], "run `make translations`, and translate them"
    assert sorted(known - wanted) == [], "run `make translations`"


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_translated_with_its_placeholders_and_tags(language: str) -> None:
    wrong = []
    for each in messages(translations.read(language)).values():
        texts, originals = _texts(each.string), _texts(each.id)
        names = {name for text in originals for name in PLACEHOLDER.findall(text)}
        forms = [set(PLACEHOLDER.findall(text)) for text in texts]
        tags = [sorted(TAG.findall(text)) for text in texts]
        same = all(names - {"count"} <= form <= names for form in forms) and forms[-1] == names
        if not all(texts) or each.fuzzy or not same or any(tag != sorted(TAG.findall(originals[-1])) for tag in tags):
            wrong.append(each.id)
        for text in texts:
            text % dict.fromkeys(names, "")
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_compiled_catalogue_is_up_to_date(language: str) -> None:
    compiled = translations.file_of(language).with_suffix(".mo").read_bytes()
    assert compiled == translations.compiled(translations.read(language)), "run `make translations`"


def test_texts_numbers_and_plural_forms_follow_the_language() -> None:
    with use_language("de"):
        assert gettext("Sign in") == "Anmelden"
        assert ngettext("%(count)s story", "%(count)s stories", 1) == "1 Meldung"
        assert ngettext("%(count)s story", "%(count)s stories", 1200) == "1.200 Meldungen"
    assert ngettext("%(count)s story", "%(count)s stories", 1200) == "1,200 stories"
    with use_language("../etc"):
        assert gettext("Sign in") == "Sign in"
        assert grouped(1200) == "1,200"
