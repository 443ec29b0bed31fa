"""The pages: what each template is given, and the templates filled in.

Knows which facts are on which page. The templates and the style sheet have the look, wording.py and summaries.py the
words and numbers. Every page stands alone: style, script and drawings are inside it.
"""
from __future__ import annotations

import base64
import functools
import hashlib
import os
import shlex
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import glance
import items
import mistakes
import open_items
import progress
import roots
import similarity
import summaries
import wording
from course import Course, CourseLab, shown
from drawing import DRAWING_LIMIT, Refused, page_drawing
from excerpt import Remark, SourceLine, lines_of, source_excerpt, source_lines, source_text, whole_source
from files import is_file_below, read_below
from lesson import Lesson, Passage
from mistakes import Mistake
from results import (GRADER_FAULT, LINE_LIMIT, LONG_TEXT_LIMIT, NOT_HANDED_IN, Check, Malformed, Ratio, Submission,
                     absent_submission, load_result)
from similarity import Pair
from text import clean, clean_line

TEMPLATES = Path(__file__).resolve().parent / "templates"
MISMATCHES_SHOWN = 8
LINES_SHOWN = 400
CLOSEST_SHOWN = 5
RESULT_LIMIT = 16 << 20
REMARK = 160
MISTAKES_FIRST = 5
MOST_OPEN = 12  # entries of a list of names that is open when the page is
SPREAD_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)
SIMILARITY_PAGE = "+similarity.html"  # no student's folder begins with a plus
REVIEW_PAGE = "+review.html"


@dataclass(frozen=True)
class Row:
    """A submission in the table of a lab's page, or a student of the roster who handed in nothing."""
    submission: Submission
    address: str  # "" without a page
    picks: str
    trouble: str
    ratios: Dict[str, Ratio]
    words: str  # what persons adjusted


@dataclass(frozen=True)
class Timeline:
    """The timeline of a run; each part may be absent. `refusal` says why a drawing is not shown."""
    drawing: Optional[Markup]
    refusal: str
    text: str
    trace_address: str


@dataclass(frozen=True)
class Link:
    words: str
    address: str


class Finding(NamedTuple):
    """What a student's page tells of a check. A mistake is told where its first check stands, with what it costs; its
    other checks link there."""
    check: Check
    lead: str  # the short sentence with which its message begins
    details: str
    told_by: Optional[Link]
    costs: str
    members: List[Link]
    excerpt: List[SourceLine]
    passage: Optional[Passage]  # where to read about it


@dataclass(frozen=True)
class Earlier:
    """A source of an earlier class."""
    name: str
    text: str
    lines: List[str]


class Alike(NamedTuple):
    """What a lab's sources have in common, by the folders of their pages; earlier sources by keys of their own."""
    pairs: Sequence[Pair] = ()
    clusters: Sequence[List[str]] = ()
    solution: Sequence[Tuple[str, float]] = ()
    earlier: Mapping[str, Earlier] = MappingProxyType({})
    equal: Sequence[List[str]] = ()
    remarks: Mapping[str, str] = MappingProxyType({})  # on sources that could not be compared, or not whole


@dataclass(frozen=True)
class SideBySide:
    """Two sources with passages in common, as the page shows them: names as text where there is no submission."""
    left: Named
    right: Named
    pair: Pair
    columns: List[List[SourceLine]]


@dataclass(frozen=True)
class Named:
    """A source of the class, or of an earlier one."""
    submission: Optional[Submission]
    earlier: str = ""


class Place(NamedTuple):
    """Where a lab's artifacts are, and the beginning of the command that adjusts results there; no words where the
    pages hide names."""
    folder: Path
    command: Tuple[str, ...] = ()


