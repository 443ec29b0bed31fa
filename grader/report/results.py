"""The results of a grading, read from results.json and checked field by field.

Knows the form of `lab-class/1` and `lab-result/1`: the fields, their possible values, and how to name a wrong one.
Every text leaves here safe to show (text.py). Independent of pages. Points and verdicts are the grader's.
"""
from __future__ import annotations

import functools
import json
import math
import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from text import clean, clean_line

CLASS_SCHEMA = "lab-class/1"
RESULT_SCHEMA = "lab-result/1"

VERDICTS = ("passed", "failed", "wrong result", "race suspected", "leak", "build error", "missing file", "crash",
            "timeout", "memory", "output flood", "record flood", "not measured", "grader fault")
STATUSES = ("passed", "failed", "not run", "not measured", "grader fault")
KINDS = ("", "wrong result", "race suspected", "leak", "crash", "timeout", "memory", "output flood", "record flood",
         "impossible time", "rule")
GRADER_FAULT = "grader fault"
NOT_MEASURED = "not measured"
NOT_HANDED_IN = "not handed in"  # the verdict of a student of the roster without a submission, in exports
VISIBILITIES = ("hidden", "after_due", "visible")

OWN_FILES = ("index.html", "results.json", "course.json", "grades.db", "anonymous.key")  # next to submissions' folders

LINE_LIMIT = 400
TEXT_LIMIT = 4000
LONG_TEXT_LIMIT = 32 * 1024
LARGEST_INTEGER = 2**53 - 1


class Malformed(Exception):
    """The file does not have the agreed form. The message names the field and what is wrong with it."""


@dataclass(frozen=True)
class Lab:
    name: str
    title: str


@dataclass(frozen=True)
class Device:
    kind: str
    name: str
    multiprocessors: int


@dataclass(frozen=True)
class Mismatch:
    where: str
    expected: str
    found: str


@dataclass(frozen=True)
class Location:
    file: str
    line: int
    function: str
    called_at: int = 0
    after: tuple[int, ...] = ()
    change: int = 0  # the line to change, where `line` is in a function that the lab gives; else 0

    @property
    def shown(self) -> int:
        return self.change or self.line


@dataclass(frozen=True)
class Check:
    name: str
    title: str
    points: float
    max_points: int
    status: str
    kind: str
    message: str
    expected: str
    found: str
    mismatches: List[Mismatch]
    mismatch_count: int
    cause: str
    location: Optional[Location]
    hint: str
    seconds: float
    level: str = ""  # of a check that failed: what the program reached, for which it has points
    extra: bool = False  # of a task for those who want more: the verdict can be "passed" without it
    weighed: Optional[Tuple[float, int]] = None  # points and max_points by the grader, where a person changed them
    root: str = ""  # the name of the check that tells why this one has not passed; "" for one that no mistake cost
    mistake: str = ""  # a noun for what this check tells: "missing order"
    edge: Optional[Tuple[str, str]] = None  # two operations that nothing orders: "kernel produce", "kernel consume"


@dataclass(frozen=True)
class Timing:
    label: str
    who: str
    median_ms: float
    min_ms: float
    max_ms: float
    samples: int
    samples_ms: Tuple[float, ...] = ()  # in the order they were taken; empty in results that do not hold them
    stable: Optional[bool] = None       # None where there were too few samples to say
    impossible: bool = False            # shorter than the device needs for the bytes
    bound_ms: Optional[float] = None


@dataclass(frozen=True)
class Ratio:
    label: str
    yours: Optional[float]
    reference: Optional[float]


@dataclass(frozen=True)
class Artifacts:
    """Paths relative to the folder of the results; "" for what was not made."""
    trace: str
    timeline_svg: str
    timeline_text: str


@dataclass(frozen=True)
class OnRoster:
    """What the roster says about whose a submission is."""
    found: bool
    doubt: str                            # a sentence; "" for none
    nearest: Tuple[Tuple[str, str], ...]  # id and name of the students that it may be of, where none was found


