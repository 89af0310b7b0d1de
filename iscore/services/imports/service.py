"""Imports what the user liked elsewhere: bookmarks, starred articles, links and keywords.

Each import can be listed, and undone as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from iscore.core.errors import UnknownImportError
from iscore.services.ingestion import Ingestion
from iscore.services.user_context import UserContext
from iscore.services.views.imports import ImportedItemsView, ImportedItemView, ImportView
from storage import articles, marks
from storage import imports as stored_imports
from storage.database import Database
from storage.imports import UNNAMED
from storage.records import Article, Features

if TYPE_CHECKING:
    from iscore.services.imports.item import ImportedItem
    from iscore.services.imports.pages import Fetched

Progress = Callable[[int, int, str], None]


class Imports:
    """One user's imports."""

    def __init__(self, database: Database, context: UserContext, ingestion: Ingestion) -> None:
        self._database = database
        self._context = context
        self._ingestion = ingestion

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
        also saved here, all of it. Raises ``ImportsError``.
        """
        from iscore.services.imports import sources as item_sources
        from iscore.services.imports import store

        found = item_sources.gather(sources, keywords, format_name)
        kept = item_sources.newest(found, limit)
        sorted_ = store.classify(self._database, self._context.user_id, kept, interest)
        pages = None
        if fetch:
            pages = self._with_texts(sorted_.new, progress or self._context.progress)
            sorted_ = replace(sorted_, new=pages.items)
        stored = store.store(
            self._database,
            self._context.user_id,
            item_sources.source_names(sources, keywords),
            sorted_,
            self.measure,
            at=self._context.clock(),
            interest=interest,
        )
        return ImportedItemsView(
            found=len(found),
            learned=stored.learned,
            known=stored.known,
            old=len(kept) - stored.learned,
            left_out=len(found) - len(kept),
            pages_fetched=pages.pages if pages else 0,
            pages_failed=pages.failed if pages else 0,
            page_problem=pages.problem if pages else "",
            number=stored.number,
            saved=self._save([item for item in found if item.starred]) if save else 0,
        )

    def _save(self, starred: Sequence[ImportedItem]) -> int:
        """Save articles: those that are here, and the others as articles of the user's own."""
        from iscore.services.imports import store
        from iscore.services.imports.saved import save

        database, user, at = self._database, self._context.user_id, self._context.clock()
        here = store.places(database, user, starred)
        with database.write() as tx:
            stories = marks.stories(tx, user, list(here.values()))
            marked = marks.get(tx, user, list(stories.values()))
            new = {story for story in stories.values() if marked.get(story, marks.UNMARKED).saved_at is None}
            marks.save(tx, user, sorted(new), at)
        others = [store.saved_article(item, at) for item in starred if item.key not in here]
        return len(new) + save(database, user, others, self.measure)

    def _with_texts(self, new: Sequence[ImportedItem], progress: Progress | None) -> Fetched:
        import asyncio

        from iscore.services.full_text import is_possible
        from iscore.services.imports.errors import ImportsError
        from iscore.services.imports.pages import with_texts

        if not is_possible():
            raise ImportsError("--fetch", 'needs an extra: pip install "iscore-news[fulltext]"')
        return asyncio.run(with_texts(new, self._database, self._context.poll_settings, self._context.clock, progress))

    def measure(self, documents: Sequence[Article]) -> list[Features]:
        """Measure documents apart from the stream, as if they arrived now. Stores nothing of them."""
        progress = self._context.progress
        self._ingestion.catch_up(progress)  # the stream's state is that of now
        if progress is not None:
            progress(0, len(documents), "analysing imported items")
        return self._ingestion.analyse_apart(documents)

    def items(self, number: int) -> list[ImportedItemView]:
        """List the items of an import, in its order. Raises ``UnknownImportError``."""
        with self._database.read() as tx:
            found = stored_imports.list_items(tx, self._context.user_id, number)
            if found is None:
                raise UnknownImportError(number)
            shown = {article.seq: article for article in articles.get(tx, [seq for seq, _, _ in found])}
        return [
            ImportedItemView(shown[seq].id, shown[seq].title, shown[seq].url, form, is_learned)
            for seq, form, is_learned in found
        ]

    def undo(self, number: int) -> int:
        """Undo an import, except items with a later verdict; return how many were undone.

        Raises ``UnknownImportError``.
        """
        with self._database.write(durable=True) as tx:
            taken_back = stored_imports.undo_import(tx, self._context.user_id, number, self._context.clock())
        if taken_back is None:
            raise UnknownImportError(number)
        return taken_back

    def list(self) -> list[ImportView]:
        """List what was learned from elsewhere, oldest first."""
        with self._database.read() as tx:
            found = stored_imports.list_imports(tx, self._context.user_id)
        return [ImportView(each.id, each.name, each.at, each.seeds, each.standing) for each in found]
