"""The schema on PostgreSQL: the tables of ``storage.schema`` as they are now, and from then on the same revisions.

A new database gets all tables at once and is marked with the newest revision; later ones run on both.
"""

from __future__ import annotations

from storage.engine.base_database import Transaction
from storage.opening.creation import stamp
from storage.schema import metadata
from storage.stream import search_index

MARK = "iScore"
"""The comment on the table of the revision, which says whose it is."""

FACTS = ("feedback", "decisions", "late_deliveries", "rounds", "rule_changes", "arrived_items", "reading_events")
"""Tables whose rows are written once."""

_ROOM_FOR_SCORES = "ALTER TABLE current_scores SET (fillfactor = 70)"
"""A new score that finds room on the page of the old one needs no entries in indices."""

# A row goes only with its user, and an event once a sum has it: as the triggers of SQLite have it.
_REFUSE = """
CREATE FUNCTION refuse_to_change_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF (SELECT role FROM users WHERE id = OLD.user_id) = 'removed' THEN RETURN OLD; END IF;
        IF TG_TABLE_NAME = 'reading_events' THEN
            IF EXISTS (SELECT 1 FROM reading_sums AS s
                       WHERE s.user_id = OLD.user_id AND s.story = OLD.story AND s."row" >= OLD."row")
            THEN RETURN OLD; END IF;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$
"""


def create(tx: Transaction) -> None:
    """Make all tables in an empty schema, and mark them as ours."""
    metadata.create_all(tx.connection)
    tx.connection.exec_driver_sql(_ROOM_FOR_SCORES)
    tx.connection.exec_driver_sql(search_index.CREATE_TSVECTOR)
    tx.connection.exec_driver_sql(search_index.CREATE_TSVECTOR_INDEX)
    tx.connection.exec_driver_sql(_REFUSE, execution_options={"no_parameters": True})
    for table in FACTS:
        for trigger in ("UPDATE OR DELETE ON {0} FOR EACH ROW", "TRUNCATE ON {0} FOR EACH STATEMENT"):
            name = f"{table}_no_{trigger.split()[0].lower()}"
            tx.connection.exec_driver_sql(
                f"CREATE TRIGGER {name} BEFORE {trigger.format(table)} EXECUTE FUNCTION refuse_to_change_facts()"
            )
    stamp(tx)
    tx.connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{MARK}'")
    compare_bytes(tx)


def tables(tx: Transaction) -> set[str]:
    """Return the names of all tables of the schema in which iScore's would be made."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    return set(tx.connection.exec_driver_sql(query).scalars())


def is_ours(tx: Transaction) -> bool:
    """Return whether the schema has our mark."""
    query = "SELECT obj_description(to_regclass('alembic_version'), 'pg_class')"
    return tx.connection.exec_driver_sql(query).scalar() == MARK


def missing_rights(tx: Transaction) -> list[str]:
    """Return what the user of this connection may not do: ``"UPDATE feeds"``; empty when all is well.

    Tables of others in the same schema do not matter.
    """
    columns = (column for table in metadata.sorted_tables for column in table.columns)
    ours = {*metadata.tables, "alembic_version", *(f"{each.table.name}_{each.name}_seq" for each in columns)}
    query = (
        "SELECT wanted || ' ' || tablename "
        "FROM pg_tables, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted "
        "WHERE schemaname = current_schema() AND NOT has_table_privilege(quote_ident(tablename), wanted) UNION ALL "
        "SELECT 'USAGE ' || sequencename FROM pg_sequences "
        "WHERE schemaname = current_schema() AND NOT has_sequence_privilege(quote_ident(sequencename), 'USAGE') "
        "ORDER BY 1"
    )
    return [each for each in tx.connection.exec_driver_sql(query).scalars() if each.split()[1] in ours]


def compare_bytes(tx: Transaction) -> None:
    """Let all columns of text be compared byte by byte, as SQLite does, whatever language the database has.

    Prefixes of ids are ranges, and orders of names are the same everywhere.
    """
    query = (
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() "
        "AND data_type IN ('text', 'character varying') AND collation_name IS DISTINCT FROM 'C' "
        "AND table_name <> 'alembic_version' ORDER BY table_name, ordinal_position"
    )
    columns: dict[str, list[str]] = {}
    for table, column in tx.connection.exec_driver_sql(query).all():
        columns.setdefault(table, []).append(f'ALTER COLUMN "{column}" TYPE text COLLATE "C"')
    for table, changes in columns.items():
        tx.connection.exec_driver_sql(f'ALTER TABLE "{table}" {", ".join(changes)}')
