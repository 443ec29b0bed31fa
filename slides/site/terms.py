"""Links a lesson's words to the glossary: the first use of each."""
from __future__ import annotations

import re
from typing import Dict

import deck as decks
import source

GLOSSARY = "slides/glossary.md"
# These have an everyday meaning too. They are linked only where a lesson sets them in bold, as it does where it says
# what they mean.
EVERYDAY = {"audit", "capture", "edge", "fork", "guard", "identity", "key", "lane", "launch", "model", "module",
            "priority", "query", "race", "span", "work"}
KEPT = re.compile(r"(<a\b.*?</a>|<code\b.*?</code>|<pre\b.*?</pre>|<h[1-6]\b.*?</h[1-6]>|<figure\b.*?</figure>|"
                  r"<table\b.*?</table>|<[^>]*>)", re.S)


def anchors() -> Dict[str, str]:
    """The anchors of the glossary's words; the longest words come first."""
    terms = re.findall(r"^\| ([^|]+?) \|", source.read(GLOSSARY), re.M)[1:]
    found = {term.split(",")[0]: decks.anchor(term) for term in terms}
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def linked(html: str, glossary: str) -> str:
    """The HTML of a lesson with a link to the glossary's page at the first use of each of its words."""
    for term, anchor in anchors().items():
        bold = term in EVERYDAY
        word = re.compile(rf"^{re.escape(term)}(?:e?s)?$" if bold else rf"\b{re.escape(term)}(?:e?s)?\b", re.I)
        parts = KEPT.split(html)
        for k in range(0, len(parts), 2):
            found = word.search(parts[k])
            if found and (not bold or parts[max(k - 1, 0)] == "<strong>"):
                link = f'<a class="term" href="{glossary}#{anchor}">{found[0]}</a>'
                parts[k] = parts[k][:found.start()] + link + parts[k][found.end():]
                break
        html = "".join(parts)
    return html
