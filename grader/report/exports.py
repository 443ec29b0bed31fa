"""Results in the forms that other programs read: JSON, CSV, JUnit XML, TAP and Gradescope's results.json.

Each function takes values of course.py and results.py and returns the whole text of a file. Text that a student wrote
cannot leave its place in any of them. Knows the formats. Independent of where files go and of gradebooks.
"""
from __future__ import annotations

import csv
import io
import json
import re
from datetime import datetime
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union
from xml.sax.saxutils import quoteattr

from course import Course, CourseLab
from results import GRADER_FAULT, NOT_MEASURED, Adjustment, Check, Decision, Student, Submission
from roots import reason, told_by
from wording import grade, number, score_words

GRADES_SCHEMA = "lab-grades/1"
GRADESCOPE_TEXT = 60_000  # characters of one text; a whole result must stay far below 1 MiB

STARTER = "This is the starter: the file is as the lab gives it."

# Kinds that are errors in JUnit's sense, because no assertion tests for them; a wrong result is a failure.
_UNFORESEEN = ("crash", "timeout", "memory", "output flood", "record flood")
_GRADESCOPE_VISIBILITY = {"": "visible", "hidden": "hidden", "after_due": "after_due_date", "visible": "visible"}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# --- JSON ---

def grades_json(course: Course) -> str:
    students = [{
        "name": student.name,
        **_identity(student.person),
        "total_percent": None if student.total is None else round(student.total, 4),
        "labs": {lab.name: _grade(student.submissions[lab.folder]) for lab in course.labs
                 if lab.folder in student.submissions},
    } for student in course.students]
    labs = [{"name": lab.name, "title": lab.results.lab.title, "max_points": lab.max_points, "weight": lab.weight,
             "created": _moment(lab.results.created), "decisions": [_word(word) for word in lab.results.decisions]}
            for lab in course.labs]
    return json.dumps({"schema": GRADES_SCHEMA, "title": course.title, "labs": labs, "students": students},
                      indent=1, ensure_ascii=False) + "\n"


def _identity(student: Student) -> Dict[str, str]:
    return {"id": student.id, "full_name": student.name, "email": student.email, "section": student.section}


def _grade(submission: Submission) -> Dict[str, Any]:
    late = submission.late
    return {"verdict": submission.verdict, "score": submission.score, "full_points": submission.full_points,
            "points": submission.points if submission.scored else None, "max_points": submission.max_points,
            "late": {"days": late.days, "percent": late.percent} if late else None, "adjusted": _adjusted(submission),
            "held": submission.held,
            "attempts": [{"number": attempt.number, "submitted": attempt.submitted, "counts": attempt.counts,
                          "verdict": attempt.verdict, "points": attempt.points, "group": attempt.group}
                         for attempt in submission.attempts],
            "review": list(submission.review), "summary": submission.summary,
            "checks": [{"name": check.name, "title": check.title, "status": check.status, "kind": check.kind,
                        "points": _check_points(submission, check),
                        "max_points": check.max_points, "message": check.message, "level": check.level,
                        "root": check.root, "mistake": check.mistake,
                        "weighed": dict(zip(("points", "max_points"), check.weighed)) if check.weighed else None}
                       for check in submission.checks]}


def _adjusted(submission: Submission) -> Optional[Dict[str, Any]]:
    adjusted = submission.adjusted
    return adjusted and {"excused": adjusted.excused, "set_aside": adjusted.set_aside,
                         "resubmission": adjusted.resubmission, "due": adjusted.due and _moment(adjusted.due),
                         "list": [{**_word(word), "comment": word.comment} for word in adjusted.words]}


def _word(word: Union[Adjustment, Decision]) -> Dict[str, Any]:
    return {"number": word.number, "what": word.what, "who": word.who, "why": word.why, "made": _moment(word.made)}


def _moment(value: datetime) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%SZ")


def _check_points(submission: Submission, check: Check) -> Optional[float]:
    """None for a check that was not measured and that no person gave points for."""
    given = submission.adjusted is not None and check.name in submission.adjusted.checks
    return None if check.status == NOT_MEASURED and not given else submission.points_of(check)


# --- CSV ---

def grades_csv(course: Course) -> str:
    """A row for each student, those of the roster without a submission too: the points that count in each lab, and the
    total in percent. A cell is empty where nothing was handed in or graded."""
    rows = [["student", "id", "full_name", "email", "section",
             *(f"{lab.name} (of {lab.max_points})" for lab in course.labs), "total_percent"]]
    for student in course.students:
        points = [_points(student.submissions.get(lab.folder)) for lab in course.labs]
        total = "" if student.total is None else f"{student.total:.2f}"
        rows.append([student.name, *_identity(student.person).values(), *points, total])
    return table(rows)


