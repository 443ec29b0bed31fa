"""A player: the source next to a timeline that fills. Each step is one call of the host. What a call enqueues appears
as an outline; it is filled as far as the device has come when the call returns. The last step is the whole picture.

Recipe: as for a timeline; the runs of the record have a "source"."""
from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Dict, List, Tuple

import source
from draw_kit import BESIDE, Part, time_text
from draw_timeline import draw_runs
from runs import DEVICE, Op, Run, read_runs, stream_names

TALL = 420  # of the timeline with its axis and key


@dataclass
class Step:
    """A call that is shown: the line of the listing, and what the device has reached when it returns."""
    number: int
    run: Run
    op: Op
    line: int
    until: float


def listing_of(record: Part) -> Tuple[List[str], List[int]]:
    """The lines of all functions, and where each run's begin. They must still be in their file."""
    lines: List[str] = []
    starts: Dict[str, int] = {}
    begins = []
    for run in record.parts("runs"):
        told = Part(run.get("source", dict, "an object"), f"{run.place}, source")
        name, kept = told.text("name"), told.values("lines", str, "texts")
        try:
            now = source.excerpt(name).lines
        except source.Fault as fault:
            raise ValueError(f"{told.place}: {fault}") from None
        if now != kept:
            raise ValueError(f"{told.place}: the field lines is no longer what {name} is; record the figure again")
        if name not in starts:
            lines += [""] if lines else []
            starts[name] = len(lines)
            lines += kept
        begins.append(starts[name])
    return lines, begins


def without_comments(lines: List[str], steps: List[Step]) -> List[str]:
    """The lines that are code: fewer are shown larger. The steps follow their lines."""
    kept = [k for k, line in enumerate(lines) if not re.match(r"\s*/\*.*\*/$", line)]
    for step in steps:
        step.line = kept.index(step.line)
    return [lines[k] for k in kept]


def steps_of(runs: List[Run], begins: List[int]) -> List[Step]:
    steps: List[Step] = []
    for run, begin in zip(runs, begins):
        calls = [op for op in run.ops if op.shown >= 0]
        for k, op in enumerate(calls):
            end = max([op.back] + [other.end for other in run.ops]) if k == len(calls) - 1 else op.back
            steps.append(Step(len(steps) + 1, run, op, begin + op.shown, end))
    if not steps:
        raise ValueError("no call of the record is in its source")
    return steps


# --- What happens, in a sentence --------------------------------------------------------------------------------

def sentence(step: Step) -> str:
    op, names = step.op, stream_names(step.run)
    took = time_text(op.back - op.call)
    where = names.get(op.stream, "its stream")
    done = [other for other in step.run.ops if other.runs and other.end <= step.until]
    if op.kind == "mark":
        return "The host reads its clock."
    if op.kind == "event record":
        return f"The event is recorded on {where}. The call takes {took}."
    if op.kind == "event wait":
        return f"{where} is to wait for the event. The call takes {took}; the host does not wait."
    if op.waits:
        return f"The host waits {took}." if op.back - op.call > 2000 else "The host waits; nothing is left to do."
    if op.runs:
        name = op.name if op.kind == "kernel" else f"The {DEVICE[op.kind]}"
        state = "it is done" if op in done else "it has begun" if op.start < step.until else "it has not begun"
        return f"{name} is enqueued on {where}. The call takes {took}; when it returns, {state}."
    words = {"event create": "An event is made", "event destroy": "The event is destroyed"}
    return f"{words.get(op.kind, op.kind)}. The call takes {took}."


def draw(recipe: Part, records: List[Part]) -> Tuple[str, int]:
    """The player's HTML and its number of steps."""
    record = records[0]
    lines, begins = listing_of(record)
    runs = read_runs(recipe, record)
    steps = steps_of(runs, begins)
    lines = without_comments(lines, steps)
    shown = [{step.op.id: step.until for step in steps if step.run is run} for run in runs]
    svg = draw_runs(recipe, [(record, runs)], shown, BESIDE, TALL)
    lit: Dict[int, str] = {}
    for step in steps:
        lit[step.line] = f"{lit.get(step.line, '')} {step.number}".strip()
    said = "".join(f'<li data-step="{step.number}">{escape(sentence(step))}</li>' for step in steps)
    code = source.listing(lines, "c", steps=lit, label="The source")
    return f'{code}{svg}<ol class="steps">{said}</ol>', len(steps)
