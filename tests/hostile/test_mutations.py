"""Row 25 in a real browser: markup that changes its meaning when parsed again, in every field, on every page.

    feeds ─► poll (cleaned) ─► pages ─┬─► Chromium, scripts on: nothing ran, loaded or waits to
          └─► the same, raw ──────────┘

Raw: written into the database as it was sent, since pages must not rely on the cleaning.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from tests.hostile.hostile_folder import NOW, HostileFolder
from tests.hostile.hostile_texts import in_xml
from tests.iscore.web.conftest import served
from tests.servers.attacker import attacker
from tests.servers.chromium import Chromium, Page, RefusedError, chromium, needs_chromium
from tests.servers.mail_server import MailServer

ACT = "document.title='executed'"

MUTATIONS = {
    "svg-style": '<svg></p><style><a id="</style><img src=AT onerror=ACT>">',
    "svg-foreign": "<svg><foreignObject><iframe srcdoc='<script>parent.ACT</script>'></iframe></foreignObject></svg>",
    "svg-use": '<svg><use href="data:image/svg+xml,'
    "<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='AT'/></svg>#x\"/></svg>",
    "svg-set": "<svg><a><set attributeName=href to=javascript:ACT /><text y=20>press</text></a></svg>",
    "svg-title": "<svg><title><style><img src=AT onerror=ACT></style></title></svg>",
    "svg-script": "<svg><script href=AT></script><script>ACT</script></svg>",
    "math-mglyph": "<form><math><mtext></form><form><mglyph><style></math><img src=AT onerror=ACT>",
    "math-annotation": "<math><annotation-xml encoding='text/html'><script>ACT</script></annotation-xml></math>",
    "math-action": "<math><maction actiontype='statusline#AT' xlink:href='javascript:ACT'>press</maction></math>",
    "math-table": '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=AT onerror=ACT&gt;">',
    "math-href": "<math href='javascript:ACT'><mi xlink:href=javascript:ACT style=background:url(AT)>x</mi></math>",
    "math-text": "<math alttext='</math><img src=AT onerror=ACT>'><mi>x</mi><annotation encoding=application/x-tex>"
    "&lt;img src=AT onerror=ACT&gt;</annotation></math><img src=AT onerror=ACT>",
    "math-comment": "<math><mi><style><!--</style></mi></math><img src=AT onerror=ACT>--></math><mtext><img src=AT>",
    "math-semantics": "<math><semantics><mi>x</mi><annotation-xml encoding='text/html'><p><style></semantics></math>"
    "<img src=AT onerror=ACT></style></annotation-xml>",
    "math-nested": '<math><mi><svg><mtext><math><malignmark><style><!--</style><img title="--&gt;&lt;/malignmark&gt;'
    '&lt;img src=AT onerror=ACT&gt;"></math><mtext><table><mi><img src=AT onerror=ACT>',
    "math-form": "<math><mtext><form><p></form><mn><form></mtext></math><math><ms><a href=javascript:ACT>x",
    "svg-closed": "<svg/><img src=AT onerror=ACT><title/><style/><textarea/><noscript/><img src=AT onerror=ACT>",
    "svg-named": "<svg><title>&lt;img src=AT onerror=ACT&gt;</title><desc><style></desc></svg><img src=AT onerror=ACT>",
    "player-named": "<iframe src='//v.example/\"><img src=AT onerror=ACT>'"
    " title='\"><img src=AT onerror=ACT>'></iframe>",
    "noscript-picture": '<noscript><img src=x alt="</noscript><img src=AT onerror=ACT>"></noscript>',
    "noscript-title": '<noscript><p title="</noscript><img src=AT onerror=ACT>"></noscript>',
    "noscript-style": "<noscript><style></noscript><img src=AT onerror=ACT></style></noscript>",
    "template-inner": "<template><img src=AT onerror=ACT><template></template></template>",
    "template-shadow": "<div><template shadowrootmode=open><img src=AT onerror=ACT></template></div>",
    "iframe-srcdoc": '<iframe srcdoc="&lt;script&gt;parent.ACT&lt;/script&gt;"></iframe>',
    "iframe-text": '<iframe><img title="</iframe><img src=AT onerror=ACT>"></iframe>',
    "iframe-script": '<iframe src="javascript:parent.ACT"></iframe><object data=AT></object><embed src=AT>',
    "formaction": '<form><button autofocus formaction="javascript:ACT">press</button><input type=image src=AT></form>',
    "form-clobber": "<form id=x action=AT><input name=attributes><input name=innerHTML autofocus onfocus=ACT></form>",
    "style-import": "<style>@import 'AT'; body{background:url(AT)}</style><link rel=stylesheet href=AT>",
    "style-attribute": "<p style=\"background:url(AT);list-style-image:url('AT')\">words</p>",
    "xmp": '<xmp><p title="</xmp><img src=AT onerror=ACT>"></xmp>',
    "noembed": '<noembed><p title="</noembed><img src=AT onerror=ACT>"></noembed>',
    "noframes": '<noframes><p title="</noframes><img src=AT onerror=ACT>"></noframes>',
    "plaintext": "<plaintext><img src=AT onerror=ACT>",
    "textarea": '<textarea><p title="</textarea><img src=AT onerror=ACT>"></textarea>',
    "title": '<title><p title="</title><img src=AT onerror=ACT>"></title>',
    "select": "<select><keygen><template><style></select><img src=AT onerror=ACT></style></template></select>",
    "listing": "<listing>&lt;img src=AT onerror=ACT&gt;</listing>",
    "comment": "<!--><img src=AT onerror=ACT>--><!--! --!><img src=AT onerror=ACT> -->",
    "cdata": "<svg><![CDATA[><img src=AT onerror=ACT>]]></svg>",
    "instruction": "<?xml-stylesheet href='AT'?><?php ><img src=AT onerror=ACT>",
    "nested-table": "<table><td><a href=javascript:ACT>x<table><style></a><img src=AT onerror=ACT></style></table>",
    "deep": "<div>" * 600 + "<svg><style><img src=AT onerror=ACT></style></svg>",
    "backtick": "<img alt=`` title='`onerror=ACT src=AT'><p title=\"``><img src=AT onerror=ACT>\">",
    "namespaces": "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>ACT</x:script><image src=AT onerror=ACT>",
    "entities": "&lt;img src=AT onerror=ACT&gt; &amp;lt;img src=AT onerror=ACT&amp;gt;",
    "media": "<video><source onerror=ACT><track src=AT></video><audio src=AT onerror=ACT autoplay></audio>",
    "details": "<details open ontoggle=ACT><summary>words</summary></details><dialog open onclose=ACT></dialog>",
    "popover": "<button popovertarget=x>a</button><p id=x popover onbeforetoggle=ACT>b</p>",
    "meta": "<meta http-equiv=refresh content='0;url=AT'><base href='AT/'><a href=x>x</a>",
}
"""Family → markup."""


def mutation(name: str, address: str) -> str:
    """The markup of a family, which would run ``ACT`` or request ``address``."""
    return MUTATIONS[name].replace("AT", f"{address}{name}").replace("ACT", ACT)


pytestmark = needs_chromium

FORBIDDEN = (
    *("iframe", "frame", "object", "embed", "base", "template", "noscript", "foreignObject", "img", "image"),
    *("mglyph", "malignmark", "maction", "annotation-xml"),
    *(
        "video",
        "audio",
        "source",
        "track",
        "marquee",
        "xmp",
        "plaintext",
        "listing",
        "noembed",
        "noframes",
        "use",
        "set",
    ),
    *("animate", "keygen"),
)
READY = """(() => {
  const FORBIDDEN = ELEMENTS;
  const found = [];
  const attributes = Object.getOwnPropertyDescriptor(Element.prototype, 'attributes').get;
  const walk = root => {
    for (const each of root.querySelectorAll('*')) {
      const tag = each.localName;
      const own = tag === 'img' && /^[/]picture[/][\\w-]{43}[/][a-z2-7]+[/]\\w+$/.test(each.getAttribute('src'));
      const menu = tag === 'template' && each === document.querySelector('form#mark + template#more');
      if (FORBIDDEN.includes(tag) && !own && !menu) found.push(tag);
      if (tag === 'script' && each.src !== OWN) found.push('script');
      if (tag === 'style' && each.parentNode !== document.head) found.push('style in the body');
      for (const {name, value} of attributes.call(each)) {  // a form may have a field of that name
        if (name.startsWith('on') || ['srcdoc', 'formaction', 'autofocus', 'popover', 'ping'].includes(name))
          found.push(`${tag} ${name}`);
        const leads = /^(href|action|src|xlink:href|data|to)$/.test(name);
        if (leads && /^[\\s\\0-\\x20]*(javascript|data|vbscript):/i.test(value))
          found.push(`${tag} ${name}=${value}`);
      }
      if (each.shadowRoot) walk(each.shadowRoot);
      for (const type of ['focus', 'mouseover', 'toggle', 'error', 'load'])
        EventTarget.prototype.dispatchEvent.call(each, new Event(type));
    }
  };
  walk(document);
  return found;
})()"""
"""Returns what on a page would run or load something, after sending events to every element."""


@pytest.fixture(scope="module")
def canary() -> Iterator[socket.socket]:
    """A port that nothing may ever connect to."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=512)) as listening:
        listening.setblocking(False)
        yield listening