def checks_csv(course: Course) -> str:
    """A row for each check of each submission. Without checks, a submission has one row without a check's name."""
    rows = [["student", "lab", "verdict", "check", "title", "status", "kind", "points", "max_points", "seconds",
             "days_late", "message", "full_name"]]
    for lab, submission in _submissions(course):
        for check in submission.checks:
            points = _check_points(submission, check)
            rows.append([submission.name, lab.name, submission.verdict, check.name, check.title, check.status,
                         check.kind, "" if points is None else number(points), str(check.max_points),
                         f"{check.seconds:.3f}", _days_late(submission),
                         _reason(submission, check), submission.student.name])
        if not submission.checks:
            rows.append([submission.name, lab.name, submission.verdict, "", "", "", "", _points(submission),
                         str(submission.max_points), f"{submission.seconds:.3f}", _days_late(submission),
                         submission.summary, submission.student.name])
    return table(rows)


def _reason(submission: Submission, check: Check) -> str:
    """Why the check did not pass; the submission's reason if the check has none of its own."""
    words = reason(submission, check)
    if words or check.status == "passed":
        return words
    return submission.summary if check.status == "not run" else check.kind


def neutral(cell: str) -> str:
    """The cell in a form that no spreadsheet takes for a formula."""
    return "'" + cell if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def table(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV, in which no cell is a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([neutral(cell) for cell in row] for row in rows)
    return text.getvalue()


def _points(submission: Optional[Submission]) -> str:
    return "" if submission is None else grade(submission)


def _days_late(submission: Submission) -> str:
    return str(submission.late.days) if submission.late else ""


def _submissions(course: Course) -> Iterable[Tuple[CourseLab, Submission]]:
    """The submissions, and an entry for each student of the roster without one."""
    return ((lab, submission) for lab in course.labs for submission in lab.results.everybody)


# --- JUnit XML ---

def junit_xml(course: Course) -> str:
    suites = [_suite(lab, submission) for lab, submission in _submissions(course)]
    totals = [sum(suite[1][i] for suite in suites) for i in range(4)]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>',
                      f"<testsuites{_counts(totals)}>", *(suite[0] for suite in suites), "</testsuites>", ""])


def _suite(lab: CourseLab, submission: Submission) -> Tuple[str, List[int]]:
    """The suite of a submission, and its numbers of tests, failures, errors and skipped tests."""
    cases = [_case(lab, submission, check) for check in submission.checks]
    if not cases or submission.unexplained:
        cases.insert(0, _whole_case(lab, submission))
    counts = [len(cases), *(sum(f"<{tag} " in case for case in cases) for tag in ("failure", "error", "skipped"))]
    time = submission.started.strftime(' timestamp="%Y-%m-%dT%H:%M:%S"') if submission.started else ""
    printed = f"<system-out>{_text(submission.output)}</system-out>\n" if submission.output else ""
    return (f'<testsuite name={_attribute(f"{lab.name}: {submission.name}")}{_counts(counts)}'
            f' time="{submission.seconds:.3f}"{time}>\n{_properties(submission)}' + "\n".join(cases)
            + f"\n{printed}</testsuite>", counts)


def _properties(submission: Submission) -> str:
    properties = {"verdict": submission.verdict, "points": number(submission.points) if submission.scored else "",
                  "score": _points(submission), "full_points": str(submission.full_points),
                  "days_late": _days_late(submission), "full_name": submission.student.name}
    return "<properties>" + "".join(f"<property name={_attribute(name)} value={_attribute(value)}/>"
                                    for name, value in properties.items()) + "</properties>\n"


def _left_open(submission: Submission, check: Check) -> bool:
    """Whether the check is of a task for those who want more, in a submission that has passed without it."""
    return check.extra and submission.verdict == "passed"


def _case(lab: CourseLab, submission: Submission, check: Check) -> str:
    message = _reason(submission, check) or check.status
    details = "\n".join(f"{word}: {text}" for word, text in (
        ("expected", check.expected), ("found", check.found), ("likely cause", check.cause)) if text)
    if check.status == "passed":
        inside = ""
    elif check.status in ("not run", NOT_MEASURED) or _set_aside(submission) or _left_open(submission, check):
        inside = f"<skipped message={_attribute(message)}/>"
    else:
        tag = "error" if check.status == GRADER_FAULT or check.kind in _UNFORESEEN else "failure"
        kind = check.kind or check.status
        inside = f"<{tag} type={_attribute(kind)} message={_attribute(message)}>{_text(details)}</{tag}>"
    return _testcase(lab, submission, check.title or check.name, check.seconds, inside)


def _whole_case(lab: CourseLab, submission: Submission) -> str:
    """A submission of which no check says why it did not pass has a case that does."""
    if _set_aside(submission):
        return _testcase(lab, submission, "submission", submission.seconds,
                         f"<skipped message={_attribute(submission.summary)}/>")
    inside = "" if submission.verdict == "passed" else (
        f"<error type={_attribute(submission.verdict)} message={_attribute(submission.summary)}>"
        f"{_text(submission.build_messages)}</error>")
    return _testcase(lab, submission, "submission", submission.seconds, inside)


def _testcase(lab: CourseLab, submission: Submission, name: str, seconds: float, inside: str) -> str:
    return (f'<testcase classname={_attribute(f"{lab.name}.{submission.name}")} name={_attribute(name)}'
            f' time="{seconds:.3f}">{inside}</testcase>')


