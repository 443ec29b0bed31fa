"""A page for each student, to be sent: one HTML file with nothing of others in it, and mail.csv for a mail merge.

Knows what a student may have: their own result, without the seed, the names of a group's other members, and links to
other pages.
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, Iterable, List, Tuple

from course import Course, CourseLab, Unusable
from exports import table
from lesson import lesson_of
from results import Submission
from wording import grade

FOLDER = "bundles"
MAIL = "mail.csv"
ROOT = Path(__file__).resolve().parents[2]  # the workbook


def bundles(course: Course, out: Path, lessons: str = "") -> Dict[str, str]:
    """The files, by their paths; `lessons` is the site whose lessons they link to. Raises Unusable."""
    try:
        from pages import bundle_page
    except ImportError as error:
        raise Unusable(f"cannot draw pages: {error}; install Jinja2 (Debian: python3-jinja2)") from None
    files: Dict[str, str] = {}
    rows: List[List[str]] = [["address", "name", "lab", "score", "of", "file"]]
    for lab, submission in _to_send(course):
        file = os.path.join(lab.name, submission.page + ".html")
        files[os.path.join(FOLDER, file)] = bundle_page(lab, course, submission, out / lab.folder,
                                                        lesson_of(ROOT, lab.name, lessons))
        rows.append([submission.student.email, submission.student.name or submission.name, lab.name, grade(submission),
                     str(submission.full_points), file])
    return {**files, os.path.join(FOLDER, MAIL): table(rows)}


def left_out(course: Course) -> Iterable[Tuple[str, str]]:
    """Who has no page, and whose page has no address, with a reason."""
    for lab in course.labs:
        for submission in lab.results.everybody:
            if not submission.graded:
                yield submission.name, f"no page for {lab.name}, which is not graded yet"
            elif not submission.student.email:
                yield submission.name, f"no address is known for the page of {lab.name}"


def _to_send(course: Course) -> Iterable[Tuple[CourseLab, Submission]]:
    return ((lab, submission) for lab in course.labs for submission in lab.results.everybody if submission.graded)
