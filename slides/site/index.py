"""What the search finds: the texts of the pages, cut where a heading, a slide or a word of the glossary begins."""
from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import List, Optional, Tuple

SOLVED = re.compile(r'<div class="listing" data-from="(?:solutions|labs/[\w-]+/wrong)/.*?</pre></div>', re.S)
SILENT = {"script", "style", "svg", "caption", "nav", "header", "footer", "dialog", "summary"}


class Texts(HTMLParser):
    """Collects [anchor, heading, text] of each part of a page's main element."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: List[List[str]] = [["", "", ""]]
        self.main, self.silent, self.heading = 0, 0, ""
        self.section = ""

    def handle_starttag(self, tag: str, attributes: List[Tuple[str, Optional[str]]]) -> None:
        name = dict(attributes).get("id") or ""
        self.main += tag == "main"
        if tag == "svg":  # what a drawing says to those who do not see it
            self.handle_data(f" {dict(attributes).get('aria-label') or ''} ")
        self.silent += tag in SILENT
        if tag == "section":
            self.section = name
        if self.main and (tag in ("h1", "h2", "h3") or tag == "th" and name):
            self.parts.append([self.section or name, "", ""])
            self.section, self.heading = "", tag
        self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        self.main -= tag == "main"
        self.silent -= tag in SILENT
        if tag == self.heading:
            self.heading = ""
        if tag not in ("a", "b", "code", "em", "span", "strong"):
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        if self.main and not self.silent:
            self.parts[-1][1 if self.heading else 2] += data


def texts(page: str) -> List[List[str]]:
    """The parts of a page. The search does not find the code of a solution that a slide shows."""
    parser = Texts()
    parser.feed(SOLVED.sub("", page))
    parts = [[anchor, " ".join(heading.split()), " ".join(text.split())] for anchor, heading, text in parser.parts]
    return [part for part in parts if part[1] or part[2]]