def _counts(counts: Sequence[int]) -> str:
    return "".join(f' {word}="{count}"' for word, count in zip(("tests", "failures", "errors", "skipped"), counts))


def _set_aside(submission: Submission) -> bool:
    """Whether a person decided that the verdict, and with it each failure, does not stand."""
    return submission.excused or (submission.adjusted is not None and submission.adjusted.set_aside)


def _attribute(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# --- TAP ---

def tap(course: Course) -> str:
    """TAP 13, a test for each check. A test on which the grader failed is skipped: the student is not the cause."""
    lines: List[str] = []
    count = 0
    for lab, submission in _submissions(course):
        tests: List[Optional[Check]] = list(submission.checks)
        if not tests or submission.unexplained:
            tests.insert(0, None)
        if score_words(submission):
            lines.append(f"# {_tap_words(f'{lab.name}: {submission.name}: {score_words(submission)}')}")
        for check in tests:
            count += 1
            status = check.status if check else submission.verdict
            message = _reason(submission, check) if check else submission.summary
            title = (check.title or check.name) if check else "submission"
            name = _tap_words(f"{lab.name}: {submission.name}: {title}")
            if status == GRADER_FAULT:
                lines.append(f"ok {count} - {name} # SKIP not graded: the grader failed")
            elif status == NOT_MEASURED:
                lines.append(f"ok {count} - {name} # SKIP not measured: {_tap_words(message)}")
            elif status == "passed":
                lines.append(f"ok {count} - {name}")
            elif check and _left_open(submission, check):
                lines.append(f"ok {count} - {name} # SKIP for those who want more: {_tap_words(message)}")
            elif _set_aside(submission):
                lines.append(f"ok {count} - {name} # SKIP set aside by a person: {_tap_words(message)}")
            else:
                lines += [f"not ok {count} - {name}", "  ---", f"  status: {json.dumps(status)}",
                          f"  kind: {json.dumps(check.kind if check else '')}",
                          f"  message: {json.dumps(message)}", "  ..."]
    return "\n".join(["TAP version 13", f"1..{count}" + ("" if count else " # SKIP no submissions"), *lines, ""])


def _tap_words(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("#", "\\#")


# --- Gradescope ---

def gradescope_json(lab: CourseLab, submission: Submission, leaderboard: bool = False) -> str:
    """Gradescope's results.json of a submission that has a score: not of one on which the grader failed."""
    assert submission.score is not None
    visibility = _GRADESCOPE_VISIBILITY[lab.results.visibility]
    late, handed_in = submission.late, submission.handed_in
    result: Dict[str, Any] = {
        "score": submission.score if submission.score % 1 else int(submission.score),
        "execution_time": round(submission.seconds, 3),
        "output": _cut(_paragraphs(submission.summary, score_words(submission), handed_in.note if handed_in else "",
                                   STARTER if handed_in and handed_in.starter else "", submission.build_messages)),
        "output_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": [{**_gradescope_test(submission, check), "number": str(position), "visibility": visibility}
                  for position, check in enumerate(submission.checks, 1)],
        "extra_data": {"schema": GRADES_SCHEMA, "lab": lab.name, "verdict": submission.verdict,
                       "points": submission.points, "max_points": submission.full_points,
                       "days_late": late.days if late else None, "review": list(submission.review)},
    }
    if leaderboard:
        result["leaderboard"] = [{"name": f"{timing.label} (ms)", "value": round(timing.median_ms, 3), "order": "asc"}
                                 for timing in submission.timings if timing.who == "yours"]
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"


def _gradescope_test(submission: Submission, check: Check) -> Dict[str, Any]:
    """Gradescope has no word for a test that was not measured, which has neither score nor status, nor for a task for
    those who want more: where that is left open, it has a score alone."""
    test: Dict[str, Any] = {"name": check.title or check.name, "output": _cut(_evidence(submission, check)),
                            "output_format": "text"}
    points = _check_points(submission, check)
    if points is not None:
        test.update(score=points, max_score=check.max_points)
    if points is not None and not _left_open(submission, check):
        test["status"] = "passed" if check.status == "passed" else "failed"
    return test


def _evidence(submission: Submission, check: Check) -> str:
    if check.status == NOT_MEASURED:
        return f"Not measured: {check.message}"
    if check.status == "not run":
        return check.message or "Not run."
    differing = [f"{mismatch.where}: expected {mismatch.expected}, found {mismatch.found}"
                 for mismatch in check.mismatches]
    if check.mismatch_count > len(differing):
        differing.append(f"{check.mismatch_count} in all")
    if told_by(submission, check) is not None:
        return _paragraphs(reason(submission, check), check.message)
    where = f"{check.location.file}:{check.location.shown}" if check.location else ""
    return _paragraphs(reason(submission, check), check.expected and f"Expected: {check.expected}",
                       check.found and f"Found: {check.found}",
                       "\n".join(differing), check.cause and f"Likely cause: {check.cause}", where,
                       check.hint if check.status == "failed" and check.hint else "")


def _paragraphs(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _cut(text: str) -> str:
    return text if len(text) <= GRADESCOPE_TEXT else text[:GRADESCOPE_TEXT] + "\n(cut)"
