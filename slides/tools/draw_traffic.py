"""What elementwise kernels move between the device's memory and its multiprocessors: an arrow for each array that a
kernel reads or writes, and the bytes and the time of all."""
from __future__ import annotations

from typing import Callable, List, Tuple

from draw_kit import (COPY_IN, COPY_OUT, INK, KERNEL, MUTED, PAPER, SMALL, TEXT, WIDE, Canvas, Part, bytes_text,
                      machine_of, time_text, width_of)

Kernel = Tuple[str, List[float], List[float]]


def kernels_of(run: Part) -> Tuple[List[Kernel], float]:
    """The kernels with the bytes that they read and write, and their time on the device."""
    kernels, spent = [], 0.0
    for op in run.parts("ops"):
        if op.text("kind") != "kernel":
            continue
        uses = op.values("access", list, "pairs")
        if any(len(use) != 2 or not isinstance(use[0], int) or not isinstance(use[1], str) for use in uses):
            raise op.fault("access", "is not a list of bytes and r, w or rw")
        kernels.append((op.text("name"), [float(size) for size, how in uses if "r" in how],
                        [float(size) for size, how in uses if "w" in how]))
        spent += op.number("end") - op.number("start")
    if not kernels:
        raise run.fault("ops", "has no kernel")
    return kernels, spent


def draw(recipe: Part, records: List[Part]) -> Canvas:
    canvas = Canvas(WIDE, 0)
    titles = recipe.values("names", str, "texts")
    tables = [[kernels_of(run) for run in record.parts("runs", len(titles))] for record in records]
    half = WIDE / 2
    rows = []
    for k, (title, (kernels, _)) in enumerate(zip(titles, tables[0])):
        left = k * half + (14 if k else 0)
        canvas.text(left + 4, 20, title, INK, 17, bold=True)
        draw_kernels(canvas, kernels, left, half - 24)
        rows.append(sum(sum(reads) + sum(writes) for _, reads, writes in kernels))
    arrays = [sum(len(reads) + len(writes) for _, reads, writes in kernels) for kernels, _ in tables[0]]
    for k, count in enumerate(arrays):
        canvas.text(k * half + (18 if k else 4), 186, f"{count} arrays pass through the memory", MUTED, SMALL + 1)
    column = (WIDE + 30) / len(records) - 30
    for k, (record, table) in enumerate(zip(records, tables)):
        part = Canvas(column, 216)
        if len(records) > 1:
            part.text(4, 222, machine_of(record), MUTED, TEXT, bold=True)
            part.height += 26
        draw_totals(part, "bytes moved", titles, [total(kernels) for kernels, _ in table], bytes_text, MUTED)
        draw_totals(part, "time on the device", titles, [spent for _, spent in table],
                    lambda value: time_text(value, 3), KERNEL)
        canvas.put(part, k * (column + 30))
        canvas.height = part.height
    return canvas


def total(kernels: List[Kernel]) -> float:
    return sum(sum(reads) + sum(writes) for _, reads, writes in kernels)


def draw_kernels(canvas: Canvas, kernels: List[Kernel], left: float, width: float) -> None:
    """Memory above, a box for each kernel below, arrows down for what it reads and up for what it writes."""
    canvas.rect(left + 4, 34, width, 34, "--panel", stroke=INK, stroke_width=1.5)
    canvas.text(left + 16, 57, "device memory", INK, TEXT)
    box = min(150.0, (width - 20 * (len(kernels) - 1)) / len(kernels))
    gap = (width - box * len(kernels)) / max(len(kernels) - 1, 1)
    for k, (name, reads, writes) in enumerate(kernels):
        x = left + 4 + (k * (box + gap) if len(kernels) > 1 else (width - box) / 2)
        canvas.rect(x, 122, box, 42, KERNEL, rx=8)
        canvas.text(x + box / 2, 149, name, PAPER, TEXT, "middle", bold=True)
        ends = [(True, size) for size in reads] + [(False, size) for size in writes]
        for at, (reading, _) in enumerate(ends):
            ax = x + box * (at + 1) / (len(ends) + 1)
            if reading:
                canvas.arrow([(ax, 70), (ax, 120)], COPY_IN, 4)
            else:
                canvas.arrow([(ax, 120), (ax, 70)], COPY_OUT, 4, stroke_dasharray="8 4")
    x = left + 4 + width
    canvas.text(x, 90, "↓ reads", COPY_IN, SMALL, "end") if len(kernels) == 1 else None
    canvas.text(x, 112, "↑ writes", COPY_OUT, SMALL, "end") if len(kernels) == 1 else None


def draw_totals(canvas: Canvas, name: str, titles: List[str], values: List[float], text: Callable[[float], str],
                color: str) -> None:
    """Bars from zero, at the bottom of the canvas."""
    label = max(width_of(title, SMALL + 1) for title in titles) + 20
    y = canvas.height
    canvas.text(4, y + 5, name, INK, TEXT, bold=True)
    for k, (title, value) in enumerate(zip(titles, values)):
        top = y + 16 + 26 * k
        canvas.text(label, top + 15, title, INK, SMALL + 1, "end")
        length = (canvas.width - label - 110) * value / max(values)
        canvas.rect(label + 12, top, length, 20, color)
        canvas.text(label + 20 + length, top + 16, text(value), INK, TEXT, bold=True)
    canvas.height = y + 26 + 26 * len(values)