def course_page(course: Course, title: Optional[str] = None) -> str:
    helps = glance.students_needing_help(course)
    absent = next(group.members for group in helps if group.pick == "nothing")
    totals = [student.total for student in course.students if student.total is not None and student not in absent]
    works = [[student.submissions.get(lab.folder) or absent_submission(student.person, lab.max_points)
              for lab in course.labs] for student in course.students]
    return _environment().get_template("course.html.j2").render(
        course=course,
        time_zone=course.time_zone,
        results=course.labs[0].results,
        title=clean_line(title, 200) if title else course.title or "All labs",
        scores=summaries.score_distribution(totals, len(absent)) if totals else None,
        helps=helps,
        picks=glance.student_picks(course),
        progress=progress.progress([work for own in works for work in own], course.time_zone),
        faults=[(lab, submission) for lab in course.labs for submission in lab.results.submissions
                if submission.verdict == GRADER_FAULT and not submission.graded],
        lab_scores=[summaries.class_scores(lab.results) for lab in course.labs],
        lab_addresses=[quote(lab.folder) + "/index.html" for lab in course.labs],
        address_in=lambda lab, submission: quote(lab.folder) + "/" + address(submission),
    )


def class_page(lab: CourseLab, course: Course, place: Place, alike: Alike = Alike(), title: Optional[str] = None,
               lesson: Lesson = Lesson("", "", ""), to_review: Optional[int] = None) -> str:
    """The page of a lab; `alike` is what its page of similar submissions shows, `to_review` how much of the lab needs a
    person before an export, or None where the pages hide names."""
    pairs = alike.pairs
    results = lab.results
    submissions = results.submissions
    everybody = [*submissions, *(absent_submission(student, lab.max_points) for student in results.not_handed_in)]
    rates = summaries.check_rates(submissions)
    names = [rate.name for rate in rates]
    helps, found = glance.needing_help(everybody), mistakes.mistakes(submissions)
    rows = [Row(submission, address(submission) if submission.page else "", picks, wording.trouble(submission),
                {ratio.label: ratio for ratio in submission.ratios}, wording.adjusted_words(submission))
            for submission, picks in zip(everybody, glance.picks(everybody, helps, found, names))]
    found_items = items.items(results.once_each())
    items.count_attempts(found_items, results.once_each(), functools.partial(_attempt, place.folder))
    shared = [mistake for mistake in found if len(mistake.findings) > 1]
    return _environment().get_template("class.html.j2").render(
        results=results,
        time_zone=course.time_zone,
        whole_course=None if course.single else Link("All labs", "../index.html"),
        review=None if to_review is None else Link(
            wording.counted(to_review, "thing needs a person", "things need a person"),
            quote(REVIEW_PAGE) if course.single else "../" + quote(REVIEW_PAGE)),
        similar=Link(wording.counted(len(pairs), "pair of submissions", "pairs of submissions"),
                     quote(SIMILARITY_PAGE)),
        pairs=len(pairs),
        closest=[(_named(lab, alike, pair.left), _named(lab, alike, pair.right), pair.share)
                 for pair in pairs[:CLOSEST_SHOWN]],
        solutions=len(alike.solution),
        equal=[[_named(lab, alike, key) for key in group] for group in alike.equal],
        uncompared=[(_named(lab, alike, key), remark) for key, remark in alike.remarks.items()],
        handed_in=sum(row.submission.verdict != NOT_HANDED_IN for row in rows),
        late=[row for row in rows if row.submission.late and row.submission.late.days],
        unknown_times=sum(not row.submission.late and row.submission.verdict != NOT_HANDED_IN for row in rows)
        if results.due else 0,
        most_open=MOST_OPEN,
        title=clean_line(title, 200) if title else f"{results.lab.name}: {results.lab.title}",
        own_title=bool(title),
        rows=rows,
        helps=helps,
        need_first=sum(len(group.members) for group in helps if group.pick in glance.FIRST),
        hardest=glance.hardest(everybody, names),
        mistakes=[(mistake, _comment_command(mistake, lab, course, place), _passage(mistake, lesson))
                  for mistake in shared],
        mistakes_first=MISTAKES_FIRST,
        faults=[row for row in rows if row.submission.verdict == GRADER_FAULT and not row.submission.graded],
        adjusted=[row for row in rows if row.submission.adjusted],
        held=wording.held_words(results),
        reviews=[row for row in rows if row.submission.review],
        verdict_counts=[(verdict, number, glance.verdict_pick(verdict))
                        for verdict, number in summaries.verdict_counts(everybody)],
        scores=summaries.class_scores(results),
        rates=rates,
        items={item.name: item for item in found_items},
        for_the_author=items.for_the_author(found_items),
        again=sum(sum(item.again.values()) for item in found_items),
        progress=progress.progress(everybody, course.time_zone),
        spreads=summaries.timing_spreads(submissions),
        node_times=summaries.node_times(submissions),
        nodes=len({submission.node for submission in submissions if submission.node}),
        spread_scale=[(ratio, summaries.spread_place(ratio)) for ratio in SPREAD_TICKS],
        ratio_labels=summaries.ratio_labels(submissions),
    )