@dataclass(frozen=True)
class Student:
    """A student as the roster or a learning system has them; each field may be ""."""
    id: str
    name: str
    email: str
    section: str
    held: bool = False  # whether the results of one who handed nothing in are held back
    roster: Optional[OnRoster] = None  # None without a roster

    @property
    def identity(self) -> str:
        """By what the roster, and a row of the table of --accept, name a student."""
        return self.id or self.email or self.name


@dataclass(frozen=True)
class Late:
    """How late a submission is, and the points that remain."""
    days: int
    percent: float
    points: float
    over: Optional[int] = None  # seconds earlier that would have cost less; None if that is no matter of minutes


@dataclass(frozen=True)
class Attempt:
    number: int
    submitted: str
    counts: bool
    verdict: str  # "" for an attempt that was only kept
    points: Optional[float]
    max_points: Optional[int]
    late: Optional[Late]
    group: str = ""  # names the submission if several students handed it in together
    directory: str = ""  # its folder among the results; "" for one that was only kept


@dataclass(frozen=True)
class Adjustment:
    """A person's word about a result."""
    number: int
    what: str
    who: str
    why: str
    made: datetime
    comment: str
    points: bool = False  # whether it gives points


@dataclass(frozen=True)
class Adjusted:
    """What persons adjusted: all that holds, in the order in which it was said."""
    excused: bool
    set_aside: bool
    resubmission: bool
    checks: Mapping[str, float]  # the points that they gave for checks
    words: Tuple[Adjustment, ...]
    due: Optional[datetime] = None  # the student's own due time; None for that of the class


@dataclass(frozen=True)
class Decision:
    """A person's word about the lab as a whole."""
    number: int
    what: str
    who: str
    why: str
    made: datetime
    check: str  # whose points it changes; "" for a release


@dataclass(frozen=True)
class HandedIn:
    """What the intake says about the file of a submission."""
    note: str       # which file is graded and what else could have been; "" for a file alone in its place
    starter: bool   # it is the workbook's own text
    solution: bool
    likely: str = ""  # of a submission without the file: the one that it probably is


@dataclass(frozen=True)
class Submission:
    key: str  # the full name, which finds the same student's submissions of other labs; never shown
    name: str
    student: Student
    file: str
    directory: str  # its folder among the results: its source is there
    page: str       # the folder of its page
    device: Optional[Device]
    node: str       # the machine that graded it, of a grading in parts; or ""
    started: Optional[datetime]
    seconds: float
    seed: Optional[str]
    verdict: str
    summary: str
    points: float
    max_points: int
    score: Optional[float]  # the points that count, out of full_points: scaled to checks that could not be measured,
    full_points: int        # and without what lateness costs; None without a score
    build_ok: bool
    build_messages: str
    checks: List[Check]
    timings: List[Timing]
    ratios: List[Ratio]
    artifacts: Artifacts
    output: str
    output_truncated: bool
    late: Optional[Late] = None
    attempts: Tuple[Attempt, ...] = ()
    attempts_rule: str = ""
    review: Tuple[str, ...] = ()  # what a person should look at
    adjusted: Optional[Adjusted] = None
    held: bool = False  # not released yet
    handed_in: Optional[HandedIn] = None

    @property
    def scored(self) -> bool:
        """False when the grader itself failed, nothing could be measured or nothing was handed in: such a result has
        no points of the grader's."""
        return (self.verdict not in (GRADER_FAULT, NOT_HANDED_IN)
                and (self.max_points > 0 or self.verdict != NOT_MEASURED))

    @property
    def excused(self) -> bool:
        return self.adjusted is not None and self.adjusted.excused

    @property
    def graded(self) -> bool:
        """False while a grade is to come: the grader gave none, and no person did."""
        return self.score is not None or self.excused

    def points_of(self, check: Check) -> float:
        """The points of a check, as a person gave them or else the grader."""
        return self.adjusted.checks.get(check.name, check.points) if self.adjusted else check.points

    @property
    def unexplained(self) -> bool:
        """Whether no check says why it did not pass: it does not compile, say, or its file is missing."""
        return self.verdict not in ("passed", NOT_MEASURED) and all(
            check.status not in ("failed", GRADER_FAULT) for check in self.checks)

    @property
    def group(self) -> str:
        """The group of the attempt that counts; "" without one."""
        return next((attempt.group for attempt in self.attempts if attempt.counts), "")

    @property
    def groups(self) -> FrozenSet[str]:
        """The groups of all attempts."""
        return frozenset(attempt.group for attempt in self.attempts) - {""}


