"""What all figures but timelines are drawn with: a canvas, text that knows its width, and scales; and for all of them,
parts of a record that say what is missing.

A figure is 1150 units wide, the width of a slide, and a player's 512, next to its code. At that size a unit is a pixel
at 1280 by 720, so no text is smaller than SMALL."""
from __future__ import annotations

import math
from html import escape
from typing import Any, List, Optional, Sequence, Tuple, Union

WIDE, BESIDE = 1150, 512
TEXT, SMALL = 16, 14

Color = str
INK, PAPER, MUTED, LINE = "--ink", "--paper", "--muted", "--line"
COPY_IN, KERNEL, COPY_OUT = "--copy-in", "--kernel", "--copy-out"


# --- Parts of a record ----------------------------------------------------------------------------------------

class Part:
    """A part of a record, or of a recipe, that knows its place: a missing or wrong field is an error that names it."""

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def fault(self, key: str, what: str) -> ValueError:
        return ValueError(f"{self.place}: the field {key} {what}")

    def get(self, key: str, kinds: Union[type, Tuple[type, ...]], what: str, default: Any = None) -> Any:
        if not isinstance(self.value, dict):
            raise ValueError(f"{self.place} is not an object with fields")
        if key not in self.value:
            if default is not None:
                return default
            raise self.fault(key, "is missing")
        found = self.value[key]
        if not isinstance(found, kinds) or isinstance(found, bool) and kinds is not bool:
            raise self.fault(key, f"is not {what}")
        return found

    def text(self, key: str, default: Optional[str] = None) -> str:
        return self.get(key, str, "a text", default)

    def number(self, key: str, default: Optional[float] = None) -> float:
        found = self.get(key, (int, float), "a number", default)
        if not math.isfinite(found):
            raise self.fault(key, "is not a finite number")
        return found

    def flag(self, key: str) -> bool:
        return self.get(key, bool, "true or false", False)

    def values(self, key: str, kinds: Union[type, Tuple[type, ...]], what: str, default: Any = None) -> List[Any]:
        found = self.get(key, list, "a list", default)
        if not all(isinstance(value, kinds) for value in found):
            raise self.fault(key, f"is not a list of {what}")
        return found

    def parts(self, key: str, least: int = 1, default: Any = None) -> List[Part]:
        """The objects of a list."""
        found = self.values(key, dict, "objects", default)
        if len(found) < least:
            raise self.fault(key, f"has {len(found)} of {least} items")
        return [Part(value, f"{self.place}, {key}[{k}]") for k, value in enumerate(found)]

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value


def machine_of(record: Part) -> str:
    """The machine of a record, in a figure; the caption has its whole name."""
    return record.text("machine").replace("(R)", "").replace(" Processor", "")


# --- Text -----------------------------------------------------------------------------------------------------

NARROW, BROAD = set("iljtfrI.,:;|!'()[] "), set("mwMW@%—→")


def width_of(text: str, size: float = TEXT, bold: bool = False) -> float:
    """About how wide Inter sets a text, rather more than less."""
    units = sum(.32 if letter in NARROW else .9 if letter in BROAD else .66 if letter.isupper() else .585
                for letter in text)
    return units * size * (1.06 if bold else 1)


def digits(value: float, count: int = 2) -> str:
    """The number with at least so many digits that count, without an exponent: 0.0042, 1.3, 317."""
    if value == 0:
        return "0"
    places = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}".replace(",", "\u202f")


def time_text(nanoseconds: float, count: int = 2) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{digits(nanoseconds / size, count)}\u00a0{unit}"
    return f"{digits(nanoseconds, count)}\u00a0ns"


def bytes_text(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{digits(count / size)}\u00a0{unit}"
    return f"{count:.0f}\u00a0bytes"


def binary_text(count: float) -> str:
    """Bytes in the units of the labs: 64 KiB, 1 MiB."""
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:g}\u00a0{unit}"
    return f"{count:.0f}\u00a0bytes"


# --- The canvas -----------------------------------------------------------------------------------------------

