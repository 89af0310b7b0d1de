"""The catalogues of translations: what the code has to translate, and the files that follow it.

    templates, Python, JavaScript, words of extractors ─► extracted() ─► locale/…/iscore.po ─► iscore.mo

``make translations`` runs this.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from extractors.base import OTHER_FAMILY
from extractors.registry import EXTRACTORS
from iscore.core.data_folder import default_feeds
from iscore.core.translation import DOMAIN, LANGUAGES, LOCALE, SOURCE
from iscore.feeds.subscriptions.editing import load

ROOT = Path(__file__).parents[1]
METHODS = [("**.py", "tests.translations:messages_of_python"), ("**/static/**.js", "javascript")]
METHODS += [("**/templates/**.html", "jinja2"), ("**/templates/**.css", "jinja2")]
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_noop"), None),
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}


def extracted() -> Catalog:
    """Return all messages that the code has."""
    found = Catalog(charset="utf-8")
    messages = extract_from_dir(
        str(ROOT / "iscore"),
        METHODS,
        {"**/templates/**": {"newstyle_gettext": "true"}},
        KEYWORDS,
        ["Translators:"],
        strip_comment_tags=True,
    )
    for name, _, message, comments, context in sorted(messages, key=lambda each: each[:2]):
        found.add(message, locations=[(f"iscore/{name}", 0)], auto_comments=comments, context=context)
    for words, name in (*words_of_extractors(), *topics()):
        found.add(words, locations=[(name, 0)])
    return found


def messages_of_python(fileobj: BinaryIO, keywords: Any, comment_tags: Any, options: Any) -> Iterator[Any]:
    """Yield the messages of a file, for Babel. Most files have none, and to split them into tokens takes a second."""
    if b"gettext" in fileobj.read():
        fileobj.seek(0)
        yield from extract_python(fileobj, keywords, comment_tags, options)


def words_of_extractors() -> Iterator[tuple[str, str]]:
    """Yield what explanations say of features, with the file that has it."""
    yield OTHER_FAMILY, "extractors/base.py"
    for each in EXTRACTORS.values():
        file = f"{each.__module__.replace('.', '/')}.py"
        for words in (each.meanings, each.low_value_meanings, each.families):
            yield from ((text, file) for text in words.values())


def topics() -> Iterator[tuple[str, str]]:
    """Yield the topics of the feeds to begin with, as the first steps name them."""
    yield from ((feed.tags[0].capitalize(), "feeds.yaml") for feed in load(default_feeds()))


def file_of(language: str) -> Path:
    """Return the catalogue of a language; the compiled one is beside it."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: str) -> Catalog:
    """Return the catalogue of a language."""
    with file_of(language).open("rb") as file:
        return read_po(file, locale=language, charset="utf-8")


def compiled(catalog: Catalog) -> bytes:
    """Return a catalogue as ``gettext`` reads it."""
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def written(catalog: Catalog) -> bytes:
    """Return a catalogue as its translator reads it."""
    out = BytesIO()
    write_po(out, catalog, width=120, sort_output=True, include_lineno=False, ignore_obsolete=True)
    return out.getvalue()


def update(language: str) -> int:
    """Bring the files of a language up to date; return how many messages have no translation."""
    catalog, template = read(language), extracted()
    template.creation_date = catalog.creation_date
    catalog.update(template, no_fuzzy_matching=True)
    file_of(language).write_bytes(written(catalog))
    catalog = read(language)
    file_of(language).with_suffix(".mo").write_bytes(compiled(catalog))
    return len(untranslated(catalog))


def untranslated(catalog: Catalog) -> list[str]:
    """Return the messages that have no translation, or a form without one."""
    found = [each for each in catalog if each.id]
    return [
        str(each.id)
        for each in found
        if not all(each.string if isinstance(each.string, list | tuple) else [each.string])
    ]


if __name__ == "__main__":
    for name in LANGUAGES.keys() - {SOURCE}:
        print(f"{file_of(name).relative_to(ROOT)}: {update(name)} messages without a translation")