def feed(name: str, address: str) -> str:
    """A feed with the markup of a family in every field, escaped once and twice."""
    markup = in_xml(mutation(name, address))
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"><channel>'
        f"<title>{name} {markup}</title><image><url>{address}icon-{name}</url></image><item>"
        f'<enclosure url="javascript:{ACT}" type="{markup}" length="{markup}"/><media:thumbnail url="{address}{name}"/>'
        f"<title>{name} {markup}</title><guid>{name}</guid><link>https://a.example/{name}</link><author>{markup}</author>"
        f"<category>{markup}</category><description>{markup}</description>"
        f"<content:encoded>{markup} {in_xml(f'<p>About {name}, {name} and nothing but {name}.</p>')}</content:encoded>"
        f'<enclosure url="{address}file-{name}" type="text/html"/></item></channel></rss>'
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, canary: socket.socket) -> HostileFolder:
    """A data folder that has polled a feed of each family."""
    folder = tmp_path_factory.mktemp("mutations")
    address = f"http://127.0.0.1:{canary.getsockname()[1]}/"
    with attacker({f"/{name}": feed(name, address) for name in MUTATIONS}) as port:
        listed = "".join(f"  - url: http://127.0.0.1:{port}/{name}\n" for name in MUTATIONS)
        (folder / "feeds.yaml").write_text(f"feeds:\n{listed}")
        made = HostileFolder(folder / "home", "", folder)
        made.do("init", "--feeds", str(folder / "feeds.yaml"))
        settings = {"allow_private_networks": True, "host_spacing": 0, "time_zone": "UTC", "mail_security": "none"}
        settings |= {"mail_to": "reader@example.org", "mail_host": "127.0.0.1"}
        (made.path / "config.toml").write_text("".join(f"{key} = {json.dumps(at)}\n" for key, at in settings.items()))
        made.do("poll")
    assert len(made.rows("SELECT 1 FROM articles")) == len(MUTATIONS)
    rules = "".join(f"  - {{action: always, word: {json.dumps(name)}}}\n" for name in MUTATIONS)
    (made.path / "rules.yaml").write_text(f"rules:\n{rules}")
    return made