@dataclass(frozen=True)
class Note:
    """A file or student that intake changed or left out, and why."""
    name: str
    reason: str


@dataclass(frozen=True)
class Class:
    lab: Lab
    created: datetime
    device: Device
    grader_version: str
    sandbox: str
    folder: str
    seconds: float
    submissions: List[Submission]
    visibility: str = ""  # when students see their results, as the course says; "" without a course
    due: Optional[datetime] = None
    notes: Tuple[Note, ...] = ()
    not_handed_in: Tuple[Student, ...] = ()  # of the roster; one of whom a person said something has a submission
    decisions: Tuple[Decision, ...] = ()
    release_at: Optional[datetime] = None  # results are held until then; None until a person releases them

    @property
    def everybody(self) -> List[Submission]:
        """The submissions, and an entry for each student of the roster without one."""
        most = max((submission.full_points for submission in self.submissions), default=0)
        taken = {*OWN_FILES, *(submission.page.casefold() for submission in self.submissions)}
        return [*self.submissions,
                *(absent_submission(student, most, safe_directory(student.id or student.name or student.email, taken))
                  for student in self.not_handed_in)]

    @functools.cached_property
    def by_group(self) -> Dict[str, List[Submission]]:
        """The members of each group for whom its submission counts."""
        groups: Dict[str, List[Submission]] = {}
        for submission in self.submissions:
            if submission.group:
                groups.setdefault(submission.group, []).append(submission)
        return groups

    def mates(self, submission: Submission) -> List[Submission]:
        """The other students for whom the same submission of a group counts."""
        return [mate for mate in self.by_group.get(submission.group, []) if mate.page != submission.page]

    def once_each(self) -> List[Submission]:
        """The submissions; one of a group once, for its first member."""
        return [submission for submission in self.submissions
                if not submission.group or self.by_group[submission.group][0] is submission]


def absent_submission(student: Student, max_points: int, page: str = "", score: Optional[float] = 0.0,
                      adjusted: Optional[Adjusted] = None) -> Submission:
    """What stands for a student of the roster without a submission where each student has an entry. One of whom a
    person said something has a page."""
    name = student.name or student.id or student.email
    return Submission(key=name if page else "", name=name, student=student, file="", directory=page, page=page,
                      device=None, node="", started=None, seconds=0.0, seed=None, verdict=NOT_HANDED_IN,
                      summary="Nothing was handed in.", points=0, max_points=max_points, score=score,
                      full_points=max_points, build_ok=True, build_messages="", checks=[], timings=[], ratios=[],
                      artifacts=Artifacts("", "", ""), output="", output_truncated=False, adjusted=adjusted,
                      held=student.held)


def load_class(data: bytes) -> Class:
    """Reads the bytes of a results.json. Raises Malformed."""
    return _read_class(parse(data))


def load_result(data: bytes, directory: str) -> Submission:
    """Reads the bytes of a result.json. Raises Malformed."""
    field = parse(data)
    field["schema"].choice((RESULT_SCHEMA,))
    field.value = {"score": None, "full_points": 0, **field.value}  # only results.json has them
    return _read_submission(field, directory)


