"""What has to be true of a home after one of its commands was killed; each fault is described in a sentence."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.archive import Archive, BackupError
from storage.opening.database import open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.schema import REVISIONS
from storage.schema.column_types import microseconds
from tests.hostile.crash_victim import KEPT, Victim, Work
from tests.storage.next_program import NEXT

HALF = {
    "are there twice": "SELECT count(*) - count(DISTINCT feed_id || title || url || content_hash) FROM articles",
    "are measured by half": "SELECT count(*) FROM articles LEFT JOIN features USING (seq)"
    " WHERE (articles.story IS NULL) != (features.seq IS NULL)",
    "have a text and no row": "SELECT count(*) FROM texts LEFT JOIN articles USING (seq) WHERE articles.seq IS NULL",
    "have no text, and are new or judged": "SELECT count(*) FROM articles LEFT JOIN texts USING (seq)"
    " LEFT JOIN effective_verdicts AS rated ON rated.story = articles.story AND rated.kind != 'skip'"
    " WHERE text IS NULL AND (arrived >= ? OR rated.row IS NOT NULL)",
    "stand in a digest that is not kept": "SELECT count(*) FROM deliveries LEFT JOIN digests USING (user_id, digest)"
    " WHERE content IS NULL",
    "are missing among the numbers of a digest": "SELECT coalesce(sum(most - many), 0) FROM"
    " (SELECT max(number) AS most, count(*) AS many FROM deliveries GROUP BY digest)",
}
"""What is wrong with articles → how many of them; the moment is the one before which texts may be pruned."""
PRUNABLE = (
    "SELECT count(*) FROM articles JOIN texts USING (seq) WHERE arrived < ? AND articles.story > 0"
    " AND articles.story NOT IN (SELECT story FROM effective_verdicts WHERE kind != 'skip')"
)
ALL = "SELECT id, feed_id, url, title FROM articles ORDER BY seq"


@dataclass
class Memory:
    """What was acknowledged, or seen after an earlier kill: none of it may ever be gone."""

    verdicts: list[tuple[str, str]] = field(default_factory=list)
    """The log: kind and article, in order."""
    articles: list[tuple[object, ...]] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    """Date → the digest as it was printed."""
    acknowledged: int = 0
    """Verdicts whose command ended with 0."""
    unacknowledged: int = 0
    """Verdicts that were on disk though the program was killed before it could say so."""
    lost: Counter[str] = field(default_factory=Counter)
    """Of what → how many that were acknowledged, or there before, and are gone."""


def examine(one: Victim, memory: Memory, work: Work) -> Iterator[str]:
    """Tell what is wrong with the home after this work on it; take what is there into memory."""
    with SqliteDatabase(one.home / "iscore.db") as database:
        yield from database.integrity()
    for what, query in HALF.items():
        parameters = [microseconds(one.now - KEPT)] if "?" in query else []
        ((count,),) = one.rows(query, *parameters)
        if count:
            yield f"{count} articles {what}"
    found = one.rows(ALL)
    missing = len(set(memory.articles) - set(found))
    memory.lost["articles"] += missing
    if missing:
        yield f"{missing} articles that were there are gone"
    memory.articles = found
    yield from _verdicts(one, memory, work)
    digests = {str(date): str(content) for date, content in one.rows("SELECT digest, content FROM digests")}
    for date, content in memory.digests.items():
        if digests.get(date) != content:
            memory.lost["digests"] += 1
            yield f"the digest of {date} is gone, or another"
    if ["digest"] in work.acknowledged and one.now.date().isoformat() not in digests:
        memory.lost["digests"] += 1
        yield f"the digest of {one.now:%Y-%m-%d} was printed and is not stored"
    memory.digests = digests
    if any(words[0] == "prune" for words in work.acknowledged):
        ((left,),) = one.rows(PRUNABLE, microseconds(one.now - KEPT))
        if left:
            yield f"{left} texts stand that were to leave"


def _verdicts(one: Victim, memory: Memory, work: Work) -> Iterator[str]:
    rows = one.rows("SELECT kind, articles.id FROM feedback JOIN articles USING (seq) ORDER BY feedback.row")
    log = [(str(kind), str(name)) for kind, name in rows]
    new = [(words[0], words[1]) for words in work.acknowledged if words[0] in _KINDS]
    expected = memory.verdicts + new
    memory.acknowledged += len(new)
    if log[: len(expected)] != expected:
        lost = sum(max(expected.count(each) - log.count(each), 0) for each in set(expected))
        memory.lost["verdicts"] += lost
        yield f"of {len(expected)} acknowledged verdicts {lost} are lost; the log differs"
    beyond = len(log) - len(expected)
    if beyond > 1 or (beyond == 1 and not work.killed):
        yield f"{beyond} verdicts that nobody gave"
    memory.unacknowledged += max(beyond, 0)
    memory.verdicts = log


_KINDS = frozenset({"like", "dislike", "skip", "undo"})


def examine_backup(one: Victim, memory: Memory, work: Work, stood: bool) -> Iterator[str]:
    """Tell what is wrong with the backup, which ``stood`` there before the work, or not."""
    file = one.backups / "home.zip"
    if not file.exists():
        if stood or work.acknowledged:
            yield "the backup is gone"
        return
    try:
        with Archive(file) as archive:
            archive.verify()
            rows = archive.manifest.rows
    except BackupError as error:
        yield str(error)
        return
    if work.acknowledged and (rows["feedback"], rows["articles"]) != (len(memory.verdicts), len(memory.articles)):
        yield f"a backup of {rows['feedback']} verdicts and {rows['articles']} articles, and there were more"


def examine_migrated(one: Victim, work: Work, before: list[tuple[object, ...]]) -> Iterator[str]:
    """Tell what is wrong with the home of the old schema, whose ``before`` is what it held; then let it be opened."""
    with SqliteDatabase(one.old / "iscore.db") as database:
        yield from database.integrity()
        revision = database.revision()
    if revision not in {REVISIONS[0], NEXT} or (work.acknowledged and revision != NEXT):
        yield f"the migration stopped at schema {revision}"
    if revision == NEXT and not (one.old / f"iscore.db.backup-{REVISIONS[0]}").exists():
        yield "migrated without a backup"
    again = one.work(one.old, [["status"]])
    if not again.acknowledged:
        yield f"the home does not open after a killed migration: exit {again.refused}"
        return
    if held_by_old(one) != before:
        yield "the migration lost rows"


def content(place: Path | str) -> list[tuple[object, ...]]:
    """What a database holds, in a file or on a server: articles, verdicts, digests, users."""
    queries = (
        "SELECT seq, id, title FROM articles ORDER BY seq",
        'SELECT "row", id, seq, kind, at FROM feedback ORDER BY "row"',
        "SELECT seq, digest, number FROM deliveries ORDER BY digest, number",
        "SELECT id, name FROM users ORDER BY id",
    )
    with open_database(place) as database, database.read() as tx:
        return [tuple(row) for query in queries for row in tx.connection.exec_driver_sql(query)]


def examine_moved(one: Victim, work: Work, copy: Path, address: Callable[[], str]) -> Iterator[str]:
    """Tell what is wrong with a folder whose database was moved to a server, or stayed; then move what stayed."""
    before, place = content(one.home / "iscore.db"), DataFolder(copy).database_place
    if work.acknowledged and isinstance(place, Path):
        yield "the database was moved, and config.toml does not say so"
    if content(place) != before:
        yield f"the move lost rows; the database is {place}"
    if isinstance(place, Path):
        again = one.work(copy, [["migrate-database", "--to", address()]])
        if not again.acknowledged or content(DataFolder(copy).database_place) != before:
            yield f"the database cannot be moved after a killed move: {again.refused} {again.complaints}"


def examine_imported(one: Victim, work: Work, copy: Path) -> Iterator[str]:
    """Tell what is wrong with a folder into which somebody's was imported; then import it if it was not."""
    yield from _imported(one, work, copy)
    with closing(sqlite3.connect(copy / "iscore.db")) as raw:
        names = [name for (name,) in raw.execute("SELECT name FROM users WHERE id > 1")]
    remove = [["users", "remove", name, "--yes"] for name in names if name != GUEST]
    again = one.work(copy, [*remove, *([] if GUEST in names else [["users", "import", GUEST, str(one.home)]])])
    if again.refused:
        yield f"nobody can be imported after a killed import: {again.refused} {again.complaints}"
    yield from _imported(one, again, copy)


