"""Numbers, times and verdicts as a person reads them.

Knows the words of the pages. Independent of their markup. Every function takes a value of results.py and returns plain
text.
"""
from __future__ import annotations

import functools
import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Dict, NamedTuple, Optional, Sequence, Union
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from results import (GRADER_FAULT, NOT_HANDED_IN, Adjustment, Check, Class, Decision, Device, Location, Student,
                     Submission)


class Tone(NamedTuple):
    """The look of a verdict or status: the names of its colours and its symbol, and what it means."""
    colours: str
    symbol: str
    meaning: str


VERDICT_TONES: Dict[str, Tone] = {
    "passed": Tone("good", "check", "Everything that the lab requires passed."),
    "failed": Tone("bad", "cross", "The program ran to its end; at least one check did not pass."),
    "wrong result": Tone("bad", "cross", "The program ran to its end; what it computed is wrong."),
    "race suspected": Tone("bad", "cross", "Nothing orders two accesses to the same memory."),
    "leak": Tone("bad", "cross", "The program did not free something that it created."),
    "build error": Tone("broken", "code", "The file does not compile or link, so nothing could be checked."),
    "missing file": Tone("broken", "file", "The folder does not hold the file that the lab asks for."),
    "crash": Tone("broken", "bolt", "The program crashed in the middle of a check."),
    "timeout": Tone("broken", "clock", "The program did not finish in the time allowed."),
    "memory": Tone("broken", "flood", "The program used more memory than is allowed and was stopped."),
    "output flood": Tone("broken", "flood", "The program printed more than is allowed and was stopped."),
    "record flood": Tone("broken", "flood", "The program called the library more often than a record may hold."),
    "not measured": Tone("quiet", "dash", "Something could not be measured here; that costs no points."),
    "grader fault": Tone("fault", "warning", "The grader itself failed. That costs the student no points."),
    NOT_HANDED_IN: Tone("quiet", "dash", "Nothing was handed in."),
}

STATUS_TONES: Dict[str, Tone] = {
    "passed": Tone("good", "check", ""),
    "failed": Tone("bad", "cross", ""),
    "not run": Tone("quiet", "dash", ""),
    "not measured": Tone("quiet", "dash", ""),
    "grader fault": Tone("fault", "warning", ""),
}

KIND_WORDS: Dict[str, str] = {
    "wrong result": "Wrong result", "race suspected": "Race suspected", "leak": "Leak", "crash": "Crash",
    "timeout": "Timeout", "memory": "Too much memory", "output flood": "Output flood",
    "record flood": "Record flood",
    "impossible time": "Impossible time", "rule": "Rule broken",
}


def moment(value: datetime, time_zone: str = "") -> str:
    """The time in a course's zone, with the zone's name."""
    zone = _zone(time_zone)
    value = value.astimezone(zone or timezone.utc)
    return f"{value.day} {value:%B} {value.year}, {value:%H:%M} {time_zone if zone else 'UTC'}"


def submitted(text: str, time_zone: str) -> str:
    """A time as a learning system has it, in the course's zone; as it is, without a course or in another form."""
    found = submitted_at(text, time_zone) if time_zone else None
    return moment(found, time_zone) if found else text


def submitted_at(text: str, time_zone: str) -> Optional[datetime]:
    """A time as a learning system has it, in the course's zone; None in another form. A time without an offset is in
    the course's zone."""
    found = re.fullmatch(r"(\d{4})-(\d\d?)-(\d\d?)[ T](\d\d?):(\d\d)(?::(\d\d))?(?:\.\d+)? *"
                         r"(Z|UTC|[+-]\d\d:?\d\d)?", text, re.ASCII)
    if not found:
        return None
    own: tzinfo = _zone(time_zone) or timezone.utc
    zone, offset = own, found[7]
    if offset:
        minutes = 0 if offset[0] in "ZU" else int(offset[1:3]) * 60 + int(offset[-2:])
        zone = timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))
    try:
        return datetime(*(int(part or 0) for part in found.groups()[:6]), tzinfo=zone).astimezone(own)
    except (ValueError, OverflowError):
        return None


