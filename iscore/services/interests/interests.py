"""Interests: what the user says that they like, in words or by examples, each under a name.

    words ─► imported items of form ``keywords`` ─► rows of the log, which name their interest and their weight

Everything is in the log: weakening appends rows with half the weight, removing appends undo rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from iscore.core.errors import InterestError
from iscore.core.timings import Progress
from iscore.core.translation import gettext, grouped
from iscore.feeds.parsing.html_to_text import line
from iscore.services.interests import import_store as store
from iscore.services.interests.imports import Imports
from iscore.services.learning.imported_item import Form, ImportedItem, item_weight
from iscore.services.session.user_session import UserSession
from iscore.services.views.interests import ExampleView, ImportedItemsView, InterestChangeView, InterestView
from storage.engine.base_database import Transaction
from storage.log import feedback, imports, interests
from storage.log.imports import StoredImportedItem
from storage.log.interests import Change, Example, ShownExample
from storage.records.users import Kind

LONGEST = 1000
"""Characters of an interest: some sentences. Longer texts are better read from a file."""
LONGEST_NAME = 80
UNDO = "interest-undo"
"""Begins the ids of rows that undo a change."""


class Interests:
    """One user's interests."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._imports = session.service(Imports)

    def add(self, texts: Sequence[str], name: str = "") -> list[InterestChangeView]:
        """Add an interest for each text, or with ``name`` an example to that interest, all or none.

        Words that are an example of another interest become one of this; weakened ones get their full weight back. When
        this returns they are on disk. Raises ``InterestError``.
        """
        items = [ImportedItem(Form.KEYWORDS, _checked(text)) for text in texts]
        user, at = self._context.user_id, self._context.clock()
        new = store.with_features(self._database, items, self._imports.measure, at)
        for item, measured in zip(items, new, strict=True):
            if not measured.features.terms:
                raise InterestError(
                    gettext(
                        "%(text)s has no words that iScore compares; use other words", text=repr(_short(item.title))
                    )
                )
        changed: dict[str, int] = {}
        with self._database.write(durable=True) as tx:
            for each in new:
                interest = self._spelling(tx, _name(name or each.entry.title))
                _, added = imports.add_import(tx, user, interest, [each], [], at, interest)
                changed[interest] = changed.get(interest, 0) + len(added)
        return [self._changed(interest, count) for interest, count in changed.items()]

    def learn_from(
        self,
        sources: Sequence[str],
        *,
        name: str = imports.UNNAMED,
        keywords: str = "",
        format_name: str = "",
        fetch: bool = False,
        limit: int = 1000,
        save: bool = False,
        progress: Progress | None = None,
    ) -> ImportedItemsView:
        """Import items as examples of an interest; see ``Imports.learn``."""
        with self._database.read() as tx:
            interest = self._spelling(tx, _name(name))
        return self._imports.learn(
            sources,
            keywords=keywords,
            format_name=format_name,
            fetch=fetch,
            limit=limit,
            interest=interest,
            save=save,
            progress=progress,
        )

    def list(self) -> list[InterestView]:
        """List the interests that have examples in use, oldest first."""
        with self._database.read() as tx:
            named: dict[str, list[ShownExample]] = {name: [] for name in interests.names(tx, self._context.user_id)}
            for each in interests.in_use(tx, self._context.user_id):
                named[each.example.interest].append(each)
        return [InterestView(name, tuple(map(_example, each)), _weight(each)) for name, each in named.items() if each]

    def weaken(self, name: str) -> InterestChangeView:
        """Halve the weight of an interest's examples. Raises ``InterestError`` for an unknown or ambiguous name."""
        return self._change(name, "interest-weaken", lambda item: replace(item, weight=item.weight / 2))

    def remove(self, name: str) -> InterestChangeView:
        """Remove an interest: all its examples. Raises ``InterestError`` for an unknown or ambiguous name."""
        return self._change(name, "interest-remove", lambda _: None)

    def undo(self, name: str) -> InterestChangeView:
        """Undo the last change of an interest that is not undone yet; the next time the one before.

        Raises ``InterestError`` for an unknown or ambiguous name.
        """
        user = self._context.user_id
        with self._database.write(user, durable=True) as tx:
            interest = matching(name, interests.names(tx, user))
            before = before_last_change(interests.changes(tx, user, interest), interest)
            count = interests.change(tx, user, before, UNDO, self._context.clock())
        return self._changed(interest, count)

    def _change(
        self, name: str, what: str, changed: Callable[[StoredImportedItem], StoredImportedItem | None]
    ) -> InterestChangeView:
        user = self._context.user_id
        with self._database.write(user, durable=True) as tx:
            found = [each.example for each in interests.in_use(tx, user)]
            interest = matching(name, list(dict.fromkeys(each.interest for each in found)))
            wanted = []
            for each in found:
                if each.interest == interest:
                    item = changed(each.item)
                    wanted.append((each.item.seq, replace(each, item=item) if item else None))
            count = interests.change(tx, user, wanted, what, self._context.clock())
        return self._changed(interest, count)

    def _changed(self, name: str, count: int) -> InterestChangeView:
        now = next((each for each in self.list() if each.name == name), None)
        forms = [each.form for each in now.examples] if now else []
        return InterestChangeView(name, count, len(forms), now.weight if now else 0.0, forms.count(Form.KEYWORDS))

    def _spelling(self, tx: Transaction, name: str) -> str:
        """Return the name as an interest has it that differs in case only; else as it is."""
        known = interests.names(tx, self._context.user_id)
        return next((each for each in known if each.casefold() == name.casefold()), name)


