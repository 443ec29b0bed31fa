"""Fills in a teacher's gradebook: the file that Canvas or Moodle exported, with points in the lab's column.

The file is split into cells that remember how they were written, so that only the bytes of the filled cells change:
byte order mark, line ends, quotes and other columns stay. Rows are matched to students by what both sides know
(identifiers first, then names), and only without doubt. A cell that holds a word, such as Canvas's EX for an excused
student, stays. Knows rows and columns.
"""
from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, field
from typing import AbstractSet, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from column_names import kinds_by_word, names_of, plain_id
from text import clean_line

BOM = b"\xef\xbb\xbf"
LARGEST = 64 << 20

# What identifies a student in an export, the surest first.
CANVAS_KEYS = (("id",), ("sis user id",), ("sis login id", "login id"), ("student", "student name"))
MOODLE_KEYS = ("ID", "LOGIN", "EMAIL", "NAME")  # kinds of columns
CLOSED = ("no", "nein", "non", "n\u00e3o", "nee")  # the grade of such a row cannot be changed
OWN_COMMENT = "Automatic feedback"  # begins each comment that the export writes; others are a person's
CANVAS_EXCUSED = "EX"
NO_GRADE = ("", "-")                # cells without a grade
POINTS_POSSIBLE = "points possible"


class Unfit(Exception):
    """The file cannot be filled in. The message is a sentence that says why."""


class Grade(NamedTuple):
    """A student's grade, with everything that may identify the student."""
    name: str
    keys: Sequence[str]
    points: Optional[float]  # None: not graded, the cell stays as it is
    max_points: float
    comment: str = ""        # lines for the student, as plain text
    excused: bool = False    # has no points: Canvas has a word for it, other cells stay
    missing: bool = False    # has no points because the file is missing, and no person has decided yet


@dataclass
class Filled:
    """The new content of the file, and what to report about it."""
    content: bytes
    filled: int = 0
    replaced: List[str] = field(default_factory=list)     # "Ada Lovelace: 7 -> 50", for each grade that was another
    kept: List[str] = field(default_factory=list)         # cells that hold a word, or any grade where none is replaced
    comments: int = 0                                     # feedback comments filled in
    written_by_hand: List[str] = field(default_factory=list)  # rows whose comment stays
    unknown: List[str] = field(default_factory=list)      # submissions whose student is not in the file
    ambiguous: List[str] = field(default_factory=list)    # submissions that fit several rows, or share a row
    ungraded: List[str] = field(default_factory=list)     # submissions that have no grade
    missing: List[str] = field(default_factory=list)      # submissions whose file is missing, which a person decides
    locked: List[str] = field(default_factory=list)       # submissions with a grade whose row may not change
    without: List[str] = field(default_factory=list)      # students of the file without a submission
    scaled: str = ""                                      # a sentence, if the column's maximum differs from the lab's


@dataclass
class Cell:
    raw: str  # as it stands in the file
    text: str


@dataclass
class Line:
    cells: List[Cell]
    end: str


class Sheet:
    """The cells of a CSV file."""

    def __init__(self, data: bytes) -> None:
        if len(data) > LARGEST:
            raise Unfit("it is too large for a gradebook")
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Unfit("it is UTF-16; save it as CSV in UTF-8")
        self.mark = BOM if data.startswith(BOM) else b""
        text = data[len(self.mark):].decode("utf-8", "surrogateescape")
        first = text.split("\n", 1)[0]
        self.separator = max(",;\t", key=first.count)
        self.lines = list(_lines(text, self.separator))
        if not self.lines:
            raise Unfit("it is empty")
        self.header = [normal(cell.text) for cell in self.lines[0].cells]

    def content(self) -> bytes:
        text = "".join(self.separator.join(cell.raw for cell in line.cells) + line.end for line in self.lines)
        return self.mark + text.encode("utf-8", "surrogateescape")

    def column(self, names: Sequence[str]) -> Optional[int]:
        return next((i for i, title in enumerate(self.header) if title in names), None)

    def offered(self) -> str:
        return "; ".join(clean_line(cell.text, 60) for cell in self.lines[0].cells[:40])

    def text(self, line: Line, column: Optional[int]) -> str:
        return line.cells[column].text if column is not None and column < len(line.cells) else ""


