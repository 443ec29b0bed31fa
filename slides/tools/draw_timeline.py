"""Timelines: what the host called and what the device ran, run above run on one scale of time.

Recipe: "runs", for each run of a record {"title": ..., "verdict": "wrong" or "right", "names": [rows]}, each of which
may be left out; "names" of the streams or threads for all runs (a thread without a name is not drawn); "rows":
"streams", "engines" or "threads" of the device; "host": false leaves the host's row out; "labels": {kernel: text};
"bracket": "events" or "clock" marks what an interval spans; "height" of the figure, 430 unless its slide has much text.
"""
from __future__ import annotations

import re
from typing import List, Optional, Tuple, Type

from draw_kit import (HOST, INK, KERNEL, LINE, MUTED, PAPER, RIGHT, SMALL, TEXT, WIDE, WRONG, Canvas, Part, Scale,
                      machine_of, number, time_axis, time_text, width_of)
from look import Look, looks
from runs import DEVICE, HOST_USES, Op, Row, Run, read_runs, rows_of

GAPS = {"streams": 15, "engines": 5, "threads": 5}  # between rows: arrows from stream to stream need room
LEAST_LANE, MOST_LANE, MANY = 13, 46, 12  # of rows
TALL = 430        # what a slide has room for beside its title, text and caption
BELOW = 46        # the numbers of the axis and the key
CALLS = {"context create": "make a context", "context destroy": "destroy", "module load": "load",
         "module unload": "unload", "memory alloc": "alloc", "memory free": "free"}


# --- Bars -----------------------------------------------------------------------------------------------------

def look_of(op: Op) -> Look:
    """A graph looks like the kernels that it launches."""
    return looks().get(DEVICE[op.kind], looks()["kernel"])


def fill_of(canvas: Canvas, look: Look) -> str:
    return canvas.pattern(f"lines-{re.sub(r'[^a-z]', '', look.color)}-{len(look.lines)}", look.color,
                          look.lines) if look.lines else look.color


def stroke_of(look: Look) -> Optional[str]:
    """The outline of a pattern."""
    return look.color if look.lines else None


