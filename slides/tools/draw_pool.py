"""A pool after each call: its chunks, each with its used and free blocks, and the numbers that it says."""
from __future__ import annotations

from typing import Dict, List, Tuple

from draw_kit import BESIDE, INK, KERNEL, LINE, MUTED, PAPER, SMALL, TEXT, WIDE, Canvas, Part, Scale, width_of

Chunks = Dict[int, Tuple[int, Dict[int, int]]]  # chunk: its bytes, and its used blocks: offset and bytes
UNIT = 512


def states(run: Part) -> List[Chunks]:
    """The chunks at each look: a mark in the record."""
    chunks: Chunks = {}
    found: List[Chunks] = []
    # A chunk exists before the call of the pool that needed it has ended.
    for op in sorted(run.parts("ops"), key=lambda op: op.number("return", op.number("call"))):
        kind = op.text("kind")
        if kind == "memory alloc":
            chunks[int(op.number("object"))] = (int(op.number("bytes")), {})
        elif kind == "memory free":
            chunks.pop(int(op.number("object")), None)
        elif kind in ("pool alloc", "pool free"):
            chunk, offset = int(op.number("chunk")), int(op.number("offset"))
            if chunk not in chunks:
                raise op.fault("chunk", "names memory that the driver did not give")
            if kind == "pool alloc":
                chunks[chunk][1][offset] = -(-int(op.number("bytes")) // UNIT) * UNIT
            else:
                chunks[chunk][1].pop(offset, None)
        elif kind == "mark":
            found.append({chunk: (size, dict(used)) for chunk, (size, used) in chunks.items()})
    return found


def draw(recipe: Part, records: List[Part]) -> Canvas:
    run = records[0].parts("runs")[0]
    steps = run.parts("numbers")[0].parts("steps")
    looks = states(run)
    if len(looks) != len(steps):
        raise ValueError(f"{run.place}: the field steps has {len(steps)} items for {len(looks)} looks in ops")
    canvas = Canvas(BESIDE if recipe.text("width", "") == "beside" else WIDE)
    names = [f"{k + 1}  {step.text('call')}" for k, step in enumerate(steps)]
    left = max(width_of(name, TEXT) for name in names) + 20
    right = canvas.width - 240
    most = max(step.number("total") for step in steps)
    scale = Scale(0, most, left, right - 24)
    for column, heading in enumerate(("used", "free", "total")):
        canvas.text(right + 80 * (column + 1) - 6, 20, heading, MUTED, SMALL, "end")
    canvas.text(left, 20, "the pool's memory, in bytes", MUTED, SMALL)
    for k, (step, name, chunks) in enumerate(zip(steps, names, looks)):
        y = 34 + k * 50
        canvas.text(4, y + 24, name, INK, TEXT)
        draw_chunks(canvas, scale, chunks, y, step)
        for column, key in enumerate(("used", "free", "total")):
            canvas.text(right + 80 * (column + 1) - 6, y + 24, f"{step.number(key):.0f}", INK, TEXT, "end",
                        bold=key == "total")
        canvas.line(4, y + 43, canvas.width - 4, y + 43, LINE, 1)
    canvas.height = 34 + len(steps) * 50
    return canvas


def draw_chunks(canvas: Canvas, scale: Scale, chunks: Chunks, y: float, step: Part) -> None:
    used = sum(sum(blocks.values()) for _, blocks in chunks.values())
    total = sum(size for size, _ in chunks.values())
    if used != step.number("used") or total != step.number("total"):
        raise ValueError(f"{step.place}: the pool's numbers are not those of its blocks in ops ({used}, {total})")
    begin = 0
    if not chunks:
        canvas.text(scale(0), y + 24, "no memory", MUTED, SMALL)
    for size, blocks in chunks.values():
        at = 0
        for offset, length in sorted(blocks.items()) + [(size, 0)]:
            if offset > at:
                draw_block(canvas, scale, begin + at, offset - at, y, False)
            if length:
                draw_block(canvas, scale, begin + offset, length, y, True)
            at = offset + length
        canvas.rect(scale(begin), y, scale(begin + size) - scale(begin) - 3, 34, "none", stroke=INK, stroke_width=2.0)
        begin += size


def draw_block(canvas: Canvas, scale: Scale, begin: int, length: int, y: float, used: bool) -> None:
    x, width = scale(begin), scale(begin + length) - scale(begin) - 3
    canvas.rect(x, y, width, 34, KERNEL if used else canvas.pattern("free", MUTED, "M 0 8 L 8 0"),
                stroke=None if used else LINE, opacity=None if used else .55)
    for text in (f"{'used' if used else 'free'} {length}", str(length)):
        if width_of(text, SMALL + 1) + 10 < width:
            if not used:
                half = width_of(text, SMALL + 1) / 2 + 4
                canvas.rect(x + width / 2 - half, y + 7, 2 * half, 20, PAPER)
            canvas.text(x + width / 2, y + 23, text, PAPER if used else INK, SMALL + 1, "middle")
            return