def _lines(text: str, separator: str) -> Iterator[Line]:
    """The lines of the file; quotes may hold separators and line ends."""
    pattern = re.compile(rf'("(?:[^"]|"")*"[^{separator}\r\n]*|[^{separator}\r\n]*)({separator}|\r\n|\n|\r|\Z)')
    cells: List[Cell] = []
    position = 0
    while position < len(text) or cells:
        found = pattern.match(text, position)
        if not found:
            raise Unfit("a quote in it is never closed")
        raw, end = found.groups()
        if raw.startswith('"') and not re.match(r'"(?:[^"]|"")*"', raw):
            raise Unfit("a quote in it is never closed")
        cells.append(Cell(raw, _unquoted(raw)))
        position = found.end()
        if end != separator:
            yield Line(cells, end)
            cells = []


def _unquoted(raw: str) -> str:
    found = re.match(r'"((?:[^"]|"")*)"(.*)', raw, re.DOTALL)
    return found[1].replace('""', '"') + found[2] if found else raw


def normal(text: str) -> str:
    """The text in the form in which names are compared: without case, encoding of accents and extra spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fill_canvas(data: bytes, lab: str, title: str, grades: Sequence[Grade], column: str = "",
                only_empty: bool = False) -> Filled:
    """Fills in Canvas's gradebook. The lab's column is the assignment whose title names the lab, or is `column`. With
    `only_empty` no grade is replaced."""
    sheet = Sheet(data)
    target = _lab_column(sheet, lab, title, column)
    possible = next((line for line in sheet.lines[1:] if normal(sheet.text(line, 0)).startswith(POINTS_POSSIBLE)), None)
    most = _number(sheet.text(possible, target)) if possible else None
    rows = [line for line in sheet.lines[1:] if line is not possible and any(
        sheet.text(line, sheet.column(names)) for names in CANVAS_KEYS[:-1])]
    keys = [key for key in map(sheet.column, CANVAS_KEYS) if key is not None]
    return _fill(Target(sheet, rows, keys, target, {id(line): most for line in rows}, only_empty,
                        excuse=CANVAS_EXCUSED), grades)


def fill_moodle(data: bytes, grades: Sequence[Grade], only_empty: bool = False, said: str = "") -> Filled:
    """Fills in Moodle's grading worksheet of one assignment: the columns `Grade` and `Feedback comments`, in one of
    the languages of column_names.py or as --columns says. A row whose grade cannot be changed stays as it is, because
    Moodle would refuse it. So does a comment that a person wrote."""
    sheet = Sheet(data)
    columns = _moodle_columns(sheet, said)
    keys = [column for kind in MOODLE_KEYS for column in columns[kind]]
    if not keys or not columns["GRADE"]:
        raise Unfit("it is not a grading worksheet of Moodle: it has no columns Identifier and Grade. It has: "
                    f"{sheet.offered()}. --columns 'id=COLUMN,grade=COLUMN' says which is which")
    target = columns["GRADE"][0]
    most, open_to_change, comments = (columns[kind][0] if columns[kind] else None
                                      for kind in ("MOST", "OPEN", "COMMENTS"))
    rows = [line for line in sheet.lines[1:] if len(line.cells) > target]
    most_of = {id(line): _number(sheet.text(line, most)) for line in rows}
    locked = {id(line) for line in rows if normal(sheet.text(line, open_to_change)) in CLOSED}
    mark = "," if _has_commas([sheet.text(line, most) for line in rows]) else "."
    return _fill(Target(sheet, rows, keys, target, most_of, only_empty, comments, locked, mark=mark), grades)


def _moodle_columns(sheet: Sheet, said: str) -> Dict[str, List[int]]:
    """The columns of each kind, the surest first."""
    columns = {kind: [i for name in names_of(kind) for i, title in enumerate(sheet.header) if title == normal(name)]
               for kind in (*MOODLE_KEYS, "GRADE", "MOST", "OPEN", "COMMENTS")}
    for word, title in _said(said):
        kind = kinds_by_word().get(word)
        if kind not in columns:
            raise Unfit(f"--columns: {clean_line(word, 60)} is not one of "
                        + ", ".join(own for own, kind in kinds_by_word().items() if kind in columns))
        found = sheet.column((normal(title),))
        if found is None:
            raise Unfit(f"--columns: it has no column {clean_line(title, 60)}. It has: {sheet.offered()}")
        columns[kind] = [found]
    return columns


def _said(text: str) -> List[Tuple[str, str]]:
    """What --columns says, 'id=ID,grade="Points, all"', as pairs."""
    return [(word.strip().casefold(), quoted or plain)
            for word, quoted, plain in re.findall(r'([^=,]+)=(?:"([^"]*)"|([^,]*))(?:,|$)', text)]


def _has_commas(numbers: Sequence[str]) -> bool:
    """Whether the worksheet writes 7,5: its maxima have commas, and none a point."""
    return any("," in number for number in numbers) and not any("." in number for number in numbers)


def _lab_column(sheet: Sheet, lab: str, title: str, column: str) -> int:
    if sheet.column(("id",)) is None:
        raise Unfit("it is not a gradebook of Canvas: it has no column ID")
    titles = [re.sub(r" \(\d+\)$", "", name) for name in sheet.header]
    if column:
        found = [i for i, name in enumerate(titles) if normal(column) in (name, sheet.header[i])]
    else:
        found = [i for i, name in enumerate(titles) if name == normal(title) or _names_lab(name, lab)]
    if len(found) == 1:
        return found[0]
    what = f"the column {clean_line(column, 60)}" if column else f"{lab}"
    raise Unfit(f"{len(found) or 'no'} columns of it fit {what}; say which with --column. It has: {sheet.offered()}")


def _names_lab(name: str, lab: str) -> bool:
    """True for "lab 3: arrays", "lab03" and "lab-03" if the lab is lab03."""
    number = re.fullmatch(r"([a-z]+)0*(\d+)", lab.casefold())
    pattern = rf"{number[1]}[ _-]?0*{number[2]}" if number else re.escape(lab.casefold())
    return re.search(rf"(?<!\w){pattern}(?!\w)", name) is not None


class Target(NamedTuple):
    """Where the grades go."""
    sheet: Sheet
    rows: Sequence[Line]
    keys: Sequence[int]  # columns that identify a student, the surest first
    column: int
    most: Dict[int, Optional[float]]
    only_empty: bool
    comments: Optional[int] = None
    locked: AbstractSet[int] = frozenset()
    excuse: str = ""  # the word for an excused student; "" in formats without one
    mark: str = "."   # between a number and its fraction


def _fill(target: Target, grades: Sequence[Grade]) -> Filled:
    sheet, rows, keys = target.sheet, target.rows, target.keys
    matches, ambiguous = _match(sheet, rows, keys, grades)
    told = Filled(b"", ambiguous=ambiguous)
    scales: Set[Tuple[float, float]] = set()
    for position, grade in enumerate(grades):
        line = matches.get(position)
        if line is None:
            if grade.name not in ambiguous:
                told.unknown.append(grade.name)
        elif grade.excused and target.excuse:
            _excuse_row(target, line, told)
        elif grade.points is None:
            (told.missing if grade.missing else told.ungraded).append(grade.name)
        elif id(line) in target.locked:
            told.locked.append(grade.name)
        elif _fill_row(target, line, grade, told):
            possible = target.most[id(line)]
            if possible and grade.max_points and possible != grade.max_points:
                scales.add((grade.max_points, possible))
    filled = {id(line) for line in matches.values()}
    told.without = [_row_name(sheet, line, keys) for line in rows if id(line) not in filled]
    told.scaled = "; ".join(f"points of {_written(own)} became points of {_written(theirs)}"
                            for own, theirs in sorted(scales))
    told.content = sheet.content()
    return told


def _excuse_row(target: Target, line: Line, told: Filled) -> None:
    old = target.sheet.text(line, target.column).strip()
    name = _row_name(target.sheet, line, target.keys)
    if old not in NO_GRADE and (target.only_empty or _grade_in(old) is None):
        told.kept.append(f"{name}: {clean_line(old, 40)}")
        return
    _write(line, target.column, target.excuse)
    told.filled += 1
    if old not in NO_GRADE:
        told.replaced.append(f"{name}: {clean_line(old, 40)} -> {target.excuse}")


def _fill_row(target: Target, line: Line, grade: Grade, told: Filled) -> bool:
    """Fills in a student's cells, unless the grade in the row stays; then returns False."""
    assert grade.points is not None
    possible = target.most[id(line)]
    points = grade.points * possible / grade.max_points if possible and grade.max_points else grade.points
    new, old = _written(points).replace(".", target.mark), target.sheet.text(line, target.column).strip()
    name = _row_name(target.sheet, line, target.keys)
    has_grade = old not in NO_GRADE
    if has_grade and (target.only_empty or _grade_in(old) is None):
        told.kept.append(f"{name}: {clean_line(old, 40)}")
        return False
    told.filled += 1
    if not has_grade or _grade_in(old) != _grade_in(new):
        _write(line, target.column, new)
        if has_grade:
            told.replaced.append(f"{name}: {clean_line(old, 40)} -> {new}")
    if target.comments is not None and grade.comment:
        _comment(target.sheet, line, target.comments, grade.comment, name, told)
    return True