class Timeline:
    """Draws the runs of one record from `top` down, and knows where each row is."""

    def __init__(self, canvas: Canvas, recipe: Part, runs: List[Run], top: float, lane: float) -> None:
        self.canvas, self.recipe, self.runs, self.lane = canvas, recipe, runs, lane
        self.labels = recipe.get("labels", dict, "an object", {})
        self.kind, self.bracketed = recipe.text("rows", "streams"), recipe.text("bracket", "")
        self.host = recipe.value.get("host", self.kind != "threads")
        if self.kind not in GAPS:
            raise ValueError(f'rows are "streams", "engines" or "threads", not "{self.kind}"')
        rows = sum(len(rows_of(run, self.kind, self.host)) for run in runs)
        self.gap = GAPS[self.kind] if rows <= MANY else 3
        self.used: List[str] = []
        last = max(max(op.back, op.end) for run in runs for op in run.ops)
        self.bottom = self.place(top)
        gutter = max(width_of(row.name, SMALL + 1) for run in runs for row in run.rows) + 18
        reads = any(op.kind in HOST_USES for run in runs for op in run.ops)
        self.scale = Scale(0, last * 1.01, gutter, canvas.width - (60 if reads else 12))

    def place(self, y: float) -> float:
        for run in self.runs:
            y += 28 if run.title else 4
            run.rows = rows_of(run, self.kind, self.host)
            for row in run.rows:
                row.y = y
                row.height = max(self.lane, row.count * (15 if row.count <= 4 else 11)) if row.count > 1 else self.lane
                y += row.height + self.gap
            y += 24 * (self.marked(run) is not None) + 30 * bool(self.bracketed) + 8
        return y - 8

    def x(self, time: float) -> float:
        return self.scale(time)

    def draw(self) -> None:
        time_axis(self.canvas, self.scale, self.runs[0].rows[0].y - 2, self.bottom)
        for run in self.runs:
            self.draw_title(run)
            for row in run.rows:
                self.draw_row(run, row)
            self.draw_arrows(run)
            self.draw_brackets(run)
            self.draw_finding(run)

    def draw_title(self, run: Run) -> None:
        if not run.title:
            return
        sign, color = {"wrong": ("✗ ", WRONG), "right": ("✓ ", RIGHT)}.get(run.verdict, ("", INK))
        took = f": {time_text(max(max(op.back, op.end) for op in run.ops))}" if self.kind == "threads" else ""
        self.canvas.text(4, run.rows[0].y - 9, sign + run.title + took, color, 17, bold=True)

    def draw_name(self, row: Row) -> None:
        below = row.y + row.height + self.gap / 2
        self.canvas.text(4, row.y + row.height / 2 + 5, row.name, INK if not row.host else HOST, SMALL + 1)
        self.canvas.line(self.scale.x0, below, self.scale.x1, below, LINE, .75)

    def draw_row(self, run: Run, row: Row) -> None:
        self.draw_name(row)
        if row.host:
            for op in row.ops:
                self.draw_call(op, row)
            return
        for op in row.ops:
            if op.runs:
                self.draw_queue(op, row)
        for op in row.ops:
            if op.runs:
                self.draw_work(op, row)
            elif self.kind == "threads" and op.kind in CALLS:
                self.draw_call(op, row, CALLS[op.kind])
        for op in self.events(run) if self.kind == "streams" else []:
            if self.row_of(run, op) is row:
                self.draw_event(op, row)

    def events(self, run: Run) -> List[Op]:
        """The records of events that something waits for, or that an interval lies between."""
        awaited = {cause for op in run.ops for cause in op.waits_for}
        return [op for op in run.ops if op.kind == "event record" and op.placed and op.start >= 0
                and (op.id in awaited or self.bracketed == "events")]

    def draw_call(self, op: Op, row: Row, label: str = "", step: Optional[int] = None) -> None:
        """A call of the host. One that waits is an outline with lines."""
        x, width = self.x(op.call), max(self.x(op.back) - self.x(op.call), 2.2)
        if op.kind == "mark":
            self.draw_clock(op, row, step)
            return
        if op.kind in HOST_USES:
            self.canvas.path(f"M {number(x)} {number(row.y + 3)} l 8 {number(row.height / 2 - 3)} l -8 "
                             f"{number(row.height / 2 - 3)} l -8 {number(3 - row.height / 2)} Z", fill=HOST)
            word = "reads" if op.kind == "host read" else "writes"
            begin, end = x + 12, x + 12 + width_of(word, SMALL, True)
            if not any(self.x(other.call) < end and (self.x(other.back) > begin or self.follows(other, op))
                       for other in row.ops if other is not op):
                self.canvas.text(begin, row.y + row.height / 2 + 5, word, HOST, SMALL, bold=True)
            return
        kind = "host waits" if op.waits and width > 6 else "host calls"
        look = looks()[kind]
        self.canvas.rect(x, row.y + row.height * look.top, width, row.height * look.height, fill_of(self.canvas, look),
                         stroke=stroke_of(look), step=step)
        if op.waits and width > 6:
            self.use(kind)
            return
        if label and width_of(label, SMALL) + 8 < width:
            self.canvas.text(x + width / 2, row.y + row.height / 2 + 5, label, PAPER, SMALL, "middle")
        self.use("host calls")

    @staticmethod
    def follows(later: Op, use: Op) -> bool:
        """Of several uses of memory at one place only the last has its word."""
        return later.kind in HOST_USES and later.call > use.call

    def draw_clock(self, op: Op, row: Row, step: Optional[int] = None) -> None:
        if self.bracketed != "clock" or op.name != "clock":
            return
        self.canvas.line(self.x(op.call), row.y - 4, self.x(op.call), row.y + row.height + 4, INK, 2, step=step)

    def shape(self, op: Op, row: Row) -> Tuple[float, float, float, float]:
        """x, y, width, height: a copy in is in the upper half of its row, a copy out in the lower half, as in the
        timelines of a terminal."""
        height = row.height / row.count
        y = row.y + row.lanes.get(op.id, 0) * height
        if row.count > 1:
            y, height = y + 1, height - 2
        elif self.kind != "engines":
            look = look_of(op)
            part = max(height * look.height, min(height, 17))  # its name has to fit
            y, height = min(y + height * look.top, y + height - part), part
        x = self.x(op.start)
        return x, y, max(self.x(op.end) - x, 2.2), height

    @staticmethod
    def plain(op: Op) -> str:
        return look_of(op).color

    def fill(self, op: Op) -> str:
        return fill_of(self.canvas, look_of(op))

    def draw_work(self, op: Op, row: Row, step: Optional[int] = None) -> None:
        x, y, width, height = self.shape(op, row)
        kind = DEVICE[op.kind]
        self.canvas.rect(x, y, width, height, self.fill(op), stroke=stroke_of(look_of(op)), step=step)
        self.use(kind)
        self.label(op, row, step)

    def label(self, op: Op, row: Row, step: Optional[int] = None) -> None:
        """What ran: on the bar if there is room."""
        x, y, width, height = self.shape(op, row)
        kind = DEVICE[op.kind]
        text = self.labels.get(op.name, op.name) if kind == "kernel" else kind
        size = SMALL if height < 24 else SMALL + 1
        if width < 8 and self.kind == "streams":
            self.label_beside(op, row, text, step)
        if height >= 15 and width_of(text, size) + 6 < width:
            on_pattern = bool(look_of(op).lines)
            if on_pattern:
                self.canvas.rect(x + width / 2 - width_of(text, size) / 2 - 3, y + height / 2 - 9,
                                 width_of(text, size) + 6, 18, PAPER, step=step)
            self.canvas.text(x + width / 2, y + height / 2 + 5, text, INK if on_pattern else PAPER, size, "middle",
                             step=step)

    def label_beside(self, op: Op, row: Row, text: str, step: Optional[int]) -> None:
        """The name of a bar that is too short for it stands right of it, if no other bar does."""
        x, y, width, height = self.shape(op, row)
        begin, end = x + width + 5, x + width + 5 + width_of(text, SMALL)
        if end < self.scale.x1 and not any(self.x(other.start) < end and self.x(other.end) > begin
                                           for other in row.ops if other.runs and other is not op):
            middle = row.y + row.height / 2
            self.canvas.rect(begin - 2, middle - 8, end - begin + 4, 16, PAPER, step=step)
            self.canvas.text(begin, middle + 5, text, self.plain(op), SMALL, step=step)

    def draw_queue(self, op: Op, row: Row, step: Optional[int] = None) -> None:
        """From the call to the start the operation stands in its queue."""
        x0, x1 = self.x(op.call), self.x(op.start)
        if row.count == 1 and self.kind == "streams" and x1 - x0 > 8:
            y = row.y + row.height / 2
            before = max((self.x(other.end) for other in row.ops if other.runs and other.start < op.start),
                         default=self.scale.x0)
            if x1 - max(x0, before) > 8:
                self.canvas.line(max(x0, before) + 2, y, x1 - 3, y, MUTED, 1.6, stroke_dasharray="1.6 5",
                                 stroke_linecap="round", step=step)
                self.use("queued")

    def draw_event(self, op: Op, row: Row, step: Optional[int] = None) -> None:
        x = self.x(op.end)
        self.canvas.line(x, row.y - 3, x, row.y + row.height + 3, INK, 2, step=step)
        self.canvas.path(f"M {number(x - 6)} {number(row.y - 4)} h 12 l -6 8 Z", fill=INK, step=step)
        self.use("event")

    def use(self, kind: str) -> None:
        if kind not in self.used:
            self.used.append(kind)

    # --- What orders what

    def row_of(self, run: Run, op: Op) -> Optional[Row]:
        if op.kind in HOST_USES or not op.runs and op.kind not in ("event record", "event wait"):
            return next((row for row in run.rows if row.host), None)
        return next((row for row in run.rows if not row.host and (op in row.ops or any(
            other.stream == op.stream for other in row.ops))), None)

    def held_back(self, run: Run, op: Op) -> Optional[Op]:
        """The work that an event wait, or the null stream's rule, holds back."""
        if op.runs:
            return op
        later = [other for other in run.ops if other.runs and other.stream == op.stream and other.id > op.id]
        return min(later, key=lambda other: other.id, default=None)

    def draw_arrows(self, run: Run) -> None:
        """From what an operation waits for, on another row, to its start."""
        for op in run.ops:
            target = self.held_back(run, op) if op.kind == "event wait" or op.runs else None
            for wanted in op.waits_for:
                cause = run.op(wanted)
                if target and cause:
                    self.draw_arrow(run, cause, target)

    def draw_arrow(self, run: Run, cause: Op, target: Op, step: Optional[int] = None) -> None:
        above, below = self.row_of(run, cause), self.row_of(run, target)
        if not above or not below or above is below or self.kind == "engines":
            return
        x0, x1 = self.x(cause.end), max(self.x(target.start), self.x(cause.end) + 1)
        down = below.y > above.y
        y0 = above.y + above.height if down else above.y
        y1 = below.y - 1 if down else below.y + below.height + 1
        self.canvas.arrow([(x0, y0), (x1, y1)], INK, 2.5, step=step)

    # --- Findings and intervals

    def marked(self, run: Run) -> Optional[Tuple[Op, Op, Part]]:
        """The first finding whose two operations are both drawn."""
        if run.verdict == "right":
            return None
        for finding in run.findings:
            first, second = (run.op(int(finding.number(key))) for key in ("first", "second"))
            if first and second and all(op.runs or op.kind in HOST_USES for op in (first, second)):
                return first, second, finding
        return None

    def title_of(self, op: Op) -> str:
        if op.kind == "host read":
            return "the host's read"
        return self.labels.get(op.name, op.name) if op.kind == "kernel" else f"the {DEVICE.get(op.kind, op.kind)}"

    def draw_finding(self, run: Run) -> None:
        found = self.marked(run)
        if not found:
            return
        centers = []
        for op in found[:2]:
            row = self.row_of(run, op)
            if not row:
                return
            x, y, width, height = self.shape(op, row) if op.runs else (self.x(op.call) - 9, row.y, 18, row.height)
            self.canvas.rect(x - 3, y - 3, width + 6, height + 6, "none", stroke=WRONG, stroke_width=3.0,
                             stroke_dasharray="7 4")
            centers.append((x + width / 2, y + height / 2, row))
        (x0, y0, row0), (x1, y1, row1) = centers
        if row0 is not row1:
            up, down = sorted(((x0, row0), (x1, row1)), key=lambda end: end[1].y)
            self.canvas.line(up[0], up[1].y + up[1].height + 3, down[0], down[1].y - 3, WRONG, 2.5,
                             stroke_dasharray="7 4")
        first, second = sorted(found[:2], key=lambda op: op.call)
        says = f"order checker: nothing orders {self.title_of(first)} and {self.title_of(second)}"
        bottom = run.rows[-1].y + run.rows[-1].height + self.gap
        self.canvas.text(self.scale.x0, bottom + 12, f"✗ {says}", WRONG, TEXT, bold=True)

    def draw_brackets(self, run: Run, step: Optional[int] = None) -> None:
        if self.bracketed == "events":
            self.bracket(run, self.events(run), "between the events", step)
        elif self.bracketed == "clock":
            clocks = [op for op in run.ops if op.kind == "mark" and op.name == "clock"]
            self.bracket(run, clocks, "by the clock", step)
        elif self.bracketed:
            raise ValueError(f'a bracket is of "events" or of "clock", not of "{self.bracketed}"')

    def bracket(self, run: Run, ends: List[Op], words: str, step: Optional[int]) -> None:
        if len(ends) < 2:
            raise ValueError(f'the run "{run.title}" has {len(ends)} of the two ends of an interval')
        begin, end = (op.end if op.kind == "event record" else op.call for op in (ends[0], ends[-1]))
        last = run.rows[-1]
        x0, x1, y = self.x(begin), self.x(end), last.y + last.height + self.gap + 3
        self.canvas.path(f"M {number(x0)} {number(y - 6)} v 6 H {number(x1)} v -6", stroke=INK, stroke_width=2.0,
                         step=step)
        text = f"{time_text(end - begin, 3)} {words}"
        half = width_of(text, SMALL + 1, True) / 2
        at = min(max((x0 + x1) / 2, self.scale.x0 + half), self.scale.x1 - half)
        self.canvas.text(at, y + 18, text, INK, SMALL + 1, "middle", bold=True, step=step)


