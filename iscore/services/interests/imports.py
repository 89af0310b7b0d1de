"""Imports what the user liked elsewhere: bookmarks, starred articles, links and keywords.

Each import can be listed, and undone as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from iscore.core.errors import UnknownImportError
from iscore.core.timings import Progress
from iscore.services.learning.ingestion import Ingestion
from iscore.services.session.user_session import UserSession
from iscore.services.views.interests import ImportedItemsView, ImportedItemView, ImportView
from storage.log import imports as stored_imports
from storage.log.imports import UNNAMED
from storage.records.articles import Article, Features
from storage.stream import articles
from storage.stream.headings import heading

if TYPE_CHECKING:
    from iscore.rules.rule import Rule
    from iscore.services.interests.import_sources import Fetched
    from iscore.services.learning.imported_item import ImportedItem


class Imports:
    """One user's imports."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._ingestion = session.service(Ingestion)

    def learn(
        self,
        sources: Sequence[str],
        *,
        keywords: str = "",
        format_name: str = "",
        fetch: bool = False,
        limit: int = 1000,
        interest: str = UNNAMED,
        save: bool = False,
        progress: Progress | None = None,
    ) -> ImportedItemsView:
        """Import items into the log as examples of an interest, all or nothing; when this returns they are on disk.

        ``sources`` are addresses, files, or ``-`` for standard input. Of more than ``limit`` items the newest count.
        With ``fetch`` the pages of links without a text are fetched. With ``save`` what another reader had saved is
        also saved here, all of it, with its labels. What NewsBlur was trained for becomes rules. Raises
        ``ImportsError``, and ``RulesError`` when rules.yaml is invalid.
        """
        from iscore.services.interests import import_sources as item_sources
        from iscore.services.interests import import_store as store

        progress = progress or self._context.progress
        found = item_sources.gather(sources, keywords, format_name, progress)
        kept = item_sources.newest(found.items, limit)
        sorted_ = store.classify(self._database, self._context.user_id, kept, interest)
        pages = None
        if fetch:
            pages = self._with_texts(sorted_.new, progress)
            sorted_ = replace(sorted_, new=pages.items)
        name = item_sources.source_names(sources, keywords)
        stored = store.store(
            self._database,
            self._context.user_id,
            name,
            sorted_,
            self.measure,
            at=self._context.clock(),
            interest=interest,
            save=[item for item in found.items if item.saved or item.labels] if save else (),
        )
        number, rules = self._add_rules(stored.number, name, found.rules)
        return ImportedItemsView(
            found=len(found.items),
            learned=stored.learned,
            known=stored.known,
            old=len(kept) - stored.learned - stored.without_words,
            left_out=len(found.items) - len(kept),
            pages_fetched=pages.pages if pages else 0,
            pages_failed=pages.failed if pages else 0,
            page_problem=pages.problem if pages else "",
            number=number,
            saved=stored.saved,
            rules=rules,
            skipped=found.skipped,
            problems=found.problems,
            without_words=stored.without_words,
        )

    def _add_rules(self, number: int | None, name: str, rules: Sequence[Rule]) -> tuple[int | None, int]:
        """Add rules that are not there, with a note of the import's number; return this number, and how many."""
        if not rules:
            return number, 0
        from iscore.rules import rules_file

        known = {rule.identity for rule in rules_file.read(self._context.rules).rules}
        new = [rule for rule in rules if rule.identity not in known]
        if not new:
            return number, 0
        if number is None:
            with self._database.write(self._context.user_id, durable=True) as tx:
                number = stored_imports.create(tx, self._context.user_id, name, self._context.clock())
        added = rules_file.add_all(self._context.rules, [replace(rule, note=_note(number, rule.note)) for rule in new])
        return number, len(added)

    def _with_texts(self, new: Sequence[ImportedItem], progress: Progress | None) -> Fetched:
        import asyncio

        from iscore.services.interests.import_sources import ImportsError, with_texts
        from iscore.services.reading.full_text import is_possible

        if not is_possible():
            raise ImportsError("--fetch", 'needs an extra: pip install "iscore-news[fulltext]"')
        return asyncio.run(with_texts(new, self._database, self._context.poll_settings, self._context.clock, progress))

    def measure(self, documents: Sequence[Article]) -> list[Features]:
        """Measure documents apart from the stream, as if they arrived now. Stores nothing of them."""
        progress = self._context.progress
        self._ingestion.catch_up(progress)  # the stream's state is that of now
        return self._ingestion.analyse_apart(documents, progress)

    def items(self, number: int) -> list[ImportedItemView]:
        """List the items of an import, in its order. Raises ``UnknownImportError``."""
        with self._database.read() as tx:
            found = stored_imports.list_items(tx, self._context.user_id, number)
            if found is None:
                raise UnknownImportError(number)
            shown = {article.seq: article for article in articles.get(tx, [seq for seq, _, _ in found])}
        return [
            ImportedItemView(each.id, heading(each.title, each.text), each.url, form, is_learned)
            for seq, form, is_learned in found
            for each in (shown[seq],)
        ]

    def undo(self, number: int) -> int:
        """Undo an import, except items with a later verdict; return how many items and rules were undone.

        What it saved and labelled is so no longer. Rules go that still have the import's note. Raises
        ``UnknownImportError``, and ``RulesError`` when rules.yaml is invalid.
        """
        from iscore.rules import rules_file

        with self._database.write(self._context.user_id, durable=True) as tx:
            taken_back = stored_imports.undo_import(tx, self._context.user_id, number, self._context.clock())
        if taken_back is None:
            raise UnknownImportError(number)
        return taken_back + rules_file.remove_all(self._context.rules, lambda rule: rule.note.endswith(_note(number)))

    def list(self) -> list[ImportView]:
        """List what was learned from elsewhere, oldest first."""
        with self._database.read() as tx:
            found = stored_imports.list_imports(tx, self._context.user_id)
        return [ImportView(each.id, each.name, each.at, each.items, each.in_use, each.saved) for each in found]


def _note(number: int, origin: str = "") -> str:
    """Return the note of a rule of an import, by which it can be undone."""
    return f"{origin} · import {number}"
