"""Checks the texts of the slides against the tree, run in the root of the workbook. Prints each stale place, and fails
if there is one.
    cheat sheet   every call of lab.h that a solution makes has a row; a row's names of the driver stand in lab.h's
                  comment on its calls, its names of CuPy and PyCUDA in their row of the phrase book, and its names of
                  the runtime in names/runtime.txt
    glossary      the words are in order, each with at most two sentences and a link
    all texts     a wrong answer that is named, as in make lab03-wrong NAME=pageable, exists
    lessons       a figure in letters follows the name of the drawing or recorded figure that the site shows; what a
                  terminal prints is between ```text and ```. No line begins with a letter and a full stop"""
import re
import sys
from pathlib import Path

SHEET, GLOSSARY = Path("slides/cheat-sheet.md"), Path("slides/glossary.md")
HEADER, BOOK, RUNTIME = (Path("lib/include/lab.h"), Path("lib/docs/phrase-book.md"),
                         Path("lib/tools/names/runtime.txt"))
COMMENT = re.compile(r"/\*.*?\*/", re.S)
CODE = re.compile(r"`([^`]+)`")
CALL = re.compile(r"\b(lab_[a-z0-9_]+|LAB_WITH_[A-Z]+) ?\(")
# What a figure in letters has.
DRAWN = re.compile(r"[\u2190-\u21ff\u2500-\u25ff]|\]\[|[-=_]{8}|\| .* \|")
NAMED = re.compile(r"<!-- (drawing|figure): [\w-]+ -->")
DRIVER = re.compile(r"\b(cu[A-Z]\w+|CU_[A-Z]\w+|nvrtc[A-Z]\w+)")


def rows(path):
    """The rows of the tables, with the numbers of their lines: the cells' texts, without heads and lines below them."""
    lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("| ") and not (number < len(lines) and lines[number].startswith("|---")):
            yield number, [cell.strip() for cell in line.strip("|").split("|")]


def names(cell):
    return CODE.findall(cell)


def driver_names():
    """The names of the driver in the comment on each function and macro of lab.h."""
    found = {}
    for block in HEADER.read_text("utf-8").split("\n\n"):
        for call in CALL.findall(COMMENT.sub("", block)):
            found[call] = set(DRIVER.findall(" ".join(COMMENT.findall(block))))
    return found


def book_names(column):
    """The names in that column of the phrase book, by the names of lab.h in their row."""
    found = {}
    for _, cells in rows(BOOK):
        for ours in names(cells[2]) if len(cells) == 3 else []:
            found.setdefault(ours, set()).update(names(cells[column]))
    return found


def sheet_faults():
    in_header, cupy, pycuda = driver_names(), book_names(0), book_names(1)
    runtime = {line for line in RUNTIME.read_text("utf-8").splitlines() if not line.startswith("#")}
    shown, shown_runtime = set(), set()
    for number, cells in rows(SHEET):
        calls, at = names(cells[0]), f"{SHEET}:{number}:"
        if not calls:
            continue
        if len(cells) != 5:
            yield f"{at} a row of {len(cells)} columns and not five"
            continue
        shown.update(calls)
        shown_runtime.update(names(cells[2]))
        allowed = [(1, "lab.h's comment on it", set().union(*(in_header.get(call, set()) for call in calls))),
                   (2, str(RUNTIME), runtime),
                   (3, "its row of the phrase book", set().union(*(cupy.get(call, set()) for call in calls))),
                   (4, "its row of the phrase book", set().union(*(pycuda.get(call, set()) for call in calls)))]
        for column, source, known in allowed:
            for name in names(cells[column]):
                if name not in known:
                    yield f"{at} {name} is not in {source}"
        for call in calls:
            if call not in in_header:
                yield f"{at} lab.h declares no {call}"
            elif in_header[call] and not in_header[call] & set(names(cells[1])):
                yield f"{at} the driver's name for {call} is {', '.join(sorted(in_header[call]))} in lab.h"
    for name in sorted(runtime - shown_runtime):
        yield f"{RUNTIME}: {name} is not in {SHEET}"
    for solution in sorted(Path("solutions").glob("lab[0-9]*/lab[0-9]*.c")):
        for call in sorted({*CALL.findall(COMMENT.sub("", solution.read_text("utf-8")))} & in_header.keys() - shown):
            yield f"{SHEET}: {call}, which {solution} calls, has no row"


def glossary_faults():
    before = ""
    for number, (word, *cells) in rows(GLOSSARY):
        meaning, taught = cells
        if word.lower() <= before:
            yield f"{GLOSSARY}:{number}: {word} stands after {before}"
        if len(re.findall(r"[.?!](?=\s|$)", meaning)) > 2:
            yield f"{GLOSSARY}:{number}: {word} has more than two sentences"
        if "](" not in taught:
            yield f"{GLOSSARY}:{number}: {word} has no link to where it is taught"
        before = word.lower()


def wrong_answer_faults():
    for path in sorted(Path("slides").glob("*.md")):
        lab = ""
        for found in re.finditer(r"\b(lab\d\d)-wrong\b|\bNAME=(\w+)", path.read_text("utf-8")):
            lab = found[1] or lab
            if found[2] and lab and not list(Path("labs").glob(f"{lab}-*/wrong/{found[2]}.patch")):
                yield f"{path}: {lab} has no wrong answer {found[2]}"


def bare_figures(text):
    """The numbers of the lines in which figures in letters begin that follow no name."""
    lines, before, inside = text.splitlines(), "", ""
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            inside, before = "" if inside else line, before if inside else line
        elif line.startswith("    ") and not inside:
            if before and DRAWN.search(line) and not NAMED.fullmatch(before):
                yield number
                before = ""  # once a figure
        elif line:
            before = line


def lesson_faults():
    for path in sorted(Path("labs").glob("lab[0-9N]*/README.md")):
        for number in bare_figures(path.read_text("utf-8")):
            yield f"{path}:{number}: a figure in letters without <!-- drawing: NAME --> or <!-- figure: NAME -->"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if re.match(r"[a-z][.)] ", line):
                yield f"{path}:{number}: a page takes a line that begins like this for an item of a list"


def main():
    found = [*sheet_faults(), *glossary_faults(), *wrong_answer_faults(), *lesson_faults()]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
