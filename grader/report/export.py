#!/usr/bin/env python3
"""Writes grades for other programs: reads what labgrade wrote in OUT, writes files to a folder.

    export.py OUT [--to FOLDER] [--format NAME]... [--canvas FILE] [--moodle FILE] [--lab NAME] [--column TITLE]
              [--only-empty]

Without --format, --canvas and --moodle all formats are written. A gradebook is never changed in place: the filled one
is written as FOLDER/canvas.csv or FOLDER/moodle.csv. Exit status: 0 when all files were written; 1 when a file could
not be written; 2 when the results or a gradebook cannot be used, with a sentence that says why.
"""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence

if not sys.flags.dont_write_bytecode:
    # Nothing is written beside the sources.
    sys.dont_write_bytecode = True

import exports
from course import Course, CourseLab, Unusable, load_course, shown
from files import write_whole
from gradebook import Filled, Grade, Unfit, fill_canvas, fill_moodle
from results import NOT_MEASURED, Submission
from wording import counted, score_words

FORMATS = ("json", "csv", "junit", "tap", "gradescope")
NAMES_TOLD = 20
COMMENT_LIMIT = 4000  # characters of a feedback comment


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="export.py", description="Writes grades for other programs.")
    parser.add_argument("out", metavar="OUT", type=Path, help="what labgrade wrote")
    parser.add_argument("--to", metavar="FOLDER", type=Path, help="the folder for the files (OUT/+exports)")
    parser.add_argument("--format", action="append", choices=FORMATS, default=[],
                        help="one of the formats; may be repeated")
    parser.add_argument("--canvas", metavar="FILE", type=Path, help="a gradebook exported from Canvas, to be filled in")
    parser.add_argument("--moodle", metavar="FILE", type=Path, help="a grading worksheet from Moodle, to be filled in")
    parser.add_argument("--lab", metavar="NAME", help="the lab whose points go into the gradebook, of several")
    parser.add_argument("--column", metavar="TITLE", default="",
                        help="the gradebook's column, if the lab's title does not determine it")
    parser.add_argument("--only-empty", action="store_true", help="fill in empty cells of the gradebook only")
    parser.add_argument("--leaderboard", action="store_true", help="Gradescope: put times on the leaderboard")
    options = parser.parse_args(arguments)

    to = options.to or options.out / "+exports"
    formats = options.format or ([] if options.canvas or options.moodle else FORMATS)
    try:
        course = load_course(options.out)
        files = {path: text for name in formats
                 for path, text in write_format(course, name, options.leaderboard).items()}
        books = fill_books(course, options)
    except Unusable as error:
        return complain(str(error), 2)
    path = to
    try:
        for name, content in {**files, **{name: filled.content for name, filled in books.items()}}.items():
            path = to / name
            write_whole(path, content)
            if "/" not in name:
                print(shown(path))
    except OSError as error:
        return complain(f"cannot write {shown(path)}: {error.strerror}", 1)
    for name, filled in books.items():
        tell(name, filled)
    if "gradescope" in formats:
        print(f"{shown(to / 'gradescope')}: {counted(sum('/' in name for name in files), 'result', 'results')}")
        for lab in course.labs:
            for submission in lab.results.submissions:
                if submission.score is None:
                    unmeasured = submission.verdict == NOT_MEASURED
                    why = ("the student is excused" if submission.excused else
                           "nothing in it could be measured" if unmeasured else "the grader failed on it")
                    print(f"  none for {submission.name} in {lab.name}: {why}, so it has no score")
    return 0


def write_format(course: Course, name: str, leaderboard: bool) -> Dict[str, str]:
    """The files of a format: their paths and texts."""
    if name == "gradescope":
        return {os.path.join("gradescope", lab.folder, submission.directory + ".json"):
                exports.gradescope_json(lab, submission, leaderboard)
                for lab in course.labs for submission in lab.results.submissions if submission.score is not None}
    writers: Dict[str, Sequence[tuple[str, Callable[[Course], str]]]] = {
        "json": [("grades.json", exports.grades_json)],
        "csv": [("grades.csv", exports.grades_csv), ("checks.csv", exports.checks_csv)],
        "junit": [("junit.xml", exports.junit_xml)],
        "tap": [("grades.tap", exports.tap)],
    }
    return {path: writer(course) for path, writer in writers[name]}


def fill_books(course: Course, options: argparse.Namespace) -> Dict[str, Filled]:
    """The gradebooks that were asked for, filled in. Raises Unusable."""
    books: Dict[str, Filled] = {}
    for name, path in (("canvas.csv", options.canvas), ("moodle.csv", options.moodle)):
        if not path:
            continue
        lab = chosen_lab(course, options.lab)
        grades = [grade_of(lab, submission) for submission in lab.results.submissions]
        try:
            data = path.read_bytes()
            books[name] = (fill_moodle(data, grades, options.only_empty) if path is options.moodle else
                           fill_canvas(data, lab.name, lab.results.lab.title, grades, options.column,
                                       options.only_empty))
        except OSError as error:
            raise Unusable(f"cannot read {shown(path)}: {error.strerror}") from None
        except Unfit as error:
            raise Unusable(f"cannot fill in {shown(path)}: {error}") from None
    return books


def chosen_lab(course: Course, name: Optional[str]) -> CourseLab:
    labs = [lab for lab in course.labs if name in (None, lab.name)]
    if len(labs) != 1:
        raise Unusable(f"--lab must say which lab's points go into the gradebook: one of "
                       f"{', '.join(lab.name for lab in course.labs)}")
    return labs[0]


def grade_of(lab: CourseLab, submission: Submission) -> Grade:
    student = submission.student
    keys = (student.id, student.email, student.email.partition("@")[0], student.name, submission.key)
    comment = "" if lab.results.visibility == "hidden" else student_comment(submission)
    return Grade(submission.name, [key for key in keys if key], submission.score, lab.max_points, comment,
                 submission.excused)


def student_comment(submission: Submission) -> str:
    """What a student reads beside the grade: the summary, and each check that did not pass."""
    checks = [f"{check.title or check.name} ({check.points} of {check.max_points} points): "
              f"{check.message or check.kind or check.status}"
              for check in submission.checks if check.status == "failed"]
    comments = [word.comment for word in submission.adjusted.words] if submission.adjusted else []
    lines = [submission.summary, score_words(submission), *comments, *checks]
    return "\n".join(" ".join(line.split()) for line in lines if line)[:COMMENT_LIMIT]


def tell(name: str, filled: Filled) -> None:
    """Reports what was filled in and what was not, so that no grade is left out silently."""
    print(f"{name}: {counted(filled.filled, 'grade', 'grades')} filled in"
          + (f", {len(filled.replaced)} in place of another" if filled.replaced else "")
          + (f"; {filled.scaled}, as the column has it" if filled.scaled else ""))
    if filled.comments:
        print(f"  {counted(filled.comments, 'feedback comment', 'feedback comments')} filled in")
    for title, lines in (("replaced", filled.replaced), ("left as it was", filled.kept)):
        for line in lines:
            print(f"  {title}: {line}")
    for what, names in (("in no row of the file", filled.unknown), ("in doubt, more than one fits", filled.ambiguous),
                        ("not graded, left as it was", filled.ungraded),
                        ("the file says that the grade cannot be changed, left as it was", filled.locked),
                        ("with a comment of somebody's own, which stays", filled.written_by_hand),
                        ("without a submission", filled.without)):
        if names:
            rest = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
            print(f"  {what}: {', '.join(names[:NAMES_TOLD])}{rest}")


def complain(message: str, status: int) -> int:
    print(f"export.py: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