def with_raw_texts(home: HostileFolder, folder: Path, address: str) -> HostileFolder:
    """A copy with every text as it was sent."""
    made = home.copy(folder)
    with closing(sqlite3.connect(made.path / "iscore.db")) as connection, connection:
        for name in MUTATIONS:
            markup = mutation(name, address)
            words = json.dumps([markup])
            (feed_id,) = connection.execute("SELECT id FROM feeds WHERE url LIKE ?", (f"%/{name}",)).fetchone()
            where = f"seq IN (SELECT seq FROM articles WHERE feed_id = {feed_id})"
            for table in ("articles", "features"):
                columns = "author = ?, categories = ?, site = ?, language = ?"
                connection.execute(f"UPDATE {table} SET {columns} WHERE {where}", (markup, words, markup, markup))
            connection.execute(f"UPDATE articles SET title = ?, url = ? WHERE {where}", (markup, f"javascript:{ACT}//"))
            connection.execute(
                f"UPDATE features SET source = ?, url = ? WHERE {where}", (markup, f"javascript:{ACT}//")
            )
            connection.execute(f"UPDATE texts SET text = ? || text WHERE {where}", (f"{markup}\n\n",))
            content = (
                zlib.compress(markup.encode()),
                json.dumps([[f"javascript:{ACT}", markup, 1]]),
                f"{address}{name}",
            )
            connection.execute(f"DELETE FROM contents WHERE {where}")
            connection.execute(f"INSERT INTO contents SELECT seq, ?, ?, ? FROM articles WHERE {where}", content)
            changed = (markup, markup, f"{address}icon")
            connection.execute(f"UPDATE feeds SET name = ?, title = ?, icon = ? WHERE id = {feed_id}", changed)
            connection.execute(
                f"UPDATE subscriptions SET title = ?, tags = ? WHERE feed_id = {feed_id}", (markup, words)
            )
    return made


