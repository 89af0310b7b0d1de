"""What publishers really write in articles: the pass before nh3, in its effects on text and HTML."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from time import process_time

import pytest

from iscore.feeds.parsing import article_html as article_html_module
from iscore.feeds.parsing.article_html import article_html, cleaned, first_picture, pictures
from iscore.feeds.parsing.entries import title
from iscore.feeds.parsing.html_to_text import plain_text, prose
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.markup import page_of, prepared
from iscore.feeds.parsing.parse import parse

BASE = "https://site.example/news/story"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
REAL = "https://i.example/real.jpg"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        *(
            (f"<p>a</p>{tag}<p>b</p>", "a\n\nb")
            for tag in (
                *("<iframe src=x/y width='5' />", "<script/>", "<title/>", "<style />", "<textarea/>", "<noscript/>"),
                *("<video src=v/>", "<svg/>", "<object data='a>b'/>", "<select/>", "<BUTTON/>", "<math/>"),
                *("<iframe>", "<title>", "<textarea>", "<noscript>", "<svg>", "<object>", "<select>", "<plaintext>"),
                *("<title><b>c</title>", "<noscript><b>c</b></noscript>", "<button>c</button>", "<svg><g>c</g></svg>"),
                *("<object><p>c</object>", "<textarea></p></textarea>", "<!-- <p>c -->", "<![CDATA[", "<!-->"),
                *("<video>Your browser</video>", '<x title="<script>">', "<x title='<!--'>", "<iframe><p></iframe >"),
            )
        ),
        ("<svg><title>x</title></svg><title/><p>More.</p>", "x\n\nMore."),
        ("<svg viewBox=a>\n<title>A <b>boat</title><text>b</text></svg>c", "A c"),
        ("<p>a</p><script>b<p>c</p>", "a"),
        ("<p>a</p><!-- b <p>c</p>", "a"),
        ("<![CDATA[<p>a</p>]]><p>b</p>", "a\n\nb"),
        ("a <a name='x'/>b <a href=/x/>c</a>", "a b c"),
        ("one<div/>two<p/>three<br/>four", "one\n\ntwo\n\nthree\nfour"),
        ("1 < 2 <3 </ x>a", "1 < 2 <3 a"),
        ("<math><mi>e</mi><mo>=</mo><mn>2</mn></math>!", "e=2!"),
        ("<math><mi>e</mi><annotation encoding='application/x-tex'>e^{k&lt;t}</annotation></math>!", "e^{k<t}!"),
        ("<math alttext='a &quot;b&quot;'><semantics><mi>e</mi></semantics></math>!", 'a "b"!'),
        ("<math><semantics><mi>e</mi><annotation-xml><ci>b</ci></annotation-xml></semantics></math>!", "e!"),
        ("a<pre>  def f(x):\n      return x\n\n\n  f(1)\n</pre>b", "a\n\ndef f(x):\n    return x\n\nf(1)\n\nb"),
        ("<pre><code>a\tb<br>c &amp; d</code></pre>", "a   b\nc & d"),
        ("<pre>\n<span class=k>a</span>\n<div>\xa0b</div></pre>", "a\n\n b"),
        ("<pre> a\u2028b\x1bc<pre>d\n e</pre> f</pre>g\nh", "a bc\n\nd\n e\n\nf\n\ng h"),
        ("<p>a\nb</p><pre>c</pre><p>d\n e</p>", "a b\n\nc\n\nd e"),
        ("Roses are red,\nviolets are blue", "Roses are red,\nviolets are blue"),
    ],
)  # fmt: skip
def test_the_text_is_whole_and_has_no_tag(markup: str, text: str) -> None:
    assert prose(markup).text == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Dear all,\nwe met.\n\n- one\n- two", "Dear all,\nwe met.\n\n- one\n- two"),
        ("  The harbour council met again on Tuesday and\n  voted for a longer breakwater, which fishers\n  wanted.",
         "The harbour council met again on Tuesday and voted for a longer breakwater, which fishers wanted."),
        ("A line that is a good deal longer than the others are\nshort\nand then the last line", None),
        ("> quoted\r\n> twice\r\nanswer", "> quoted\n> twice\nanswer"),
        ("one\n", "one"),
        ("one\n.\nQUIT", "one . QUIT"),
        ("word " * 3 + "\n" + "word " * 9, None),
    ],
)  # fmt: skip
def test_plain_lines_stay_unless_they_were_wrapped(text: str, lines: str | None) -> None:
    expected = lines or "\n".join(" ".join(each.split()) for each in text.split("\n"))
    assert plain_text(text) == expected


@pytest.mark.parametrize(
    ("player", "page"),
    [
        ("https://www.youtube.com/embed/Zz1-_?rel=0", "https://www.youtube.com/watch?v=Zz1-_"),
        ("//www.youtube-nocookie.com/embed/Zz1", "https://www.youtube.com/watch?v=Zz1"),
        ("http://www.youtube.com/v/Zz1&hl=en", "https://www.youtube.com/watch?v=Zz1"),
        ("https://www.youtube.com/embed/videoseries?si=a&list=PL1", "https://www.youtube.com/playlist?list=PL1"),
        ("https://player.vimeo.com/video/12?title=0", "https://vimeo.com/12"),
        ("https://player.vimeo.com/video/12?h=ab&x=1", "https://vimeo.com/12/ab"),
        ("https://www.dailymotion.com/embed/video/x1", "https://www.dailymotion.com/video/x1"),
        ("https://geo.dailymotion.com/player/x.html?video=x1", "https://www.dailymotion.com/video/x1"),
        ("https://open.spotify.com/embed/track/1?a", "https://open.spotify.com/track/1"),
        ("https://w.soundcloud.com/player/?url=https%3A//soundcloud.com/a/b&c", "https://soundcloud.com/a/b"),
        ("https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/1", None),
        ("https://cdn.embedly.com/widgets/media.html?src=x&url=https%3A%2F%2Fv.example%2F1", "https://v.example/1"),
        ("https://tube.example/videos/embed/0123456789abcdefghijkl", "https://tube.example/w/0123456789abcdefghijkl"),
        ("https://bandcamp.com/EmbeddedPlayer/album=1/", None),
        ("https://v.example/embed/1", None),
        ("https://evil.example/www.youtube.com/embed/1", None),
    ],
)
def test_a_player_leads_to_the_page_of_its_video(player: str, page: str | None) -> None:
    assert page_of(player) == page or player


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        ('<p>See:</p><iframe src="https://www.youtube.com/embed/Zz1"></iframe>',
         {"www.youtube.com/watch?v=Zz1": "www.youtube.com"}),
        ('<iframe src="about:blank" data-src="//v.example/1" title="A &lt;film&gt;">x</iframe>',
         {"v.example/1": "A &lt;film&gt;"}),
        ("<video><source src=/a.mp4><source src=/a.webm>old</video>", {"site.example/a.mp4": "a.mp4"}),
        ("<audio controls src=b.mp3 title=Talk></audio>", {"site.example/news/b.mp3": "Talk"}),
        ("<object data=//v.example/o><param name=x><embed src=//v.example/o>old</object>",
         {"v.example/o": "v.example"}),
        ("<embed src='https://v.example/e'>", {"v.example/e": "v.example"}),
        ("<amp-youtube data-videoid=Zz1></amp-youtube>", {"www.youtube.com/watch?v=Zz1": "www.youtube.com"}),
        ("<amp-video src=/c.mp4><div fallback>old</div></amp-video>", {"site.example/c.mp4": "c.mp4"}),
        ("<noscript><iframe src=//tags.example height=0 width=0></iframe></noscript>", {}),
        ("<iframe src='javascript:alert(1)'></iframe><iframe srcdoc='<p>x'></iframe><video src='blob:1'></video>", {}),
    ],
)  # fmt: skip
def test_media_leave_a_link_and_no_words(markup: str, links: dict[str, str]) -> None:
    html = article_html(f"<p>a</p>{markup}<p>b</p>", BASE)
    written = (f'<a href="https://{at}" rel="noopener noreferrer nofollow">{text}</a>' for at, text in links.items())
    words = "<p>See:</p>" if "See:" in markup else ""
    assert html == f"<p>a</p>{words}{''.join(written)}<p>b</p>"
    found = prose(f"<p>a</p>{markup}<p>b</p>")
    assert (found.text.split("\n\n")[:: len(found.text.split("\n\n")) - 1], found.links) == (["a", "b"], 0)


def test_media_files_are_enclosures() -> None:
    markup = "<p>a<video src=v.mp4></video><audio><source src=/s type=audio/ogg><source src=/t></audio>"
    assert cleaned(markup).files == (("v.mp4", "video/mp4"), ("/s", "audio/ogg"))
    (article,) = polled(markup, "<enclosure url='https://site.example/s' type='audio/mpeg' length='5'/>")
    found = [(each.url, each.type, each.length) for each in article.content.enclosures]
    assert found == [
        ("https://site.example/s", "audio/mpeg", 5),
        ("https://site.example/news/v.mp4", "video/mp4", None),
    ]


LAZY = (
    *("data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-srcset", "data-lazy-srcset", "data-echo"),
    *("data-hi-res-src", "data-orig-file", "data-large-file", "srcset"),
)
HIDDEN = ("data:image/gif;base64,R0lGOD", "https://i.example/blank.gif", "/img/loading.svg", "a/1x1.png?v=2", "")


@pytest.mark.parametrize(
    "markup",
    [
        *(f'<img src="{src}" {name}="{REAL}" alt=boat>' for name in LAZY for src in HIDDEN[:1]),
        *(f'<img class=lazy src="{src}" data-src="{REAL}"><noscript><img src="{REAL}"/></noscript>' for src in HIDDEN),
        *(f'<img class=lazy src="{src}">\n<noscript><img src="{REAL}"></noscript>' for src in HIDDEN),
        f"<noscript><img src={REAL}></noscript><img src=data:x data-src={REAL}>",
        f"<picture><source srcset='{REAL} 1400w, /s.jpg 300w'><img src=data:x></picture>",
        f"<picture><source srcset='/s.jpg 300w, {REAL} 1500w,/l.jpg 3000w'><img src=/m.jpg></picture>",
        f"<amp-img src={REAL} width=9 height=9><noscript><img src={REAL}></noscript></amp-img>",
        f"<img src=/s.jpg srcset='/m.jpg 1000w, {REAL} 1400w, /l.jpg 2000w'>",
        f"<img src=/s.jpg srcset='/m.jpg 1x,{REAL} 2x, /l.jpg 3x'>",
        f"<img src={REAL} srcset='/s.jpg 300w, /m.jpg 600w'>",
        f"<img src={REAL} data-lazy=true data-src='{{src}}' data-large-file=/l.jpg>",
        f'<img src={REAL} width="100%" height="1">',
        f'<img src="{REAL}" width="300"><img src=/t width=1><img src=/t height=0><img src=/t width=1px height=2>',
    ],
)
def test_a_picture_is_shown_from_its_real_address(markup: str) -> None:
    html = article_html(f"<p>a</p>{markup}<p>b</p>", "https://i.example/")
    assert pictures(html) == [REAL]
    assert 'height="1"' not in html
    assert first_picture(html) == REAL


def test_a_placeholder_is_never_the_thumbnail() -> None:
    for name in ("blank.gif", "spacer.png", "lazy-loading.svg", "x_placeholder-16x9.jpg", "transparent.png"):
        (article,) = polled(
            f"<p>x<img src=https://i.example/{name}>", f"<media:thumbnail url='https://i.example/{name}'/>"
        )
        assert article.content.thumbnail == ""


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ('<base href="https://cdn.example"><p>x</p><img src="p.png">', "https://cdn.example/p.png"),
        ('<p>x</p><base href="/files/"/><base href=/b/><img src="p.png">', "https://site.example/files/p.png"),
        ("<base target=_top><base href=//c.example/d/e><a href=p.png>x</a>", "https://c.example/d/p.png"),
        ("<base href='javascript:x'><img src=p.png>", "https://site.example/news/p.png"),
        ("<!--<base href=/b/>--><p title='<base href=/c/>'>x<img src=p.png>", "https://site.example/news/p.png"),
    ],
)
def test_the_base_of_the_markup_counts(markup: str, address: str) -> None:
    (article,) = polled(markup)
    assert f'="{address}"' in article.content.html


FORMULA = "<math><msup><mrow></mrow><mi>t</mi></msup><mfrac><mn>1</mn><mspace></mspace></mfrac></math>"


@pytest.mark.parametrize(
    ("markup", "html"),
    [
        (FORMULA, FORMULA),
        ("<math display=block xmlns=x><mo stretchy=false onclick=x style=y>(</mo></math>",
         '<math display="block"><mo stretchy="false">(</mo></math>'),
        ("<math><mi href=/x>a</mi><maction><mi>b</mi></maction><mglyph src=/c></math>",
         "<math><mi>a</mi><mi>b</mi></math>"),
        ("<math><mi>a</mi><annotation encoding='application/x-tex'>\\alpha\n&gt;</annotation></math>",
         '<math alttext="\\alpha &gt;"><mi>a</mi></math>'),
        ("<p>a</p><math></math>", "<p>a</p>"),
    ],
)  # fmt: skip
def test_formulas_are_shown(markup: str, html: str) -> None:
    assert article_html(markup, BASE) == html


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a <mark>b</mark>", "a b"),
        ("in<wbr>divisible &amp; <bdi>x</bdi>", "indivisible & x"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt></ruby>", "漢(kan"),
        ("<SPAN lang='en'>x</SPAN> <time>y</time>", "x y"),
        *(
            (same, same)
            for same in ("vector<bool>", "the <video> element", "</mark>", "<mark>a", "a < b > c", "Map<a>b</c>")
        ),
    ],
)
def test_a_title_is_markup_if_its_tags_belong_within_a_line(written: str, shown: str) -> None:
    assert title({"title": written, "title_detail": {"type": "text/plain"}}) == shown


@pytest.mark.parametrize(
    "piece",
    [
        *("<", "<<<<", "<a/>", "<a ", '<a b="', "<a b='\"", "<a =", "</", "<!", "<!--", "<!-- -", "<![CDATA[", "<x/ "),
        *("<iframe>", "<iframe/>", "<noscript>", "<noscript><img>", "<svg><title>", "<video><source src=a>"),
        *("<math>", "<math><annotation x-tex", "x-tex", "<img src=a.b data-src=", "<picture><source srcset='a 1x,'>"),
        *("<script></script", "<object><embed src=", "<img srcset='" + "a,", "<b>", "&amp;", "<b></b>", "\n "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "<math><annotation "])
@pytest.mark.parametrize("end", ["", "</iframe></noscript></svg></video></math></title></object></pre>'\">"])
def test_hostile_markup_takes_linear_time(piece: str, start: str, end: str) -> None:
    markup = start + piece * (200_000 // len(piece)) + end
    begin = process_time()
    prepared(markup)
    plain_text(markup)
    assert process_time() - begin < 2


def test_one_cleaning_serves_text_and_html(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Counter:
        def clean(self, markup: str) -> str:
            calls.append(markup)
            return markup

    monkeypatch.setattr(article_html_module, "_CLEANER", Counter())
    item = "<item><title>{0}</title><guid>{0}</guid><description>&lt;b>{0}&lt;video>&lt;/video></description></item>"
    items = "".join(item.format(number) for number in range(9))
    document = f'<rss version="2.0"><channel>{items}</channel></rss>'.encode()
    assert len(parse(FeedJob(document, "", BASE, NOW)).entries) == 9
    assert sorted(calls) == [f"<b>{number}" for number in range(9)]
    calls.clear()
    pages = [{"id": str(number), "content_html": f"<b>{number}"} for number in range(9)]
    parse(FeedJob(json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": pages}).encode(), "", BASE, NOW))
    assert sorted(calls) == [f"<b>{number}" for number in range(9)]


def polled(markup: str, more: str = ""):  # type: ignore[no-untyped-def]
    """Return the articles of a feed with one item."""
    document = (
        '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><item><title>t</title>'
        f"<link>{BASE}</link><description><![CDATA[{markup}]]></description>{more}</item></channel></rss>"
    )
    return parse(FeedJob(document.encode(), "", "https://feed.example/", NOW)).entries
