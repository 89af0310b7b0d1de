"""The table of services, and the session from which each is made once."""

from __future__ import annotations

from iscore.services.news_filter import NewsFilter
from iscore.services.services import Service, Services
from tests.iscore.conftest import Archive


def test_each_place_has_the_class_that_the_table_promises(archive: Archive) -> None:
    table = {name: each for name, each in vars(Services).items() if isinstance(each, Service)}
    assert len(table) > 20
    for name, each in table.items():
        made = getattr(archive.news, name)
        assert Services.__annotations__[name] == f"Service[{type(made).__name__}]"
        assert each.place == f"{type(made).__module__.removeprefix('iscore.services.')}:{type(made).__name__}"


def test_services_share_those_that_they_need(archive: Archive) -> None:
    news = archive.news
    assert news.models is news.models
    assert news.session.service(type(news.models)) is news.models
    assert news.for_user(news.context.user_id) is news
    other = NewsFilter(news.context.folder, news.database, news.context.clock)
    assert other.models is not news.models
