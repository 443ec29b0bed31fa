"""The mistakes that students of a class have in common.

Each submission tells a mistake once, by the first check that it costs (roots.py). Two tell the same mistake if they
lack the same order of two operations in one function; or else if they have the same check, kind and function, and their
messages are equal but for places and numbers. Knows results; the pages show them.
"""
from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from results import Check, Submission
from roots import Root, roots

_PLACE = re.compile(r" \[[^\]]*\]| \([^()]*\d[^()]*\)|"
                    r",? (?:the first )?(?:called |made )?at (?:line \d+|[^\s,]+:\d+)(?::\d+)?")
_COUNTS = re.compile(r": \d+ of \d+ .*", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")
_ERROR = re.compile(r"^[^\s:]+:(\d+):\d+: (?:fatal )?error: (.*)", re.MULTILINE)


class Finding(NamedTuple):
    """What a submission did wrong, for each who did it; `root` is None for what no check says."""
    submission: Submission
    root: Optional[Root]
    line: int  # of the student's file; 0 where unknown
    place: str  # on the student's page

    @property
    def check(self) -> Optional[Check]:
        return self.root.check if self.root else None


@dataclass(frozen=True)
class Mistake:
    words: str
    title: str  # of the check; "" where no check says it
    cause: str
    findings: List[Finding]

    @property
    def costs(self) -> Tuple[float, float]:
        """The fewest and the most points that it costs a student who made it."""
        points = [finding.root.points for finding in self.findings if finding.root]
        return (min(points), max(points)) if points else (0, 0)


def mistakes(submissions: Sequence[Submission]) -> List[Mistake]:
    """The mistakes, the most common first; of equals in the order of the submissions."""
    found: Dict[Tuple[str, ...], List[Finding]] = {}
    for submission in submissions:
        for key, finding in _findings(submission):
            found.setdefault(key, []).append(finding)
    groups = [_mistake(own) for own in found.values()]
    return sorted(groups, key=lambda group: -len(group.findings))


def _findings(submission: Submission) -> List[Tuple[Tuple[str, ...], Finding]]:
    if submission.unexplained:
        line, error = _first_error(submission)
        return [((submission.verdict, _form(error)), Finding(submission, None, line, ""))]
    return [(_structure(root.check, submission.file),
             Finding(submission, root, _line(root.check, submission), f"#check-{root.members[0][0]}"))
            for root in roots(submission)]


def _structure(check: Check, file: str) -> Tuple[str, ...]:
    if check.edge:
        return _function(check, file), *check.edge
    return check.name, check.kind, _function(check, file), _form(check.message)


def _function(check: Check, file: str) -> str:
    """The student's function: the location's, or else the first of the lab's that the message names."""
    if check.location and check.location.function:
        return check.location.function
    lab = re.escape(file.rpartition(".")[0])
    named = re.search(rf"\b{lab}_\w+", check.message) if lab else None
    return named[0] if named else ""


def _edge(check: Check) -> str:
    """The order between two operations that is missing; "" where none is known."""
    return f"nothing makes {check.edge[1]} wait for {check.edge[0]}" if check.edge else ""


def _mistake(findings: List[Finding]) -> Mistake:
    first = findings[0]
    if first.check is None:
        error = _first_error(first.submission)[1]
        words = f"does not build: {error}" if error else first.submission.verdict
        return Mistake(words, "", "", findings)
    edge, function = _edge(first.check), _function(first.check, first.submission.file)
    said = {_short(finding.check.message) for finding in findings if finding.check}
    causes = Counter(_form(finding.check.cause) for finding in findings if finding.check and finding.check.cause)
    words = f"{function}: {edge}" if edge and function else edge
    return Mistake(words or (said.pop() if len(said) == 1 else _form(first.check.message)) or first.check.kind,
                   first.check.title or first.check.name, causes.most_common(1)[0][0] if causes else "", findings)


def _short(message: str) -> str:
    """The message without places, and without how many elements differ."""
    return _COUNTS.sub("", _PLACE.sub("", " ".join(message.split())))


def _form(message: str) -> str:
    return _NUMBER.sub("N", _short(message))


def _first_error(submission: Submission) -> Tuple[int, str]:
    """The compiler's first error and its line; 0 and "" if there is none."""
    return next(iter(error_lines(submission)), (0, ""))


def error_lines(submission: Submission) -> List[Tuple[int, str]]:
    """The lines of the student's file with the compiler's errors."""
    return [(int(found[1]), found[2]) for found in _ERROR.finditer(submission.build_messages)]


def _line(check: Check, submission: Submission) -> int:
    return check.location.shown if check.location and check.location.file == submission.file else 0
