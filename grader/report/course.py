"""A graded course: one lab or several, and the students by their results in each.

Knows where results are in a folder that labgrade wrote (OUT/results.json for one lab, OUT/LAB/results.json for
several) and the form of `lab-course/1`, OUT/course.json, which may give a title, weights and an order to the labs.
Submissions of several labs belong to one student if they have the same name, or if the roster says so. Independent of
pages.
"""
from __future__ import annotations

import functools
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Optional, Tuple, TypeVar

from results import Class, Malformed, Submission, load_class, parse
from results import Student as Person

COURSE_SCHEMA = "lab-course/1"
RESULTS = "results.json"
COURSE = "course.json"

Value = TypeVar("Value")


class Unusable(Exception):
    """The folder cannot be reported on. The message is a sentence that names the file."""


@dataclass(frozen=True)
class CourseLab:
    folder: str  # below OUT; "" if the results are in OUT itself
    results: Class
    weight: float
    most: int = 0  # points that a submission can have, where the submissions here need not tell

    @property
    def name(self) -> str:
        return self.results.lab.name

    @functools.cached_property
    def max_points(self) -> int:
        """The points that a submission of this lab can have: the most of all submissions."""
        return max((submission.full_points for submission in self.results.submissions), default=self.most)


@dataclass(frozen=True)
class Student:
    """A student's submissions by the folder of their lab; a lab that was not handed in has none. `person` is the
    student as the roster has them."""
    key: str
    name: str
    submissions: Dict[str, Submission]
    total: Optional[float]  # in percent; None while the grader itself failed on one of the submissions
    person: Person


@dataclass(frozen=True)
class Course:
    title: str
    labs: List[CourseLab]
    students: List[Student]
    weighted: bool
    time_zone: str = ""  # of the course; "" without a course

    @functools.cached_property
    def by_submission(self) -> Dict[Tuple[str, str], Student]:
        """The students by the lab's folder and the key of their submission there."""
        return {(folder, own.key): student for student in self.students for folder, own in student.submissions.items()}

    @property
    def single(self) -> bool:
        """True if the folder holds the results of one lab itself."""
        return len(self.labs) == 1 and not self.labs[0].folder


def load_course(out: Path) -> Course:
    """Reads all results below the folder. Raises Unusable."""
    if (out / RESULTS).exists():
        folders = [""]
    else:
        folders = sorted(path.parent.name for path in out.glob("*/" + RESULTS))
    classes = {folder: _read(out / folder / RESULTS, load_class) for folder in folders}
    if not classes:
        raise Unusable(f"cannot read {shown(out / RESULTS)}: No such file or directory")
    title, time_zone, weights = "", "", {}
    if folders != [""] and (out / COURSE).exists():
        title, time_zone, weights = _read(out / COURSE, _load_plan)
    by_lab = sorted(folders, key=lambda folder: (_rank(classes[folder].lab.name, weights), folder))
    labs = [CourseLab(folder, classes[folder], weights.get(classes[folder].lab.name, 0.0 if weights else 1.0))
            for folder in by_lab]
    return Course(title, labs, students_of(labs), bool(weights), time_zone)


def students_of(labs: List[CourseLab]) -> List[Student]:
    """The students by name: all who handed something in, and all of the roster who did not."""
    submissions: Dict[str, Dict[str, Submission]] = {}
    known: Dict[str, str] = {}  # the keys of those whom the roster knows
    for lab in labs:
        for submission in sorted(lab.results.submissions, key=lambda own: own.key not in submissions):
            key, person = submission.key, submission.student
            if person.roster and person.roster.found:
                other = known.setdefault(person.identity, key)
                if key not in submissions and lab.folder not in submissions.get(other, {}):
                    key = other
            submissions.setdefault(key, {})[lab.folder] = submission
    students = []
    for key, own in submissions.items():
        first = next(iter(own.values()))
        students.append(Student(key, first.name, own, _total(labs, own), first.student))
    roll = Roll(students)
    for person in (person for lab in labs for person in lab.results.not_handed_in):
        if roll.find(person) is None:
            name = person.name or person.id or person.email
            students.append(Student(f"\0{person.id}\0{name}", name, {}, _total(labs, {}), person))
            roll.add(students[-1])
    return sorted(students, key=lambda student: (student.name.casefold(), student.key))