def _comment(sheet: Sheet, line: Line, column: int, comment: str, name: str, told: Filled) -> None:
    """Moodle takes comments as HTML."""
    before = sheet.text(line, column).strip()
    if before and not re.sub("<[^>]*>", "", before).startswith(OWN_COMMENT):
        told.written_by_hand.append(name)
        return
    lines = [html.escape(text, quote=False) for text in (OWN_COMMENT, *comment.split("\n"))]
    _write(line, column, "<p>" + "<br>".join(lines) + "</p>")
    told.comments += 1


def _match(sheet: Sheet, rows: Sequence[Line], keys: Sequence[int],
           grades: Sequence[Grade]) -> Tuple[Dict[int, Line], List[str]]:
    """The row of each grade by its position, and the names of the grades in doubt: those that fit several rows, by one
    column or by several, and those that share a row. One student's number may be what Canvas gave another."""
    matches: Dict[int, Line] = {}
    doubtful: Set[int] = set()
    contradicted: Set[int] = set()
    for column in keys:
        by_value: Dict[str, List[Line]] = {}
        for line in rows:
            for value in _values(sheet.text(line, column)):
                by_value.setdefault(value, []).append(line)
        for position, grade in enumerate(grades):
            found = {id(line): line for key in grade.keys for value in _values(key) for line in by_value.get(value, [])}
            if position in matches:
                if found and id(matches[position]) not in found:
                    contradicted.add(position)
            elif len(found) == 1:
                matches[position] = next(iter(found.values()))
            elif found:
                doubtful.add(position)
    for position in contradicted:
        del matches[position]
    doubtful |= contradicted
    claimed: Dict[int, List[int]] = {}
    for position, line in matches.items():
        claimed.setdefault(id(line), []).append(position)
    for positions in claimed.values():
        if len(positions) > 1:
            doubtful.update(positions)
            for position in positions:
                del matches[position]
    return matches, [grades[position].name for position in sorted(doubtful) if position not in matches]


def _values(text: str) -> Set[str]:
    """The ways in which a cell or a key may name the same student."""
    value = normal(text)
    values = {value, plain_id(value)}
    last, comma, first = value.partition(",")
    if comma:
        values.add(f"{first.strip()} {last.strip()}")
    return values - {""}


def _row_name(sheet: Sheet, line: Line, keys: Sequence[int]) -> str:
    texts = [sheet.text(line, column) for column in reversed(keys)]
    return clean_line(next((text for text in texts if text), ""), 100)


def _write(line: Line, column: int, value: str) -> None:
    while len(line.cells) <= column:
        line.cells.append(Cell("", ""))
    quoted = line.cells[column].raw.startswith('"') or re.search('[",;\\s]', value)
    line.cells[column] = Cell('"' + value.replace('"', '""') + '"' if quoted else value, value)


def _written(points: float) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _grade_in(text: str) -> Optional[float]:
    """The number in a cell; None for a word, such as EX."""
    found = re.fullmatch(r"-?\d+(?:[.,]\d+)?", text.strip())
    return float(text.strip().replace(",", ".")) if found else None


def _number(text: str) -> Optional[float]:
    """A column's maximum."""
    value = _grade_in(text)
    return value if value is not None and 0 < value < 1e9 else None
