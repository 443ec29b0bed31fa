"""The texts of a handout: Markdown whose links lead to what is handed out.

What stands between these two comments is for others than students, and goes:

    <!-- not handed out -->
    <!-- handed out again -->

A drawing that the slides make goes too. A row of a table, or a paragraph that opens with a word in bold, goes with the
file that its first link leads to. Every other link to a missing file becomes its text."""
from __future__ import annotations

import posixpath
import re
from typing import Callable, Container, Dict, List
from urllib.parse import unquote

NOT_HANDED_OUT = re.compile(r"^<!-- not handed out -->\n.*?^<!-- handed out again -->\n\n?", re.M | re.S)
DRAWING = re.compile(r"^!\[[^]]*\]\(drawing:[^)]*\)\n\n?", re.M)
FENCE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*\n)", re.M | re.S)
# [text](target), [text][name] and [text], which stands for [text][text].
LINK = re.compile(r"!?\[((?:[^][]|\[[^][]*\])+)\](?:\(([^()\s]+)\)|\[([^][]*)\])?")
NAMED = re.compile(r"^\[([^][]+)\]: (\S+)\n", re.M)
ANSWERS = re.compile(r"The answers are in `(solutions/[^`]*)`, next to the solution\.")


def handed_out(path: str, text: str, kept: Container[str]) -> str:
    """A text as students get it; `kept` holds the files and folders of the handout."""
    text = DRAWING.sub("", NOT_HANDED_OUT.sub("", text))
    text = ANSWERS.sub(lambda found: found[0] if found[1] in kept else "The answers come with the solution.", text)
    places = dict(NAMED.findall(text))

    def is_missing(target: str) -> bool:
        target = unquote(target.partition("#")[0])
        if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
            return False
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) not in kept

    text = NAMED.sub(lambda found: "" if is_missing(found[2]) else found[0], text)
    parts = FENCE.split(text)
    parts[::2] = ["".join(without(block, places, is_missing) for block in blocks(part)) for part in parts[::2]]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))


def blocks(text: str) -> List[str]:
    """Rows of tables one by one, and paragraphs."""
    return re.findall(r"^\|.*\n|(?:^(?!\|).+\n?)+|\n", text, re.M)


def without(block: str, places: Dict[str, str], is_missing: Callable[[str], bool]) -> str:
    """A block without its links to missing files; "" for a block that only leads there."""
    leads = [target for target in (target_of(link, places) for link in LINK.finditer(block)) if target]
    if leads and is_missing(leads[0]) and re.match(r"\| *\[|\*\*[^*]+:\*\* *\[", block):
        return ""

    def plain(link: "re.Match[str]") -> str:
        target = target_of(link, places)
        return link[1] if target and is_missing(target) else link[0]
    return LINK.sub(plain, block)


def target_of(link: "re.Match[str]", places: Dict[str, str]) -> str:
    return link[2] or places.get(link[3] or link[1], "")
