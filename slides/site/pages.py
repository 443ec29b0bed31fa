"""What the site has: its pages in groups, their addresses, and the page that a link of a text leads to. Nothing is
listed by name that a folder lists: a new lab, deck or page of a docs folder is found by itself. Solutions, and what
shows them, are left out."""
from __future__ import annotations

import os
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

import deck as decks
import source

# A group's name and the patterns of its files, in their order. The first page of most is the one that lists the rest.
GROUPS: List[Tuple[str, List[str]]] = [
    ("Lessons", ["labs/README.md", "labs/lab[0-9][0-9]-*/README.md"]),
    ("Course", ["slides/README.md", "slides/cheat-sheet.md", "slides/glossary.md"]),
    ("Slides", ["slides/opening.md", "slides/kernel.md", "slides/[0-9][0-9]-*.md"]),
    ("Manual", ["lib/include/lab.h", "lib/include/lab_trace.h", "lib/include/lab_calls.h"]),
    ("Runtime", ["lib/docs/your-own-program.md", "lib/docs/your-cuda-program.md", "lib/docs/*.md",
                 "lib/examples/README.md", "lib/examples/cuda/README.md"]),
    ("Grader", ["grader/README.md", "grader/docs/*.md"]),
    ("Workbook", ["README.md", "labs/AUTHORING.md", "slides/AUTHORING.md", "lib/README.md"]),
]
TOOLS = {"lib/include/lab_trace.h", "lib/include/lab_calls.h"}  # only tools and checks include these
# A text's link to one of these files makes a page of it.
SOURCE_FILES = re.compile(r"lib/examples/(cuda/)?[\w.-]+\.(c|h|cu)|labs/lab\d\d-\w+/(lab\d\d\.h|kernels\.cu)")

LAST = len(GROUPS) + 1


@dataclass
class Page:
    path: str  # in the tree; "" for a page that is made from no single file
    url: str
    title: str
    group: str = ""


def address(path: str) -> str:
    """The page of a file: where the file is in the tree, so that links between pages are those between files."""
    if path in ("README.md", "slides/README.md"):  # index.html is another page there
        return path.replace("README.md", "readme.html" if path == "README.md" else "course.html")
    if path.endswith("README.md"):
        return path.replace("README.md", "index.html")
    return path[:-3] + ".html" if path.endswith(".md") else path + ".html"


def title(path: str) -> str:
    if path.endswith(".h"):
        return Path(path).name
    text = source.read(path)
    found = re.search(r"^title: (.*)$|^# +(.*?) *$", text, re.M)
    if not found:
        raise source.Fault(f"{path}: the page has no title: begin it with # and a title")
    return re.sub(r"[`*]", "", found[1] or found[2])


def planned() -> Dict[str, Page]:
    """The pages by their files, in the order of their groups."""
    found: Dict[str, Page] = {}
    for group, patterns in GROUPS:
        for pattern in patterns:
            for path in sorted(map(str, Path().glob(pattern))):
                if path not in found:
                    found[path] = Page(path, address(path), title(path), group)
    return found


def rank(page: Page) -> int:
    """How late the search shows a page: texts by their groups, then headers, then pages of source files; last is what
    only tools include."""
    texts = [group for group, _ in GROUPS if group != "Manual"]
    return LAST if page.path in TOOLS else texts.index(page.group) if page.group in texts else \
        len(texts) + (page.group != "Manual")


def relative(url: str, page: str) -> str:
    """The address as a link on another page says it."""
    return os.path.relpath(url, os.path.dirname(page) or ".")


class Links:
    """Where links lead. `names` are the addresses of the manual's names, `others` those of files that are not in the
    tree. `sources` collects the source files that texts link to."""

    def __init__(self, pages: Dict[str, Page], names: Dict[str, str], others: Dict[str, str]) -> None:
        self.pages, self.names, self.others = pages, names, others
        self.sources: Dict[str, str] = {}

    def page_of(self, path: str) -> str:
        """The address of the file's page; "" if the site has none."""
        if path in self.others:
            return self.others[path]
        if path in self.pages:
            return self.pages[path].url
        if f"{path}/README.md" in self.pages:
            return self.pages[f"{path}/README.md"].url
        if SOURCE_FILES.fullmatch(path) and Path(path).is_file():
            self.sources[path] = address(path)
            return self.sources[path]
        return ""

    def in_text(self, text: str, folder: str, page: str) -> str:
        """The HTML with links to pages of the site. `folder` is where its own links begin. What leads to a file that
        is not on the site stays as text."""
        def link(found: re.Match) -> str:
            target, fragment = re.fullmatch(r"([^#]*)(#.*)?", found[2]).groups()
            if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
                return found[0]
            url = self.page_of(os.path.relpath(os.path.join(folder, target)))
            return f'<a{found[1]}href="{relative(url, page)}{fragment or ""}"{found[3]}>{found[4]}</a>' if url \
                else f"<span>{found[4]}</span>"
        return re.sub(r'<a(\s[^>]*?\b|\s)href="([^"]*)"([^>]*)>(.*?)</a>', link, text, flags=re.S)

    def of_names(self, text: str, page: str, listings: bool = False) -> str:
        """The HTML with a link at each name of the manual and at each path of a page in inline code, and with
        `listings` at names in listings."""
        def code(found: re.Match) -> str:
            url = self.page_of(found[1]) if "/" in found[1] else ""
            return f'<a href="{relative(url, page)}">{found[0]}</a>' if url else self.linked(found[0], page)
        outside = re.compile(r"(<a\b.*?</a>|<pre\b.*?</pre>|<h[1-6]\b.*?</h[1-6]>|<svg\b.*?</svg>)", re.S)
        parts = outside.split(text)
        parts[::2] = [re.sub(r"<code>([^<]*)</code>", code, part) for part in parts[::2]]
        if listings:
            parts[1::2] = [self.linked(part, page) if part.startswith("<pre") else part for part in parts[1::2]]
        return "".join(parts)

    def linked(self, text: str, page: str) -> str:
        """The HTML with a link at each name of the manual, in its text alone."""
        def name(found: re.Match) -> str:
            url = self.names.get(found[2] or "")
            return f'<a href="{relative(url, page)}">{found[2]}</a>' if url else found[0]
        return re.sub(r"(<a\b.*?</a>|<[^>]*>)|\b((?:lab|LAB)_\w+)", name, text, flags=re.S)


def front() -> Tuple[str, str]:
    """The program that README.md opens with, and what the order checker says about it."""
    found = re.search(r"^```c\n(.*?)^```$.*?^((?:    [^\n]*\n)+)", source.read("README.md"), re.S | re.M)
    if not found:
        raise source.Fault("README.md: it has no program between ```c and ```, with its verdict indented below it")
    return found[1], textwrap.dedent(found[2])


def answers() -> Dict[str, str]:
    """What each lab answers, by its number: the second column of the labs' table."""
    found = dict(re.findall(r"^\| \[(\d\d) [\w-]+\] \| (.*?) \|", source.read("labs/README.md"), re.M))
    return {lab: said[0].upper() + said[1:] for lab, said in found.items()}


def lessons(pages: Dict[str, Page]) -> List[Tuple[Page, Page]]:
    """Each lab's lesson with its deck, or with the lesson again if it has none yet."""
    of_lab = {decks.read_deck(path).about.get("lab"): page for path, page in pages.items() if page.group == "Slides"}
    labs = [page for page in pages.values() if re.match(r"labs/lab\d\d-", page.path)]
    return [(page, of_lab.get(page.path[5:10], page)) for page in labs]