def _passage(mistake: Mistake, lesson: Lesson) -> Optional[Passage]:
    """What the lesson says where most of those who made the mistake lost the first points by it."""
    checks = {finding.check.name: finding.check for finding in mistake.findings if finding.check}
    counts = Counter(finding.check.name for finding in mistake.findings if finding.check)
    return lesson.passage(checks[counts.most_common(1)[0][0]]) if counts else None


def _attempt(folder: Path, directory: str) -> Optional[Submission]:
    """The result in the folder of an attempt; None if it cannot be read."""
    data = read_below(folder, f"{directory}/result.json", RESULT_LIMIT)
    try:
        return load_result(data, directory) if data else None
    except Malformed:
        return None


def _comment_command(mistake: Mistake, lab: CourseLab, course: Course, place: Place) -> str:
    """The shell's line that gives a comment to all who made the mistake; "" where the pages hide who they are. A name
    that cannot be shown as it is cannot be pasted."""
    names = [finding.submission.key for finding in mistake.findings]
    names = [name for name in names if name == clean_line(name, LINE_LIMIT)]
    if not place.command or not names:
        return ""
    comment = mistake.words + (f". Likely cause: {mistake.cause}" if mistake.cause else "")
    words = [*place.command, *([] if course.single else ["--lab", lab.name]), "--why", "a mistake that several made",
             "--comment", comment]
    return (f"for student in {' '.join(map(shlex.quote, names))}; do "
            f"{' '.join(map(shlex.quote, words))} --student \"$student\"; done")


def submission_page(lab: CourseLab, course: Course, position: int, folder: Path, lesson: Lesson) -> str:
    """The page of the lab's submission at that position; `folder` holds its artifacts."""
    submission = lab.results.submissions[position]
    return _page_of(lab, course, submission, folder, lesson, mates=lab.results.mates(submission), alone=False,
                    row=position + 1 if len(lab.results.submissions) > 1 else None,
                    timeline=_timeline(submission, folder), other_labs=_other_labs(course, lab, submission))


def bundle_page(lab: CourseLab, course: Course, submission: Submission, folder: Path, lesson: Lesson) -> str:
    """The page as the student gets it, alone: with nobody else's name, no seed, and no link to another file."""
    return _page_of(lab, course, submission, folder, lesson, mates=[], other_labs=[], alone=True, row=None,
                    timeline=replace(_timeline(submission, folder), trace_address=""))


def _page_of(lab: CourseLab, course: Course, submission: Submission, folder: Path, lesson: Lesson,
             **more: Any) -> str:
    text = source_text(folder, submission)
    lines = lines_of(text)
    return _environment().get_template("submission.html.j2").render(
        results=lab.results,
        time_zone=course.time_zone,
        submission=submission,
        weights=[decision for decision in lab.results.decisions if decision.check],
        checks=_findings(lines, submission, lesson),
        source=whole_source(lines, _remarks(submission)),
        uncompared="" if more["alone"] else similarity.remark_on(text),
        advice=wording.advice(submission),
        begin_with=_begin_with(submission),
        score_words=wording.score_words(submission),
        timing_bars=summaries.timing_bars(submission.timings),
        both_scales=len({summaries.is_modelled(timing) for timing in submission.timings}) > 1,
        mismatches_shown=MISMATCHES_SHOWN,
        **more,
    )


