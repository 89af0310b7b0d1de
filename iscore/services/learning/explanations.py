"""Explain scores: the present model on the features that an article had at its arrival, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np

from extractors.arrays import Floats
from extractors.article_features import AnalysedArticle
from extractors.text.analysis import spellings
from extractors.text.terms import N_TERMS, TermBatch, TermVector
from iscore.core.sanitizing import line
from iscore.core.translation import gettext
from iscore.filtering.delivery.decide import NO_DAY, rescored
from iscore.filtering.delivery.tuning import BETA
from iscore.filtering.model import ReaderModel
from iscore.filtering.ranking.contributions import Contributions, Explainer
from iscore.filtering.ranking.labelled import NO_INTEREST
from iscore.filtering.ranking.ranking import fitted
from iscore.filtering.ranking.typical_words import TypicalWords
from iscore.rules.application import with_rules
from iscore.rules.wording import outcome_text
from iscore.services.learning.article_features import analysed_article
from iscore.services.learning.loaded_model import LoadedModel
from iscore.services.learning.reasons import GETTING_TO_KNOW, Grounds, as_named, can_be_named, feature_views, reasons
from iscore.services.learning.stored_log import StoredLog
from iscore.services.views.stories import Learning, WhyView
from iscore.services.views.view_builders import article_view
from storage.engine.base_database import Transaction
from storage.log import decisions, evidence, rule_outcomes
from storage.opening.database import Database
from storage.records.decisions import CurrentScore
from storage.records.reading_events import StoryReading
from storage.records.users import User
from storage.stream import articles, features
from storage.stream.headings import heading

STRONGEST_WORDS = 10
"""Words that an explanation lists."""
STRONGEST_PARTS = 30
"""Words whose parts in the score it has in figures."""

LONGEST_TITLE = 90
"""Characters of the title that a reason names."""

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
    facts = log.evidence(model, beta=beta)
    found = log.articles([story])
    fit = fitted(found, facts) if facts.can_rank else None
    none = np.zeros(1, dtype=np.bool_)
    now = rescored(found, facts, hidden=none, old=none, today=NO_DAY, fit=fit)
    terms = found.terms[0]
    explainer = Explainer.of(facts, fit) if fit else None
    parts = explainer.contributions(terms, float(found.votes[0])) if explainer else None
    score = float(now.scores[0])
    threshold = stored.threshold if stored else float(now.thresholds[0])
    outcome = rule_outcomes.get(tx, user_id, [story]).get(story)
    archive = leader.archive
    current = CurrentScore(story, score, threshold, score >= threshold and not archive, archive=archive)
    prior, subset_size, views = feature_views(model, model.vector(analysed))
    spelled = spellings(leader)
    words, word_parts = _weighted_words(model, analysed, spelled), _word_parts(parts, terms, spelled)
    given: tuple[str, ...] = (gettext(GETTING_TO_KNOW),)
    grounds = Grounds()
    if explainer and parts:
        (grounds,) = _grounds(tx, explainer.typical, [(terms, parts.words, spelled)])
        given = reasons(grounds, views, parts.factor, interesting=current.interesting)
        reading = reading_reason(tx, log, story, terms)
        given += (reading,) if reading else ()
    return WhyView(
        article=article_view(tx, user_id, seq),
        score=score,
        threshold=threshold,
        interesting=with_rules(current, outcome).interesting,
        prior=prior,
        subset_size=subset_size,
        features=views,
        words=words[:STRONGEST_WORDS],
        reasons=(outcome_text(outcome), *given) if outcome else given,
        learning=Learning(model.likes, model.dislikes, model.trained),
        decided=decision.at if decision else None,
        first_score=decision.score if decision else None,
        first_threshold=decision.threshold if decision else None,
        rule_outcome=outcome_text(outcome),
        boost=outcome.boost if outcome else 0.0,
        interest=now.interests[0],
        start=parts.start if parts else None,
        word_parts=word_parts[:STRONGEST_PARTS],
        words_for=tuple(word for word, _ in grounds.liked) or tuple(grounds.interests),
        words_against=tuple(word for word, _ in grounds.disliked),
        words_part=float(parts.words.sum()) if parts else 0.0,
        meaning_part=parts.meaning if parts else 0.0,
        interest_part=parts.interest if parts else 0.0,
        interest_of_part=facts.labelled.names[parts.number] if parts and parts.number != NO_INTEREST else "",
        interest_words=_own_words(parts, terms, spelled) if parts else (),
        classifier_part=parts.classifier if parts else 0.0,
        classifier_share=parts.share if parts else 0.0,
        classifier_factor=parts.factor if parts else 0.0,
    )


class Reasons:
    """Finds reasons for lists of one user's articles. Rankings are fitted again only when something new is known."""

    def __init__(self, database: Database, user: User, article_feature_names: Sequence[str]) -> None:
        self._database = database
        self._user = user
        self._names = article_feature_names

    def of(self, seqs: Sequence[int], loaded: LoadedModel) -> dict[int, tuple[str, ...]]:
        """Return two or three short reasons for each of these articles, which lead their stories.

        A reason that disagrees with the decision, which may be a rule's, begins with "but". The model has learned all
        verdicts.
        """
        user_id, model = self._user.id, loaded.model
        with self._database.read() as tx:
            explainer = self._explainer(tx, loaded)
            found = features.ingested(tx, user_id, seqs)
            if explainer is None or not found:
                return {arrived.seq: (gettext(GETTING_TO_KNOW),) for arrived in found}
            leaders = {article.seq: article for article in articles.get(tx, seqs)}
            outcomes = rule_outcomes.get(tx, user_id, seqs)
            current = {score.seq: score for score, _ in decisions.scores(tx, user_id, seqs)}
            votes = evidence.votes(tx, user_id, seqs)
            known = [analysed_article(arrived, self._names) for arrived in found]
            vectors = StoredLog(tx, self._user).terms([arrived.seq for arrived in found])
            parts = [
                explainer.contributions(vectors[row], votes.get(arrived.seq, nan)) for row, arrived in enumerate(found)
            ]
            grounds = _grounds(
                tx,
                explainer.typical,
                [
                    (analysed.terms, part.words, spellings(leaders[arrived.seq]))
                    for arrived, analysed, part in zip(found, known, parts, strict=True)
                ],
            )
        reasons_by_article: dict[int, tuple[str, ...]] = {}
        for arrived, vector, part, ground in zip(found, model.vectors(known), parts, grounds, strict=True):
            _, _, views = feature_views(model, vector)
            score = current.get(arrived.seq)
            interesting = score is not None and with_rules(score, outcomes.get(arrived.seq)).interesting
            reasons_by_article[arrived.seq] = reasons(ground, views, part.factor, interesting=interesting, brief=True)
        return reasons_by_article

    def _explainer(self, tx: Transaction, loaded: LoadedModel) -> Explainer | None:
        """Return what tells the parts of scores; None while nothing is liked."""
        known, state = loaded.articles.explainers, evidence.state(tx, self._user.id)
        if state not in known:
            log = StoredLog(tx, self._user, loaded.articles)
            facts = log.evidence(loaded.model)
            loaded.articles.keep(state, Explainer.of(facts) if facts.can_rank else None)
        return known[state]


