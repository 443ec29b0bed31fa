"""How a class gets on: what came on which day, by section.

Knows when submissions were handed in, as learning systems say it, and sections as the roster has them. Independent of
pages: the drawing is a list of places.
"""
from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from statistics import median
from typing import Dict, List, Optional, Sequence, Tuple

import wording
from results import NOT_HANDED_IN, Submission

ALL = "All"
MOST_SECTIONS = 40


@dataclass(frozen=True)
class Day:
    """The end of a day: how many had handed in, and how many had passed."""
    day: date
    handed_in: int
    passed: int


@dataclass(frozen=True)
class Section:
    name: str
    wanted: int  # submissions that there would be if everybody handed in
    handed_in: int
    passed: int
    median: Optional[float]  # of the points in percent
    days: List[Day]


@dataclass(frozen=True)
class Progress:
    sections: List[Section]  # the class as a whole comes first
    first: Optional[date]    # None where no time is known
    last: Optional[date]

    def place(self, day: date) -> float:
        """The end of the day, from 0 at the begin of the first to 1 at the end of the last."""
        assert self.first and self.last
        return ((day - self.first).days + 1) / ((self.last - self.first).days + 1)

    def steps(self, section: Section, passed: bool = False) -> str:
        """The points of a line that rises at the end of each day, in a drawing of 100 by 100."""
        points, height = ["0,100"], 100.0
        for day in section.days:
            across = 100 * self.place(day.day)
            points.append(f"{across:.1f},{height:.1f}")
            height = 100 - 100 * (day.passed if passed else day.handed_in) / section.wanted
            points.append(f"{across:.1f},{height:.1f}")
        return " ".join([*points, f"100,{height:.1f}"])


def progress(everybody: Sequence[Submission], time_zone: str) -> Optional[Progress]:
    """Of all submissions and of all that are missing. None where neither times nor sections are known."""
    counted = [submission for submission in everybody if not submission.excused]
    times = {id(submission): _times(submission, time_zone) for submission in counted}
    names = sorted({submission.student.section for submission in counted} - {""})
    days = [own[0] for own in times.values() if own[0]] + [own[1] for own in times.values() if own[1]]
    if not counted or not (days or len(names) > 1):
        return None
    groups = [(ALL, counted)]
    if 1 < len(names) <= MOST_SECTIONS:
        groups += [(name, [one for one in counted if one.student.section == name]) for name in names]
    return Progress([_section(name, own, times) for name, own in groups], min(days, default=None),
                    max(days, default=None))


Times = Tuple[Optional[date], Optional[date]]  # of the first attempt, and of the first that passed


def _times(submission: Submission, time_zone: str) -> Times:
    moments = [(wording.submitted_at(attempt.submitted, time_zone), attempt.verdict)
               for attempt in submission.attempts]
    known = [(_day(moment), verdict) for moment, verdict in moments if moment]
    return (min((day for day, _ in known), default=None),
            min((day for day, verdict in known if verdict == "passed"), default=None))


def _day(moment: datetime) -> date:
    return moment.date()


def _section(name: str, own: Sequence[Submission], times: Dict[int, Times]) -> Section:
    percents = [100 * one.score / one.full_points for one in own if one.score is not None and one.full_points > 0]
    first = [times[id(one)][0] for one in own]
    passed = [times[id(one)][1] for one in own]
    known = sorted({day for day in [*first, *passed] if day})
    return Section(
        name=name, wanted=len(own),
        handed_in=sum(one.verdict != NOT_HANDED_IN for one in own),
        passed=sum(one.verdict == "passed" for one in own),
        median=median(percents) if percents else None,
        days=[Day(day, sum(one is not None and one <= day for one in first),
                  sum(one is not None and one <= day for one in passed)) for day in known])
