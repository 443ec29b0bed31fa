"""How the checks of a lab do their work: how hard each is, and how well it tells strong work from weak.

Difficulty is the share of submissions that do not pass. Discrimination is the correlation of passing a check with the
points of the other checks (the corrected point-biserial), with its interval of 95 %. Both need LEAST submissions.
Also says what a lab's author should look at.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import atanh, sqrt, tanh
from statistics import mean
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from results import Check, Submission

LEAST = 10      # submissions
LEAST_AGAIN = 5  # students who failed a check and handed in again


@dataclass
class Item:
    """A check, as the submissions that measured it fared."""
    name: str
    title: str
    counted: int = 0
    passed: int = 0
    failed: int = 0
    placed: int = 0  # failures that name a line
    pairs: List[Tuple[int, float]] = field(default_factory=list)  # passed or not, and the share of the other points
    again: Counter[str] = field(default_factory=Counter)  # how it fared in the attempt after one that failed it

    @property
    def discrimination(self) -> Optional[float]:
        """None where everybody fares the same, in this check or in all others."""
        means = [mean(values) for values in zip(*self.pairs)]
        own = sum((passed - means[0]) ** 2 for passed, _ in self.pairs)
        others = sum((rest - means[1]) ** 2 for _, rest in self.pairs)
        both = sum((passed - means[0]) * (rest - means[1]) for passed, rest in self.pairs)
        return both / sqrt(own * others) if own * others > 1e-12 else None

    @property
    def interval(self) -> Tuple[float, float]:
        """Where the discrimination lies with 95 %, by Fisher's transformation."""
        middle = atanh(max(-0.999, min(0.999, self.discrimination or 0.0)))
        width = 1.96 / sqrt(self.counted - 3)
        return tanh(middle - width), tanh(middle + width)

    @property
    def meaning(self) -> str:
        if self.passed == self.counted:
            return "Everybody passes: it tells nobody apart."
        if self.passed == 0:
            return "Nobody passes: too hard, or the lesson does not lead there."
        value = self.discrimination
        if value is None:
            return "The other checks are the same for everybody."
        if value < 0:
            return "Those who pass do worse elsewhere: look at what it asks."
        if value < 0.2:
            return "It hardly tells strong work from weak."
        return "It tells strong work from weak" + (" well." if value >= 0.4 else ", a little.")


def items(submissions: Sequence[Submission]) -> List[Item]:
    """The checks in the order of the lab; none if fewer than LEAST submissions have a score."""
    scored = [submission for submission in submissions if submission.scored]
    if len(scored) < LEAST:
        return []
    found: Dict[str, Item] = {}
    for submission in scored:
        for check in submission.checks:
            found.setdefault(check.name, Item(check.name, check.title or check.name))
    for submission in scored:
        own = {check.name: check for check in submission.checks}
        for item in found.values():
            _count(item, own.get(item.name), submission)
    return [item for item in found.values() if item.counted >= LEAST]


def _count(item: Item, check: Optional[Check], submission: Submission) -> None:
    if check is not None and check.status in ("not measured", "grader fault"):
        return
    passed = check is not None and check.status == "passed"
    points = submission.points - (check.points if check else 0)
    possible = submission.max_points - (check.max_points if check else 0)
    item.counted += 1
    item.passed += passed
    if check is not None and check.status == "failed":
        item.failed += 1
        item.placed += check.location is not None and check.location.line > 0
    item.pairs.append((passed, points / possible if possible > 0 else 0.0))


def count_attempts(found: Sequence[Item], submissions: Sequence[Submission],
                   read: Callable[[str], Optional[Submission]]) -> None:
    """Counts how checks that failed fared in the next attempt. `read` gives the result in the folder of an attempt."""
    by_name = {item.name: item for item in found}
    for submission in submissions:
        graded = [attempt for attempt in submission.attempts if attempt.verdict and attempt.directory]
        if len(graded) < 2:
            continue
        results = [submission if attempt.counts else read(attempt.directory) for attempt in graded]
        for before, after in zip(results, results[1:]):
            if before is None or after is None:
                continue
            status = {check.name: check.status for check in after.checks}
            for check in before.checks:
                if check.status == "failed" and check.name in by_name:
                    by_name[check.name].again[status.get(check.name, "not run")] += 1


@dataclass(frozen=True)
class Advice:
    """What the author of a lab should look at: a sentence, and the checks that it is about."""
    words: str
    checks: List[str]


def for_the_author(found: Sequence[Item]) -> List[Advice]:
    """The sentences that are about at least one check."""
    def measured(item: Item) -> bool:
        return 0 < item.passed < item.counted and item.discrimination is not None
    rules: List[Tuple[str, Callable[[Item], bool]]] = [
        ("Nobody fails these checks. Are they worth their points?", lambda item: item.passed == item.counted),
        ("Nobody passes these checks.", lambda item: item.passed == 0),
        ("These hardly tell strong work from weak, or the wrong way round.",
         lambda item: measured(item) and (item.discrimination or 0) < 0.2),
        ("Most of their failures name no line of the student’s file.",
         lambda item: item.failed >= LEAST_AGAIN and 2 * item.placed < item.failed),
        ("At least half of those who failed them and handed in again failed them again: the hint does not help.",
         lambda item: sum(item.again.values()) >= LEAST_AGAIN
         and 2 * item.again["passed"] <= sum(item.again.values())),
    ]
    told = [Advice(words, [item.title for item in found if holds(item)]) for words, holds in rules]
    return [advice for advice in told if advice.checks]