def number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Canvas:
    """An SVG in the making."""

    def __init__(self, width: float, height: float = 0) -> None:
        self.width, self.height = width, height
        self.elements: List[str] = []
        self.definitions: List[str] = []

    def add(self, name: str, content: Optional[str] = None, **attributes: Any) -> None:
        words = [name]
        for key, value in attributes.items():
            if value is None:
                continue
            if isinstance(value, float):
                value = number(value)
            if isinstance(value, str) and value.startswith("--"):
                value = f"var({value})"
            words.append(f'{key.rstrip("_").replace("_", "-")}="{escape(str(value))}"')
        opening = " ".join(words)
        self.elements.append(f"<{opening}/>" if content is None else f"<{opening}>{content}</{name}>")

    def rect(self, x: float, y: float, width: float, height: float, fill: Color = "none", **more: Any) -> None:
        self.add("rect", x=float(x), y=float(y), width=float(max(width, 0)), height=float(height), fill=fill, **more)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: Color = INK, width: float = 1.5,
             **more: Any) -> None:
        self.add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=stroke,
                 stroke_width=float(width), **more)

    def path(self, d: str, fill: Color = "none", **more: Any) -> None:
        self.add("path", d=d, fill=fill, **more)

    def text(self, x: float, y: float, text: str, fill: Color = INK, size: float = TEXT, anchor: str = "start",
             bold: bool = False, **more: Any) -> None:
        self.add("text", escape(text), x=float(x), y=float(y), fill=fill, font_size=float(size),
                 text_anchor=None if anchor == "start" else anchor, font_weight=600 if bold else None, **more)

    def dot(self, x: float, y: float, radius: float = 4, fill: Color = INK, **more: Any) -> None:
        self.add("circle", cx=float(x), cy=float(y), r=float(radius), fill=fill, **more)

    def arrow(self, points: Sequence[Tuple[float, float]], stroke: Color = INK, width: float = 2, **more: Any) -> None:
        """A line through the points, with a head at its end."""
        steps = " L ".join(f"{number(x)} {number(y)}" for x, y in points)
        self.path(f"M {steps}", stroke=stroke, stroke_width=float(width), stroke_linejoin="round", **more)
        (x1, y1), (x2, y2) = points[-2:]
        angle = math.atan2(y2 - y1, x2 - x1)
        head = " L ".join(f"{number(x2 - 9 * math.cos(angle + turn))} {number(y2 - 9 * math.sin(angle + turn))}"
                          for turn in (.45, -.45))
        self.path(f"M {number(x2)} {number(y2)} L {head} Z", fill=stroke, **more)

    def put(self, part: Canvas, x: float) -> None:
        """Another canvas, at a distance from the left."""
        self.elements += [f'<g transform="translate({number(x)} 0)">', *part.elements, "</g>"]
        self.definitions += [definition for definition in part.definitions if definition not in self.definitions]

    def pattern(self, name: str, color: Color, drawing: str, size: float = 8) -> str:
        """Defines a pattern once, and gives its fill."""
        definition = (f'<pattern id="{name}" width="{number(size)}" height="{number(size)}" '
                      f'patternUnits="userSpaceOnUse"><path d="{drawing}" stroke="var({color})" stroke-width="1.6" '
                      f'fill="none"/></pattern>')
        if definition not in self.definitions:
            self.definitions.append(definition)
        return f"url(#{name})"

    def svg(self, title: str, description: str) -> str:
        defs = f"<defs>{''.join(self.definitions)}</defs>\n" if self.definitions else ""
        body = "\n".join(self.elements)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(self.width)} {number(self.height)}">\n'
                f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n{defs}{body}\n</svg>\n")


# --- Scales ---------------------------------------------------------------------------------------------------

def nice_step(span: float, most: int) -> float:
    """A step of 1, 2 or 5 times a power of ten, of which at most `most` fit into the span."""
    rough = span / most
    power = 10 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


class Scale:
    """Values from `low` to `high` on the pixels from x0 to x1, evenly or by their logarithm."""

    def __init__(self, low: float, high: float, x0: float, x1: float, log: bool = False) -> None:
        self.low, self.high, self.x0, self.x1, self.log = low, high, x0, x1, log

    def __call__(self, value: float) -> float:
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.x0 + share * (self.x1 - self.x0)

    def ticks(self, most: int = 8) -> List[float]:
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0 ** power for power in range(first, last + 1)]
        step = nice_step(self.high - self.low, most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]
