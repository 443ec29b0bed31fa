"""What in a graded class needs a person before its grades are exported, and what a person has closed.

An item is open until what it tells is no longer so, a person has given points, or a person has closed it by its code,
with a reason (OUT/+reviewed.csv). A code belongs to what the item tells: new evidence opens it again. Knows results and
what was found alike (OUT/LAB/+alike.json, which the pages write); independent of how items are shown.
"""
from __future__ import annotations

import csv
import io
import json
import shlex
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from course import Course, CourseLab, Unusable, shown, students_of
from results import GRADER_FAULT, LINE_LIMIT, NOT_HANDED_IN, Late, OnRoster, Submission
from text import clean_line
from wording import counted, listed, number

ALIKE = "+alike.json"
ALIKE_SCHEMA = "lab-alike/1"
REVIEWED = "+reviewed.csv"
REVIEWED_HEAD = ["code", "who", "why", "when", "what"]
ACCEPT = "accept.csv"
RENAME = f"; no row of {ACCEPT} can name it: rename it and grade again"
EQUAL_SHARE = 0.9  # of a source's fingerprints that the solution has too: as good as the same
CODE_DIGITS = 6

# The kinds of items in the order in which they are shown: a heading, and what to do about one.
KINDS = {
    "missing": ("Missing files", "The gradebooks get no points for these until you decide. If the file is named, "
                "accept it and grade again; otherwise give points, or close the item for 0 points."),
    "nobody": ("Submissions of nobody on the roster", "Accept whose it is and grade again, or close the item."),
    "several": ("Submissions of one student", "Each has a row in the exports. Accept all of them as the student's and "
                "grade again: they become attempts, and the course's rule says which counts. One that must not count: "
                "take it out of the folder of submissions."),
    "contradiction": ("Ids that contradict names", "Find out whose it is. Close the item if it is right as it is."),
    "late": ("Late by little", "Clocks are not exact. Waive the lateness, or close the item and let it count."),
    "copies": ("Passages in common", "Read the lines side by side before you conclude anything."),
    "solution": ("Equal to the solution", "The file is the workbook's own solution, or nearly."),
    "doubted": ("Verdicts that the grader doubts", "Look at the student's page. Grade again, or give points."),
    "left out": ("Left out of the class", "Files in the folder of submissions that belong to no student."),
}


@dataclass(frozen=True)
class Item:
    kind: str
    submissions: Tuple[Submission, ...]
    words: str      # a sentence about them
    line: str       # a line for the shell that resolves it; "" for none
    code: str


@dataclass(frozen=True)
class Closed:
    item: Item
    who: str
    why: str


@dataclass(frozen=True)
class LabItems:
    lab: CourseLab
    open: Tuple[Item, ...]
    closed: Tuple[Closed, ...]

    def of_kind(self, kind: str) -> List[Item]:
        return [item for item in self.open if item.kind == kind]


class Alike(NamedTuple):
    """Pages of submissions that are alike: groups of several, each with a sentence, and those like the solution."""
    groups: Sequence[Tuple[Sequence[str], str]]
    solution: Sequence[Tuple[str, float]]


def items_of(course: Course, out: Path) -> List[LabItems]:
    """The items of each lab. Raises Unusable if a file of them cannot be read."""
    return [lab_items(lab, course, out) for lab in course.labs]


def lab_items(lab: CourseLab, course: Course, out: Path) -> LabItems:
    reviewed, items = read_reviewed(out), list(_items(lab, course, out))
    return LabItems(lab, tuple(item for item in items if item.code not in reviewed),
                    tuple(Closed(item, *reviewed[item.code]) for item in items if item.code in reviewed))


def count_open(labs: Sequence[LabItems]) -> int:
    return sum(len(lab.open) for lab in labs)


def without_missing(course: Course, labs: Sequence[LabItems]) -> Course:
    """The course in which a submission whose file is missing has no score as long as no person has decided: no
    gradebook gets a 0 that nobody meant."""
    undecided = {(own.lab.folder, submission.page) for own in labs for item in own.of_kind("missing")
                 for submission in item.submissions}
    kept = [replace(lab, most=lab.max_points, results=replace(lab.results, submissions=[
        replace(submission, score=None) if (lab.folder, submission.page) in undecided else submission
        for submission in lab.results.submissions])) for lab in course.labs]
    return replace(course, labs=kept, students=students_of(kept)) if undecided else course


