"""What a record must show: a figure's text says it, and a record that contradicts it is refused, when it is made and
when a deck is built.

In the recipe of a timeline or a player each of "runs" has "shows", a list of these sentences:

    launches return at once            the call of each kernel and graph takes less than half the time of its work
    A overlaps B                       some A and some B run at the same time
    A never overlaps B                 none do
    A before B                         every A has ended when the first B begins
    A begins before B ends             the first A has begun when the last B ends
    no A                               the run has none
    no A is 4 times as long as another
    A with pauses                      between two A, the device always waits for half as long as the first one ran
    A without pauses                   it never does

A and B are a kernel's name, "copy in", "copy out", "kernel", "graph", "host read", "host write", or another call that
the record names, such as "memory alloc"; "advance[1]" is the second one that was enqueued."""
from __future__ import annotations

import re
from typing import Callable, List, Optional, Tuple

from draw_kit import Part, time_text
from runs import DEVICE, Op, operation

AT_ONCE = .5  # of the time of what a call launches, or of what runs before a pause

Says = Optional[str]  # what contradicts a sentence


def span(op: Op) -> Tuple[float, float]:
    return (op.start, op.end) if op.runs else (op.call, op.back)


def chosen(ops: List[Op], name: str) -> List[Op]:
    """The operations that a sentence names."""
    word, index = re.fullmatch(r"(.+?)(?:\[(\d+)\])?", name).groups()
    found = [op for op in ops if (op.runs or op.kind not in DEVICE) and word in (op.name, op.kind, DEVICE.get(op.kind))]
    if index:
        found = found[int(index):int(index) + 1]
    if not found:
        raise ValueError(f"the run has no {name}")
    return found


def at_once(ops: List[Op]) -> Says:
    for op in ops:
        if op.runs and DEVICE[op.kind] in ("kernel", "graph"):
            call, work = op.back - op.call, op.end - op.start
            if call >= AT_ONCE * work:
                return f"the call of {op.name} took {time_text(call)}, and {op.name} {time_text(work)}"
    return None


def pairs(ops: List[Op], first: str, second: str) -> Tuple[bool, str]:
    """Whether some of the first run at the same time as some of the second, and which."""
    for a in chosen(ops, first):
        for b in chosen(ops, second):
            begin, end = max(span(a)[0], span(b)[0]), min(span(a)[1], span(b)[1])
            if a is not b and begin < end:
                return True, f"both run from {time_text(begin)} to {time_text(end)}"
    return False, "they never run at the same time"


def overlaps(ops: List[Op], first: str, second: str) -> Says:
    together, says = pairs(ops, first, second)
    return None if together else says


def never_overlaps(ops: List[Op], first: str, second: str) -> Says:
    together, says = pairs(ops, first, second)
    return says if together else None


def before(ops: List[Op], first: str, second: str) -> Says:
    end, begin = max(span(op)[1] for op in chosen(ops, first)), min(span(op)[0] for op in chosen(ops, second))
    return f"{first} ends at {time_text(end)}, and {second} begins at {time_text(begin)}" if end > begin else None


def begins_before(ops: List[Op], first: str, second: str) -> Says:
    begin, end = min(span(op)[0] for op in chosen(ops, first)), max(span(op)[1] for op in chosen(ops, second))
    return f"{first} begins at {time_text(begin)}, and {second} ends at {time_text(end)}" if begin >= end else None


def none_of(ops: List[Op], name: str) -> Says:
    count = sum(name in (op.name, op.kind, DEVICE.get(op.kind)) for op in ops)
    return f"it has {count}" if count else None


def alike(ops: List[Op], name: str, times: str) -> Says:
    took = sorted(end - begin for begin, end in map(span, chosen(ops, name)))
    return f"one takes {time_text(took[0])}, and one {time_text(took[-1])}" if took[-1] > int(times) * took[0] else None


def pauses(ops: List[Op], name: str, how: str) -> Says:
    spans = sorted(map(span, chosen(ops, name)))
    for (begin, end), (following, _) in zip(spans, spans[1:]):
        if (following - end >= AT_ONCE * (end - begin)) != (how == "with"):
            return f"one that took {time_text(end - begin)} is followed {time_text(max(following - end, 0))} later"
    return None


SENTENCES: List[Tuple[str, Callable[..., Says]]] = [
    (r"launches return at once", at_once),
    (r"(.+) never overlaps (.+)", never_overlaps),
    (r"(.+) overlaps (.+)", overlaps),
    (r"(.+) begins before (.+) ends", begins_before),
    (r"(.+) before (.+)", before),
    (r"no (.+) is (\d+) times as long as another", alike),
    (r"no (.+)", none_of),
    (r"(.+) (with|without) pauses", pauses),
]


def contradiction(sentence: str, ops: List[Op]) -> Says:
    for pattern, holds in SENTENCES:
        found = re.fullmatch(pattern, sentence)
        if found:
            return holds(ops, *found.groups())
    raise ValueError("there is no such sentence; slides/tools/shows.py lists them")


def check(recipe: Part, record: Part) -> None:
    """Raises ValueError for the first sentence that a run of the record contradicts, and for a run of a timeline or a
    player about which the recipe has none."""
    told = recipe.parts("runs", 0, [])
    for number, run in enumerate(record.parts("runs", 0, [])):
        sentences = told[number].values("shows", str, "texts", []) if number < len(told) else []
        if not sentences and recipe.text("kind", "") in ("timeline", "player"):
            raise ValueError(f'{recipe.place}, runs[{number}]: "shows" is missing: say what the record must show')
        for sentence in sentences:
            try:
                says = contradiction(sentence, [operation(op) for op in run.parts("ops")])
            except ValueError as error:
                raise ValueError(f'{told[number].place}: "{sentence}": {error}') from None
            if says:
                raise ValueError(f'{run.place}: it has to show "{sentence}", but {says}. Make it again with '
                                 f'`{record.text("command")}`')
