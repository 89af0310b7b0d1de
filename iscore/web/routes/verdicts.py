"""Verdicts and rules (POST). ``SessionMiddleware`` has checked the CSRF token.

The verdict is on disk when the response is sent; it redirects to the page, which confirms it.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.core.translation import gettext
from iscore.presentation.wording.stored_errors import feed_error_text
from iscore.rules.boosts import DEFAULT_BOOST
from iscore.rules.errors import RuleError, RulesError
from iscore.services.full_text import FullTextError
from iscore.services.headlines import COUNT
from iscore.web.context import AppContext, notice, user_of, visit_of
from iscore.web.pages.article_page import ACTIONS, rule_matching, targets
from storage.records import Kind

KINDS = {kind.value: kind for kind in (Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO)}

NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}")
"""A page's, for its forms."""
LONGEST_PLACE = 100
"""Characters of a place in a list."""


class VerdictRoutes:
    """The routes that change something."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def verdict(self, request: Request) -> Response:
        """Record a verdict."""
        return await self._app.threads.verdict(self._verdict, request)

    async def headlines(self, request: Request) -> Response:
        """Record what was marked among headlines, or undo that."""
        return await self._app.threads.verdict(self._headlines, request)

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
            return notice(request, 200, gettext("The page of this article has no longer text."))
        return RedirectResponse(f"/article/{quote(article_id, safe='')}?marked=", 303)

    def _verdict(self, request: Request) -> Response:
        visit = visit_of(request)
        kind, nonce = KINDS.get(visit.form.get("kind", "")), visit.form.get("nonce", "")
        article_id = visit.form.get("article", "")
        if kind is None or not NONCE.fullmatch(nonce):
            return notice(request, 400, gettext("This is not a valid verdict."))
        name = name_of_request(request, kind, article_id)
        try:
            self._app.news.verdicts.record(kind, [article_id], request=name)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("This article does not exist any more; nothing was changed."))
        self._app.worker.learn()
        return RedirectResponse(_back(visit.form, article_id, name), 303)

    def _headlines(self, request: Request) -> Response:
        visit, news = visit_of(request), self._app.news
        nonce, ids = visit.form.get("nonce", ""), visit.form.get("shown", "").split()
        if "undo" in visit.form:
            news.verdicts.undo_batch(visit.form["undo"])
            self._app.worker.learn()
            return RedirectResponse("/headlines", 303)
        liked = [number for number in range(1, len(ids) + 1) if f"like-{number}" in visit.form]
        if not ids or len(ids) > COUNT or not NONCE.fullmatch(nonce):
            return notice(request, 400, gettext("This is not a valid answer."))
        if not liked and "none" not in visit.form:
            return notice(
                request, 400, gettext("You marked no headline, so nothing was recorded. Go back and mark some.")
            )
        name = name_of_request(request, "headlines")
        try:
            news.headlines.answer(ids, [] if "none" in visit.form else liked, request=name)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, gettext("A story does not exist any more; nothing was changed."))
        self._app.worker.learn()
        return RedirectResponse(f"/headlines?done={name}", 303)

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


def name_of_request(request: Request, *what: str) -> str:
    """Return a name that only this form of this user has: sent twice, even in two sessions, it counts once."""
    nonce = visit_of(request).form["nonce"]
    return hashlib.sha256(" ".join((str(user_of(request).id), nonce, *what)).encode()).hexdigest()[:32]


def _back(form: dict[str, str], article_id: str, verdict_id: str) -> str:
    """Return the page where the verdict was given. Forms name a page, not a URL, so there is no open redirect."""
    after = quote(form.get("after", "")[:LONGEST_PLACE], safe="")
    query = f"?verdict={verdict_id}" + (f"&after={after}" if after else "")
    article = quote(article_id, safe="")
    places = {
        "waiting": f"/{query}#a-{article}",
        "hidden": f"/hidden{query}#a-{article}",
        "verdicts": f"/verdicts{query}",
        "article": f"/article/{article}?verdict={verdict_id}",
    }
    return places.get(form.get("page", ""), places["article"])
