"""Checks the decks and the pages that go with them, without a browser and without pandoc: check.py [LAB...], in the
root of the workbook. With labs it checks their decks alone. It prints each fault with its file and line, and ends with
"N passed, M failed": a rule that a file keeps has passed. MAKE is the make whose goals a text may name."""
from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Iterator, List, Set, Tuple

import deck as decks
from deck import Deck
from source import close_to

Faults = Iterator[Tuple[int, str]]
MAY_LACK = {"idea", "picture", "code", "mistake"}  # the parts that a deck without a lab may leave out
WORDS, WORDS_BESIDE = 90, 70                       # of a slide; of one with a picture or a listing
TEMPLATE = "slides/template.md"
PAGES = ["slides/README.md", "slides/cheat-sheet.md", "slides/glossary.md"]
PATH = re.compile(r"(?<![\w./-])(?:labs|solutions|lib|grader|slides)/[\w./-]*\w")
COMMAND = re.compile(r"(?:^|[`;&|(]|\$ |[A-Z]=\S+ )\s*make((?: +[\w./:=@-]+)+)")


# --- Rules ---------------------------------------------------------------------------------------------------

def builds(deck: Deck) -> Faults:
    """Front matter, includes, records, figures, alt texts and links are what the build of the HTML takes."""
    writer = decks.Writer(deck)
    for lines in [deck.before, *(slide.lines for slide in deck.slides)]:
        writer.markdown(lines)
        decks.broken_links(deck, lines)
    yield from ((int(fault.split(":")[1]), fault.split(": ", 1)[1]) for fault in deck.faults)


def parts(deck: Deck) -> Faults:
    """Every part is there, in the order of AUTHORING.md."""
    order, last = list(decks.PARTS), 0
    for slide in deck.slides:
        if slide.part and order.index(slide.part) < last:
            yield slide.line, f"a slide .{slide.part} stands after a slide .{order[last]}"
        last = max(last, order.index(slide.part) if slide.part else 0)
    for part in order:
        if part not in {slide.part for slide in deck.slides} and ("lab" in deck.about or part not in MAY_LACK):
            yield 1, f"the deck has no slide .{part}"


def length(deck: Deck) -> Faults:
    least, most = (12, 20) if "lab" in deck.about else (10, 16)
    count = len(deck.slides) + 1
    if not least <= count <= most:
        yield 1, f"the deck has {count} slides with its title, and not {least} to {most}"
    if not 5 <= int(deck.about["minutes"]) <= 25:
        yield 1, "the deck does not take 5 to 25 minutes"


def words(deck: Deck) -> Faults:
    """No slide is full. Notes, tables and code do not count."""
    for slide in deck.slides:
        shown = [line for line in slide.lines if line not in slide.notes()]
        text = " ".join(line for _, line in decks.unfenced(shown) if not re.match(r"\||!\[|:::", line))
        count = len(re.findall(r"\w[\w'.-]*", re.sub(r"\{[^}]*\}|\]\([^)]*\)", "", text)))
        beside = any(re.search(r"\]\((figure|drawing):|include=|record=", line) for _, line in shown)
        if count > (WORDS_BESIDE if beside else WORDS):
            yield slide.line, f"the slide has {count} words, more than {WORDS_BESIDE if beside else WORDS}"


def notes(deck: Deck) -> Faults:
    for slide in deck.slides:
        if not any(line.strip() for _, line in slide.notes()):
            yield slide.line, "the slide has no notes"


def questions(deck: Deck) -> Faults:
    """There are three questions, and three answers in the notes."""
    asked = [slide for slide in deck.slides if slide.part == "questions"]
    for place, inside in (("questions", False), ("answers in the notes", True)):
        count = sum(bool(re.match(r"(\*\*)?[1-9]\.", line[1])) for slide in asked for line in slide.lines
                    if (line in slide.notes()) == inside)
        if asked and count != 3:
            yield asked[0].line, f"the part .questions has {count} {place} that begin with a number, and not three"


def commands(deck: Deck) -> Faults:
    """What a reader types and opens exists: goals and variables of make, files."""
    goals, variables = known_to_make()
    goals = goals | {goal.replace("lab00", "labNN") for goal in goals}
    lines = [line for slide in deck.slides for line in slide.lines] + deck.before
    for number, line in lines:
        for found in COMMAND.finditer(line):
            for word in found[1].split():
                name, equals, _ = word.partition("=")
                kind, known = ("variable", variables) if equals else ("goal", goals)
                if not word.startswith("-") and name not in known and "NN" not in word:
                    yield number, f"make has no {kind} {name}{close_to(name, known)}"
        for path in PATH.findall(line):
            if not Path(path).exists() and not list(Path().glob(path + ".*")) and "NN" not in path:
                yield number, f"there is no {path}"


