"""The language detector, for texts whose function words do not decide.

It is py3langid: naive Bayes over sequences of bytes (Lui & Baldwin 2012, "langid.py: an off-the-shelf language
identification tool"), here with a hundred languages. It takes longer than the rest of the analysis of a short article,
and half a second and 70 MB of memory to load, so it is loaded at its first use. Its model comes with the package as
plain arrays: nothing is downloaded, and nothing in it can be executed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_NOT_IN_NEWS: Final = frozenset({"la", "sa", "vo"})
"""Languages that the detector often returns by mistake for short texts."""


def detected(text: str) -> tuple[str, float]:
    """Return the likeliest language's two-letter code, and its probability; lone surrogates do no harm."""
    code, probability = _detector().classify(text)
    return str(code), float(probability)


@cache
def _detector() -> LanguageIdentifier:
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
    from py3langid.modelio import load_model

    # Not by `set_languages`, which keeps the probabilities of all languages, 28 MB, beside those of the chosen ones.
    probabilities, priors, codes, moves, rows, output = load_model(MODEL_DIR / MODEL_FILE)
    chosen = [place for place, code in enumerate(codes) if len(code) == 2 and code not in _NOT_IN_NEWS]
    return LanguageIdentifier(
        np.ascontiguousarray(probabilities[:, chosen]),  # by rows, as it is read: a third less time
        priors[chosen],
        [codes[place] for place in chosen],
        moves,
        output,
        norm_probs=True,
        tk_row=rows,
    )