def _grounds(
    tx: Transaction, typical: TypicalWords, given: Sequence[tuple[TermVector, Floats, Mapping[int, str]]]
) -> list[Grounds]:
    """Put into words what each article, with the parts and spellings of its words, has of what is liked."""
    found = []
    for terms, parts, spelled in given:
        added = dict(zip(terms.ids.tolist(), parts.tolist(), strict=True))
        liked, disliked, interests = (
            tuple((as_named(spelled[term]), added[term]) for term in each if can_be_named(spelled.get(term, "")))
            for each in (
                typical.named(terms, parts, liked=True),
                typical.named(terms, parts, liked=False),
                typical.interests(terms),
            )
        )
        found.append(Grounds(liked, disliked, tuple(word for word, _ in interests)))
    bare = [place for place, each in enumerate(found) if not (each.liked or each.interests)]
    if not bare or typical.likes.numbers is None or not len(typical.likes):
        return found
    nearest = typical.likes.numbers[typical.nearest(TermBatch.of([given[place][0] for place in bare]))].tolist()
    liked_articles = {each.seq: each for each in articles.get(tx, sorted(set(nearest)))}
    for place, seq in zip(bare, nearest, strict=True):
        if like := liked_articles.get(seq):
            found[place] = replace(found[place], nearest=line(heading(like.title, like.text), LONGEST_TITLE))
    return found