def _findings(lines: Sequence[str], submission: Submission, lesson: Lesson) -> List[Finding]:
    """What the page tells of each check: a mistake once, by the first check that it costs."""
    costs = {root.check.name: root for root in roots.roots(submission)}
    found = []
    for check in submission.checks:
        other, root = roots.told_by(submission, check), costs.get(check.name)
        lead, details = roots.lead(check.message)
        found.append(Finding(
            check, lead, details, _link_to(submission, other) if other else None,
            roots.cost(root) if root else "",
            [_link_to(submission, member) for _, member in root.members] if root else [],
            source_excerpt(lines, submission, check.location), lesson.passage(check)))
    return found


def points_lost(mistake: Mistake) -> str:
    """"30 points", or "20 to 30 points" where it costs some more than others."""
    least, most = map(wording.number, mistake.costs)
    return f"{most} {'point' if most == '1' else 'points'}" if least == most else f"{least} to {most} points"


def _link_to(submission: Submission, check: Check) -> Link:
    """A check by its title, and its place on the page."""
    return Link(check.title or check.name, f"#check-{submission.checks.index(check) + 1}")


def _remarks(submission: Submission) -> List[Remark]:
    """What checks and compiler say about lines of the student's file: a mistake once."""
    said = [Remark(line, f"Compiler: {wording.shortened(words, REMARK)}", "#build")
            for line, words in mistakes.error_lines(submission)]
    for place, check in enumerate(submission.checks, 1):
        where = check.location
        if check.status != "failed" or where is None or where.file != submission.file:
            continue
        if roots.told_by(submission, check) is not None:
            continue
        title, anchor = check.title or check.name, f"#check-{place}"
        said.append(Remark(where.shown, f"{title}: {wording.shortened(check.message, REMARK)}", anchor))
        if where.called_at and not where.change:
            said.append(Remark(where.called_at, f"{title}: called here", anchor))
        said += [Remark(line, f"{title}: before that, here", anchor) for line in where.after]
    return said


def review_page(course: Course, labs: Sequence[open_items.LabItems], out: Path) -> str:
    """What of all labs needs a person before an export."""
    def address_of(lab: CourseLab, submission: Optional[Submission] = None) -> str:
        own = address(submission) if submission else quote(SIMILARITY_PAGE)
        return own if course.single else f"{quote(lab.folder)}/{own}"
    return _environment().get_template("review.html.j2").render(
        course=course, labs=labs, results=course.labs[0].results, time_zone=course.time_zone, kinds=open_items.KINDS,
        number=open_items.count_open(labs), accept=open_items.ACCEPT, out=shown(out), address_of=address_of,
        closed=[(lab, closed) for lab in labs for closed in lab.closed])


def similarity_page(lab: CourseLab, course: Course, alike: Alike, folder: Path) -> str:
    shown = []
    for pair in alike.pairs[:similarity.MOST_PAIRS]:
        left, right = _named(lab, alike, pair.left), _named(lab, alike, pair.right)
        columns = [_marked(_lines_of(named, key, alike, folder), lines) for named, key, lines in (
            (left, pair.left, [passage.left for passage in pair.passages]),
            (right, pair.right, [passage.right for passage in pair.passages]))]
        shown.append(SideBySide(left, right, pair, columns))
    return _environment().get_template("similarity.html.j2").render(
        results=lab.results, time_zone=course.time_zone, shown=shown, pairs=len(alike.pairs), address=address,
        clusters=[[_named(lab, alike, key) for key in cluster] for cluster in alike.clusters],
        solution=[(_named(lab, alike, key), share) for key, share in alike.solution],
        equal=[[_named(lab, alike, key) for key in group] for group in alike.equal],
        uncompared=[(_named(lab, alike, key), remark) for key, remark in alike.remarks.items()],
        earlier=len(alike.earlier), similarity=similarity, shortest=similarity.RUN + similarity.WINDOW - 1)


