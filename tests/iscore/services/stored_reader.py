"""A reader of an archive, who votes, and whose model is learned, saved and replayed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

from iscore.filtering.serialization import pack
from iscore.services.learning.article_features import analysed_article
from iscore.services.learning.imported_item import item_weight
from iscore.services.learning.log_replay import weight_of
from iscore.services.learning.model_store import ModelStore
from storage.log import feedback, imports, interests, snapshots
from storage.log.imports import StoredImportedItem
from storage.opening.database import Database
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Kind, Snapshot, Verdict
from storage.stream import features, feeds
from tests.iscore.conftest import model_store

AT = datetime(2026, 3, 2, tzinfo=UTC)
FEED = "https://news.example/feed"
LOG = """
SELECT story, kind, feedback.tags, COALESCE(imported_items.weight, 1.0) AS weight,
CASE WHEN explore THEN probability ELSE 1.0 END AS probability
FROM feedback LEFT JOIN decisions ON decisions.user_id = feedback.user_id AND decisions.seq = story
LEFT JOIN imported_items ON imported_items.user_id = feedback.user_id AND imported_items.row = feedback.row
ORDER BY feedback.row
"""


class Reader:
    """One person's log and model store, on a database of measured articles of which every third was explored."""

    def __init__(self, archive, database: Database) -> None:
        self.database = database
        self.archive = archive
        self.news = archive.news
        self.stories = [article.seq for article in archive.leaders()]
        self.given = 0
        self.tags = 0

    def model_store(self, classifier: str = "") -> ModelStore:
        """Make one as a new process would."""
        return model_store(self.archive.home, self.database, classifier)

    def say(self, kind: Kind, number: int) -> None:
        with self.database.write() as tx:
            self.given += 1
            feedback.append(tx, [Verdict(f"v{self.given}", LOCAL_USER, self.stories[number], kind, AT)])

    def plant(self, form: str, number: int) -> None:
        """Bring along what a feed had brought already."""
        with self.database.write() as tx:
            imports.add_import(
                tx, LOCAL_USER, "test", [], [StoredImportedItem(self.stories[number], form, item_weight(form))], AT
            )

    def take_back(self) -> None:
        """Take the newest import back."""
        with self.database.write() as tx:
            made = imports.list_imports(tx, LOCAL_USER)
            if made:
                imports.undo_import(tx, LOCAL_USER, made[-1].id, AT)

    def weaken(self) -> None:
        """Halve the weight of everything that was imported."""
        with self.database.write() as tx:
            for each in (shown.example for shown in interests.in_use(tx, LOCAL_USER)):
                weaker = replace(each, item=replace(each.item, weight=each.item.weight / 2))
                interests.change(tx, LOCAL_USER, [(each.item.seq, weaker)], "weaken", AT)

    def retag(self) -> None:
        """Put other tags on the feed that brought everything."""
        self.tags += 1
        with self.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, tags=(f"tag {self.tags % 3}", "news"))])

    def learn(self, model_store: ModelStore | None = None) -> bytes:
        """Load, save, and return the state."""
        model_store = model_store or self.model_store()
        kept = model_store.load()
        with self.database.write() as tx:
            model_store.save(tx, kept)
        return pack(kept.model.state())

    def loaded(self) -> bytes:
        return pack(self.model_store().load().model.state())

    def replayed(self) -> bytes:
        return pack(self.model_store().replay().model.state())

    def snapshots(self) -> list[int]:
        with self.database.read() as tx:
            return snapshots.sequences(tx, LOCAL_USER)

    def damage(self, state: bytes, fingerprint: str | None = None) -> None:
        """Put these bytes in the place of the newest snapshot."""
        with self.database.write() as tx:
            last = snapshots.newest_sequence(tx, LOCAL_USER)
            assert last is not None
            mine = fingerprint or self.model_store().fingerprint
            snapshots.save(tx, Snapshot(LOCAL_USER, last, mine, state))

    def by_hand(self) -> bytes:
        """Learn the last row of each story in the log, with neither a model store nor ``feedback.effective``."""
        with self.database.read() as tx:
            last = {}
            for row in tx.connection.exec_driver_sql(LOG):
                last.pop(row.story, None)
                last[row.story] = row
            model = self.news.models.new_model()
            for entry in last.values():
                if entry.kind in (Kind.LIKE, Kind.DISLIKE, Kind.IMPORTED):
                    (arrived,) = features.ingested(tx, LOCAL_USER, [entry.story])
                    arrived = arrived._replace(tags=tuple(json.loads(entry.tags)))
                    article = analysed_article(arrived, self.news.extractors.article_feature_names)
                    if entry.kind == Kind.IMPORTED:
                        model.learn_imported(article, weight=entry.weight)
                    else:
                        model.learn(article, entry.kind == Kind.LIKE, weight=weight_of(entry.probability))
        return pack(model.state())