def _imported(one: Victim, work: Work, copy: Path) -> Iterator[str]:
    """Tell whether the guest is there in part, and whether the owner has lost something."""
    with SqliteDatabase(copy / "iscore.db") as database:
        yield from database.integrity()
    log = "SELECT story, kind FROM effective_verdicts WHERE user_id = ? ORDER BY story"
    feeds = "SELECT count(*) FROM subscriptions WHERE user_id = ?"
    with closing(sqlite3.connect(copy / "iscore.db")) as raw:
        guest = raw.execute("SELECT id FROM users WHERE name = ?", [GUEST]).fetchone()
        sums = [(raw.execute(log, [each]).fetchall(), *raw.execute(feeds, [each])) for each in (1, *(guest or ()))]
    if sums[0] != (one.rows(log, 1), *one.rows(feeds, 1)):
        yield "the import changed what the owner has"
    if guest and sums[1] != sums[0]:
        yield f"the guest has {len(sums[1][0])} of {len(sums[0][0])} verdicts, and the feeds {sums[1][1]}"
    if not guest and any(words[1] == "import" for words in work.acknowledged):
        yield "the import was acknowledged, and the guest is not there"


GUEST = "Carla"


def held_by_old(one: Victim) -> list[tuple[object, ...]]:
    """The content of the home of the old schema: articles with texts, verdicts, digests."""
    articles = "SELECT seq, id, title, text FROM articles JOIN texts USING (seq) ORDER BY seq"
    verdicts = "SELECT row, id, seq, kind, at FROM feedback ORDER BY row"
    digests = "SELECT seq, digest, number FROM deliveries ORDER BY digest, number"
    return [row for query in (articles, verdicts, digests) for row in one.rows(query, home=one.old)]