def matching(name: str, known: Sequence[str]) -> str:
    """Return the known name that this is, or is the beginning of; case does not matter. Raises ``InterestError``."""
    wanted = line(name).casefold()
    found = [each for each in known if each.casefold() == wanted]
    found = found or [each for each in known if wanted and each.casefold().startswith(wanted)]
    if not found:
        raise InterestError(f"no interest {_short(name)!r}; `iscore interests` lists them")
    if len(found) > 1:
        first = ", ".join(repr(each) for each in sorted(found)[:3])
        raise InterestError(f"{_short(name)!r} matches {len(found)} interests ({first}); type more of the name")
    return found[0]


def before_last_change(changes: Sequence[Change], interest: str) -> list[tuple[int, Example | None]]:
    """Return what the items of an interest's last change were before it, without those that have a verdict now.

    Rows of one command are one change, by their ids. A row of an undo takes the last change of its item off the list.
    """
    held: dict[int, Example | None] = {}
    kinds: dict[int, Kind] = {}
    batches: list[tuple[str, dict[int, tuple[int, Example | None]]]] = []
    for each in changes:
        before, held[each.story], kinds[each.story] = held.get(each.story), each.example, each.kind
        batch = re.sub(r"[-/][0-9]+$", "", each.id)
        if batch.startswith(UNDO):
            undone = next((items for _, items in reversed(batches) if each.story in items), {})
            undone.pop(each.story, None)
        elif each.kind not in feedback.READ and interest in (_name_of(before), _name_of(each.example)):
            if not batches or batches[-1][0] != batch:
                batches.append((batch, {}))
            batches[-1][1].setdefault(each.story, (each.seq, before))
    for _, items in reversed(batches):
        left = [item for story, item in items.items() if kinds[story] not in feedback.READ]
        if left:
            return left
    return []


def _name_of(example: Example | None) -> str | None:
    return None if example is None else example.interest


def _checked(text: str) -> str:
    """Return the words of an interest as one line. Raises ``InterestError``."""
    if len(text) > LONGEST:
        raise InterestError(
            gettext(
                "%(text)s has %(number)s characters; use at most %(most)s, or save it as a file for "
                "`iscore interests learn-from FILE`",
                text=repr(_short(text)),
                number=grouped(len(text)),
                most=grouped(LONGEST),
            )
        )
    words = line(text)
    if not any(character.isalnum() for character in words):
        raise InterestError(
            gettext('%(text)s has no words; describe an interest like "battery storage"', text=repr(_short(text)))
        )
    return words


def _name(text: str) -> str:
    name = line(text)
    if not name:
        raise InterestError("an interest needs a name; give it with --name")
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME // 2 else text[: LONGEST_NAME // 2] + "…"


def _example(shown: ShownExample) -> ExampleView:
    item = shown.example.item
    return ExampleView(shown.id, shown.title, shown.url, item.form, item.weight)


def _weight(examples: Sequence[ShownExample]) -> float:
    """Return the mean weight of examples, as a share of what they had when they were added."""
    shares = [each.example.item.weight / item_weight(each.example.item.form) for each in examples]
    return sum(shares) / len(shares)