def _own_words(parts: Contributions, terms: TermVector, spelled: Mapping[int, str]) -> tuple[str, ...]:
    """Return the words of an interest that an article has."""
    return tuple(spelled[term] for term in terms.ids[parts.own_words].tolist() if term in spelled)


def _word_parts(parts: Contributions | None, terms: TermVector, spelled: Mapping[int, str]) -> Weighted:
    """Return the article's words with what they add to its score, the strongest first."""
    return () if parts is None else _strongest(terms, parts.words, spelled)


def _weighted_words(model: ReaderModel, article: AnalysedArticle, spelled: Mapping[int, str]) -> Weighted:
    """Return the article's words with their log-odds by the extractors that know them, the strongest first."""
    return _strongest(article.terms, model.features.evidence(article), spelled)


def _strongest(terms: TermVector, values: Floats, spelled: Mapping[int, str]) -> Weighted:
    given = zip(terms.ids.tolist(), values.tolist(), strict=True)
    found = [(spelled[term], value) for term, value in given if term in spelled and value != 0.0]
    return tuple(sorted(found, key=lambda each: (-abs(each[1]), each[0])))


ALIKE = 0.2
"""Cosine of the words from which articles are alike; most pairs have less than 0.05."""


def reading_reason(tx: Transaction, log: StoredLog, seq: int, terms: TermVector) -> str:
    """Say what the user did with the article most like ``seq`` that counts; empty if none is like it.

    ``you read 4 minutes of an article like it: Storm reaches the coast``
    """
    counted = [(found, weight) for found, weight in log.counted_readings() if found.story != seq]
    if not counted:
        return ""
    likeness = cosines(terms, log.terms([found.story for found, _ in counted]))
    best = int(np.argmax(likeness))
    if likeness[best] < ALIKE:
        return ""
    found, weight = counted[best]
    (article,) = articles.get(tx, [found.story])
    title = heading(article.title, article.text)
    return gettext("%(done)s: %(title)s", done=done_words(found, liked=weight > 0.0), title=title)


def cosines(terms: TermVector, others: TermBatch) -> Floats:
    """Return the cosine of an article's words with those of others, by their weights; shape (others,)."""
    dense = np.zeros(N_TERMS)
    dense[terms.ids] = terms.weights
    products = others.sums(others.weights, dense[others.vocabulary.terms])
    squares = np.array([float(np.square(others[row].weights, dtype=np.float64).sum()) for row in range(len(others))])
    lengths = np.sqrt(squares * float(np.square(terms.weights, dtype=np.float64).sum()))
    return np.divide(products, lengths, out=np.zeros(len(others)), where=lengths > 0.0)


def done_words(found: StoryReading, *, liked: bool) -> str:
    """Say what the user did with a story; ``liked``: whether it counts for it.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 3, 1, tzinfo=timezone.utc)
    >>> done_words(StoryReading(1, True, 240.0, False, False, False, False, 1, at), liked=True)
    'you read 4 minutes of an article like it'
    """
    if liked and found.saved:
        return gettext("you saved an article like it")
    if liked and found.seconds < 90.0 and found.original:
        return gettext("you opened the original of an article like it")
    if liked and found.seconds >= 90.0:
        minutes = round(found.seconds / 60.0)
        return gettext("you read %(number)s minutes of an article like it", number=minutes)
    if found.seconds > 0.0:
        seconds = round(found.seconds)
        return gettext("you read an article like it for %(number)s seconds", number=seconds)
    if found.opened:
        return gettext("you opened an article like it")
    return gettext("you left an article like it unread")