@lru_cache(None)
def known_to_make() -> Tuple[Set[str], Set[str]]:
    """Make's goals, and the variables that its page of help lists."""
    make = shlex.split(os.environ.get("MAKE", "make"))
    environment = {name: value for name, value in os.environ.items() if not re.match("MAKE|MFLAGS", name)}
    database = subprocess.run([*make, "-pqn", "BUILD=build", "help"], env=environment, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    goals = set(re.findall(r"^([\w./-]+):(?!=)", database, re.M))
    if "help" not in goals:
        sys.exit("slides-check: make does not say its goals")
    texts = [path.read_text("utf-8") for path in [Path("Makefile"), *Path().glob("*/*.mk")]]
    return goals, {name for text in texts for line in re.findall(r"^## ([A-Z]+=.*?):", text, re.M)
                   for name in re.findall(r"\b([A-Z]+)=", line)}


# --- The decks together --------------------------------------------------------------------------------------

def together(every: List[Deck], labs: List[str]) -> Iterator[str]:
    """A deck for each lab, titles that differ, and no recipe, record or drawing that no text shows."""
    for folder in map(Path, labs):
        path = f"slides/{folder.name[3:]}.md" if folder.name[3:5].isdigit() else TEMPLATE
        found = [deck for deck in every if deck.path == path]
        if not found:
            yield f"{folder}: the lab has no deck {path}; slides/AUTHORING.md says how to write one"
        elif found[0].about.get("lab") != folder.name.split("-")[0]:
            yield f"{path}:1: the deck of {folder} has no line lab: {folder.name.split('-')[0]}"
    for deck in every:
        if re.match(r"\d\d-", deck.name) and not Path("labs", f"lab{deck.name}").is_dir():
            yield f"{deck.path}:1: there is no labs/lab{deck.name}"
        for other in every[:every.index(deck)]:
            if other.about.get("title") == deck.about.get("title"):
                yield f'{deck.path}:1: {other.path} is called "{deck.about.get("title")}" too'


def unused(texts: str) -> Iterator[str]:
    """What neither a deck nor a lesson shows."""
    lessons = "".join(path.read_text("utf-8") for path in Path("labs").glob("*/README.md"))
    recipes = {path.stem: path.read_text("utf-8") for path in Path("slides/figures").glob("*.json")}
    for folder, suffix, link in (("figures", "json", "figure"), ("drawings", "svg", "drawing")):
        for path in sorted(Path("slides", folder).glob(f"*.{suffix}")):
            kept = folder == "figures" and json.loads(recipes[path.stem]).get("kind") == "text"
            named = f'record="{path.stem}.' if kept else f"]({link}:{path.stem})"
            if named not in texts and f"<!-- {link}: {path.stem} -->" not in lessons:
                yield f"{path}: no deck and no lesson shows this {link}"
    for path in sorted(Path("slides/records").glob("*.json")):
        if path.stem.rpartition(".")[0] not in recipes and f'"{path.stem}' not in texts:
            yield f"{path}: no figure is drawn from this record"


def main(asked: List[str]) -> int:
    labs = sorted(str(path) for path in Path("labs").glob("lab[0-9N][0-9N]-*")
                  if not asked or path.name.split("-")[0] in asked)
    paths = sorted(map(str, Path("slides").glob("*.md")))
    every = [decks.read_deck(path) for path in paths if path not in [*PAGES, "slides/AUTHORING.md"]]
    pages = [decks.read_page(path) for path in PAGES if Path(path).exists()]
    chosen = [deck for deck in every if not asked or deck.about.get("lab") in asked]
    results = []
    for deck in chosen:
        for rule in (builds, parts, length, words, notes, questions, commands):
            results.append([f"{deck.path}:{line}: {text}" for line, text in rule(deck)])
    for page in [] if asked else pages:
        results += [[f"{page.path}:{line}: {text}" for line, text in rule(page)] for rule in (builds, commands)]
    results.append(list(together(every, labs)))
    if not asked:
        results.append(list(unused("".join(Path(deck.path).read_text("utf-8") for deck in every + pages))))
    print(*(fault for faults in results for fault in faults), sep="\n", end="\n" if any(results) else "")
    failed = sum(map(bool, results))
    print(f"slides: {len(chosen)} decks")
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
