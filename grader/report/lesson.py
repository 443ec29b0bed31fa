"""The paragraph of a lab's lesson that belongs to a check: what to read, or to teach again, after a mistake.

contract.txt says which checks prove which sentence of the lesson (lib/tools/contract.py). A check without one belongs
to the task that its title names, "Task 2: ..." or "Program 2: ...", whose section begins with what is asked for. Else
its sentence of the header stands for it. Knows the form of these files; an absent one has no paragraphs.
"""
from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional

from results import Check

LESSON = "README.md"
_MARKUP = re.compile(r"\[([^\]]+)\]\([^)]*\)|`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
_NO_PROSE = re.compile(r"^(?: {4}|\||#|```|[-*] |\d+\. )")


class Passage(NamedTuple):
    where: str  # "the lesson, Task 1: order two streams"
    text: str


class Lesson:
    """A lab's lesson and contract, as their files have them."""

    def __init__(self, readme: str, contract: str, header: str) -> None:
        self.header = header  # the name of the header's file
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
                        return _of_lesson(heading, paragraph)
        task = re.match(r"(?:Tasks?|Program) (\d+)", check.title)
        for heading, paragraphs in self.sections.items():
            if task and paragraphs and re.match(rf"Task {task[1]}\b", heading):
                return _of_lesson(heading, paragraphs[0])
        own = self.of_header.get(check.name)
        return Passage(self.header, " ".join(map(_plain, own))) if own else None


def _of_lesson(heading: str, paragraph: str) -> Passage:
    return Passage(f"the lesson, {heading}", _plain(paragraph))


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
