"""The paragraph of a lab's lesson that belongs to a check: what to read, or to teach again, after a mistake.

contract.txt says which checks prove which sentence of the lesson (lib/tools/contract.py). A check without one belongs
to the task that its title names, "Task 2: ..." or "Program 2: ...", whose section begins with what is asked for. Else
its sentence of the header stands for it. Knows the form of these files; an absent one has no paragraphs.
"""
from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

from results import Check

LESSON, CONTRACT = "README.md", "contract.txt"
_MARKUP = re.compile(r"\[([^\]]+)\]\([^)]*\)|`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
_NO_PROSE = re.compile(r"^(?: {4}|\||#|```|[-*] |\d+\. )")


class Passage(NamedTuple):
    where: str  # "the lesson, Task 1: order two streams"
    text: str
    place: str  # "labs/lab02-events/README.md#task-1-order-two-streams"
    address: str = ""  # of the place on the site, if it is known and has the place


class Lesson:
    """A lab's lesson and contract, as their files in `folder` of the workbook have them. `site` is the address of the
    workbook's pages, "" if they are not published."""

    def __init__(self, readme: str, contract: str, header: str, folder: str = "", site: str = "") -> None:
        self.header, self.folder, self.site = header, folder, site  # the header is the name of its file
        self.sections: Dict[str, List[str]] = {}
        for section in re.split(r"^## ", readme, flags=re.MULTILINE)[1:]:
            heading, _, body = section.partition("\n")
            self.sections[_plain(heading)] = [_folded(part) for part in re.split(r"\n\s*\n", body)
                                              if part.strip() and not _NO_PROSE.match(part.lstrip("\n"))]
        own, _, lessons = contract.partition(f"\n{LESSON}\n")
        self.of_header, self.of_lesson = _sentences(own), _sentences(lessons)

    def passage(self, check: Check) -> Optional[Passage]:
        for sentence in self.of_lesson.get(check.name, []):
            for heading, paragraphs in self.sections.items():
                for paragraph in paragraphs:
                    if sentence in paragraph:
                        return self.section(heading, paragraph)
        task = re.match(r"(?:Tasks?|Program) (\d+)", check.title)
        for heading, paragraphs in self.sections.items():
            if task and paragraphs and re.match(rf"Task {task[1]}\b", heading):
                return self.section(heading, paragraphs[0])
        own = self.of_header.get(check.name)
        return Passage(self.header, " ".join(map(_plain, own)), f"{self.folder}/{self.header}") if own else None

    def section(self, heading: str, paragraph: str) -> Passage:
        """A paragraph of the section with this heading."""
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        address = f"{self.site}/{self.folder}/index.html#{anchor}" if self.site else ""
        return Passage(f"the lesson, {heading}", _plain(paragraph), f"{self.folder}/{LESSON}#{anchor}", address)


def site_address(text: str) -> str:
    """The address of the workbook's pages, as an option gives it; "" for none."""
    if not re.fullmatch(r"((https?|file)://[^\s\"<>]+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no address of pages, such as https://example.org/workbook")
    return re.sub(r"/(index\.html)?$", "", text)


def lesson_of(root: Path, lab: str, site: str = "") -> Lesson:
    """The lesson of a lab of the workbook at `root`; one without paragraphs if it has no such lab."""
    for folder in sorted(root.glob("labs/*")):
        if folder.name.partition("-")[0] == lab:
            texts = (path.read_text("utf-8", "replace") if path.is_file() else ""
                     for path in (folder / LESSON, folder / CONTRACT))
            return Lesson(*texts, lab + ".h", f"labs/{folder.name}", site)
    return Lesson("", "", "")


def _sentences(contract: str) -> Dict[str, List[str]]:
    """The sentences that each check proves, in their order. What it rejects stands behind its name, in parentheses, or
    below its sentence."""
    found: Dict[str, List[str]] = {}
    for line in contract.splitlines():
        names, colon, sentence = line.partition(": ")
        for name in re.sub(r"\([^)]*\)", "", names).split() if colon and not line.startswith(("#", " ")) else []:
            found.setdefault(name, []).append(_folded(sentence))
    return found


def _folded(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """The text without Markdown's marks."""
    return _MARKUP.sub(lambda found: next(part for part in found.groups() if part is not None), _folded(text))