def parse(data: bytes) -> Field:
    """The JSON value of a file, to be read field by field. Raises Malformed."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Malformed(f"the file is not UTF-8 text: byte {error.start} cannot be read") from None
    except RecursionError:
        raise Malformed("the file is not usable JSON: it is nested too deeply") from None
    except ValueError as error:
        raise Malformed(f"the file is not JSON: {error}") from None
    return Field(value)


class Field:
    """A value of the file together with its path, such as submissions[3].points, for messages."""

    __slots__ = ("value", "_above", "_step")

    def __init__(self, value: Any, above: Optional[Field] = None, step: str = "") -> None:
        self.value = value
        self._above = above
        self._step = step

    @property
    def path(self) -> str:
        """Made when a message needs it."""
        above = self._above.path if self._above else ""
        return f"{above}.{self._step}" if above and self._step[0] != "[" else above + self._step

    def refuse(self, wanted: str) -> Malformed:
        return Malformed(f"{self.path or 'the file'} must be {wanted}, but is {_describe(self.value)}")

    def get(self, name: str) -> Optional[Field]:
        """The member of that name, or None if it is absent or null."""
        if not isinstance(self.value, dict):
            raise self.refuse("an object")
        value = self.value.get(name)
        return None if value is None else Field(value, self, name)

    def __getitem__(self, name: str) -> Field:
        if not isinstance(self.value, dict):
            raise self.refuse("an object")
        if name not in self.value:
            raise Malformed(f"{Field(None, self, name).path} is missing")
        return Field(self.value[name], self, name)

    def items(self) -> Iterator[Field]:
        if not isinstance(self.value, list):
            raise self.refuse("a list")
        return (Field(value, self, f"[{i}]") for i, value in enumerate(self.value))

    def raw(self) -> str:
        if not isinstance(self.value, str):
            raise self.refuse("a text")
        return self.value

    def line(self) -> str:
        """A text for one line: a name, a title, a label."""
        return clean_line(self.raw(), LINE_LIMIT)

    def text(self, limit: int = TEXT_LIMIT) -> str:
        """A text that may have several lines."""
        return clean(self.raw(), limit)

    def integer(self, lowest: int = 0) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.refuse(f"a whole number of at least {lowest}")
        if not lowest <= self.value <= LARGEST_INTEGER:
            raise self.refuse(f"a whole number of at least {lowest} and at most {LARGEST_INTEGER}")
        return self.value

    def points(self) -> float:
        """A number of points: whole where it can be."""
        value = self.number()
        return int(value) if value == int(value) else value

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise self.refuse("a number")
        if not 0 <= self.value <= LARGEST_INTEGER:
            raise self.refuse(f"a number of at least 0 and at most {LARGEST_INTEGER}")
        return float(self.value)

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refuse("true or false")
        return self.value

    def choice(self, words: Sequence[str]) -> str:
        if not isinstance(self.value, str) or self.value not in words:
            raise self.refuse("one of " + ", ".join(f'"{word}"' for word in words))
        return self.value

    def moment(self) -> datetime:
        wanted = 'a time in UTC such as "2026-11-20T10:00:00Z"'
        found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z", self.raw(), re.ASCII)
        if not found:
            raise self.refuse(wanted)
        try:
            return datetime.strptime(found.group(1), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
        except ValueError:
            raise self.refuse(wanted) from None

    def relative_path(self) -> str:
        """A path below the folder of the results, or ""."""
        path = self.raw()
        if path.startswith("/") or "\\" in path or "\0" in path or ".." in path.split("/"):
            raise self.refuse("a path below the folder of the results")
        return path


def _read_class(field: Field) -> Class:
    field["schema"].choice((CLASS_SCHEMA,))
    grader = field["grader"]
    results = list(field["submissions"].items())
    directories = _directories(results)
    absent = list(_items(field.get("not_handed_in")))
    taken = {*OWN_FILES, *(directory.casefold() for directory in directories)}
    return _released_by_time(Class(
        lab=_read_lab(field["lab"]),
        created=field["created"].moment(),
        device=_read_device(field["device"]),
        grader_version=grader["version"].line(),
        sandbox=grader["sandbox"].line(),
        folder=field["folder"].line(),
        seconds=field["seconds"].number(),
        submissions=_told_apart([*(_read_submission(result, directory)
                                   for result, directory in zip(results, directories)),
                                 *(_read_absent(student, taken) for student in absent if student.get("adjusted"))]),
        visibility=_read_visibility(field.get("course")),
        due=_read_time(field.get("course"), "due"),
        notes=tuple(Note(note["name"].line(), note["reason"].line()) for note in _items(field.get("intake"))),
        not_handed_in=tuple(_read_student(student) for student in absent if not student.get("adjusted")),
        decisions=tuple(_read_decision(decision) for decision in _items(field.get("decisions"))),
        release_at=_read_time(field.get("course"), "release_at"),
    ))


def _released_by_time(results: Class) -> Class:
    """Nothing is held any more once the course's time of release has come, unless a person decided otherwise."""
    by_person = any(not decision.check for decision in results.decisions)
    if by_person or results.release_at is None or datetime.now(timezone.utc) < results.release_at:
        return results
    return replace(results, submissions=[replace(own, held=False) for own in results.submissions],
                   not_handed_in=tuple(replace(student, held=False) for student in results.not_handed_in))


