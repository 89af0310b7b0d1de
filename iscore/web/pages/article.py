"""The page of an article: text, explanation, and its forms for rules and for the full text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import quote, unquote, urlsplit

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, MarkError, RuleError, RulesError, UnknownArticleError
from iscore.core.sanitizing import line, one_line
from iscore.core.translation import gettext
from iscore.presentation.wording.explanation import (
    STARTING_POINT,
    closeness_words,
    contributions,
    decision_words,
    feature_words,
    first_words,
    informative_words,
    judgement_words,
    part_words,
    value_words,
)
from iscore.presentation.wording.quantities import file_size, signed
from iscore.presentation.wording.stored_errors import feed_error_text
from iscore.presentation.wording.story import story_entry, text_below, title_line
from iscore.rules.boosts import DEFAULT_BOOST
from iscore.services.reading.full_text import FullTextError
from iscore.services.views.rules import RuleView
from iscore.services.views.stories import ContentView, EnclosureView, StoryView, WhyView
from iscore.web.base_path import base_of
from iscore.web.context import AppContext, notice, page, until_explained, user_of, visit_of
from iscore.web.list_cache import behind
from iscore.web.pages.verdicts import message_about_verdict
from iscore.web.security.signed_addresses import SignedPictures
from storage.records.users import User

BAR = 100
"""Length of the longest bar, in units of its drawing."""
CATEGORIES = 6
LONGEST_NAME = 80
"""Characters of an enclosure's name."""
ACTIONS = ("always", "more", "less", "never")
"""What a rule can do with a source, an author or a category."""


class ArticleRoutes:
    """The page of an article, and its forms."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def article(self, request: Request) -> Response:
        """The page of one article."""
        app, wanted = self._app, request.path_params["article_id"]
        try:
            view = await app.threads.page(app.news.show, wanted)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist."))
        if view.id != wanted:
            return RedirectResponse(f"/article/{view.id}", 303)
        if opened_by_user(request):
            await app.threads.verdict(self._opened, view.id, user_of(request))
        await until_explained(request, app.worker.explain_score(view.id))
        return await app.threads.page(self._article_page, request, view)

    async def rule(self, request: Request) -> Response:
        """Add or remove a rule for an article's source, author or category."""
        return await self._app.threads.page(self._rule, request)

    async def full_text(self, request: Request) -> Response:
        """Fetch the page of an article for its full text."""
        article_id = visit_of(request).form.get("article", "")
        try:
            longer = await self._app.threads.fetch(self._app.news.full_texts.fetch, article_id)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist any more; nothing was changed."))
        except FullTextError as error:
            return notice(
                request,
                502,
                gettext("The full text could not be loaded: %(error)s.", error=feed_error_text(str(error))),
            )
        if not longer:
            return notice(request, 200, gettext("The page of this article has no more text than the feed."))
        return RedirectResponse(f"/article/{quote(article_id, safe='')}?marked=", 303)

    def _article_page(self, request: Request, view: StoryView) -> Response:
        app = self._app
        now, zone = app.clock(), app.news.context.zone
        signed = SignedPictures(visit_of(request).secret, base_of(request))
        content = app.news.contents.view(view.id, partial(signed.address, view.id))
        why = app.worker.why(view.id)
        return page(
            "article.html",
            request,
            article=body(view, content),
            story=story_entry(view, now, zone),
            why=explanation(why, now) if why else None,
            explanation_error=explanation_error(app.worker.error(view.id)),
            message=message_about_verdict(app, request),
            targets=targets(view, self._rules()),
            rules_open="rules" in request.query_params,
            page="article",
            menu=app.menu(request.url.path),
            mark=app.news.reader.mark(view.id),
            back=self._list_of(request, view.id),
            following=self._next(request, view.id),
        )

    def _opened(self, article_id: str, user: User) -> None:
        with suppress(MarkError):  # it is in no list yet
            self._app.news.reader.mark_read([article_id])
        if user.learns_from_reading:
            self._app.news.reading_events.opened(article_id)

    def _rule(self, request: Request) -> Response:
        form, news = visit_of(request).form, self._app.news
        field, text, action = form.get("field", ""), form.get("text", ""), form.get("action", "")
        try:
            article = news.show(form.get("article", ""))
            rules = news.rules.list()
            if (field, text) not in [(each.field, each.text) for each in targets(article, rules)]:
                return notice(request, 400, gettext("This article has no such property; no rule was added."))
            before = rule_matching(field, text, rules)
            if before is not None:
                news.rules.remove(before.number)
            if action in ACTIONS:
                boost = {"more": DEFAULT_BOOST, "less": -DEFAULT_BOOST}.get(action)
                news.rules.add("boost" if boost else action, field, text, boost=boost)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist any more; nothing was changed."))
        except (RuleError, RulesError) as error:
            return notice(request, 400, str(error))
        return RedirectResponse(f"/article/{article.id}?rules=#rules", 303)

    def _rules(self) -> list[RuleView]:
        try:
            return self._app.news.rules.list()
        except RulesError:  # `iscore rules list` shows the error
            return []

    def _list_of(self, request: Request, article_id: str) -> str:
        """Return the URL of the last list that has an article, at its position."""
        name, _ = self._app.lists.last_with(visit_of(request).session.id, article_id)
        if name.partition("?")[0] in ("/", "/hidden"):  # in the order in which it was read
            name += f"{'&' if '?' in name else '?'}verdict="
        return f"{name}#a-{article_id}" if name else "/"

    def _next(self, request: Request, article_id: str) -> tuple[str, str] | None:
        """Return id and title of the next story of the last list that has an article."""
        _, ids = self._app.lists.last_with(visit_of(request).session.id, article_id)
        found = self._app.news.reader.next_unrated(behind(ids, article_id))
        return (found[0], title_line(found[1])) if found else None


