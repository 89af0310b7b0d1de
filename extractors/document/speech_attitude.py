"""Speech events parted by what is said: opinions, or facts."""

from __future__ import annotations

import numpy as np

from extractors.document.attitudes import Attitudes, Floats


def speech_attitude(sentences: Attitudes) -> tuple[Floats, Floats]:
    """Return the expected shares of the body's sentences that report something objective, and something subjective.

    They are the means over all sentences of p(objective) and p(subjective) of those that quote or have a verb of
    saying, and 0 for the rest. So together they are ``speech_events``. In [0, 1], NaN without sentences; shape
    (articles,) each. After the objective and subjective speech events of Pon et al. (2008).
    """
    subjective = np.where(sentences.speech, sentences.subjective, 0.0)
    objective = np.where(sentences.speech, 1.0 - sentences.subjective, 0.0)
    return sentences.means(objective), sentences.means(subjective)
