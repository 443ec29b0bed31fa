#!/usr/bin/env python3
"""The grader's report: reads what labgrade wrote in OUT and writes a page for each lab and for each submission.

    report.py OUT [--title TEXT] [--anonymous FOLDER] [--root FOLDER] [--previous FOLDER]... [--jobs N]

OUT holds results.json, or for each lab a folder with one; then there is a page about all labs too. With --anonymous the
pages go to FOLDER, with a pseudonym for each name. --previous names what labgrade wrote for an earlier class: the
sources are compared with its own too. Exit status: 0 when all pages were written; 1 when one could not be
written; 2 when the results are missing or malformed, with one sentence that names the field.
"""
from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Tuple, cast

if not sys.flags.dont_write_bytecode:
    # Nothing is written next to the sources.
    sys.dont_write_bytecode = True

import open_items
from course import Course, Unusable, load_course, shown
from files import write_whole
from lesson import lesson_of, site_address
from wording import counted

if TYPE_CHECKING:
    from pages import Alike, Earlier

CHUNK = 25  # pages that a process writes at a time
ALLOCATIONS = 100_000  # between two searches for cycles: the data here has hardly any


class Work(NamedTuple):
    """Everything that a process needs to write pages."""
    course: Course
    out: Path
    target: Path
    root: Path
    title: Optional[str]
    previous: List[Tuple[Path, Course]]
    lessons: str


class Part(NamedTuple):
    """Pages to write: submissions of a lab; or, with no positions, the page of the lab itself."""
    lab: int
    positions: range


class Unwritten(Exception):
    """A page could not be written; the message says which and why."""


work = cast(Work, None)  # set before processes are started, which inherit it


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description="Writes the pages of a graded class.")
    parser.add_argument("out", metavar="OUT", type=Path, help="what labgrade wrote; the pages go there")
    parser.add_argument("--title", help="title of the first page, in place of the lab's")
    parser.add_argument("--anonymous", metavar="FOLDER", type=Path, help="replace names, and write the pages there")
    parser.add_argument("--root", metavar="FOLDER", type=Path, default=Path(__file__).resolve().parents[2],
                        help="the workbook, for the labs' starters")
    parser.add_argument("--previous", metavar="FOLDER", action="append", type=Path, default=[],
                        help="an earlier class's OUT: its sources are compared too; may be repeated")
    parser.add_argument("--lessons", metavar="ADDRESS", type=site_address, default="",
                        help="where the workbook's site is published: the pages link to its lessons")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="processes (one a core)")
    options = parser.parse_args(arguments)

    try:
        import pages  # noqa: F401
        from anonymous import anonymous_course, key_of
    except ImportError as error:
        return complain(f"cannot draw pages: {error}; install Jinja2 (Debian: python3-jinja2)", 1)

    global work
    gc.set_threshold(ALLOCATIONS)
    try:
        course = load_course(options.out)
        previous = [(folder, load_course(folder)) for folder in options.previous]
        if previous and options.anonymous:
            return complain("--previous shows the names of an earlier class: leave it out with --anonymous", 2)
    except Unusable as error:
        return complain(str(error), 2)
    target = options.anonymous or options.out
    try:
        if options.anonymous:
            if os.path.realpath(options.anonymous) == os.path.realpath(options.out):
                return complain("--anonymous needs a folder of its own: the pages in OUT have names", 2)
            course = anonymous_course(course, key_of(options.out))
        work = Work(course, options.out, target, options.root, options.title, previous, options.lessons)
        to_review = write_pages(options.jobs)
    except Unwritten as error:
        return complain(str(error), 1)
    except OSError as error:
        return complain(unwritten(error, target), 1)
    count = sum(len(lab.results.submissions) for lab in course.labs)
    print(f"{shown(target / 'index.html')}: {counted(count, 'submission', 'submissions')}")
    if to_review:
        print(f"{counted(to_review, 'thing needs', 'things need')} a person before you export: "
              f"make grade-review OUT={shown(target)}")
    return 0


def write_pages(jobs: int) -> int:
    """Returns how much needs a person before an export. Raises Unwritten, and OSError where no process can be
    started."""
    from pages import prepare
    from similarity import read_sources
    for number in range(len(work.course.labs)):
        read_sources([*own_texts(number).values(), *(old.text for old in earlier_sources(number).values())])
    parts = [Part(lab, range(first, min(first + CHUNK, len(course_lab.results.submissions))))
             for lab, course_lab in enumerate(work.course.labs)
             for first in range(0, len(course_lab.results.submissions), CHUNK)]
    parts = [Part(lab, range(0)) for lab in range(len(work.course.labs))] + parts
    jobs = min(jobs, len(parts) - 1)
    if jobs > 1:
        prepare()
        gc.freeze()  # no process searches the course for cycles again
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            faults = pool.map(write_part, parts, chunksize=1)
    else:
        faults = [write_part(part) for part in parts]
    fault = next((fault for fault in faults if fault), None)
    if fault:
        raise Unwritten(fault)
    if not work.course.single:
        from pages import course_page
        write_whole(work.target / "index.html", course_page(work.course, work.title))
    if work.target != work.out:
        return 0
    from review import write_page
    labs = open_items.items_of(work.course, work.out)
    write_page(work.out, work.course, labs)
    return open_items.count_open(labs)


