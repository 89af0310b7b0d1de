"""Which language an article is in: feed, function words, script and detector, each in its turn."""

from __future__ import annotations

import subprocess
import sys

import pytest

from extractors.text import language
from extractors.text.characters import characters
from extractors.text.function_words import FUNCTION_WORDS
from extractors.text.language import _RELATIVES, LANGUAGES, languages_of
from extractors.text.lexicon import _STEMMERS
from extractors.text.tokens import code_points, tokenise

NEWS = {
    "en": "The strike in the harbour was over before dawn, and those who had stayed at home went back to their cranes.",
    "it": "Lo sciopero nel porto è finito prima dell'alba, e quelli che erano rimasti a casa sono tornati alle gru.",
    "de": "Der Streik im Hafen war noch vor dem Morgen vorbei, und wer zu Hause geblieben war, kam wieder an den Kran.",
    "fr": "La grève du port a pris fin avant l'aube, et ceux qui étaient restés chez eux ont retrouvé leurs grues.",
    "es": "La huelga del puerto terminó antes del amanecer, y los que se habían quedado en casa volvieron a sus grúas.",
    "pt": "A greve no porto acabou antes do amanhecer, e os que tinham ficado em casa não tardaram a voltar às gruas.",
    "nl": "De staking in de haven was voor de ochtend voorbij, en wie thuis was gebleven ging weer naar de kraan.",
    "sv": "Strejken i hamnen var över innan det blev ljust, och de som hade stannat hemma gick till sina kranar.",
    "da": "Strejken i havnen var forbi, før det blev lyst, og de, der havde været hjemme, gik nu op til deres kraner.",
    "no": "Streiken i havna var over før det ble lyst, og de som hadde vært hjemme, gikk nå opp til kranene igjen.",
    "fi": "Sataman lakko oli ohi ennen aamua, ja ne jotka olivat jääneet kotiin, palasivat niin kuin mitään ei olisi.",
    "ru": "Забастовка в порту закончилась ещё до рассвета, и те, кто был дома, уже вернулись к своим кранам.",
    "ca": "La vaga del port va acabar abans de l'alba, i els que s'havien quedat a casa són ara amb les seves grues.",
    "ro": "Greva din port s-a încheiat înainte de zori, iar cei care au rămas acasă sunt din nou la macaralele lor.",
    "hu": "A kikötői sztrájk már hajnal előtt véget ért, és akik otthon maradtak, most újra ott vannak a daruknál.",
    "tr": "Limandaki grev daha gün doğmadan bitti ve evde kalan herkes yeniden kendi vinci için oraya gitti.",
    "el": "Η απεργία στο λιμάνι τελείωσε πριν από την αυγή και όσοι είχαν μείνει στο σπίτι είναι πάλι στους γερανούς.",
    "pl": "Strajk w porcie skończył się przed świtem, a ci, którzy byli w domu, są już z powrotem na swoich dźwigach.",
    "cs": "Stávka v přístavu skončila ještě před svítáním a ti, kteří byli doma, se už zase vrátili ke svým jeřábům.",
}
"""The same news in every language that the vote knows."""

FOREIGN = {
    "uk": "Страйк у порту закінчився ще до світанку, і ті, хто залишився вдома, повернулися до своїх кранів.",
    "ja": "港のストライキは夜明け前に終わり、家にいた人々はクレーンに戻った。",
    "zh": "港口的罢工在黎明前结束，留在家里的人又回到了起重机旁。",
    "ko": "항구의 파업은 새벽이 되기 전에 끝났고 집에 있던 사람들은 다시 크레인으로 돌아갔다.",
    "th": "การนัดหยุดงานที่ท่าเรือสิ้นสุดลงก่อนรุ่งสาง และคนที่อยู่บ้านก็กลับไปที่ปั้นจั่น",
    "ar": "انتهى الإضراب في الميناء قبل الفجر، وعاد الذين بقوا في منازلهم إلى رافعاتهم.",
    "he": "השביתה בנמל הסתיימה לפני עלות השחר, ומי שנשארו בבית חזרו אל העגורנים.",
    "vi": "Cuộc đình công ở cảng đã kết thúc trước bình minh, và những người ở nhà đã trở lại với cần cẩu của mình.",
    "hi": "बंदरगाह की हड़ताल भोर से पहले समाप्त हो गई और जो लोग घर पर थे वे अपनी क्रेनों पर लौट आए।",
}
"""The same news in languages that only the detector knows."""


def _language(declared: str, text: str) -> str:
    codes = code_points(text)
    starts = [0, len(codes)]
    return languages_of([declared], codes, starts, tokenise(codes, starts, [0]))[0]


@pytest.fixture
def no_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> str:
        raise AssertionError("the detector was asked")

    monkeypatch.setattr(language, "detected", asked)