def problems_of(page: Page, url: str, own: str = "") -> list[str]:
    """Open a page; return what ran, was requested, or waits to run."""
    page.asked.clear()
    page.complaints.clear()
    page.go(url)
    script = READY.replace("ELEMENTS", json.dumps(FORBIDDEN)).replace("OWN", json.dumps(own))
    try:
        found = [f"waits to run: {each}" for each in page.evaluate(script)]
        if page.evaluate("document.title") == "executed":
            found.append("a script ran")
    except RefusedError:
        found = ["the page led elsewhere by itself"]
    here = own.partition("/static/")[0] or "file://"
    found += [f"asked for {each}" for each in page.asked if not each.startswith(here)]
    # Pictures that name the canary are not found: the server may not connect to it either.
    complaints = [each for each in page.complaints if not each.endswith("404 (Not Found)")]
    return [f"{url}: {each}" for each in (*found, *complaints)]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize("raw", [False, True], ids=["as polled", "as sent"])
def test_no_family_runs_on_any_page(
    home: HostileFolder, canary: socket.socket, browser: Chromium, tmp_path: Path, raw: bool
) -> None:
    address = f"http://127.0.0.1:{canary.getsockname()[1]}/"
    one = with_raw_texts(home, tmp_path, address) if raw else home.copy(tmp_path)
    stories = {row["id"] for row in one.rows("SELECT id FROM articles")}
    one.do("like", *list(stories)[:3])
    one.do("dislike", *list(stories)[3:6])
    files = [tmp_path / name for name in ("digest.html", "mail.html", "report.html", "canary.html")]
    one.do("digest", "--output", str(files[0]))
    with MailServer() as server:
        done = one.run("mail", "send", ISCORE_MAIL_PORT=str(server.port))
        assert done.code == 0, done
        message = message_from_bytes(server.received[-1].content, policy=policy.default)
    page_of_mail = message.get_body(("html",))
    assert page_of_mail is not None
    files[1].write_text(page_of_mail.get_content(), encoding="utf-8")
    one.do("stats", "--html", str(files[2]))
    page = browser.page()
    found = [each for file in files[:3] for each in problems_of(page, file.as_uri())]
    shown = page.text()
    with served(one.path, ISCORE_NOW=NOW.isoformat()) as running:
        places = ["", "hidden", "verdicts", *(f"article/{story}" for story in sorted(stories)[:: 3 if raw else 1])]
        own = running.address
        script = running.client().get("/").body.partition('<script src="')[2].partition('"')[0]
        for place in places:
            found += problems_of(page, f"{own}{place}", f"{own.rstrip('/')}{script}")
            shown += page.text()
    assert found == []
    with pytest.raises(BlockingIOError):
        canary.accept()
    if raw:  # they were there, as words
        assert "onerror=" in shown
        assert shown.count(ACT) > len(MUTATIONS)


@pytest.mark.long
def test_the_check_finds_every_family(browser: Chromium, tmp_path: Path) -> None:
    """Each family, unescaped on a page of its own, runs or waits to run."""
    blind = []
    with closing(socket.socket()) as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen: calls are refused at once
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        page = browser.page()
        for name in MUTATIONS:
            file = tmp_path / f"{name}.html"
            file.write_text(f"<!doctype html><title>x</title><body>{mutation(name, address)}", encoding="utf-8")
            if not problems_of(page, file.as_uri()):
                blind.append(name)
    assert set(blind) <= {"entities", "listing", "backtick"}, "which only a second parse makes what they are"
