"""Verdicts are recorded in one way, wherever they come from."""

from __future__ import annotations

from iscore.services.learning.verdicts import record
from storage.log import feedback, marks
from storage.records.users import LOCAL_USER, Kind
from storage.stories.client_items import State, Stream
from tests.iscore.conftest import START, Archive


def test_a_batch_has_one_id_and_its_verdicts_their_places(filled: Archive) -> None:
    first, second, third = (each.seq for each in filled.leaders()[:3])
    wanted = [(Kind.LIKE, first), (Kind.DISLIKE, second)]
    with filled.database.write() as tx:
        assert record(tx, LOCAL_USER, wanted, START, request="page") == [None, None]
        assert record(tx, LOCAL_USER, wanted, START, request="page") == [Kind.LIKE, Kind.DISLIKE]
        assert feedback.batch(tx, LOCAL_USER, "page") == [(first, Kind.LIKE), (second, Kind.DISLIKE)]
        assert feedback.last_row(tx, LOCAL_USER) == 2
        record(tx, LOCAL_USER, [(Kind.LIKE, third)], START, request="alone")
        given = feedback.current(tx, LOCAL_USER, [first, second, third])
        assert [each.id for each in given.values()] == ["page/0", "page/1", "alone"]


def test_without_a_request_each_verdict_has_an_id_of_its_own(filled: Archive) -> None:
    seqs = [each.seq for each in filled.leaders()[:2]]
    with filled.database.write() as tx:
        wanted = [(Kind.LIKE, seq) for seq in seqs]
        record(tx, LOCAL_USER, wanted, START, origin="star-", marks_read=False)
        ids = {each.id for each in feedback.current(tx, LOCAL_USER, seqs).values()}
        assert len(ids) == 2
        assert all(each.startswith("star-") and "/" not in each for each in ids)
        assert marks.get(tx, LOCAL_USER, [*marks.stories(tx, LOCAL_USER, seqs).values()]) == {}


def test_links_in_feeds_mark_as_read_and_undo_it_as_pages_do_and_apps_leave_it_alone(filled: Archive) -> None:
    news = filled.news
    news.polling.decide()
    linked, starred = filled.leaders()[:2]
    assert news.personal_feeds.rate(linked.seq, Kind.LIKE)
    assert not news.personal_feeds.rate(linked.seq, Kind.LIKE)
    assert news.reader.mark(linked.id).read_at == news.context.clock()
    assert news.personal_feeds.rate(linked.seq, Kind.UNDO)
    assert news.reader.mark(linked.id).read_at is None
    assert news.client_apps.edit((), [starred.seq], [Stream(State.STARRED)])
    assert news.reader.mark(starred.id).read_at is None
    assert [(each.article_id, each.kind) for each in news.verdicts.recent(9)] == [(starred.id, Kind.LIKE)]
