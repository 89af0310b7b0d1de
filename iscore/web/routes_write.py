"""What changes something: verdicts and rules. The doorkeeper has made sure that a form of ours sent them.

When the answer goes out, the verdict is on disk. It leads back to the page, which says what became of it.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.rules.boosts import USUAL
from iscore.rules.errors import RuleError, RulesError
from iscore.web.article_page import DEEDS, rule_about, targets
from iscore.web.context import Room, notice, visit_of
from storage.records import Kind

KINDS = {kind.value: kind for kind in (Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO)}

_NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Actions:
    """The actions of one room."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def verdict(self, request: Request) -> Response:
        """Record a verdict."""
        visit = visit_of(request)
        kind, nonce = KINDS.get(visit.form.get("kind", "")), visit.form.get("nonce", "")
        article_id = visit.form.get("article", "")
        if kind is None or not _NONCE.fullmatch(nonce):
            return notice(request, 400, "This is no verdict.")
        # The same form sent twice, as by a double click or a browser that tries again, is the same verdict.
        name = hashlib.sha256(f"{visit.session.id} {nonce} {kind} {article_id}".encode()).hexdigest()[:32]
        try:
            self._room.news.verdicts.record(kind, [article_id], request=name)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, "There is no such article, or not any more; nothing was done.")
        self._room.study.learn()
        return RedirectResponse(_back(visit.form, article_id, name), 303)

    def rule(self, request: Request) -> Response:
        """Make a rule about an article's source, author or category, or take it back."""
        form, news = visit_of(request).form, self._room.news
        field, text, deed = form.get("field", ""), form.get("text", ""), form.get("deed", "")
        try:
            article = news.show(form.get("article", ""))
            rules = news.rules.list()
            if (field, text) not in [(each.field, each.text) for each in targets(article, rules)]:
                return notice(request, 400, "This article knows nothing of that, so there is no rule about it.")
            before = rule_about(field, text, rules)
            if before is not None:
                news.rules.remove(before.number)
            if deed in DEEDS:
                boost = {"more": USUAL, "less": -USUAL}.get(deed)
                news.rules.add("boost" if boost else deed, field, text, boost=boost)
        except (UnknownArticleError, AmbiguousIdError):
            return notice(request, 404, "There is no such article, or not any more; nothing was done.")
        except (RuleError, RulesError) as error:
            return notice(request, 400, str(error))
        return RedirectResponse(f"/article/{article.id}?rules=#rules", 303)


def _back(form: dict[str, str], article_id: str, verdict_id: str) -> str:
    """Return where the verdict was given. A page is named, never an address, so that it cannot lead elsewhere."""
    limit = form.get("limit", "")
    said = f"?said={verdict_id}" + (f"&limit={limit}" if limit.isascii() and limit.isdigit() else "")
    article = quote(article_id, safe="")
    places = {
        "waiting": f"/{said}#a-{article}",
        "held-back": f"/held-back{said}#a-{article}",
        "said": f"/said{said}",
        "article": f"/article/{article}?said={verdict_id}",
    }
    return places.get(form.get("page", ""), places["article"])