def narrowed(course: Course, lab: Optional[str], section: Optional[str]) -> Course:
    """The course with one lab and with the students of one section alone. Raises Unusable."""
    labs = [own for own in course.labs if lab in (None, own.name)]
    if not labs:
        raise Unusable(f"--lab must be one of {', '.join(own.name for own in course.labs)}")
    if section is not None:
        labs = [_of_section(own, section) for own in labs]
        if not any(own.results.submissions or own.results.not_handed_in for own in labs):
            raise Unusable(f'nobody is in section "{section}"')
    return replace(course, labs=labs, students=students_of(labs))


def _of_section(lab: CourseLab, section: str) -> CourseLab:
    results = replace(
        lab.results,
        submissions=[submission for submission in lab.results.submissions if submission.student.section == section],
        not_handed_in=tuple(student for student in lab.results.not_handed_in if student.section == section))
    return CourseLab(lab.folder, results, lab.weight, lab.max_points)


class Roll:
    """Finds a person of the roster among students: by id or e-mail; by name only where one of the two has no id."""

    def __init__(self, students: Iterable[Student]) -> None:
        self._known: Dict[Tuple[str, str], Student] = {}
        for student in students:
            self.add(student)

    def add(self, student: Student) -> None:
        person = student.person
        for name in (person.name or student.name, student.name):
            self._known.setdefault(("name", name.casefold()), student)
            if not person.id:
                self._known.setdefault(("name without id", name.casefold()), student)
        for kind, value in (("id", person.id), ("e-mail", person.email.casefold())):
            if value:
                self._known.setdefault((kind, value), student)

    def find(self, person: Person) -> Optional[Student]:
        name = "name without id" if person.id else "name"
        for kind, value in (("id", person.id), ("e-mail", person.email.casefold()), (name, person.name.casefold())):
            if value and (kind, value) in self._known:
                return self._known[kind, value]
        return None


def _total(labs: List[CourseLab], own: Dict[str, Submission]) -> Optional[float]:
    """The mean of the labs by weight; a lab that was not handed in counts as 0, one that the student is excused from
    not at all."""
    if any(not submission.graded for submission in own.values()):
        return None
    counted = [lab for lab in labs if lab.weight > 0 and lab.max_points > 0
               and not (lab.folder in own and own[lab.folder].excused)]
    weights = sum(lab.weight for lab in counted)
    points = sum(lab.weight * (own[lab.folder].score or 0) / lab.max_points for lab in counted if lab.folder in own)
    return 100 * points / weights if weights else None


def _rank(lab: str, weights: Dict[str, float]) -> int:
    """Labs are in the order of the course file; those that it does not name follow."""
    return list(weights).index(lab) if lab in weights else len(weights)


def _load_plan(data: bytes) -> Tuple[str, str, Dict[str, float]]:
    """The title, the time zone, and the weights of the labs in their order."""
    field = parse(data)
    field["schema"].choice((COURSE_SCHEMA,))
    title, time_zone = field.get("title"), field.get("time_zone")
    weights: Dict[str, float] = {}
    for lab in field["labs"].items():
        name, weight = lab["name"], lab.get("weight")
        if name.line() in weights:
            raise Malformed(f"{name.path} is the lab {name.line()}, which occurs twice")
        weights[name.line()] = weight.number() if weight else 1.0
    return title.line() if title else "", time_zone.line() if time_zone else "", weights


def _read(path: Path, load: Callable[[bytes], Value]) -> Value:
    try:
        return load(path.read_bytes())
    except Malformed as error:
        raise Unusable(f"{shown(path)}: {error}") from None
    except OSError as error:
        raise Unusable(f"cannot read {shown(path)}: {error.strerror}") from None


def shown(path: Path) -> str:
    """The path in a form that can be printed, whatever its bytes."""
    return os.fsencode(path).decode("utf-8", "replace")
