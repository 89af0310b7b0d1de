"""A user's connection to another reader server, such as FreshRSS: iScore judges its items, and labels them there.

    pull ─► articles ─► decide ─► learn what the user has set there ─► rescore ─► tags into the outbox ─► send

Decisions come before what the user said of the same articles is learned, as they do for feeds that are polled. Each
step stores what it has done, so a synchronisation that is killed goes on with the next one. One runs at a time.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from iscore.core.errors import IscoreError
from iscore.core.file_access import exclusive_lock
from iscore.core.sanitizing import line
from iscore.core.timings import Progress
from iscore.services.connections.passwords import ConnectError, PasswordFile, Secret
from iscore.services.interests.imports import Imports
from iscore.services.learning.model_store import ModelStore
from iscore.services.polling import Polling
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import FeedQuota
from iscore.services.views.other_programs import ConnectionView, RemovedView, SyncView
from storage.engine.errors import StorageError
from storage.exchange import connections, remote_items
from storage.records.connections import Connection, ConnectionOption, ReaderKind

if TYPE_CHECKING:
    from iscore.feeds.remote.client import ReaderClient
    from iscore.services.connections.learning import Learned
    from iscore.services.connections.pull import Pulled
    from iscore.services.learning.scoring import Scored

INTERVAL = timedelta(minutes=15)
"""Between two synchronisations."""
LONGEST_PAUSE = timedelta(hours=4)
"""After failures the interval doubles, up to this."""
NOT_CONNECTED = "no other server is connected; `iscore connect freshrss URL --login NAME` connects one"


class Connections:
    """One user's connection; there is at most one."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._polling = session.service(Polling)
        self._models = session.service(ModelStore)
        self._imports = session.service(Imports)
        self._rules = session.service(RuleApplication)
        self._quota = session.service(FeedQuota)
        self._passwords = PasswordFile(session.context.folder.path)

    def connect(
        self, kind: ReaderKind, url: str, name: str, secret: Secret | None, options: tuple[ConnectionOption, ...] = ()
    ) -> ConnectionView:
        """Connect an account of another server, or change the password and the options of the one that is connected.

        ``secret`` None: the one that is stored, for the account that is connected. The server is asked first: raises
        ``ReaderServerError``, ``UrlError`` and ``ConnectError`` with nothing changed.
        """
        from iscore.feeds.remote.client import api_address
        from iscore.services.connections.pull import sign_in

        address = api_address(kind, url)
        chosen = tuple(option.value for option in options)
        user = self._context.user_id
        with self._locked():
            before = self._stored()
            if before is not None and (before.kind, before.address, before.name) != (kind, address, name):
                raise ConnectError(f"{before.address} is connected already; `iscore connect remove` disconnects it")
            after = before or Connection(user, kind, address, name, chosen, self._context.clock())
            after = replace(after, options=chosen, next_due=None, error="", failures=0)
            given = secret or self._passwords.get(user)
            sign_in(self._client(after), name, given.read())
            self._passwords.put(user, given)
            with self._database.write(user, durable=True) as tx:
                connections.put(tx, after)
                remote_items.try_again(tx, user)
            return self.view()

    def view(self) -> ConnectionView:
        """Return the connection, and how it is doing. Raises ``ConnectError`` without one."""
        found = self.find()
        if found is None:
            raise ConnectError(NOT_CONNECTED)
        return found

    def find(self) -> ConnectionView | None:
        """Return the connection, and how it is doing; None without one."""
        with self._database.read() as tx:
            found = connections.get(tx, self._context.user_id)
            if found is None:
                return None
            waiting, refused = remote_items.counts(tx, found.user_id)
            return ConnectionView(
                kind=found.kind.value,
                address=found.address,
                name=found.name,
                options=found.options,
                connected=found.connected,
                synced=found.synced,
                next_due=found.next_due,
                failures=found.failures,
                error=found.error,
                feeds=connections.count_feeds(tx, found.user_id),
                items=remote_items.count(tx, found.user_id),
                labelled=remote_items.count_ours(tx, found.user_id),
                waiting=waiting,
                refused=refused,
            )

    def is_due(self) -> bool:
        """Whether there is a connection whose time has come."""
        with self._database.read() as tx:
            return connections.is_due(tx, self._context.user_id, self._context.clock())

    def next_due(self) -> datetime | None:
        """Return when the connection is due; None without one, or at once."""
        found = self._stored()
        return found.next_due if found else None

    def missing_password(self) -> str:
        """Return why this machine cannot sign in; empty if it can.

        That is shown with the connection, and counts as no failure: it stays due, for a machine that can.
        """
        try:
            self._passwords.get(self._context.user_id)
        except ConnectError as error:
            found = self._stored()
            if found is not None and found.error != str(error):
                self._put(replace(found, error=str(error)))
            return str(error)
        return ""

    def make_due(self) -> None:
        """Have the connection synchronised as soon as something does that, such as ``iscore serve``, whatever failed
        before. Raises ``ConnectError`` without one."""
        with self._database.write(self._context.user_id, durable=True) as tx:
            found = connections.get(tx, self._context.user_id)
            if found is None:
                raise ConnectError(NOT_CONNECTED)
            connections.put(tx, replace(found, next_due=None))

    def sync(self, progress: Progress | None = None, *, insist: bool = False) -> SyncView:
        """Synchronise now. Raises ``IscoreError``, ``StorageError``; then the next attempt is later each time.

        After a failure it raises ``ConnectError`` until that time, unless you ``insist``.
        """
        with self._locked():
            connection = self._required()
            due = connection.next_due
            if connection.failures and due and due > self._context.clock() and not insist:
                raise ConnectError(f"{connection.error}; the next try is due at {due:%H:%M} UTC, --now tries at once")
            # Before anything else: a synchronisation that kills its process must not be due at once again.
            self._put(replace(connection, next_due=self._context.clock() + INTERVAL))
            try:
                view = self._sync(connection, progress)
            except (IscoreError, StorageError) as error:
                self._record_failure(error)
                raise
            except Exception as error:  # whatever a server answers may fail anywhere, but not all other work
                problem = ConnectError(
                    f"{connection.address}: unexpected {type(error).__name__}; please report this: {line(str(error))}"
                )
                self._record_failure(problem)
                raise problem from error
            self._put(replace(self._required(), next_due=self._context.clock() + INTERVAL, failures=0, error=view.note))
            return view

    def remove(self, *, leave_labels: bool = False, progress: Progress | None = None) -> RemovedView:
        """Disconnect: remove the labels that iScore has set there, and forget the account. Articles and what was
        learned stay.

        Raises ``ReaderServerError`` with the connection still there, unless ``leave_labels``. Without a connection, as
        after a command that was killed halfway, deletes a password that is stored, and raises ``ConnectError``.
        """
        from iscore.services.connections.labels import LABELS

        with self._locked():
            connection = self._stored()
            if connection is None:
                if self._passwords.remove(self._context.user_id):
                    raise ConnectError("no other server is connected; a password that was left here is deleted now")
                raise ConnectError(NOT_CONNECTED)
            user, sent, left = connection.user_id, 0, 0
            with self._database.write(user, durable=True) as tx:
                left = remote_items.want_none(tx, user, LABELS)
            if not leave_labels and left:
                sent = asyncio.run(self._remove_labels(connection, progress))
                left -= sent
                if left:
                    instead = "disconnect and leave them (--leave-labels)"
                    raise ConnectError(f"{connection.address} refuses to remove {left} labels; {instead}")
            with self._database.write(user, durable=True) as tx:
                remote_items.remove_all(tx, user)
                connections.remove(tx, user)
            self._passwords.remove(user)
            return RemovedView(connection.address, sent, left)

    def _sync(self, connection: Connection, progress: Progress | None) -> SyncView:
        from iscore.services.connections.labels import put_into_outbox
        from iscore.services.connections.learning import import_history

        started, at = time.perf_counter(), self._context.clock()
        password = self._passwords.get(connection.user_id).read()
        client = self._client(connection)
        pulled = asyncio.run(self._pull(connection, client, password, progress))
        imported = 0
        if connection.synced is None:
            imported = import_history(self._database, connection, pulled.history, self._imports.measure, at)
        scored = self._polling.decide(progress)
        learned = self._learn(connection, pulled, at)
        if learned.verdicts:
            self._models.catch_up()
        self._rules.apply()
        with self._database.write(self._context.user_id, durable=True) as tx:
            put_into_outbox(tx, connection, self._context.inbox_start())
        sent = asyncio.run(self._send(connection, client, progress))
        return _view(pulled, scored, learned, imported, sent, time.perf_counter() - started)

    async def _pull(
        self, connection: Connection, client: ReaderClient, password: str, progress: Progress | None
    ) -> Pulled:
        from iscore.feeds.parsing.parser_pool import ParserPool
        from iscore.services.connections.pull import Pull

        settings = self._context.settings
        async with client, ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout) as pool:
            await client.sign_in(connection.name, password)
            period = self._context.inbox_period
            return await Pull(
                self._database,
                connection,
                client,
                pool,
                self._context.clock,
                period=period,
                most_feeds=self._quota.most(),
                progress=progress,
            ).run()

    def _learn(self, connection: Connection, pulled: Pulled, at: datetime) -> Learned:
        """Learn, and record in the same transaction that it was done."""
        from iscore.services.connections.learning import learn

        with self._database.write(self._context.user_id, durable=True) as tx:
            learned = learn(
                tx,
                connection,
                pulled.found.values(),
                pulled.gone,
                pulled.unread,
                since=self._context.inbox_start(),
                at=at,
            )
            stored = connections.get(tx, connection.user_id)
            if stored is not None:
                connections.put(tx, replace(stored, synced=at, newest=pulled.newest))
        return learned

    async def _send(self, connection: Connection, client: ReaderClient, progress: Progress | None) -> int:
        from iscore.services.connections.labels import send_outbox

        async with client:
            return await send_outbox(self._database, connection.user_id, client, progress)

    async def _remove_labels(self, connection: Connection, progress: Progress | None) -> int:
        from iscore.services.connections.labels import delete_labels, send_outbox

        client = self._client(connection)
        async with client:
            await client.sign_in(connection.name, self._passwords.get(connection.user_id).read())
            sent = await send_outbox(self._database, connection.user_id, client, progress)
            if connection.kind is ReaderKind.FRESHRSS:
                await delete_labels(client)
            return sent

    def _client(self, connection: Connection) -> ReaderClient:
        from iscore.feeds.remote.client import ReaderClient

        settings, guarded = self._context.poll_settings, ConnectionOption.PUBLIC_ONLY in connection.options
        return ReaderClient(connection.kind, connection.address, settings, self._context.clock, guarded=guarded)

    def _record_failure(self, error: Exception) -> None:
        from iscore.feeds.errors import ReaderServerBusyError

        found, now = self._required(), self._context.clock()
        pause = min(INTERVAL * 2 ** min(found.failures, 10), LONGEST_PAUSE)
        asked = error.until if isinstance(error, ReaderServerBusyError) else None
        due = max(now + pause, asked) if asked else now + pause
        self._put(replace(found, failures=found.failures + 1, error=str(error), next_due=due))

    def _stored(self) -> Connection | None:
        with self._database.read() as tx:
            return connections.get(tx, self._context.user_id)

    def _required(self) -> Connection:
        found = self._stored()
        if found is None:
            raise ConnectError(NOT_CONNECTED)
        return found

    def _put(self, connection: Connection) -> None:
        with self._database.write(self._context.user_id, durable=True) as tx:
            connections.put(tx, connection)

    def _locked(self) -> AbstractContextManager[None]:
        folder, name = self._context.folder, "connect.lock"
        if folder.database_address:  # several users at once, by workers
            name = f"connect-{self._context.user_id}.lock"
        return exclusive_lock(folder.path / name, "another server is being synchronised with this data folder")


def _view(pulled: Pulled, scored: Scored, learned: Learned, imported: int, sent: int, seconds: float) -> SyncView:
    return SyncView(
        pulled.added, scored.recommended, imported, learned.verdicts, learned.read, sent, seconds, pulled.note
    )