def _read_decision(field: Field) -> Decision:
    check = field.get("check")
    return Decision(number=field["number"].integer(1), what=field["what"].line(), who=field["who"].line(),
                    why=field["why"].line(), made=field["made"].moment(), check=check.line() if check else "")


def _items(field: Optional[Field]) -> Iterator[Field]:
    return field.items() if field else iter(())


def _read_time(course: Optional[Field], name: str) -> Optional[datetime]:
    time = course.get(name) if course else None
    return time.moment() if time and time.value else None


def _read_visibility(course: Optional[Field]) -> str:
    visibility = course.get("visibility") if course else None
    return visibility.choice(VISIBILITIES) if visibility else ""


def _told_apart(submissions: List[Submission]) -> List[Submission]:
    """Gives a key of its own to a name that equals another one after cleaning."""
    keys: Set[str] = set()
    told: List[Submission] = []
    for submission in submissions:
        if submission.key in keys:
            submission = replace(submission, key=f"{submission.key}\0{submission.directory}")
        keys.add(submission.key)
        told.append(submission)
    return told


def _read_lab(field: Field) -> Lab:
    return Lab(name=field["name"].line(), title=field["title"].line())


def _read_device(field: Field) -> Device:
    return Device(kind=field["kind"].line(), name=field["name"].line(),
                  multiprocessors=field["multiprocessors"].integer())


def _read_submission(field: Field, directory: str) -> Submission:
    field["schema"].choice((RESULT_SCHEMA,))
    _read_lab(field["lab"])
    who, build, artifacts = field["submission"], field["build"], field["artifacts"]
    device, started, seed = field.get("device"), field.get("started"), field.get("seed")
    node = field.get("node")
    attempts, rule, review = field.get("attempts"), field.get("attempts_rule"), field.get("review")
    points, max_points = _read_points(field)
    score = field["score"]
    return Submission(
        key=who["name"].raw(),
        name=who["name"].line(),
        student=_read_student(who.get("student")),
        file=who["file"].line(),
        directory=directory,
        page=directory,
        device=_read_device(device) if device else None,
        node=node["name"].line() if node else "",
        started=started.moment() if started and started.value else None,
        seconds=field["seconds"].number(),
        seed=_read_seed(seed) if seed else None,
        verdict=field["verdict"].choice(VERDICTS),
        summary=field["summary"].text(),
        points=points,
        max_points=max_points,
        score=None if score.value is None else score.number(),
        full_points=field["full_points"].integer(),
        build_ok=build["ok"].flag(),
        build_messages=build["messages"].text(LONG_TEXT_LIMIT),
        checks=[_read_check(check) for check in field["checks"].items()],
        timings=[_read_timing(timing) for timing in field["timings"].items()],
        ratios=[_read_ratio(ratio) for ratio in field["ratios"].items()],
        artifacts=Artifacts(trace=artifacts["trace"].relative_path(),
                            timeline_svg=artifacts["timeline_svg"].relative_path(),
                            timeline_text=artifacts["timeline_text"].relative_path()),
        output=field["output"].text(LONG_TEXT_LIMIT),
        output_truncated=field["output_truncated"].flag(),
        late=_read_late(field.get("late")),
        attempts=tuple(_read_attempt(attempt) for attempt in attempts.items()) if attempts else (),
        attempts_rule=rule.line() if rule else "",
        review=tuple(sentence.line() for sentence in review.items()) if review else (),
        adjusted=_read_adjusted(field.get("adjusted")),
        held=_read_held(field),
        handed_in=_read_handed_in(field.get("handed_in")),
    )


