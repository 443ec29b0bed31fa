"""Statistics of a class's results: counts of verdicts, the distribution of scores, the rates of each check.

Pure arithmetic over results.py. A submission on which the grader itself failed has no score and does not count in
scores and rates.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log
from statistics import mean, median, quantiles
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from results import NOT_HANDED_IN, VERDICTS, Class, Device, Submission, Timing

RATIO_COLUMNS = 3
SPREAD = 10.0
MOST_SAMPLES = 100


@dataclass(frozen=True)
class Bin:
    label: str
    count: int
    share_of_tallest: float


@dataclass(frozen=True)
class Scores:
    """Points in percent of the possible points, of those who handed something in."""
    counted: int
    missing: int  # students who did not; they are no points, not even 0
    full: int
    median: float
    mean: float
    bins: List[Bin]


@dataclass
class CheckRate:
    """How often one check passed, failed or did not run in the class."""
    name: str
    title: str
    max_points: int
    counts: Counter[str] = field(default_factory=Counter)

    def share(self, status: str) -> float:
        return self.counts[status] / sum(self.counts.values())


@dataclass(frozen=True)
class TimingBar:
    """One row of the timings: the numbers, and the bar as shares of the longest time of its kind, measured or
    modelled: a model of a large machine says nothing about how long the measured ones took."""
    timing: Timing
    low: float
    middle: float
    high: float
    samples: List[float]


def verdict_counts(submissions: Sequence[Submission]) -> List[Tuple[str, int]]:
    """Verdicts with their counts, in the order of the schema: those that occur, and always passed and failed."""
    counts = Counter(submission.verdict for submission in submissions)
    return [(verdict, counts[verdict]) for verdict in (*VERDICTS, NOT_HANDED_IN)
            if counts[verdict] or verdict in ("passed", "failed")]


def class_scores(results: Class) -> Optional[Scores]:
    """None if no submission has a score. Points that an instructor gave for a missing file count."""
    percents, missing = [], len(results.not_handed_in)
    for submission in results.submissions:
        if submission.verdict in ("missing file", NOT_HANDED_IN) and not submission.score:
            missing += not submission.excused
        elif submission.score is not None and submission.full_points > 0:
            percents.append(100 * submission.score / submission.full_points)
    return score_distribution(percents, missing) if percents else None


def score_distribution(percents: Sequence[float], missing: int) -> Scores:
    """The distribution of at least one score."""
    counts = Counter(map(bin_of, percents))
    tallest = max(counts.values())
    bins = [Bin(label=f"{10 * i}" if i == 10 else f"{10 * i}\u2013{10 * i + 9}", count=counts[i],
                share_of_tallest=counts[i] / tallest) for i in range(11)]
    return Scores(counted=len(percents), missing=missing, full=counts[10], median=median(percents), mean=mean(percents),
                  bins=bins)


def bin_of(percent: float) -> int:
    """The number of the bar that counts a score; the last one is for full points, and more where a person gave more."""
    return min(int(percent // 10), 10)


def check_rates(submissions: Sequence[Submission]) -> List[CheckRate]:
    """One entry for each check, in the order of the lab. A check that a submission never reached counts as not run."""
    scored = [submission for submission in submissions if submission.scored]
    rates: Dict[str, CheckRate] = {}
    for submission in scored:
        for check in submission.checks:
            rate = rates.setdefault(check.name, CheckRate(check.name, check.title, check.max_points))
            rate.counts[check.status] += 1
    for rate in rates.values():
        rate.counts["not run"] += rate.counts.pop("not measured", 0) + len(scored) - sum(rate.counts.values())
    return list(rates.values())


def ratio_labels(submissions: Sequence[Submission]) -> List[str]:
    """Labels of the ratios shown as columns: the most frequent, at most RATIO_COLUMNS, in order of appearance."""
    counts = Counter(label for submission in submissions
                     for label in dict.fromkeys(ratio.label for ratio in submission.ratios))
    frequent = {label for label, _ in counts.most_common(RATIO_COLUMNS)}
    return [label for label in counts if label in frequent]


@dataclass(frozen=True)
class TimingSpread:
    """The class's times under one label, each divided by the reference's time, in order; and their quartiles."""
    label: str
    ratios: List[float]
    quarter: float
    middle: float
    three_quarters: float
    marks: List[Mark]  # in order


class Mark(NamedTuple):
    """A submission's ratio, and its place on a logarithmic scale from 1/SPREAD to SPREAD, 0 to 1."""
    place: float
    ratio: float
    submission: Submission


