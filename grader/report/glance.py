"""What an instructor sees first: who needs help, and what each row of the class's table can be chosen by.

A pick is a word that a row has; tiles, bars and groups choose the rows that have their pick. Independent of markup.
"""
from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from course import Course, Student
from mistakes import Mistake
from results import NOT_HANDED_IN, Submission
from summaries import bin_of

LOW = 50  # percent of all points, below which a student of a course needs help
FIRST = ("missing", "no-file", "broken", "hangs", "zero")  # the groups that need help first; no student is in two


class Help(NamedTuple):
    """Students who need help for the same reason."""
    pick: str
    words: str
    tone: str
    members: List[Submission]


class StudentHelp(NamedTuple):
    """Students of a course who need help for the same reason."""
    pick: str
    words: str
    tone: str
    members: List[Student]


def needing_help(everybody: Sequence[Submission]) -> List[Help]:
    """The groups, also those without a member. Nobody who is excused is in one."""
    members: Dict[str, List[Submission]] = {}
    for submission in everybody:
        if submission.excused:
            continue
        members.setdefault(_reason(submission), []).append(submission)
        if submission.late and submission.late.days:
            members.setdefault("late", []).append(submission)
    return [Help(pick, words, tone, members.get(pick, [])) for pick, words, tone in (
        ("missing", "absent", "quiet"), ("no-file", "file missing", "broken"), ("broken", "do not build", "broken"),
        ("hangs", "hang", "broken"), ("zero", "0 points", "bad"), ("late", "late", "quiet"))]


def _reason(submission: Submission) -> str:
    if submission.verdict == NOT_HANDED_IN:
        return "missing"
    if submission.verdict == "missing file":
        return "no-file"
    if submission.verdict == "build error":
        return "broken"
    if submission.verdict == "timeout":
        return "hangs"
    return "zero" if submission.score == 0 else ""


def verdict_pick(verdict: str) -> str:
    return "v-" + verdict.replace(" ", "-")


def picks(everybody: Sequence[Submission], helps: Sequence[Help], found: Sequence[Mistake],
          names: Sequence[str]) -> List[str]:
    """The picks of each submission; `names` are the checks' in their order."""
    groups: List[Tuple[str, Sequence[Submission]]] = [(group.pick, group.members) for group in helps]
    groups += [(f"m{number}", [finding.submission for finding in mistake.findings])
               for number, mistake in enumerate(found, 1)]
    own: Dict[int, List[str]] = {}
    for pick, members in groups:
        for submission in members:
            own.setdefault(id(submission), []).append(pick)
    places = {name: number for number, name in enumerate(names, 1)}
    return [" ".join([*own.get(id(submission), []), verdict_pick(submission.verdict),
                      *_bin(submission), *(f"c{places[check.name]}" for check in submission.checks
                                           if check.status == "failed" and check.name in places)])
            for submission in everybody]


def _bin(submission: Submission) -> List[str]:
    if submission.score is None or submission.full_points <= 0:
        return []
    return [f"b{bin_of(100 * submission.score / submission.full_points)}"]


def hardest(everybody: Sequence[Submission], names: Sequence[str]) -> Optional[Tuple[int, int]]:
    """The check that most fail: its place among the names, from 1, and how many fail it. None if nobody fails one."""
    failed = [sum(check.name == name and check.status == "failed" for submission in everybody
                  for check in submission.checks) for name in names]
    return (failed.index(max(failed)) + 1, max(failed)) if failed and max(failed) else None


def students_needing_help(course: Course) -> List[StudentHelp]:
    """The groups of a course's students; a student who handed in nothing at all is only in that one."""
    groups: Dict[str, List[Student]] = {}
    for student in course.students:
        groups.setdefault(_lacks(student, course), []).append(student)
    return [StudentHelp(pick, words, tone, groups.get(pick, [])) for pick, words, tone in (
        ("nothing", "handed in nothing", "quiet"), ("gaps", "miss two labs or more", "broken"),
        ("low", f"are below {LOW}\u202f%", "bad"))]


def _lacks(student: Student, course: Course) -> str:
    wanted = [lab for lab in course.labs if lab.weight > 0]
    done = [lab for lab in wanted if lab.folder in student.submissions
            and (student.submissions[lab.folder].verdict != NOT_HANDED_IN or student.submissions[lab.folder].excused)]
    if wanted and not done:
        return "nothing"
    if len(wanted) - len(done) >= 2:
        return "gaps"
    return "low" if student.total is not None and student.total < LOW else ""


def student_picks(course: Course) -> Dict[str, str]:
    """The picks of each student, by key."""
    return {student.key: " ".join([_lacks(student, course),
                                   *([] if student.total is None else [f"b{bin_of(student.total)}"])]).strip()
            for student in course.students}