def _read_handed_in(field: Optional[Field]) -> Optional[HandedIn]:
    if field is None:
        return None
    likely = field.get("likely")
    return HandedIn(field["note"].line(), field["starter"].flag(), field["solution"].flag(),
                    likely.line() if likely else "")


def _read_adjusted(field: Optional[Field]) -> Optional[Adjusted]:
    if field is None:
        return None
    checks, due = field["checks"], field.get("due")
    return Adjusted(
        excused=field["excused"].flag(), set_aside=field["set_aside"].flag(),
        resubmission=field["resubmission"].flag(), checks={name: checks[name].number() for name in checks.value},
        words=tuple(Adjustment(number=word["number"].integer(1), what=word["what"].line(), who=word["who"].line(),
                               why=word["why"].line(), made=word["made"].moment(), comment=word["comment"].text(),
                               points=word.get("points") is not None)
                    for word in field["list"].items()),
        due=due.moment() if due and due.value else None)


def _read_held(field: Field) -> bool:
    held = field.get("held")
    return bool(held and held.flag())


def _read_absent(field: Field, taken: Set[str]) -> Submission:
    """A student who handed nothing in, and of whom a person said something."""
    student, score = _read_student(field), field["score"]
    page = safe_directory(student.id or student.name or student.email, taken)
    return absent_submission(student, field["full_points"].integer(), page,
                             None if score.value is None else score.number(), _read_adjusted(field.get("adjusted")))


def _read_late(field: Optional[Field]) -> Optional[Late]:
    if field is None:
        return None
    over = field.get("over")
    return Late(days=field["days"].integer(), percent=field["percent"].number(), points=field["points"].number(),
                over=over.integer() if over else None)


def _read_attempt(field: Field) -> Attempt:
    points, max_points, group = field.get("points"), field.get("max_points"), field.get("group")
    directory = field.get("directory")
    return Attempt(number=field["number"].integer(1), submitted=field["submitted"].line(),
                   counts=field["counts"].flag(), verdict=field["verdict"].choice(("", *VERDICTS)),
                   points=points.points() if points else None,
                   max_points=max_points.integer() if max_points else None, late=_read_late(field.get("late")),
                   group=group.line() if group else "",
                   directory=directory.relative_path() if directory else "")


def _read_student(field: Optional[Field]) -> Student:
    def line(name: str) -> str:
        member = field.get(name) if field else None
        return member.line() if member else ""
    return Student(id=line("id"), name=line("name"), email=line("email"), section=line("section"),
                   held=bool(field) and _read_held(field), roster=_read_roster(field.get("roster") if field else None))


def _read_roster(field: Optional[Field]) -> Optional[OnRoster]:
    return field and OnRoster(field["found"].flag(), field["doubt"].line(), tuple(
        (student["id"].line(), student["name"].line()) for student in field["nearest"].items()))


def _read_check(field: Field) -> Check:
    points, max_points = _read_points(field)
    location, level, weighed = field.get("location"), field.get("level"), field.get("weighed")
    extra, root, mistake, edge = (field.get(name) for name in ("extra", "root", "mistake", "edge"))
    return Check(
        name=field["name"].line(),
        title=field["title"].line(),
        points=points,
        max_points=max_points,
        status=field["status"].choice(STATUSES),
        kind=field["kind"].choice(KINDS),
        message=field["message"].text(),
        expected=field["expected"].text(),
        found=field["found"].text(),
        mismatches=[Mismatch(where=mismatch["where"].line(), expected=mismatch["expected"].line(),
                             found=mismatch["found"].line()) for mismatch in field["mismatches"].items()],
        mismatch_count=field["mismatch_count"].integer(),
        cause=field["cause"].text(),
        location=_read_location(location) if location else None,
        hint=field["hint"].text(),
        seconds=field["seconds"].number(),
        level=level.line() if level else "",
        extra=bool(extra and extra.flag()),
        weighed=_read_points(weighed) if weighed else None,
        root=root.line() if root else "",
        mistake=mistake.line() if mistake else "",
        edge=(edge["first"]["what"].line(), edge["second"]["what"].line()) if edge else None,
    )