# --- The key --------------------------------------------------------------------------------------------------

def draw_key(canvas: Canvas, kinds: List[str], y: float) -> float:
    """What the shapes mean, in as many lines as it takes. Returns where the next line would be."""
    x = 4.0
    for kind in [kind for kind in [*looks(), "queued work"] if kind in kinds]:
        if x + 28 + width_of(kind, SMALL) > canvas.width:
            x, y = 4.0, y + 24
        draw_sample(canvas, kind, x, y)
        canvas.text(x + 28, y, kind, MUTED, SMALL)
        x += 28 + width_of(kind, SMALL) + 22
    return y + 24


def draw_sample(canvas: Canvas, kind: str, x: float, y: float) -> None:
    if kind == "queued":
        canvas.line(x, y - 5, x + 22, y - 5, MUTED, 1.6, stroke_dasharray="1.6 5", stroke_linecap="round")
        return
    if kind == "event":
        canvas.line(x + 11, y - 13, x + 11, y + 3, INK, 2)
        canvas.path(f"M {number(x + 5)} {number(y - 14)} h 12 l -6 8 Z", fill=INK)
        return
    if kind == "queued work":
        canvas.rect(x, y - 13, 22, 16, "none", stroke=KERNEL, stroke_dasharray="3 3")
        return
    look = looks()[kind]
    canvas.rect(x, y - 13 + 16 * look.top, 22, 16 * look.height, fill_of(canvas, look), stroke=stroke_of(look))


