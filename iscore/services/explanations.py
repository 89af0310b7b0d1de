"""Why an article stands where it stands: today's model on its frozen features, in figures and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extractors.article_features import AnalysedArticle
from extractors.text.term_spelling import spellings
from iscore.filtering.decision.cold_start import liked_share
from iscore.filtering.model import ReaderModel
from iscore.rules.application import overlaid
from iscore.rules.wording import ruling_words
from iscore.services.article_mapping import analysed_article
from iscore.services.reasons import cold_reasons, feature_views, reasons
from iscore.services.view_builders import article_view
from iscore.services.views.articles import WhyView
from iscore.services.views.inbox import Learning
from storage import articles, decisions, features, rule_outcomes
from storage.database import Database
from storage.records import CurrentScore
from storage.transaction import Transaction

TELLING_WORDS = 10


def why(
    tx: Transaction,
    user_id: int,
    seq: int,
    model: ReaderModel,
    article_feature_names: Sequence[str],
    meanings: Mapping[str, str],
) -> WhyView:
    """Explain one article; of a follower, its story's leader is explained."""
    (article,) = articles.get(tx, [seq])
    story = article.story or seq
    (arrived,) = features.arrived(tx, user_id, [story])
    frozen = analysed_article(arrived, article_feature_names)
    decision = decisions.get(tx, user_id, [story]).get(story)
    judgement = model.judge(frozen)
    standing = decisions.standing(tx, user_id, story)
    threshold = standing.threshold if standing else judgement.threshold
    ruling = rule_outcomes.get(tx, user_id, [story]).get(story)
    own = CurrentScore(story, judgement.score, threshold, judgement.score >= threshold)
    interesting = overlaid(own, ruling).interesting
    prior, subset_size, parts = feature_views(model, frozen, meanings)
    (leader,) = articles.get(tx, [story])
    words = _words(model, frozen, spellings(leader))
    moving = moving_words(words)
    said = (
        reasons(parts, interesting=own.interesting, words=moving)
        if model.trained
        else cold_reasons(parts, liked_share(model.likes, model.dislikes), moving)
    )
    return WhyView(
        article=article_view(tx, user_id, seq),
        score=judgement.score,
        threshold=threshold,
        interesting=interesting,
        prior=prior,
        subset_size=subset_size,
        features=parts,
        words=_telling(words),
        reasons=(ruling_words(ruling), *said) if ruling else said,
        learning=Learning(model.likes, model.dislikes, model.trained),
        decided=decision.at if decision else None,
        first_score=decision.score if decision else None,
        first_threshold=decision.threshold if decision else None,
        ruling=ruling_words(ruling),
        boost=ruling.boost if ruling else 0.0,
    )


def reasons_for(
    database: Database,
    user_id: int,
    seqs: Sequence[int],
    model: ReaderModel,
    article_feature_names: Sequence[str],
    meanings: Mapping[str, str],
) -> dict[int, tuple[str, ...]]:
    """Return the two or three reasons of each of these leading articles, in brief.

    What disagrees begins with "but": with what is done with the article, be it by the person's own rules.
    """
    with database.read() as tx:
        found = features.arrived(tx, user_id, seqs)
        leaders = {article.seq: article for article in articles.get(tx, seqs)}
        ruled = rule_outcomes.get(tx, user_id, seqs)
    told: dict[int, tuple[str, ...]] = {}
    for arrived in found:
        frozen = analysed_article(arrived, article_feature_names)
        _, _, parts = feature_views(model, frozen, meanings)
        words = moving_words(_words(model, frozen, spellings(leaders[arrived.seq])))
        judgement = model.judge(frozen)
        own = CurrentScore(arrived.seq, judgement.score, judgement.threshold, judgement.interesting)
        interesting = overlaid(own, ruled.get(arrived.seq)).interesting
        told[arrived.seq] = (
            reasons(parts, interesting=interesting, words=words, brief=True)
            if model.trained
            else cold_reasons(parts, liked_share(model.likes, model.dislikes), words)
        )
    return told


def _words(model: ReaderModel, article: AnalysedArticle, spelled: Mapping[int, str]) -> list[tuple[str, float, float]]:
    """List the article's words with what they say for or against it, by the extractors that can tell, and how often
    they stand there.
    """
    terms = article.terms
    evidence = model.features.evidence(article).tolist()
    return [
        (spelled[term], value, count)
        for term, value, count in zip(terms.ids.tolist(), evidence, terms.counts.tolist(), strict=True)
        if term in spelled and value != 0.0
    ]


def _telling(words: Sequence[tuple[str, float, float]]) -> tuple[tuple[str, float], ...]:
    """Return the words that speak most for or against an article, each by itself."""
    strongest = sorted(words, key=lambda each: (-abs(each[1]), each[0]))
    return tuple((word, value) for word, value, _ in strongest[:TELLING_WORDS])


def moving_words(words: Sequence[tuple[str, float, float]]) -> tuple[tuple[str, float], ...]:
    """Return the words that move a score most: what a word says counts as often as it is said."""
    strongest = sorted(words, key=lambda each: (-abs(each[1]) * each[2], each[0]))
    return tuple((word, value) for word, value, _ in strongest)
