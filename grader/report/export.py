#!/usr/bin/env python3
"""Writes grades for other programs: reads what labgrade wrote in OUT, writes files to a folder.

    export.py OUT [--to FOLDER] [--format NAME]... [--canvas FILE] [--moodle FILE] [--lab NAME] [--column TITLE]
              [--only-empty] [--bundles] [--lessons ADDRESS] [--section NAME] [--anonymous] [--force]

Without --format, --canvas, --moodle and --bundles all formats are written. Results
that are held back are refused. A gradebook is never changed in place: the filled one is written as FOLDER/canvas.csv or
FOLDER/moodle.csv. Exit status: 0 when all files were written; 1 when a file could not be written; 2 when the results or
a gradebook cannot be used, with a sentence that says why.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

if not sys.flags.dont_write_bytecode:
    # Nothing is written next to the sources.
    sys.dont_write_bytecode = True

import bundles
import exports
import open_items
from anonymous import anonymous_course, key_of
from course import Course, CourseLab, Unusable, load_course, narrowed, shown
from files import write_whole
from gradebook import Filled, Grade, Unfit, fill_canvas, fill_moodle
from lesson import site_address
from results import NOT_MEASURED, Submission
from roots import reason
from wording import counted, held_words, listed, number, score_words

FORMATS = ("json", "csv", "junit", "tap", "gradescope")
GRADES = ("json", "csv")  # formats from which grades are taken: without points for a file that is missing
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
    parser.add_argument("--lab", metavar="NAME", help="one lab of several")
    parser.add_argument("--section", metavar="NAME", help="the students of one section of the roster")
    parser.add_argument("--bundles", action="store_true", help="a page to send to each student, and mail.csv")
    parser.add_argument("--lessons", metavar="ADDRESS", type=site_address, default="",
                        help="where the workbook's site is published: the pages of --bundles link to its lessons")
    parser.add_argument("--anonymous", action="store_true", help="pseudonyms for names; needs --to")
    parser.add_argument("--force", action="store_true", help="also results that are held back")
    parser.add_argument("--column", metavar="TITLE", default="",
                        help="the gradebook's column, if the lab's title does not determine it")
    parser.add_argument("--columns", metavar="WORDS", default="",
                        help="which column of Moodle's worksheet is what, such as 'id=ID,grade=Punkte'")
    parser.add_argument("--only-empty", action="store_true", help="fill in empty cells of the gradebook only")
    parser.add_argument("--leaderboard", action="store_true", help="Gradescope: put times on the leaderboard")
    options = parser.parse_args(arguments)

    if not has_ended(options.out):
        print(f"export.py: the last grading in {shown(options.out)} has not ended, and its grades are missing here: "
              f"labgrade status --out {shown(options.out)} says how far it is", file=sys.stderr)
    to = options.to or options.out / "+exports"
    formats = options.format or ([] if options.canvas or options.moodle or options.bundles else FORMATS)
    try:
        course, decided, items = chosen(options)
        files = {path: text for name in formats
                 for path, text in write_format(decided if name in GRADES else course, name,
                                                options.leaderboard).items()}
        books = fill_books(decided, options)
        pages = bundles.bundles(course, options.out, options.lessons) if options.bundles else {}
    except Unusable as error:
        return complain(str(error), 2)
    except OSError as error:
        return complain(f"cannot write {shown(options.out)}: {error.strerror}", 1)
    path = to
    try:
        for name, content in {**files, **pages, **{name: filled.content for name, filled in books.items()}}.items():
            path = to / name
            write_whole(path, content)
            if "/" not in name:
                print(shown(path))
    except OSError as error:
        return complain(f"cannot write {shown(path)}: {error.strerror}", 1)
    for name, filled in books.items():
        tell(name, filled)
    if options.bundles:
        print(f"{shown(to / bundles.FOLDER)}: {counted(len(pages) - 1, 'page', 'pages')} to send, and {bundles.MAIL}")
        for name, why in bundles.left_out(course):
            print(f"  {name}: {why}")
    if "gradescope" in formats:
        print(f"{shown(to / 'gradescope')}: {counted(sum('/' in name for name in files), 'result', 'results')}")
        for lab in course.labs:
            for submission in lab.results.submissions:
                if submission.score is None:
                    unmeasured = submission.verdict == NOT_MEASURED
                    why = ("the student is excused" if submission.excused else
                           "nothing in it could be measured" if unmeasured else "the grader failed on it")
                    print(f"  none for {submission.name} in {lab.name}: {why}, so it has no score")
    to_review = open_items.count_open(items)
    for lab in () if options.anonymous else items:
        for item in lab.of_kind("several"):
            print(f"{lab.lab.name}: several submissions of one student, each with a row of its own: "
                  f"{open_items.names(item)}")
    if to_review:
        print(f"{counted(to_review, 'thing needs', 'things need')} a person: "
              f"make grade-review OUT={shown(options.out)}")
    return 0


def has_ended(out: Path) -> bool:
    """Whether the last grading did all that it began, by the last line of what labgrade tells programs."""
    try:
        last = json.loads((out / "grading.jsonl").read_text(encoding="utf-8", errors="replace").splitlines()[-1])
    except (OSError, IndexError):
        return True
    except ValueError:
        return False
    return isinstance(last, dict) and last.get("event") == "end" and last.get("how") == "done"


def chosen(options: argparse.Namespace) -> Tuple[Course, Course, List[open_items.LabItems]]:
    """The part of the course that was asked for; the same without points of missing files that nobody has decided; and
    what needs a person. Raises Unusable, and OSError without a place for the key."""
    course = narrowed(load_course(options.out), options.lab, options.section)
    for lab in course.labs:
        held = held_words(lab.results)
        if held and not options.force:
            raise Unusable(f"{lab.name} is held back for {held}: labgrade release --out {shown(options.out)} releases "
                           "it, --lab and --section choose what is released, and --force exports it all the same")
        if options.bundles and lab.results.visibility == "hidden" and not options.force:
            raise Unusable(f"{lab.name} is hidden from students by the course's visibility: --force makes bundles")
    items = open_items.items_of(course, options.out)
    decided = open_items.without_missing(course, items)
    if not options.anonymous:
        return course, decided, items
    if options.canvas or options.moodle or options.bundles:
        raise Unusable("--anonymous does not go with a gradebook or with bundles, which need names")
    if not options.to:
        raise Unusable("--anonymous needs --to, a folder of its own: the exports in OUT have names")
    key = key_of(options.out)
    return anonymous_course(course, key), anonymous_course(decided, key), items


def write_format(course: Course, name: str, leaderboard: bool) -> Dict[str, str]:
    """The files of a format: their paths and texts."""
    if name == "gradescope":
        return {os.path.join("gradescope", lab.folder, submission.page + ".json"):
                exports.gradescope_json(lab, submission, leaderboard)
                for lab in course.labs for submission in lab.results.submissions if submission.score is not None}
    writers: Dict[str, Sequence[Tuple[str, Callable[[Course], str]]]] = {
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
            books[name] = (fill_moodle(data, grades, options.only_empty, options.columns) if path is options.moodle else
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
    missing = submission.score is None and submission.verdict == "missing file" and not submission.excused
    return Grade(submission.name, [key for key in keys if key], submission.score, lab.max_points, comment,
                 submission.excused, missing)


def student_comment(submission: Submission) -> str:
    """What a student reads with the grade: the summary, and each check that did not pass."""
    checks = [f"{check.title or check.name} ({number(submission.points_of(check))} of {check.max_points} points): "
              f"{reason(submission, check) or check.kind or check.status}"
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
                        ("the lab's file is missing and nobody has decided, left as it was", filled.missing),
                        ("the file says that the grade cannot be changed, left as it was", filled.locked),
                        ("with a comment of somebody's own, which stays", filled.written_by_hand),
                        ("without a submission", filled.without)):
        if names:
            rest = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
            print(f"  {what}: {listed(names[:NAMES_TOLD])}{rest}")


def complain(message: str, status: int) -> int:
    print(f"export.py: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
