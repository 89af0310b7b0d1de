import pytest

from storage import deliveries, users
from storage.database import Database
from storage.errors import DatabaseFailed
from storage.records import LOCAL_USER, Delivery
from tests.storage.conftest import NOON, Newsroom


def delivery(seq: int, date: str, number: int, user_id: int = LOCAL_USER) -> Delivery:
    return Delivery(user_id, seq, date, number, NOON)


def test_an_edition_comes_back_by_number(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    monday, tuesday = delivery(3, "2026-03-02", 1), delivery(1, "2026-03-03", 1)
    second = delivery(2, "2026-03-02", 2)
    with database.write() as tx:
        assert deliveries.newest_edition(tx, LOCAL_USER) is None
        deliveries.add(tx, [tuesday, second, monday])
        assert deliveries.edition(tx, LOCAL_USER, "2026-03-02") == [monday, second]
        assert deliveries.edition(tx, LOCAL_USER, "2026-03-04") == []
        assert deliveries.newest_edition(tx, LOCAL_USER) == "2026-03-03"


def test_an_article_is_delivered_once_over_all_editions(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        deliveries.add(tx, [delivery(1, "2026-03-02", 1)])
        deliveries.add(tx, [delivery(1, "2026-03-03", 1), delivery(2, "2026-03-03", 2)])
        assert deliveries.edition(tx, LOCAL_USER, "2026-03-03") == [delivery(2, "2026-03-03", 2)]
        assert deliveries.delivered(tx, LOCAL_USER, [*range(2, 5000), 1]) == {1, 2}


def test_a_number_means_one_article(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with pytest.raises(DatabaseFailed, match="UNIQUE"), database.write() as tx:
        deliveries.add(tx, [delivery(1, "2026-03-02", 1), delivery(2, "2026-03-02", 1)])


def test_people_have_their_own_editions(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1)
    with database.write() as tx:
        other = users.add(tx, "other", 0).id
        deliveries.add(tx, [delivery(1, "2026-03-02", 1), delivery(1, "2026-03-05", 1, other)])
        assert deliveries.newest_edition(tx, LOCAL_USER) == "2026-03-02"
        assert deliveries.edition(tx, LOCAL_USER, "2026-03-05") == []
        assert deliveries.edition(tx, other, "2026-03-05") == [delivery(1, "2026-03-05", 1, other)]
        assert deliveries.delivered(tx, users.add(tx, "third", 0).id, [1]) == set()