def _read_location(field: Field) -> Location:
    called_at, after, change = field.get("called_at"), field.get("after"), field.get("change")
    return Location(file=field["file"].line(), line=field["line"].integer(), function=field["function"].line(),
                    called_at=called_at.integer() if called_at else 0,
                    after=tuple(step.integer() for step in after.items()) if after else (),
                    change=change.integer() if change else 0)


def _read_points(field: Field) -> tuple[float, int]:
    points, max_points = field["points"].points(), field["max_points"].integer()
    if points > max_points:
        raise field["points"].refuse(f"at most max_points, which is {max_points}")
    return points, max_points


def _read_seed(field: Field) -> str:
    """A seed is only shown: both 7 and "0x7" are valid."""
    if isinstance(field.value, int) and not isinstance(field.value, bool):
        return str(field.value)
    return field.line()


def _read_timing(field: Field) -> Timing:
    times, stable, bound = field.get("samples_ms"), field.get("stable"), field.get("bound_ms")
    impossible = field.get("impossible")
    return Timing(label=field["label"].line(), who=field["who"].choice(("yours", "reference")),
                  median_ms=field["median_ms"].number(), min_ms=field["min_ms"].number(),
                  max_ms=field["max_ms"].number(), samples=field["samples"].integer(),
                  samples_ms=tuple(time.number() for time in times.items()) if times else (),
                  stable=stable.flag() if stable else None, impossible=bool(impossible and impossible.flag()),
                  bound_ms=bound.number() if bound else None)


def _read_ratio(field: Field) -> Ratio:
    yours, reference = field.get("yours"), field.get("reference")
    return Ratio(label=field["label"].line(), yours=yours.number() if yours else None,
                 reference=reference.number() if reference else None)


def _directories(results: Sequence[Field]) -> List[str]:
    """The folder of each submission among the results: submission.directory, or else a name made from the submission's.
    All are different, even without regard to case."""
    taken: Set[str] = set(OWN_FILES)
    named: List[Optional[str]] = []
    for result in results:
        field = result["submission"].get("directory")
        if field is not None:
            directory = field.raw()
            if not re.fullmatch(r"[^/\\\x00-\x1f]{1,255}", directory) or directory in (".", ".."):
                raise field.refuse("the name of one folder")
            if directory.casefold() in taken:
                raise Malformed(f"{field.path} is {_describe(directory)}, which another submission has already")
            taken.add(directory.casefold())
        named.append(None if field is None else field.raw())
    return [directory or safe_directory(result["submission"]["name"].raw(), taken)
            for result, directory in zip(results, named)]


def safe_directory(name: str, taken: Set[str]) -> str:
    """The folder's name by the rule of the grader's text_safe_name, with a number if another submission has it."""
    longest = 80
    data = name.encode("utf-8", "surrogatepass")
    kept = re.sub(rb"^[.-]|[^A-Za-z0-9_.-]", b"_", data[:longest])
    wanted = kept.decode("ascii")
    if not data or len(data) > longest or kept != data or name.casefold() in OWN_FILES:
        wanted += f"-{_checksum(data) >> 32:08x}"
    directory, number = wanted, 2
    while directory.casefold() in taken:
        directory, number = f"{wanted}-{number}", number + 1
    taken.add(directory.casefold())
    return directory


def _checksum(data: bytes) -> int:
    """FNV-1a, 64 bits."""
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value


def _describe(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'the text "{clean_line(value, 60)}"'
    if isinstance(value, float) and not math.isfinite(value):
        return "too large a number"
    text = str(value)
    return f"the number {text if len(text) <= 30 else text[:30] + '...'}"


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number in JSON")
