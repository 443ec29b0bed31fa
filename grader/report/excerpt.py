"""Lines of a student's source: around the line that a check names, and the whole with findings in the margin.

Knows where the grader keeps the source of a submission: its file below DIRECTORY/source. An absent, unreadable or
shorter file gives no excerpt.
"""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

from markupsafe import Markup, escape

from files import read_below
from results import LINE_LIMIT, Location, Submission
from text import clean

AROUND = 4
WHOLE_LINES = 2000
SOURCE_LIMIT = 1 << 20


@dataclass(frozen=True)
class SourceLine:
    number: int
    text: str
    marked: bool


class Remark(NamedTuple):
    """What is said about a line, and where on the page more is said."""
    line: int
    words: str
    address: str


def whole_source(lines: Sequence[str], remarks: Sequence[Remark]) -> Markup:
    """The source as markup, line by line, with the remarks next to their lines; "" without a source."""
    beside: Dict[int, List[Remark]] = {}
    for remark in remarks:
        beside.setdefault(remark.line, []).append(remark)
    shown = [clean(line, LINE_LIMIT) for line in lines[:WHOLE_LINES]]
    escaped = str(escape("\n".join(shown))).split("\n") if lines else []
    written = [_line(number, text, beside.get(number)) for number, text in enumerate(escaped, 1)]
    if len(lines) > WHOLE_LINES:
        written.append(f"{len(lines) - WHOLE_LINES} more lines")
    return Markup("\n".join(written))


def _line(number: int, escaped: str, remarks: Optional[List[Remark]]) -> str:
    if not remarks:
        return f'<span class="number">{number}</span>{escaped}'
    notes = "".join(f'<a href="{escape(remark.address)}">{escape(remark.words)}</a>' for remark in remarks)
    return (f'<span class="remarked"><span class="number">\u2192 {number}</span><span class="marked">{escaped}'
            f'</span><span class="notes">{notes}</span></span>')


def source_excerpt(lines: Sequence[str], submission: Submission, location: Optional[Location]) -> List[SourceLine]:
    """Those of the source's lines that are around the line to change, or none if it does not lie in the submission's
    own file."""
    if location is None or location.file != submission.file or not 1 <= location.shown <= len(lines):
        return []
    first = max(1, location.shown - AROUND)
    return [SourceLine(number, clean(text, LINE_LIMIT), number == location.shown)
            for number, text in enumerate(lines[first - 1:location.shown + AROUND], first)]


def source_lines(folder: Path, submission: Submission) -> List[str]:
    """The lines of the file that was handed in, as they are; none if it is missing."""
    return lines_of(source_text(folder, submission))


def lines_of(text: str) -> List[str]:
    return text.rstrip("\n").split("\n") if text else []


def source_text(folder: Path, submission: Submission) -> str:
    """The text of the file that was handed in; "" if it is missing."""
    if not submission.file:
        return ""
    data = read_below(folder / submission.directory / "source", submission.file, SOURCE_LIMIT)
    return "" if data is None else data.decode("utf-8", "replace").replace("\r\n", "\n")