def timing_spreads(submissions: Sequence[Submission]) -> List[TimingSpread]:
    ratios: Dict[str, List[Mark]] = {}
    for submission in submissions:
        reference = {timing.label: timing.median_ms for timing in submission.timings if timing.who == "reference"}
        for timing in submission.timings:
            if timing.who == "yours" and reference.get(timing.label) and timing.median_ms > 0:
                ratio = timing.median_ms / reference[timing.label]
                ratios.setdefault(timing.label, []).append(Mark(spread_place(ratio), ratio, submission))
    spreads = []
    for label, marks in ratios.items():
        marks.sort(key=lambda mark: mark.ratio)
        values = [mark.ratio for mark in marks]
        low, middle, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else 3 * values
        spreads.append(TimingSpread(label, values, low, middle, high, marks))
    return spreads


def spread_place(ratio: float) -> float:
    """The place of a ratio on the scale of the drawing; ratios beyond an end are at that end."""
    return min(max(0.5 + log(ratio) / log(SPREAD) / 2, 0.0), 1.0)


@dataclass(frozen=True)
class NodeTime:
    """The reference's own time for one measurement on one node: the fastest, middle and slowest of its medians."""
    label: str
    node: str
    device: Optional[Device]
    measured: int
    fastest: float
    middle: float
    slowest: float


def node_times(submissions: Sequence[Submission]) -> List[NodeTime]:
    """Of a class that several nodes graded, by measurement, and within it by device and node. A modelled time is the
    same everywhere, and left out."""
    times: Dict[Tuple[str, str, str], List[float]] = {}
    devices: Dict[Tuple[str, str, str], Optional[Device]] = {}
    for submission in submissions:
        name = submission.device.name if submission.device else ""
        for timing in submission.timings if submission.node else ():
            if timing.who == "reference" and timing.samples and not is_modelled(timing):
                key = (timing.label, name, submission.node)
                times.setdefault(key, []).append(timing.median_ms)
                devices[key] = submission.device
    order = {label: i for i, label in enumerate(dict.fromkeys(label for label, _, _ in times))}
    return [NodeTime(label, node, devices[(label, name, node)], len(found), min(found), median(found), max(found))
            for (label, name, node), found in sorted(times.items(), key=lambda row: (order[row[0][0]], row[0][1:]))]


def timing_bars(timings: Sequence[Timing]) -> List[TimingBar]:
    """Rows in the order of first appearance of their label, the student's before the reference."""
    longest: Dict[bool, float] = {}
    for timing in timings:
        own = max(timing.median_ms, timing.max_ms, *timing.samples_ms[:MOST_SAMPLES])
        longest[is_modelled(timing)] = max(own, longest.get(is_modelled(timing), 0.0))
    order = {label: i for i, label in enumerate(dict.fromkeys(timing.label for timing in timings))}
    rows = sorted(timings, key=lambda timing: (order[timing.label], timing.who != "yours"))

    def bar(timing: Timing) -> TimingBar:
        whole = longest[is_modelled(timing)] or 1.0
        return TimingBar(timing, timing.min_ms / whole, timing.median_ms / whole, timing.max_ms / whole,
                         [min(sample / whole, 1.0) for sample in timing.samples_ms[:MOST_SAMPLES]])

    return [bar(timing) for timing in rows]


def is_modelled(timing: Timing) -> bool:
    """Whether the time is modelled: the library always says so in the label."""
    return "modelled" in timing.label