# --- the items ---

def _items(lab: CourseLab, course: Course, out: Path) -> Iterator[Item]:
    for submission in lab.results.submissions:
        yield from _of_submission(lab, course, out, submission)
    yield from _of_one_student(lab)
    yield from _of_likeness(lab, out)
    for note in lab.results.notes:
        if note.reason.startswith("skipped") or note.name == "the roster":
            yield _item(lab, "left out", (), f"{note.name}: {note.reason}")
    unknown = sum(not own.late and own.verdict != NOT_HANDED_IN for own in lab.results.submissions)
    if lab.results.due and unknown:
        yield _item(lab, "late", (), "The time of " + counted(unknown, "submission", "submissions")
                    + " is not known: on time")


def _of_submission(lab: CourseLab, course: Course, out: Path, own: Submission) -> Iterator[Item]:
    adjust = ["build/bin/labgrade", "adjust", "--out", shown(out), *([] if course.single else ["--lab", lab.name]),
              "--student", own.key]
    decided = own.excused or (own.adjusted is not None and (own.adjusted.set_aside or any(
        word.points for word in own.adjusted.words)))
    handed_in, roster = own.handed_in, own.student.roster
    if own.verdict == "missing file" and not decided:
        likely = handed_in.likely if handed_in else ""
        words = own.summary.rstrip(".") + (f"; probably {likely}" if likely else "")
        line = accept_line((own.key, likely, "")) if likely else _command(
            [*adjust, "--points", "0", "--why", "no file"])
        yield _item(lab, "missing", (own,), words + (RENAME if likely and not line else ""), line)
    if roster and roster.doubt:
        yield _of_doubt(lab, own, roster)
    if own.late and own.late.over and own.points and not decided and not (own.adjusted and own.adjusted.due):
        yield _item(lab, "late", (own,), _late_words(own.late, own.late.over),
                    _command([*adjust, "--waive-lateness", "--why", "late by little"]))
    if handed_in and handed_in.solution and not decided:
        yield _item(lab, "solution", (own,), "handed in the workbook's own solution")
    if own.verdict == GRADER_FAULT and not decided:
        yield _item(lab, "doubted", (own,), f"the grader failed: {own.summary}")
    for sentence in () if decided else own.review:
        yield _item(lab, "doubted", (own,), sentence)


def _of_doubt(lab: CourseLab, own: Submission, roster: OnRoster) -> Item:
    """With a line for the shell only where one student fits, of whom there is nothing else."""
    kind, words, line = "contradiction" if roster.found else "nobody", roster.doubt, ""
    if len(roster.nearest) == 1:
        (identifier, name), = roster.nearest
        others = [other.student.roster for other in lab.results.submissions if other is not own]
        if any(other and other.nearest == roster.nearest for other in others):
            words += f"; another submission may be of {name or identifier} too"
        elif _is_there(lab, identifier, name):
            words += f"; {name or identifier} has a submission already"
        else:
            line = accept_line((own.key, "", identifier or name))
            words += "" if line else RENAME
    return _item(lab, kind, (own,), words, line)


def _is_there(lab: CourseLab, identifier: str, name: str) -> bool:
    """Whether a student of the roster handed something in."""
    students = (own.student for own in lab.results.submissions if own.verdict != NOT_HANDED_IN)
    return any(student.roster and student.roster.found and (
        student.id == identifier if identifier else student.name == name) for student in students)