@functools.lru_cache(maxsize=None)
def _zone(name: str) -> Optional[ZoneInfo]:
    """None for no name, and for a zone that this machine does not know."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def day(value: date) -> str:
    return f"{value.day} {value:%B}"


def device(value: Optional[Device]) -> str:
    if value is None or not value.name:
        return "none: nothing ran"
    kinds = {"cpu": "CPU", "cuda": "CUDA"}
    units = "1 multiprocessor" if value.multiprocessors == 1 else f"{count(value.multiprocessors)} multiprocessors"
    return f"{value.name} ({kinds.get(value.kind, value.kind)} device, {units})"


def count(value: int) -> str:
    """1234567 as 1 234 567, with spaces that neither break nor read as a decimal point anywhere."""
    return f"{value:,}".replace(",", "\u202f")


def listed(names: Sequence[str]) -> str:
    """Names in a row: with semicolons between them where one has a comma, as "Lovelace, Ada" does."""
    return ("; " if any("," in name for name in names) else ", ").join(names)


def counted(value: int, one: str, many: str) -> str:
    return f"{count(value)} {one if value == 1 else many}"


def measure(value: float) -> str:
    """About three significant digits, without an exponent: 0.012, 1.84, 70.1, 1 234."""
    if 0 < value < 0.0005:
        return "< 0.001"
    digits = 0 if value >= 100 or value == 0 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}".replace(",", "\u202f")


def ratio(value: Optional[float]) -> str:
    return "not measured" if value is None else measure(value)


def number(value: float) -> str:
    """63 or 44.1: as short as it is exact to four places."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def tenths(value: float) -> str:
    """A median or mean of points: 82.5, or 80."""
    return number(round(value, 1))


def score_words(submission: Submission) -> str:
    """How the points that count differ from the points of the checks, in a line; "" where they do not."""
    parts = []
    late = submission.late
    if late and late.days:
        parts.append(f"{late.days} {'day' if late.days == 1 else 'days'} late, {number(late.percent)} percent off")
    if submission.max_points != submission.full_points and submission.scored:
        parts.append(f"{number(submission.points)} of the {submission.max_points} points that were measured")
    words = adjusted_words(submission)
    if submission.excused:
        return words
    if words:
        parts.append(words)
    if not parts or submission.score is None:
        return ""
    return f"{'; '.join(parts)}: {number(submission.score)} of {submission.full_points} points count"


def adjusted_words(submission: Submission) -> str:
    """What persons adjusted, in a line; "" for nothing."""
    if submission.adjusted is None:
        return ""
    return "; ".join(said(word) for word in submission.adjusted.words)


def said(word: Union[Adjustment, Decision]) -> str:
    """What a person decided, with who and why; an anonymous page says neither."""
    return word.what + (f" by {word.who}" if word.who else "") + (f": {word.why}" if word.why else "")


def place(where: Location) -> str:
    """A location in a line: the line to change first."""
    words = f"{where.file}:{where.shown}" + (f" in {where.function}" if where.function else "")
    if where.change:
        words += f", a call that leads to line {where.line}"
    elif where.called_at:
        words += f", called at line {where.called_at}"
    return words + (f", when it runs after line {' and line '.join(map(str, where.after))}" if where.after else "")


def held_words(results: Class) -> str:
    """Whose results are held back: "everybody", "section A and 2 students" without a section; "" for no one. Then
    until when, where the course says it."""
    held = _held_words(results)
    by_person = any(not decision.check for decision in results.decisions)
    return f"{held} until {moment(results.release_at)}" if held and results.release_at and not by_person else held