def write_part(part: Part) -> str:
    """Returns "" or a sentence about the failure."""
    from pages import submission_page
    lab = work.course.labs[part.lab]
    folder, target = work.out / lab.folder, work.target / lab.folder
    try:
        lesson = lesson_of(work.root, lab.name, work.lessons)
        for position in part.positions:
            page = submission_page(lab, work.course, position, folder, lesson)
            write_whole(target / lab.results.submissions[position].page / "index.html", page)
        if not part.positions:
            write_lab(part.lab, folder, target)
    except OSError as error:
        return unwritten(error, target)
    return ""


def write_lab(position: int, folder: Path, target: Path) -> None:
    """The lab's page, and that of its similar submissions."""
    from pages import SIMILARITY_PAGE, Alike, Place, class_page, similarity_page
    from similarity import clusters, equal_files, like_solution, remark_on, similar_pairs
    lab = work.course.labs[position]
    submissions = lab.results.once_each()
    texts, earlier = own_texts(position), earlier_sources(position)
    given = given_to_all(lab.name)
    pairs = similar_pairs(texts, given, {submission.page: submission.groups for submission in submissions},
                          {key: old.text for key, old in earlier.items() if old.text})
    solution, starter = lab_file("solutions", lab.name, lab.name + ".c"), starter_of(lab.name)
    remarks = {page: remark_on(text) for page, text in texts.items() if remark_on(text)}
    alike = Alike(pairs, clusters(pairs), like_solution(texts, solution, given), earlier,
                  equal_files(texts, [solution, starter]), remarks)
    title = work.title if work.course.single else None
    write_whole(target / SIMILARITY_PAGE, similarity_page(lab, work.course, alike, folder))
    lesson = lesson_of(work.root, lab.name, work.lessons)
    if target != folder:
        write_whole(target / "index.html", class_page(lab, work.course, Place(folder), alike, title, lesson))
        return
    command = ("build/bin/labgrade", "adjust", "--out", shown(work.out))
    write_whole(target / open_items.ALIKE, open_items.write_alike(lab, told_alike(alike)))
    to_review = open_items.count_open([open_items.lab_items(lab, work.course, work.out)])
    write_whole(target / "index.html", class_page(lab, work.course, Place(folder, command), alike, title, lesson,
                                                  to_review))


def told_alike(alike: Alike) -> open_items.Alike:
    """What a person should look at: groups of several, and pairs that are in none of them."""
    groups: List[Tuple[List[str], str]] = [(group, "each is alike to another of these") for group in alike.clusters]
    together = [set(group) for group in alike.clusters]
    groups += [(group, "files that are equal but for layout and comments") for group in alike.equal
               if not any(set(group) <= own for own in together)]
    together += [set(group) for group in alike.equal]
    for pair in alike.pairs:
        if any({pair.left, pair.right} <= own for own in together):
            continue
        earlier = [alike.earlier[key].name for key in (pair.left, pair.right) if key in alike.earlier]
        words = f"{100 * pair.share:.0f} % of the passages in common" + (f" with {earlier[0]}" if earlier else "")
        groups.append(([pair.left, pair.right], words))
    return open_items.Alike(groups, alike.solution)


def own_texts(position: int) -> Dict[str, str]:
    """The sources of a lab by the folders of their pages; one of a group once."""
    from excerpt import source_text
    lab = work.course.labs[position]
    texts = {submission.page: source_text(work.out / lab.folder, submission) for submission in lab.results.once_each()}
    return {page: text for page, text in texts.items() if text}


def earlier_sources(position: int) -> Dict[str, Earlier]:
    """The sources of the same lab in earlier classes."""
    from excerpt import lines_of, source_text
    from pages import Earlier
    earlier: Dict[str, Earlier] = {}
    for number, (out, course) in enumerate(work.previous):
        for old in (old for old in course.labs if old.name == work.course.labs[position].name):
            for submission in old.results.once_each():
                text = source_text(out / old.folder, submission)
                name = f"{shown(Path(out.name))}: {submission.name}"
                earlier[f"\0{number}/{submission.page}"] = Earlier(name, text, lines_of(text))
    return earlier


def given_to_all(lab: str) -> str:
    """What the workbook gives every student: the lab's starter, and the code in its lesson."""
    lesson = lab_file("labs", lab, "README.md")
    code = re.findall(r"^```\w*\n(.*?)^```|((?:^ {4}.*\n)+)", lesson, re.MULTILINE | re.DOTALL)
    return "\n".join([starter_of(lab), *(fenced or indented for fenced, indented in code)])


def starter_of(lab: str) -> str:
    return lab_file("labs", lab, "starter.c")


def lab_file(folder: str, lab: str, name: str) -> str:
    """A file of the workbook about the lab; "" if the workbook has none."""
    for path in sorted(work.root.glob(f"{folder}/*/{name}")):
        if path.parent.name.partition("-")[0] == lab:
            return path.read_text(encoding="utf-8", errors="replace")
    return ""


def unwritten(error: OSError, target: Path) -> str:
    return f"cannot write {shown(Path(os.fsdecode(error.filename2 or error.filename or target)))}: {error.strerror}"


def complain(message: str, status: int) -> int:
    print(f"report.py: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