@pytest.mark.usefixtures("no_detector")
class TestWithoutTheDetector:
    @pytest.mark.parametrize("expected", [code for code in LANGUAGES if code not in _RELATIVES])
    def test_a_sentence_tells_its_language_by_its_function_words(self, expected: str) -> None:
        assert _language("", NEWS[expected]) == expected

    @pytest.mark.parametrize("expected", LANGUAGES)
    def test_a_feed_that_is_right_is_believed(self, expected: str) -> None:
        assert _language(expected, NEWS[expected]) == expected

    @pytest.mark.parametrize("declared", ["ja", "zh", "th", "ar", "uk", "ko", "he", "vi", "hi"])
    def test_nothing_is_held_against_a_language_that_has_no_list(self, declared: str) -> None:
        assert _language(declared, FOREIGN[declared]) == declared

    def test_a_few_words_are_what_the_feed_says(self) -> None:
        assert _language("EN-us", "strike harbour") == "en"
        assert _language("pl", "the strike") == "pl"
        assert _language("", "") == ""
        assert _language("en", "1987: 3.5 % (42)") == "en"

    def test_a_software_s_default_language_is_outvoted(self) -> None:
        assert _language("en", NEWS["it"]) == "it"
        assert _language("es", NEWS["sv"]) == "sv"

    def test_both_ways_of_writing_norwegian_are_norwegian(self) -> None:
        assert _language("nb-NO", NEWS["no"]) == _language("nn", "Streiken er over") == "no"


class TestWithTheDetector:
    @pytest.mark.parametrize("expected", _RELATIVES)
    def test_it_confirms_languages_with_relatives_that_have_no_list(self, expected: str) -> None:
        assert _language("", NEWS[expected]) == expected
        assert _language("it", NEWS[expected]) == expected

    @pytest.mark.parametrize("expected", FOREIGN)
    def test_it_tells_languages_that_have_no_list(self, expected: str) -> None:
        assert _language("", FOREIGN[expected]) == expected

    @pytest.mark.parametrize("expected", FOREIGN)
    def test_a_wrong_declaration_of_a_feed_is_detected(self, expected: str) -> None:
        assert _language("en", FOREIGN[expected]) == expected

    @pytest.mark.parametrize(
        ("declared", "words", "expected"),
        [
            ("", "Notizie dal porto", "it"),
            ("", "Die Hafenarbeiter streiken", "de"),
            ("", "strike harbour", ""),
            ("", "WWDC 2026 iPhone", ""),
            ("ja", NEWS["en"], "en"),
            ("ru", "WWDC 2026 iPhone", ""),
            ("gl", NEWS["en"], "en"),
            (
                "gl",
                "A folga no porto rematou antes do amencer, e os que quedaran na casa volveron ás súas grúas.",
                "gl",
            ),
            ("af", "Die staking in die hawe was voor dagbreek verby, en dié wat by die huis was, is nou terug.", "af"),
            ("en", "Die Hafenarbeiter haben gestern den Streik beendet", "de"),
        ],
    )
    def test_it_decides_where_the_rest_leaves_it_open(self, declared: str, words: str, expected: str) -> None:
        assert _language(declared, words) == expected

    def test_a_list_of_names_and_figures_is_no_other_language(self) -> None:
        assert _language("en", "Bump go-jose v3 from 3.0.1 to 3.0.3 " + "z github.com release notes " * 20) == "en"

    def test_lone_surrogates_do_not_disturb_it(self) -> None:
        assert _language("", "\ud800 lone " + FOREIGN["ja"]) == "ja"

    def test_it_is_not_even_loaded_unless_it_is_needed(self) -> None:
        script = "import sys, extractors.text.analysis, extractors.text.language; sys.exit('py3langid' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", script], check=False, timeout=600).returncode == 0


def test_articles_side_by_side_do_not_mix() -> None:
    texts = [*NEWS.values(), "", *FOREIGN.values()]
    pieces = [code_points(text + "\n\n") for text in texts]
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    codes = code_points("".join(text + "\n\n" for text in texts))
    found = languages_of([""] * len(texts), codes, starts, tokenise(codes, starts, starts[:-1]))
    assert found == (*NEWS, "", *FOREIGN)


def test_function_words_are_as_the_tokeniser_gives_them() -> None:
    lower = characters().lower
    for code, words in FUNCTION_WORDS.items():
        assert len(words) >= 80, code
        for word in words:
            codes = code_points(word)
            assert len(tokenise(codes, [0, len(codes)], [0]).hashes) == 1, word
            assert (lower[codes] == codes).all(), word


def test_what_has_function_words_has_a_stemmer() -> None:
    assert set(LANGUAGES) <= set(_STEMMERS)
