"""How timelines look, by the library's tables in timeline_look.h, which its own drawings use too: one language for
reports, slides and pages."""
from __future__ import annotations

import functools
import re
from typing import Dict, NamedTuple, Tuple

import source

TABLES = "lib/src/trace/drawing/timeline_look.h"


class Look(NamedTuple):
    """What runs, or what the host does: its colour, the lines of its pattern in a tile of 8 by 8 or "", and its place
    in a row as shares of the row's height."""
    color: str
    lines: str
    top: float
    height: float


@functools.lru_cache(maxsize=None)
def looks() -> Dict[str, Look]:
    """By the words of the legend, and in its order."""
    found = re.findall(r'X\(TIMELINE_\w+, "\w+", "([^"]+)", "([^"]+)", "([^"]*)", ([\d.]+), ([\d.]+)\)',
                       source.read(TABLES))
    named = {"soft": "muted"}  # a page's own colours have its names
    return {words: Look(f"--{named.get(color, color)}", lines, float(top), float(height))
            for words, color, lines, top, height in found}


@functools.lru_cache(maxsize=None)
def colors() -> Dict[str, Tuple[str, str]]:
    """The colours of marks, on light and on dark."""
    return {name: (light, dark) for name, light, dark in
            re.findall(r'X\("([\w-]+)", "(#\w+)", "(#\w+)"\)', source.read(TABLES))}
