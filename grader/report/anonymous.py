"""Replaces names by pseudonyms, each name by the same one everywhere.

The pseudonym comes from the name and a key in a file next to the results: it stays the same from grading to grading,
and cannot be reversed by trying names without the key. Names in the texts of a result are replaced too; names in a
student's source are not. What persons decided is shown without who said it and why, which may tell of a student.
"""
from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Dict, Iterable, List, Sequence

from course import Course, CourseLab, Roll, students_of
from results import Artifacts, Student, Submission

KEY_FILE = "anonymous.key"
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
SHORTEST = 4


def anonymous_course(course: Course, key: bytes) -> Course:
    """The course with each student's name replaced."""
    names = pseudonyms((student.key for student in course.students), key)
    names_in = {lab.folder: {student.submissions[lab.folder].key: names[student.key] for student in course.students
                             if lab.folder in student.submissions} for lab in course.labs}
    roll = Roll(course.students)
    groups = pseudonyms((attempt.group for lab in course.labs for submission in lab.results.submissions
                         for attempt in submission.attempts if attempt.group), key, "Group")
    labs = [CourseLab(lab.folder, replace(
        lab.results, folder="", notes=(),
        decisions=tuple(replace(decision, who="", why="") for decision in lab.results.decisions if decision.check),
        not_handed_in=tuple(_nameless(person, roll, names) for person in lab.results.not_handed_in),
        submissions=[_renamed(_wordless(submission, groups), names_in[lab.folder], _together(submission, lab))
                     for submission in lab.results.submissions]), lab.weight) for lab in course.labs]
    for lab in labs:
        lab.results.submissions.sort(key=lambda submission: submission.name)
    return Course(course.title, labs, students_of(labs), course.weighted, course.time_zone)


def _nameless(person: Student, roll: Roll, names: Dict[str, str]) -> Student:
    student = roll.find(person)
    assert student, "the course has every student of the roster"
    return Student("", names[student.key], "", "", person.held)


def _wordless(submission: Submission, groups: Dict[str, str]) -> Submission:
    """Without what persons wrote, and with other names for groups."""
    attempts = tuple(replace(attempt, group=groups.get(attempt.group, "")) for attempt in submission.attempts)
    adjusted = submission.adjusted and replace(submission.adjusted, words=tuple(
        replace(word, who="", why="", comment="") for word in submission.adjusted.words))
    return replace(submission, attempts=attempts, adjusted=adjusted)


def pseudonyms(names: Iterable[str], key: bytes, noun: str = "Student") -> Dict[str, str]:
    """A pseudonym for each name, longer where two would be the same."""
    given: Dict[str, str] = {}
    taken = set()
    for name in sorted(set(names)):
        number = int.from_bytes(hmac.new(key, name.encode("utf-8", "surrogatepass"), hashlib.sha256).digest(), "big")
        letters = ""
        while len(letters) < SHORTEST or letters in taken:
            number, letter = divmod(number, len(LETTERS))
            letters += LETTERS[letter]
        taken.add(letters)
        given[name] = letters
    return {name: f"{noun} {letters}" for name, letters in given.items()}


def key_of(folder: Path) -> bytes:
    """The key in the folder; writes a new one if there is none. Raises OSError."""
    path = folder / KEY_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return path.read_bytes()
    key = secrets.token_hex(16).encode("ascii")
    with open(descriptor, "wb") as file:
        file.write(key)
    return key


def _together(submission: Submission, lab: CourseLab) -> List[Submission]:
    """The students who ever submitted with the same group: the program's output may hold their names."""
    if not submission.groups:
        return [submission]
    return [other for other in lab.results.submissions if other.groups & submission.groups]


def _renamed(submission: Submission, names: Dict[str, str], members: Sequence[Submission]) -> Submission:
    pseudonym = names[submission.key]
    for member in members:
        known = sorted({name for name in (member.name, *_words(member.student)) if len(name) > 2},
                       key=len, reverse=True)
        if known:
            pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in known))
            submission = _replaced(submission, pattern, names[member.key])
    return replace(submission, key=pseudonym, name=pseudonym, student=Student("", "", "", ""),
                   page=pseudonym.replace(" ", "-").lower(),
                   artifacts=replace(submission.artifacts, trace=""))


def _words(student: Student) -> Iterable[str]:
    return student.id, student.name, student.email


def _replaced(value: Any, pattern: re.Pattern[str], pseudonym: str) -> Any:
    """The value with the pattern replaced in all its texts, but not in paths."""
    if isinstance(value, str):
        return pattern.sub(pseudonym, value)
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(item, pattern, pseudonym) for item in value)
    if is_dataclass(value) and not isinstance(value, (type, Artifacts)):
        kept = ("directory", "file", "key", "verdict", "status", "kind", "who", "group")
        return replace(value, **{field.name: _replaced(getattr(value, field.name), pattern, pseudonym)
                                 for field in fields(value) if field.name not in kept})
    return value
