"""The pages of rules: list, add, change, preview, remove."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.errors import RuleError, RulesError, UnknownRuleError
from iscore.core.translation import gettext, gettext_noop
from iscore.rules.boosts import read_boost
from iscore.services.views.rules import RuleView
from iscore.web.context import AppContext, notice, page, visit_of
from iscore.web.pages import rules_page
from iscore.web.pages.rules_page import Preview, RuleForm
from storage.records.rules import Action

NOT_THERE = gettext_noop("There is no such rule, or it has changed meanwhile; nothing was changed.")

TOO_LATE = gettext_noop("This cannot be undone any more.")


class RuleRoutes:
    """The pages of rules."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    async def rules(self, request: Request) -> Response:
        """List the rules, with a form for another."""
        return await self._app.threads.page(self._list, request)

    async def rule(self, request: Request) -> Response:
        """One rule, to be changed, with what it does to the stories of the last days."""
        return await self._app.threads.page(self._one, request)

    async def add(self, request: Request) -> Response:
        """Add a rule, show what it would do, or undo a removal."""
        return await self._app.threads.page(self._add, request)

    async def change(self, request: Request) -> Response:
        """Change or remove a rule, or show what the change would do."""
        return await self._app.threads.page(self._change, request)

    def _list(
        self,
        request: Request,
        form: RuleForm | None = None,
        error: str = "",
        preview: Preview | None = None,
    ) -> Response:
        rules: list[RuleView] = []
        try:
            rules = self._app.news.rules.list()
        except RulesError as problem:
            error = error or str(problem)
        key = request.query_params.get("undo", "")
        return page(
            "rules.html",
            request,
            status=400 if error and form else 200,
            menu=self._app.menu("/rules"),
            rules=[(rule, rules_page.words(rule), rules_page.state(rule)) for rule in rules],
            **self._choices(form or RuleForm()),
            preview=preview,
            error=error,
            done=rules_page.removed(self._app.news.removals.get(key)) if key else "",
            undo=key,
        )

    def _one(
        self,
        request: Request,
        form: RuleForm | None = None,
        error: str = "",
        preview: Preview | None = None,
    ) -> Response:
        rule = self._find(request)
        if rule is None:
            return notice(request, 404, gettext(NOT_THERE))
        return page(
            "rule.html",
            request,
            status=400 if error else 200,
            menu=self._app.menu("/rules"),
            rule=rule,
            words=rules_page.words(rule),
            state=rules_page.state(rule),
            **self._choices(form or RuleForm.of(rule)),
            preview=preview or (self._preview(RuleForm.of(rule)) if form is None else None),
            error=error,
        )

    def _add(self, request: Request) -> Response:
        sent, news = visit_of(request).form, self._app.news
        action, form = sent.get("action", ""), RuleForm.read(sent)
        try:
            if action == "undo":
                done = news.removals.undo(sent.get("undo", ""))
                return RedirectResponse("/rules", 303) if done else notice(request, 404, gettext(TOO_LATE))
            if action == "preview":
                return self._list(request, form, preview=self._preview(form))
            news.rules.add(
                form.action,
                form.field,
                form.text,
                boost=_boost(form),
                until=form.last_day,
                note=form.note,
                in_title=form.in_title,
            )
        except (RuleError, RulesError) as error:
            return self._list(request, form, gettext("Nothing was changed: %(error)s.", error=error))
        return RedirectResponse("/rules", 303)

    def _change(self, request: Request) -> Response:
        sent, news, rule = visit_of(request).form, self._app.news, self._find(request)
        action, form = sent.get("action", ""), RuleForm.read(sent)
        # Numbers move when a rule before is removed.
        if rule is None or sent.get("was") != rule.words:
            return notice(request, 404, gettext(NOT_THERE))
        try:
            if action == "remove":
                key = news.removals.remove_rule(rule.number)
                return RedirectResponse(f"/rules?undo={key}", 303)
            if action == "preview":
                return self._one(request, form, preview=self._preview(form, rule.number))
            news.rules.change(
                rule,
                form.action,
                form.field,
                form.text,
                boost=_boost(form),
                until=form.last_day,
                note=form.note,
                in_title=form.in_title,
            )
        except UnknownRuleError:
            return notice(request, 404, gettext(NOT_THERE))
        except (RuleError, RulesError) as error:
            return self._one(request, form, gettext("Nothing was changed: %(error)s.", error=error))
        return RedirectResponse("/rules", 303)

    def _find(self, request: Request) -> RuleView | None:
        try:
            rules = self._app.news.rules.list()
        except RulesError:  # the list shows the error
            return None
        text = request.path_params["number"]
        return next((each for each in rules if str(each.number) == text), None)

    def _preview(self, form: RuleForm, instead_of: int = 0) -> Preview:
        trial = self._app.news.rules.try_out(
            form.action, form.field, form.text, boost=_boost(form), in_title=form.in_title, instead_of=instead_of
        )
        return rules_page.preview(trial)

    def _choices(self, form: RuleForm) -> dict[str, Any]:
        return {"form": form, "does": rules_page.does(form), "looks_at": rules_page.looks_at()}


def _boost(form: RuleForm) -> float | None:
    """Return the size of a boost. Raises ``RuleError``."""
    return read_boost(form.does) if form.action == Action.BOOST else None