def _held_words(results: Class) -> str:
    everybody = [(submission.held, submission.student.section) for submission in results.submissions]
    everybody += [(student.held, student.section) for student in results.not_handed_in]
    held = [section for is_held, section in everybody if is_held]
    if held and len(held) == len(everybody):
        return "everybody"
    rest = [counted(held.count(""), "student", "students")] if "" in held else []
    return " and ".join([*(f"section {section}" for section in sorted(set(held) - {""})), *rest])


def grade(submission: Submission) -> str:
    """The grade: the points that count, or "excused"; "" without a grade."""
    return "excused" if submission.excused else "" if submission.score is None else number(submission.score)


def percent(share: float) -> str:
    return f"{100 * share:.0f}\u202f%"


def duration(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.0f}\u202fms"
    if seconds < 60:
        return f"{seconds:.1f}\u202fs"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}\u202fh {minutes}\u202fmin" if hours else f"{minutes}\u202fmin {rest}\u202fs"


def name(value: str) -> str:
    return value.strip() or "(no name)"


def shortened(text: str, limit: int) -> str:
    """The text on one line, cut between words where that is possible."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[:limit].rsplit(" ", 1)[0]
    return (cut if len(cut) > limit // 2 else line[:limit]) + "\u2026"


def seed(submission: Submission) -> str:
    return "secret" if submission.seed is None else submission.seed


def trouble(submission: Submission) -> str:
    """The line of the class page about a submission that did not pass."""
    check = first_not_passed(submission)
    if submission.verdict == "passed":
        return ""
    if check is None:
        return shortened(submission.summary or VERDICT_TONES[submission.verdict].meaning, 200)
    return shortened(check.message or KIND_WORDS.get(check.kind, check.status), 200)


ADVICE: Dict[str, str] = {
    "build error": "Read the first message of the compiler, fix that line, and compile again: later messages often "
                   "follow from the first.",
    "missing file": "Hand the file in again under exactly the name that the lab gives it.",
    "crash": "Run the lab's check on your own machine. If a line is named below, the program ended there. Look for "
             "pointers and sizes that belong to something else.",
    "timeout": "Look for a loop that does not end, or a wait for something that never happens.",
    "memory": "Look for something that every call creates and nothing frees.",
    "output flood": "Remove the printing, or print only a few lines.",
    "record flood": "Look for a loop that calls the library once for each element, or without end.",
    "race suspected": "Of the two operations that the check names, find out what makes the second wait for the first.",
    "leak": "Compare what is created with what is freed, also on the path after an error.",
    "wrong result": "Take the first place that differs, and work out by hand what the value there should be.",
    "rule": "Read the message of the first check that did not pass, then the lab's task that it belongs to; the hint "
            "under the check continues from there.",
}


def advice(submission: Submission) -> str:
    """What the student can try next; "" where there is nothing to fix."""
    check = first_not_passed(submission)
    if submission.verdict in ("passed", GRADER_FAULT, "not measured", NOT_HANDED_IN):
        return ""
    kind = check.kind if check and check.kind in ADVICE else submission.verdict
    return ADVICE.get(kind, ADVICE["rule"])


def known_as(submission: Submission) -> str:
    """What identifies the student besides the submission's name: name, number and section as the roster has them."""
    return words_beside(submission.name, submission.student)


def words_beside(own: str, person: Student) -> str:
    parts = (person.name, person.id, person.section)
    return ", ".join(part for part in parts if part and part != own)


def called(submission: Submission) -> str:
    """The submission's name, with the student's name in the roster."""
    own, full = name(submission.name), submission.student.name
    return f"{own} ({full})" if full and full.casefold() != own.casefold() else own


def build_heading(submission: Submission) -> str:
    return "Compiler\u2019s warnings" if submission.build_ok else "Compiler\u2019s messages"


def first_not_passed(submission: Submission) -> Optional[Check]:
    """The first check that failed; if none failed, the first that has no result. None where no check says why the
    submission did not pass."""
    if submission.unexplained:
        return None
    for statuses in (("failed", "grader fault"), ("not run", "not measured")):
        for check in submission.checks:
            if check.status in statuses:
                return check
    return None
