"""Explain scores: the present model on the features that an article had at its arrival, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from extractors.article_features import AnalysedArticle
from extractors.text.term_spelling import spellings
from iscore.filtering.decision.cut import BETA
from iscore.filtering.decision.decide import rescored
from iscore.filtering.decision.evidence import evidence_of
from iscore.filtering.model import ReaderModel
from iscore.rules.application import with_rules
from iscore.rules.wording import outcome_text
from iscore.services.article_mapping import analysed_article
from iscore.services.reasons import cold_start_reasons, feature_views, reasons
from iscore.services.stored_log import StoredLog
from iscore.services.view_builders import article_view
from iscore.services.views.articles import FeatureView, WhyView
from iscore.services.views.inbox import Learning
from storage import articles, decisions, features, rule_outcomes
from storage.database import Database
from storage.records import CurrentScore, User
from storage.transaction import Transaction

STRONGEST_WORDS = 10
"""Words that an explanation lists."""

Weighted = tuple[tuple[str, float], ...]
"""Words with their log-odds."""


def why(
    tx: Transaction,
    user: User,
    seq: int,
    model: ReaderModel,
    article_feature_names: Sequence[str],
    beta: float = BETA,
) -> WhyView:
    """Explain the score of an article; it is that of the article that leads its story."""
    user_id = user.id
    (article,) = articles.get(tx, [seq])
    story = article.story or seq
    (leader,) = articles.get(tx, [story])
    (arrived,) = features.ingested(tx, user_id, [story])
    analysed = analysed_article(arrived, article_feature_names)
    decision = decisions.get(tx, user_id, [story]).get(story)
    stored = decisions.current_score(tx, user_id, story)
    log = StoredLog(tx, user)
    now = rescored(
        log.articles([story]),
        np.ones(1, dtype=np.bool_),
        evidence_of(log, log.basis(), model, beta=beta),
        days=1.0,
    )
    score = float(now.scores[0])
    threshold = stored.threshold if stored else now.threshold
    outcome = rule_outcomes.get(tx, user_id, [story]).get(story)
    archive = leader.archive
    current = CurrentScore(story, score, threshold, score >= threshold and not archive, archive=archive)
    prior, subset_size, views = feature_views(model, analysed)
    words = _weighted_words(model, analysed, spellings(leader))
    given = _reasons(model, views, strongest_in_score(words), interesting=current.interesting)
    return WhyView(
        article=article_view(tx, user_id, seq),
        score=score,
        threshold=threshold,
        interesting=with_rules(current, outcome).interesting,
        prior=prior,
        subset_size=subset_size,
        features=views,
        words=_strongest(words)[:STRONGEST_WORDS],
        reasons=(outcome_text(outcome), *given) if outcome else given,
        learning=Learning(model.likes, model.dislikes, model.trained),
        decided=decision.at if decision else None,
        first_score=decision.score if decision else None,
        first_threshold=decision.threshold if decision else None,
        ruling=outcome_text(outcome),
        boost=outcome.boost if outcome else 0.0,
        interest=now.interests[0],
    )


def reasons_for(
    database: Database,
    user_id: int,
    seqs: Sequence[int],
    model: ReaderModel,
    article_feature_names: Sequence[str],
) -> dict[int, tuple[str, ...]]:
    """Return two or three short reasons for each of these articles, which lead their stories.

    A reason that disagrees with the decision, which may be a rule's, begins with "but".
    """
    with database.read() as tx:
        found = features.ingested(tx, user_id, seqs)
        leaders = {article.seq: article for article in articles.get(tx, seqs)}
        outcomes = rule_outcomes.get(tx, user_id, seqs)
        current = {score.seq: score for score, _ in decisions.current_scores(tx, user_id, seqs)}
    reasons_by_article: dict[int, tuple[str, ...]] = {}
    for arrived in found:
        analysed = analysed_article(arrived, article_feature_names)
        _, _, views = feature_views(model, analysed)
        words = strongest_in_score(_weighted_words(model, analysed, spellings(leaders[arrived.seq])))
        score = current.get(arrived.seq)
        interesting = score is not None and with_rules(score, outcomes.get(arrived.seq)).interesting
        reasons_by_article[arrived.seq] = _reasons(model, views, words, interesting=interesting, brief=True)
    return reasons_by_article


def _reasons(
    model: ReaderModel, views: Sequence[FeatureView], words: Weighted, *, interesting: bool, brief: bool = False
) -> tuple[str, ...]:
    if model.trained:
        return reasons(views, interesting=interesting, words=words, brief=brief)
    return cold_start_reasons(views, words)


def _weighted_words(
    model: ReaderModel, article: AnalysedArticle, spelled: Mapping[int, str]
) -> list[tuple[str, float, float]]:
    """Return the article's words, each with its log-odds by the extractors that know them, and how often it occurs."""
    terms = article.terms
    evidence = model.features.evidence(article).tolist()
    return [
        (spelled[term], value, count)
        for term, value, count in zip(terms.ids.tolist(), evidence, terms.counts.tolist(), strict=True)
        if term in spelled and value != 0.0
    ]


def _strongest(words: Sequence[tuple[str, float, float]]) -> Weighted:
    """Sort words by their log-odds, the strongest first."""
    return tuple((word, value) for word, value, _ in sorted(words, key=lambda each: (-abs(each[1]), each[0])))


def strongest_in_score(words: Sequence[tuple[str, float, float]]) -> Weighted:
    """Sort words by their part in the score, where each occurrence counts; the strongest first."""
    return tuple((w, value) for w, value, _ in sorted(words, key=lambda each: (-abs(each[1]) * each[2], each[0])))