def opened_by_user(request: Request) -> bool:
    """Whether a browser says that the user opened this page from another page of this site.

    Browsers say so over HTTPS and on this machine only; elsewhere the page's script marks the article as read. Pages
    that a browser fetches ahead of time are not opened yet.
    """
    headers = request.headers
    fetched_ahead = "prefetch" in (headers.get("sec-purpose", "") + headers.get("purpose", "")).lower()
    by_link = headers.get("sec-fetch-dest") == "document" and headers.get("sec-fetch-site") == "same-origin"
    after_mark = "marked" in request.query_params  # the user may have marked it as unread
    return request.method == "GET" and by_link and not fetched_ahead and not after_mark


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that comes with an article."""

    url: str
    name: str
    about: str
    """Type and size; empty if the publisher gives neither."""


@dataclass(frozen=True, slots=True)
class Body:
    """What the page shows of an article beside its entry."""

    categories: str
    html: Markup
    """Sanitised HTML; empty if there are only ``paragraphs``."""
    paragraphs: tuple[str, ...]
    """None if the title was made of all of it."""
    has_text: bool
    picture: str
    """What is loaded above the text; empty for nothing."""
    enclosures: tuple[Enclosure, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A property of an article that a rule can match, with the rule that matches it."""

    field: str
    """``source``, ``author`` or ``category``."""
    text: str
    action: str
    """The rule's action, one of ``ACTIONS``; empty without a rule."""
    words: str
    """The rule in words; empty without a rule."""


@dataclass(frozen=True, slots=True)
class Move:
    """One feature's contribution to a score."""

    meaning: str
    value: str
    contribution: str
    bar: float
    """0 to ``BAR``."""
    positive: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an article has its score."""

    heading: str
    decision: str
    """In words."""
    judgement: str
    """In figures."""
    parts: str
    """What the score consists of, in figures; may be empty."""
    reasons: tuple[str, ...]
    moves: tuple[Move, ...]
    rest: str
    words: tuple[tuple[str, str], ...]
    first: str


def body(view: StoryView, content: ContentView) -> Body:
    """Build the body of an article."""
    return Body(
        categories=", ".join(line(each) for each in view.categories[:CATEGORIES]),
        html=Markup(content.html),  # noqa: S704 -- ``Contents.view`` has cleaned it
        picture=content.picture,
        enclosures=tuple(map(_enclosure, content.enclosures)),
        paragraphs=tuple(
            "\n".join(map(line, each.split("\n"))) for each in re.split(r"\n\s*\n", text_below(view)) if each.strip()
        ),
        has_text=bool(view.text.strip()),
    )


def _enclosure(view: EnclosureView) -> Enclosure:
    parts = urlsplit(view.url)
    name = line(unquote(parts.path.rpartition("/")[2])) or parts.netloc
    about = (view.type, file_size(view.length) if view.length else "")
    return Enclosure(view.url, name[:LONGEST_NAME], ", ".join(filter(None, about)))


def explanation_error(problem: str) -> str:
    """Return why the explanation failed, as a sentence; empty if it did not."""
    return gettext("Explanation failed: %(problem)s", problem=line(problem)) if problem else ""


def targets(view: StoryView, rules: Sequence[RuleView]) -> tuple[Target, ...]:
    """List what a rule can match in an article: source, author, categories, each as the feed writes it."""
    properties = [("source", view.source), ("author", view.author)]
    properties += [("category", each) for each in view.categories[:CATEGORIES]]
    found = []
    for field, text in dict.fromkeys((field, one_line(text)) for field, text in properties):
        if text:
            rule = rule_matching(field, text, rules)
            found.append(Target(field, text, _action(rule) if rule else "", rule.words if rule else ""))
    return tuple(found)


def rule_matching(field: str, text: str, rules: Sequence[RuleView]) -> RuleView | None:
    """Return the rule that matches exactly this; the last of several."""
    return next((rule for rule in reversed(rules) if (rule.field, rule.text) == (field, text)), None)


def _action(rule: RuleView) -> str:
    if rule.action == "boost":
        return "more" if rule.boost > 0 else "less"
    return rule.action


def explanation(view: WhyView, now: datetime) -> Explanation:
    """Build an explanation, with a bar for each feature."""
    moved = contributions(view)
    longest = max([abs(view.prior), *(abs(feature.contribution) for feature in moved.features), 1e-9])
    rows = [(gettext(STARTING_POINT), "", view.prior)] if moved.features or view.learning.trained else []
    rows += [(feature_words(feature), value_words(feature), feature.contribution) for feature in moved.features]
    return Explanation(
        heading=gettext("Why you see this")
        if view.interesting or view.article.explore
        else gettext("Why this is hidden"),
        decision=f"{decision_words(view)}: {closeness_words(view)}",
        judgement=judgement_words(view),
        parts=line(part_words(view)),
        reasons=tuple(line(reason) for reason in view.reasons),
        moves=tuple(
            Move(line(meaning), value, signed(moved_by), round(BAR * abs(moved_by) / longest, 1), moved_by > 0)
            for meaning, value, moved_by in rows
        ),
        rest=moved.rest,
        words=informative_words(view),
        first=first_words(view, now),
    )
