"""Markup that changes its meaning when it is parsed again: one of each family that has fooled browsers.

``ACT`` is what a script would do, ``AT`` an address that nothing may ever request.
"""

from __future__ import annotations

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
