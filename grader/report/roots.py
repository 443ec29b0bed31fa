"""The failed checks of a submission by their root causes, so that a mistake is told once.

Which checks have one root cause is the grader's word: the field "root" of a check (grader/docs/results.md). Results
from before it had that field have one cause for each failed check. Independent of markup.
"""
from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

from results import Check, Submission
from wording import number


class Root(NamedTuple):
    """A root cause: the check that tells it, and all that it costs, with their places on the student's page, from 1."""
    check: Check
    members: List[Tuple[int, Check]]

    @property
    def points(self) -> float:
        return sum(check.max_points - check.points for _, check in self.members)


def roots(submission: Submission) -> List[Root]:
    """In the order of the checks that tell them."""
    found: Dict[str, Root] = {}
    for place, check in enumerate(submission.checks, 1):
        name = _name(check)
        if name == check.name:
            found[name] = Root(check, [])
        if name in found:
            found[name].members.append((place, check))
    return list(found.values())


def _name(check: Check) -> str:
    """Of the check that tells why this one has not passed; "" for none."""
    return check.root or (check.name if check.status == "failed" else "")


def told_by(submission: Submission, check: Check) -> Optional[Check]:
    """The check that tells the mistake of this failed one, where that is another; else None."""
    name = _name(check)
    return None if check.status != "failed" or name == check.name else next(
        (other for other in submission.checks if other.name == name), None)


def cost(root: Root) -> str:
    """"this missing order costs 3 checks, 30 points"; "" where only the check that tells it is lost."""
    if len(root.members) < 2:
        return ""
    return (f"this {root.check.mistake or 'mistake'} costs {len(root.members)} checks, "
            f"{number(root.points)} {'point' if root.points == 1 else 'points'}")


def cost_of(submission: Submission, check: Check) -> str:
    """The same of the root cause that this check tells; "" where it tells none."""
    return next((cost(root) for root in roots(submission) if root.check is check), "")


def reason(submission: Submission, check: Check) -> str:
    """A check's message next to those of other checks: the mistake told once, with its cost and the level reached."""
    other = told_by(submission, check)
    if other is not None:
        words = f"the same mistake as in “{other.title or other.name}”"
    else:
        costs = cost_of(submission, check)
        words = f"{check.message} ({costs})" if costs else check.message
    return f"{words} (reached: {check.level})".strip() if check.level else words


def lead(message: str) -> Tuple[str, str]:
    """The short sentence with which a message begins, and the rest: also the schedule under which its check ran."""
    first, _, lines = message.partition("\n")
    first, under, schedule = first.partition(" (under LAB_SCHEDULE=")
    first, stop, more = first.partition(". ")
    more = f"{more} (under LAB_SCHEDULE={schedule}".strip() if under else more
    return first + "." * bool(stop), "\n".join(text for text in (more, lines) if text)
