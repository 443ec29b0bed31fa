"""The runs of a record, as timelines and players draw them: operations, and the rows that they stand in."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional

from draw_kit import Part

# By what a record calls them: the words of look.py, and a graph.
DEVICE = {"copy htod": "copy in", "copy dtoh": "copy out", "copy dtod": "copy on device", "kernel": "kernel",
          "fill": "fill", "host function": "host function", "graph launch": "graph"}
HOST_USES = ("host read", "host write")  # of memory, by the program itself
ENGINES = {"copy in": "copy in", "copy out": "copy out"}  # all else computes


@dataclass
class Op:
    id: int
    kind: str
    name: str
    stream: int
    thread: int
    call: float
    back: float
    start: float
    end: float
    waits: bool
    waits_for: List[int]
    placed: bool  # its line is known: the library's own events have none
    shown: int

    @property
    def runs(self) -> bool:
        return self.kind in DEVICE and self.start >= 0


def operation(part: Part) -> Op:
    call = part.number("call")
    op = Op(int(part.number("id")), part.text("kind"), part.text("name", ""), int(part.number("stream", 0)),
            int(part.number("thread", 1)), call, part.number("return", call), part.number("start", -1),
            part.number("end", -1), part.flag("host_waits"), part.values("waits_for", int, "numbers", []),
            part.has("line"), int(part.number("shown", -1)))
    if op.back < op.call or op.end < op.start:
        raise ValueError(f"{part.place}: it ends before it begins")
    return op


@dataclass
class Run:
    """A recorded run, with what the recipe says about it."""
    ops: List[Op]
    findings: List[Part]
    title: str
    verdict: str
    names: List[str]
    streams: List[Part]
    rows: List["Row"] = field(default_factory=list)

    def op(self, wanted: int) -> Optional[Op]:
        return next((op for op in self.ops if op.id == wanted), None)


@dataclass
class Row:
    name: str
    ops: List[Op]
    host: bool = False
    lanes: Dict[int, int] = field(default_factory=dict)  # by the operation's id
    height: float = 0
    y: float = 0

    @property
    def count(self) -> int:
        return max(self.lanes.values(), default=0) + 1


# --- What is drawn --------------------------------------------------------------------------------------------

def read_runs(recipe: Part, record: Part) -> List[Run]:
    told = recipe.parts("runs", 0, [])
    runs = []
    for k, part in enumerate(record.parts("runs")):
        says = told[k] if k < len(told) else Part({}, recipe.place)
        ops = [operation(op) for op in part.parts("ops")]
        names = says.values("names", str, "texts", recipe.values("names", str, "texts", []))
        runs.append(Run(ops, part.parts("findings", 0, []), says.text("title", ""), says.text("verdict", ""), names,
                        part.parts("streams", 0, [])))
    if not any(op.runs for run in runs for op in run.ops):
        raise ValueError(f"{record.place}: the field runs has no operation that ran on the device")
    return runs


def stream_names(run: Run) -> Dict[int, str]:
    """The names of the recipe go to the streams with work, in the order in which they were made. Without names a
    stream has the number that the order checker gives it."""
    used = sorted({op.stream for op in run.ops if op.runs})
    null = {int(stream.number("id")) for stream in run.streams if stream.flag("null")}
    if run.names and len(run.names) != len(used):
        raise ValueError(f'the run "{run.title}" works on {len(used)} streams, and "names" has {len(run.names)}')
    plain = ["null stream" if stream in null else f"stream {stream}" for stream in used]
    return dict(zip(used, run.names or plain))


def in_lanes(row: Row) -> Row:
    """Operations that overlap stand in lanes below each other."""
    ends: List[float] = []
    for op in sorted(row.ops, key=lambda op: op.start):
        free = next((k for k, end in enumerate(ends) if end <= op.start), len(ends))
        ends[free:free + 1] = [op.end]
        row.lanes[op.id] = free
    return row


def rows_of(run: Run, kind: str, host: bool) -> List[Row]:
    work = [op for op in run.ops if op.runs]
    rows = [Row("host", [op for op in run.ops], True)] if host else []
    if kind == "engines":
        for engine in ("copy in", "compute", "copy out"):
            ops = [op for op in work if ENGINES.get(DEVICE[op.kind], "compute") == engine]
            rows.append(in_lanes(Row(engine, ops)))
    elif kind == "threads":
        threads = sorted({op.thread for op in work})
        for thread, name in zip(threads, run.names or [f"thread {k}" for k in range(1, len(threads) + 1)]):
            rows.append(Row(name, [op for op in run.ops if op.thread == thread]))
    else:
        names = stream_names(run)
        rows += [Row(names[stream], [op for op in work if op.stream == stream]) for stream in names]
    return rows