def fitting(canvas: Canvas, recipe: Part, runs: List[Run], top: float, height: float,
            kind: Type[Timeline] = Timeline) -> Timeline:
    """The timeline with the broadest rows that stay within the height."""
    lanes = [lane for lane in range(LEAST_LANE, MOST_LANE + 1)
             if kind(canvas, recipe, runs, top, lane).bottom - top <= height]
    return kind(canvas, recipe, runs, top, max(lanes, default=LEAST_LANE))


def draw(recipe: Part, records: List[Part]) -> Canvas:
    """The records of several machines stand side by side."""
    canvas = Canvas(WIDE)
    top, column = (22, (canvas.width + 30) / len(records) - 30) if len(records) > 1 else (0, canvas.width)
    used: List[str] = []
    bottom = 0.0
    for k, record in enumerate(records):
        part = Canvas(column)
        if top:
            part.text(4, 14, machine_of(record), MUTED, TEXT, bold=True)
        timeline = fitting(part, recipe, read_runs(recipe, record), top,
                           recipe.number("height", TALL) - BELOW - 2 * top)
        timeline.draw()
        canvas.put(part, k * (column + 30))
        used += [kind for kind in timeline.used if kind not in used]
        bottom = max(bottom, timeline.bottom)
    canvas.height = draw_key(canvas, used, bottom + (58 if top else 38)) - 14
    return canvas
