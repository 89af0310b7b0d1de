"""The detector of languages, for texts whose function words leave it open.

It is py3langid: naive Bayes over sequences of bytes (Lui & Baldwin 2012, "langid.py: an off-the-shelf language
identification tool"), here with a hundred languages. It takes longer than all else that is done with a short article,
and half a second and 80 MB of memory to begin with; so it is loaded when it is first asked. Its model comes with the
package as plain arrays: nothing is fetched, and nothing in it can be executed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_NOT_IN_NEWS: Final = frozenset({"la", "sa", "vo"})
"""Languages that short texts in others are taken for."""


def detected(text: str) -> tuple[str, float]:
    """Return the likeliest language's two-letter code, and its probability; lone surrogates do no harm."""
    code, probability = _detector().classify(text)
    return str(code), float(probability)


@cache
def _detector() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    detector.set_languages([code for code in detector.labels if len(code) == 2 and code not in _NOT_IN_NEWS])
    detector.nb_ptc = np.ascontiguousarray(detector.nb_ptc)  # by rows, as it is read: a third less time
    return detector