def _lines_of(named: Named, key: str, alike: Alike, folder: Path) -> List[str]:
    return source_lines(folder, named.submission) if named.submission else alike.earlier[key].lines


def _marked(lines: List[str], marked: List[Tuple[int, int]]) -> List[SourceLine]:
    numbers = {number for first, last in marked for number in range(first, min(last, LINES_SHOWN) + 1)}
    return [SourceLine(number, clean(text, LINE_LIMIT), number in numbers)
            for number, text in enumerate(lines[:LINES_SHOWN], 1)]


def _other_labs(course: Course, own: CourseLab, submission: Submission) -> List[Link]:
    """The same student's pages of the other labs."""
    if course.single:
        return []
    student = course.by_submission[own.folder, submission.key]
    return [Link(lab.name, f"../../{quote(lab.folder)}/{address(student.submissions[lab.folder])}")
            for lab in course.labs if lab.folder != own.folder and lab.folder in student.submissions]


def _begin_with(submission: Submission) -> Optional[Link]:
    """The check to begin with, and its place on the page."""
    check = wording.first_not_passed(submission)
    if check is None or check.status != "failed":
        return None
    return _link_to(submission, check)


def _timeline(submission: Submission, out: Path) -> Timeline:
    artifacts = submission.artifacts
    drawing, refusal = None, ""
    if artifacts.timeline_svg:
        data = read_below(out, artifacts.timeline_svg, DRAWING_LIMIT)
        try:
            if data is None:
                raise Refused("its file is missing or cannot be read")
            label = clean(f"Timeline of the run of {submission.name}: a row for each stream, time from left to right",
                          500)
            drawing = Markup(page_drawing(data, "timeline", label))
        except Refused as reason:
            refusal = f"The drawn timeline is not shown: {reason}."
    text = read_below(out, artifacts.timeline_text, DRAWING_LIMIT) if artifacts.timeline_text else None
    recorded = bool(artifacts.trace) and is_file_below(out, artifacts.trace)
    return Timeline(
        drawing=drawing,
        refusal=refusal,
        text="" if text is None else clean(text.decode("utf-8", "replace"), LONG_TEXT_LIMIT),
        trace_address=quote(os.path.relpath(artifacts.trace, submission.page)) if recorded else "",
    )


def _named(lab: CourseLab, alike: Alike, key: str) -> Named:
    if key in alike.earlier:
        return Named(None, alike.earlier[key].name)
    return Named(next(submission for submission in lab.results.submissions if submission.page == key))


def address(submission: Submission) -> str:
    """Relative to the page of its lab."""
    return quote(submission.page) + "/index.html"


def prepare() -> None:
    """Compiles the templates, once for all processes that are started later."""
    for name in ("class.html.j2", "course.html.j2", "review.html.j2", "similarity.html.j2", "submission.html.j2",
                 "parts.html.j2", "base.html.j2"):
        _environment().get_template(name)


@functools.lru_cache(maxsize=None)
def _environment() -> Environment:
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, auto_reload=False)
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    script = (TEMPLATES / "table.js").read_text(encoding="utf-8")
    filters: List[Any] = [wording.moment, wording.device, wording.count, wording.counted, wording.measure,
                          wording.ratio, wording.percent, wording.number, wording.tenths, wording.duration,
                          wording.name, wording.shortened, wording.build_heading, wording.known_as, wording.called,
                          wording.submitted, wording.words_beside, wording.grade, wording.said, wording.seed,
                          wording.day, wording.place, points_lost, address, wording.first_not_passed,
                          summaries.spread_place]
    environment.filters.update({function.__name__: function for function in filters})
    environment.globals.update(
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"),
        verdict_tones=wording.VERDICT_TONES,
        status_tones=wording.STATUS_TONES,
        kind_words=wording.KIND_WORDS,
    )
    return environment
