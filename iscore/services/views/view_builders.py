"""Builds views from records."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from iscore.core.statistics import share_interval
from iscore.feeds.subscriptions.health import IN_TROUBLE, ORDER, State, health, per_week
from iscore.filtering.delivery.limits import is_trained
from iscore.rules.application import with_rules
from iscore.rules.wording import outcome_text
from iscore.services.views.feeds import FeedProblem, FeedView, HubView
from iscore.services.views.status import HiddenCheck
from iscore.services.views.stories import Learning, StoryView
from storage.engine.base_database import Transaction
from storage.log import decisions, feedback, rule_outcomes
from storage.records.feeds import FeedArrivals, FeedOverview, HubSubscription
from storage.records.stories import StoryRow
from storage.records.users import Kind, Tally
from storage.stories import inbox
from storage.stream import articles, feed_names
from storage.stream.addresses import address_without_password, host_of
from storage.stream.headings import heading

WORDS_A_MINUTE = 230
CHARACTERS_A_WORD = 6


def learning(tally: Tally) -> Learning:
    """Say how far the filter has got to know its reader."""
    return Learning(
        tally.likes, tally.dislikes, is_trained(tally.likes, tally.dislikes), tally.imported, tally.interests
    )


def hidden_check(tx: Transaction, user_id: int) -> HiddenCheck:
    """Return what the user's checks say of hidden stories."""
    counts = feedback.checked(tx, user_id)
    liked = counts[Kind.LIKE]
    return HiddenCheck(counts.total(), liked, *share_interval(liked, counts.total()))


def story_view(row: StoryRow) -> StoryView:
    """Return a story of a list, without verdict and marks; its text is the beginning, as one paragraph."""
    beginning = " ".join(row.article.text.split())
    return replace(_view(row), text=beginning, archive=bool(row.score and row.score.archive))


def _view(row: StoryRow) -> StoryView:
    article, score, outcome = row.article, row.score, row.outcome
    return StoryView(
        id=article.id,
        title=heading(article.title, article.text),
        url=article.url,
        source=article.source,
        sources=row.sources,
        author=article.author,
        categories=article.categories,
        language=article.language,
        published=article.published,
        arrived=article.arrived,
        text=article.text,
        score=score.score if score else None,
        threshold=score.threshold if score else None,
        interesting=score.interesting if score else None,
        explore=row.explore,
        rule_outcome=outcome_text(outcome),
        archive=article.archive,
        interest=score.interest if score else "",
        boost=outcome.boost if score and outcome else 0.0,
        titled=bool(article.title),
        feed=article.feed_id,
        hidden=row.hidden,
    )


def feed_view(
    overview: FeedOverview,
    name: str,
    arrived: FeedArrivals | None,
    others: Collection[str],
    now: datetime,
    hub: HubSubscription | None = None,
) -> FeedView:
    """Return the view of a subscription, without the secrets in its address.

    ``arrived`` counts from ``health.RATE_WINDOW`` before ``now``; ``others`` are the addresses of all subscriptions, by
    ``url_key``. ``hub`` is the feed's subscription at its hub, if it has one.
    """
    subscription, feed = overview.subscription, overview.feed
    found = health(subscription, feed, arrived, others, now)
    return FeedView(
        url=address_without_password(subscription.url),
        title=subscription.title or feed.title,
        tags=subscription.tags,
        enabled=subscription.enabled,
        articles=overview.articles,
        last_success=feed.last_success,
        next_due=feed.next_due,
        error=feed.error,
        last_attempt=feed.last_attempt,
        failures=feed.failures,
        newest=arrived.published if arrived else None,
        per_week=per_week(arrived, now),
        state=found.state,
        moved_to=found.moved_to,
        advice=found.advice,
        fulltext=subscription.fulltext,
        site=address_without_password(feed.site_url),
        priority=subscription.priority.value,
        hub=None if hub is None or hub.ending else _hub_view(hub, now),
        name=name,
    )


def _hub_view(known: HubSubscription, now: datetime) -> HubView:
    agreed = known.lease_until is not None and known.lease_until > now
    state = "asked" if not agreed else "misses" if known.missed is not None else "pushes"
    until = known.lease_until if agreed else None
    return HubView(host_of(known.hub.address), state, until, known.error)


def problems(feeds: list[FeedView]) -> tuple[FeedProblem, ...]:
    """List the feeds in trouble, the worst first."""
    feeds = sorted(feeds, key=lambda feed: ORDER.index(State(feed.state)))
    return tuple(
        FeedProblem(feed.url, feed.title, feed.error, feed.advice) for feed in feeds if feed.state in IN_TROUBLE
    )


def moved(feeds: list[FeedView]) -> tuple[FeedProblem, ...]:
    """List the feeds that work at another address than the one that the user wrote."""
    return tuple(
        FeedProblem(feed.url, feed.title, f"has moved to {feed.moved_to}", feed.advice)
        for feed in feeds
        if feed.state == State.MOVED
    )


def article_view(tx: Transaction, user_id: int, seq: int) -> StoryView:
    """Return an article with its whole text, its story's score and the user's verdict."""
    (article,) = articles.get(tx, [seq])
    story = article.story or seq
    decision = (decisions.get(tx, user_id, [story]) | decisions.late(tx, user_id, [story])).get(story)
    outcome = rule_outcomes.get(tx, user_id, [story]).get(story)
    current = decisions.current_score(tx, user_id, story)
    row = StoryRow(
        replace(article, source=feed_names.shown(tx, user_id, [article.feed_id])[article.feed_id]),
        with_rules(current, outcome) if current else None,
        decision.explore if decision else None,
        articles.story_sources(tx, user_id, [story]).get(story, ()),
        outcome,
    )
    minutes = reading_minutes(len(article.text))
    return replace(_view(row), reading_minutes=minutes, verdict=feedback.verdict(tx, user_id, story))


def listed_stories(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, StoryView]:
    """Return stories with the user's verdicts, by leading article, in the order of ``seqs``."""
    lengths = articles.text_lengths(tx, seqs)
    verdicts = feedback.verdicts(tx, user_id, seqs)
    return {
        row.article.seq: replace(
            story_view(row),
            reading_minutes=reading_minutes(lengths.get(row.article.seq, 0)),
            verdict=verdicts.get(row.article.seq),
        )
        for row in inbox.rows(tx, user_id, seqs)
    }


def reading_minutes(length: int) -> int:
    """Return how long a text of ``length`` characters takes to read, in full minutes, at least one."""
    return max(1, round(length / (WORDS_A_MINUTE * CHARACTERS_A_WORD)))