def _of_one_student(lab: CourseLab) -> Iterator[Item]:
    """The roster knows these as one student's, and their names differ: a folder by the id, another by the name."""
    found: Dict[str, List[Submission]] = {}
    for own in lab.results.submissions:
        if own.student.roster and own.student.roster.found:
            found.setdefault(own.student.identity, []).append(own)
    for identity, several in found.items():
        if len(several) > 1:
            who = " ".join(filter(None, [several[0].student.name, f"({identity})"]))
            got = [f"{own.name} got {own.verdict if own.score is None else number(own.score)}" for own in several]
            line = accept_line(*((own.key, "", identity) for own in several))
            yield _item(lab, "several", tuple(several), f"all of {who}: {listed(got)}" + ("" if line else RENAME),
                        line)


def _late_words(late: Late, over: int) -> str:
    minutes, seconds = divmod(over, 60)
    time = counted(seconds, "second", "seconds") if not minutes else f"{minutes} min {seconds} s"
    return f"{time} earlier would have cost less than {late.percent:g} %"


def _of_likeness(lab: CourseLab, out: Path) -> Iterator[Item]:
    alike = read_alike(lab, out)
    if alike is None:
        if len(lab.results.submissions) > 1:
            yield _item(lab, "copies", (), "The sources were not compared since the last grading",
                        _command(["grader/report/report.py", shown(out)]))
        return
    by_page = {own.page: own for own in lab.results.submissions}
    for pages, words in alike.groups:
        yield _item(lab, "copies", tuple(by_page[page] for page in pages if page in by_page), words)
    for page, share in alike.solution:
        own = by_page.get(page)
        if own and share >= EQUAL_SHARE and not (own.handed_in and own.handed_in.solution):
            yield _item(lab, "solution", (own,), f"{100 * share:.0f} % of its fingerprints are in the solution too")


def _item(lab: CourseLab, kind: str, submissions: Tuple[Submission, ...], words: str, line: str = "") -> Item:
    told = "\0".join([lab.name, kind, *(own.key for own in submissions), words])
    code = blake2b(told.encode("utf-8", "surrogatepass")).hexdigest()[:CODE_DIGITS]
    return Item(kind, submissions, words, line, code)


# --- lines for the shell ---

def accept_line(*rows: Tuple[str, str, str]) -> str:
    """The line that adds rows to the table of --accept: submission, file, student. "" for a name that cannot be shown
    as it is, or means something else there: spaces at the ends of a cell are dropped, and * is every submission."""
    if any(row[0] == "*" or any(cell != cell.strip() for cell in row) for row in rows):
        return ""
    cells = [io.StringIO() for _ in rows]
    for text, row in zip(cells, rows):
        csv.writer(text, lineterminator="").writerow(row)
    return _command(["printf", r"%s\n", *(text.getvalue() for text in cells)], f" >>{ACCEPT}")


def _command(words: Sequence[str], after: str = "") -> str:
    if any(word != clean_line(word, LINE_LIMIT) for word in words):
        return ""
    return " ".join(map(shlex.quote, words)) + after


# --- files ---

def write_alike(lab: CourseLab, alike: Alike) -> str:
    """The text of +alike.json."""
    return json.dumps({"schema": ALIKE_SCHEMA, "created": lab.results.created.isoformat(),
                       "groups": [{"pages": list(pages), "words": words} for pages, words in alike.groups],
                       "solution": [{"page": page, "share": share} for page, share in alike.solution]},
                      indent=1, ensure_ascii=False) + "\n"


def read_alike(lab: CourseLab, out: Path) -> Optional[Alike]:
    """What the pages found alike in these results; None if they were not written since."""
    try:
        found = json.loads((out / lab.folder / ALIKE).read_text(encoding="utf-8"))
        if found["schema"] != ALIKE_SCHEMA or found["created"] != lab.results.created.isoformat():
            return None
        return Alike([(group["pages"], group["words"]) for group in found["groups"]],
                     [(own["page"], own["share"]) for own in found["solution"]])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def read_reviewed(out: Path) -> Dict[str, Tuple[str, str]]:
    """Who closed which code, and why. Raises Unusable."""
    path = out / REVIEWED
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, csv.Error) as error:
        raise Unusable(f"cannot read {shown(path)}: {error}") from None
    return {row[0]: (row[1], row[2]) for row in rows[1:] if len(row) >= 3}


def names(item: Item) -> str:
    return listed([own.name for own in item.submissions])
