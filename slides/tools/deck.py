"""Reads a deck or page in Markdown and turns what pandoc does not know into HTML: includes, records, figures, drawings,
notes and slides. A fault names the deck and the line; the others of the same deck are found too."""
from __future__ import annotations

import html
import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

import figure
import source
from source import Fault

# The parts of a lab's deck in their order, and what stands above the title of their slides.
PARTS = {"question": "The question", "idea": "The idea", "picture": "The picture", "code": "The code",
         "experiment": "Run it now", "mistake": "A common mistake", "questions": "Three questions",
         "words": "CUDA, CuPy, PyCUDA"}
LINES, COLUMNS = 24, 120  # of code on a slide
KEYS = {"title", "subtitle", "lab", "minutes"}
PANDOC = ["pandoc", "--to=html5", "--no-highlight", "--wrap=preserve", "--columns=10000", "--from=markdown"
          "+lists_without_preceding_blankline-implicit_figures-tex_math_dollars-raw_tex-latex_macros-subscript"
          "-superscript-citations-example_lists"]

Line = Tuple[int, str]
FENCE = re.compile(r"^(`{3,}|~{3,})\s*(?:\{(.*)\}|([\w.+-]*))\s*$")
ATTRIBUTE = re.compile(r"""\s*(?:\.(?P<cls>[\w-]+)|(?P<key>[\w-]+)=(?:"(?P<value>[^"]*)"|(?P<word>[^\s"]+)))""")
IMAGE = re.compile(r"^!\[(?P<alt>.*)\]\((?P<kind>figure|drawing):(?P<name>[^)\s]*)\)\s*$")
PLAY = re.compile(r"\s*\[(?P<words>[^]]*)\]\(playground:(?P<name>[^)\s]*)\)")
LINK = re.compile(r"\]\(([^()\s]+)\)")


@dataclass
class Slide:
    title: str
    line: int
    classes: List[str] = field(default_factory=list)
    name: str = ""  # its anchor
    lines: List[Line] = field(default_factory=list)

    @property
    def part(self) -> str:
        return next((name for name in self.classes if name in PARTS), "")

    def notes(self) -> List[Line]:
        return [line for line in self.lines if line[0] in noted(self.lines)]


@dataclass
class Deck:
    path: str
    about: Dict[str, str] = field(default_factory=dict)
    before: List[Line] = field(default_factory=list)  # what stands before the first slide; a page is nothing else
    slides: List[Slide] = field(default_factory=list)
    faults: List[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def fault(self, line: int, text: object) -> None:
        sentence = f"{self.path}:{line}: {text}"
        if sentence not in self.faults:
            self.faults.append(sentence)


# --- Reading -------------------------------------------------------------------------------------------------

def numbered(text: str) -> List[Line]:
    return list(enumerate(text.split("\n"), 1))


def anchor(title: str) -> str:
    """The name that a code host gives to a heading, as lib/tools/links.py knows it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def unfenced(lines: List[Line]) -> List[Line]:
    """The lines outside of fenced code."""
    out, fence = [], ""
    for number, line in lines:
        found = FENCE.match(line)
        if fence:
            fence = "" if line.startswith(fence) and not line.strip("`~ ") else fence
        elif found:
            fence = found[1]
        else:
            out.append((number, line))
    return out


def noted(lines: List[Line]) -> List[int]:
    """The numbers of the lines between ::: notes and :::."""
    out, inside = [], False
    for number, line in lines:
        if re.match(r":::+\s*(notes|\{\s*\.notes\s*\})\s*$", line):
            inside = True
        elif inside and re.match(r":::+\s*$", line):
            inside = False
        elif inside:
            out.append(number)
    return out


def attributes(text: str) -> Tuple[List[str], Dict[str, str]]:
    classes, values, end = [], {}, 0
    for found in ATTRIBUTE.finditer(text):
        if found.start() != end:
            break
        end = found.end()
        if found["cls"]:
            classes.append(found["cls"])
        elif found["key"]:
            values[found["key"]] = found["value"] if found["value"] is not None else found["word"]
    if text[end:].strip():
        raise Fault(f'cannot read "{text[end:].strip()}" between the braces: .class and name="value" can stand there')
    return classes, values


def read_page(path: str) -> Deck:
    return Deck(path, before=numbered(source.read(path)))


def read_deck(path: str) -> Deck:
    lines = numbered(source.read(path))
    deck = Deck(path)
    end = next((k for k, (_, line) in enumerate(lines) if k and line == "---"), 0)
    if lines[0][1] != "---" or not end:
        deck.fault(1, "a deck begins with its title, lab and minutes between two lines of ---")
        end = -1
    for number, line in lines[1:max(end, 1)]:
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS or key in deck.about:
            deck.fault(number, f'"{line}" cannot stand here: there are {", ".join(sorted(KEYS))}, each at most once')
        deck.about[key] = value.split(" #")[0].strip()
    if not deck.about.get("title"):
        deck.fault(1, "the deck has no title")
        deck.about["title"] = deck.name
    if not re.fullmatch(r"[1-9]\d?", deck.about.get("minutes", "")):
        deck.fault(1, "the deck has no minutes: write for example minutes: 20")
        deck.about["minutes"] = "0"
    if "lab" in deck.about and not list(Path("labs").glob(deck.about["lab"] + "-*/README.md")):
        labs = [folder.name.split("-")[0] for folder in Path("labs").glob("lab[0-9]*-*")]
        deck.fault(1, f"there is no {deck.about['lab']}{source.close_to(deck.about['lab'], labs)}")
    outside = {number for number, _ in unfenced(lines)}
    for number, line in lines[end + 1:]:
        if line.startswith("## ") and number in outside:
            deck.slides.append(slide_of(deck, number, line))
        else:
            (deck.slides[-1].lines if deck.slides else deck.before).append((number, line))
        if line.startswith("# ") and number in outside:
            deck.fault(number, "a heading of level 1: the title of the deck is the one; begin a slide with ##")
    for number, line in deck.before:
        if line.strip():
            deck.fault(number, "text before the first slide: begin a slide with ##")
            break
    return deck


def slide_of(deck: Deck, number: int, line: str) -> Slide:
    found = re.match(r"## +(.*?)\s*(?:\{(.*)\})?\s*$", line)
    slide = Slide(found[1], number)
    try:
        slide.classes, values = attributes(found[2] or "")
        for name in slide.classes:
            if name not in PARTS:
                near = source.close_to(name, PARTS)
                raise Fault(f"there is no part .{name}{near or ': there are ' + ', '.join(PARTS)}")
        if values:
            raise Fault(f"a slide takes no {', '.join(values)}")
    except Fault as fault:
        deck.fault(number, fault)
    slide.name = anchor(slide.title)
    if not slide.name:
        deck.fault(number, "a slide without a title")
    if slide.name in (other.name for other in deck.slides):
        deck.fault(number, f'a second slide is called "{slide.title}": titles are anchors')
    return slide


# --- Directives ----------------------------------------------------------------------------------------------

class Writer:
    """Turns the lines of a deck or page into what pandoc reads. `playground` says whether there is one to link to."""

    def __init__(self, deck: Deck, draft: bool = False, playground: bool = False) -> None:
        self.deck, self.draft, self.playground = deck, draft, playground
        self.blocks = 0
        self.pictures = 0

    def markdown(self, lines: List[Line]) -> List[str]:
        out: List[str] = []
        lines = list(lines)
        inside_notes = 0
        while lines:
            number, line = lines.pop(0)
            if line.startswith("!["):  # an alt text may be longer than a line
                while lines and lines[0][1].strip() and not IMAGE.match(line):
                    line += " " + lines.pop(0)[1]
            fence, image = FENCE.match(line), IMAGE.match(line)
            if fence:
                body = []
                while lines and not (lines[0][1].startswith(fence[1]) and not lines[0][1].strip("`~ ")):
                    body.append(lines.pop(0)[1])
                if not lines:
                    self.deck.fault(number, f"the code that begins with {fence[1]} has no end")
                lines = lines[1:]
                out += self.checked(number, lambda: self.code(fence[2] or "." + (fence[3] or "text"), body))
            elif image:
                out += self.checked(number, lambda: self.picture(image["kind"], image["name"], image["alt"]))
            elif re.search(r"!\[[^\]]*\]\(", re.sub(r"`[^`]*`", "", line)):
                self.deck.fault(number, "a picture is a paragraph of its own: ![alt text](figure:name) or drawing:name")
            elif re.match(r":::+\s*(notes|\{\s*\.notes\s*\})\s*$", line):
                inside_notes = number
                out += raw('<details class="notes"><summary>Notes</summary><div>')
            elif inside_notes and re.match(r":::+\s*$", line):
                inside_notes = 0
                out += raw("</div></details>")
            else:
                out.append(PLAY.sub(lambda found: self.play(number, found["words"], found["name"]), line))
        if inside_notes:
            self.deck.fault(inside_notes, "the notes have no end: close them with ::: in a line of its own")
        return out

    def checked(self, number: int, write: Callable[[], str]) -> List[str]:
        try:
            return raw(write())
        except Fault as fault:
            self.deck.fault(number, fault)
            return []

    def play(self, number: int, words: str, name: str) -> str:
        """A link to a program of the playground; nothing where that is not built."""
        names = [puzzle["name"] for puzzle in json.loads(source.read("slides/playground/puzzles.json"))]
        if name not in names:
            self.deck.fault(number, f'the playground has no program "{name}"{source.close_to(name, names)}')
        return f" [{words}](playground.html#puzzle={name})" if self.playground else ""

    def code(self, braces: str, body: List[str]) -> str:
        classes, values = attributes(braces)
        unknown = set(values) - {"include", "from", "to", "mark", "comment", "record"}
        if unknown:
            raise Fault(f"code takes no {', '.join(sorted(unknown))}, but include, from, to, mark, comment, record")
        language, mark = (classes or ["text"])[0], values.get("mark", "")
        self.blocks += 1
        if "include" not in values:
            narrowing = {"from", "to", "comment"} & set(values)
            if narrowing:
                raise Fault(f"{', '.join(sorted(narrowing))} belongs to an include")
            lines = body
            if "record" in values:
                try:
                    lines = recorded(values["record"])
                except Fault:
                    if not self.draft:
                        raise
                    lines = [f"A draft: the record {values['record']} is not made yet."]
            if not any(line.strip() for line in lines):
                raise Fault("a block of code without a line")
            fits(lines)
            return source.listing(lines, language, mark, label=f"Text {self.blocks}")
        if body:
            raise Fault("code that is included has no lines of its own")
        if values.get("comment", "yes") != "yes":
            raise Fault("comment is yes, or left out")
        part = source.excerpt(values["include"], values.get("from", ""), values.get("to", ""), "comment" in values)
        fits(part.lines)
        path = source.path_of_student(part.path)
        name = f"{part.name} in {Path(path).name}" if part.name else path
        shown = source.listing(part.lines, part.language, mark, part.signs, label=f"Code {self.blocks}: {name}")
        origin = path + (f", from line {part.first}" if not part.signs else "")
        return shown.replace('<div class="listing"', f'<div class="listing" data-from="{html.escape(origin)}"', 1)

    def picture(self, kind: str, name: str, alt: str, records: Sequence[str] = ()) -> str:
        """A drawing, or a figure of the records that its recipe shows or of others."""
        if not alt.strip():
            raise Fault(f"{kind}:{name} has no alt text: say in words what one sees")
        self.pictures += 1
        prefix, label = f"p{self.pictures}", html.escape(alt, quote=True)
        try:
            if kind == "drawing":
                path = source.existing(f"slides/drawings/{name}.svg", "drawing", "draw it, or build with DRAFT=1")
                shown = figure.Figure(svg=source.read(path))
            else:
                shown = figure.drawn(name, records)
        except (Fault, ImportError) as fault:
            if not self.draft:
                raise Fault(fault) from None
            shown = placeholder(name)
        caption = f"<figcaption>{shown.caption}</figcaption>" if shown.caption else ""
        if shown.html:
            columns = "".join(re.findall(r"--columns:\d+", shown.html)[:1])
            kind = f'class="player" data-steps="{shown.steps}" style="{columns}"' if shown.steps else 'class="table"'
            inner = re.sub(r"<svg(\b.*?</svg>)", lambda found: self.scrolling('<svg aria-hidden="true"' + found[1]),
                           figure.with_own_ids(shown.html, prefix), flags=re.S)
            return f'<figure {kind} role="group" aria-label="{label}">{inner}{caption}</figure>'
        svg = re.sub(r"<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE.*?>", "", shown.svg, flags=re.S).strip()
        if not re.match(r"<svg\b[^>]*\bviewBox=", svg):
            raise Fault(f"{kind}:{name} is no SVG with a viewBox")
        head, rest = svg[:svg.index(">")], svg[svg.index(">"):]
        head = re.sub(r'\s(?:width|height|role|aria-label)="[^"]*"', "", head)
        svg = figure.with_own_ids(f'{head} role="img" aria-label="{label}"{rest}', prefix)
        return f'<figure>{self.scrolling(svg)}{caption}</figure>'

    def scrolling(self, svg: str) -> str:
        """A drawing of which a narrow window shows a part."""
        return f'<div class="drawn" tabindex="0" role="group" aria-label="Figure {self.pictures}">{svg}</div>'

    def slides(self) -> str:
        """The slides of the deck as Markdown for pandoc."""
        out: List[str] = []
        title, count = html.escape(self.deck.about.get("title", "")), len(self.deck.slides) + 1
        for number, slide in enumerate(self.deck.slides, 2):
            classes = " ".join(["slide", *slide.classes])
            kicker = f'<p class="part">{PARTS[slide.part]}</p>' if slide.part else ""
            out += raw(f'<section class="{classes}" id="{slide.name}" aria-labelledby="{slide.name}-title" '
                       f'data-footer="{title} · {number} / {count}">{kicker}')
            out += [f"## {slide.title} {{#{slide.name}-title}}", ""]
            out += self.markdown(slide.lines) + raw("</section>")
        return "\n".join(out)


def fits(lines: List[str]) -> None:
    """Code is small enough for a slide."""
    if len(lines) > LINES:
        raise Fault(f"the code has {len(lines)} lines: {LINES} fit on a slide; narrow it by from and to")
    if max(map(len, lines)) > COLUMNS:
        raise Fault(f"the code has {max(map(len, lines))} columns: {COLUMNS} fit on a slide")


def recorded(name: str) -> List[str]:
    """The lines of a text that a record keeps."""
    record, _, key = name.partition("#")
    values = figure.recorded(record)
    text = values.get(key or "text")
    if not isinstance(text, str):
        kept = [name for name, value in values.items() if isinstance(value, str)]
        raise Fault(f'slides/records/{record}.json keeps no text "{key or "text"}"; it has {", ".join(kept)}')
    return text.rstrip("\n").split("\n")


def placeholder(name: str) -> figure.Figure:
    """A box in place of a figure that cannot be drawn yet."""
    return figure.Figure(svg='<svg viewBox="0 0 800 300"><rect x="2" y="2" width="796" height="296" fill="none" '
                         'stroke="var(--muted)" stroke-dasharray="8 6"/><text x="400" y="155" fill="var(--ink)" '
                         f'text-anchor="middle" font-size="24">{html.escape(name)}</text></svg>',
                         caption="A draft: this figure is not drawn yet.")


def raw(text: str) -> List[str]:
    return ["", "``````{=html}", *text.split("\n"), "``````", ""]


# --- HTML ----------------------------------------------------------------------------------------------------

def converted(markdown: str, options: str) -> str:
    """What pandoc makes of Markdown."""
    command = [*PANDOC[:-1], PANDOC[-1] + options]
    try:
        done = subprocess.run(command, input=markdown, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    except FileNotFoundError:
        raise Fault("pandoc is missing: run 'make setup FOR=slides'") from None
    if done.returncode:
        raise Fault(f"pandoc says: {done.stderr.strip()}")
    return done.stdout


def finished(deck: Deck, text: str, built: Dict[str, str], folder: str) -> str:
    """The HTML with links that lead out of `folder`, and its tables. `built` gives the pages that are built by their
    sources."""
    text = re.sub(r'(<a [^>]*?href=")([^"#:]+)(#[^"]*)?(")',
                  lambda found: found[1] + html.escape(relinked(html.unescape(found[2]), built, folder))
                  + (found[3] or "") + found[4], text)
    return tables(text)


def tables(text: str) -> str:
    """The HTML with tables that a screen reader can follow."""
    titles = iter_titles(text)
    return re.sub(r"<table[ >].*?</table>", lambda found: table(found.group(), titles(found.start())), text, flags=re.S)


def relinked(target: str, built: Dict[str, str], folder: str) -> str:
    path = os.path.normpath(os.path.join("slides", target))
    return built.get(path) or os.path.relpath(path, folder)


def iter_titles(text: str) -> Callable[[int], str]:
    headings = [(found.start(), re.sub(r"<[^>]+>", "", found[1]))
                for found in re.finditer(r"<h[1-6][^>]*>(.*?)</h[1-6]>", text, re.S)]
    return lambda position: next((title for start, title in reversed(headings) if start < position), "")


def table(text: str, title: str) -> str:
    """A table with a caption, and headers of its columns and rows."""
    if "<caption" not in text:
        text = re.sub(r"<table[^>]*>", rf'\g<0><caption class="hidden">{title}</caption>', text, count=1)
    head, separator, body = text.partition("</thead>")
    head = re.sub(r"<th\b(?![^>]*scope=)", '<th scope="col"', head)
    body = re.sub(r"(<tr[^>]*>\s*)<td(\b[^>]*>)(.*?)</td>", r'\1<th scope="row"\2\3</th>', body, flags=re.S)
    label = f'aria-label="Table: {html.escape(title)}"'
    return f'<div class="scrolls" tabindex="0" role="group" {label}>{head}{separator}{body}</div>'


def broken_links(deck: Deck, lines: List[Line]) -> None:
    """Finds links to files and slides that do not exist."""
    for number, line in unfenced(lines):
        for found in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            path, _, fragment = found[1].partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:", path):
                continue
            target = Path(os.path.normpath(os.path.join("slides", path))) if path else Path(deck.path)
            if not target.exists():
                near = source.close_to(target.name, [other.name for other in target.parent.glob("*")])
                deck.fault(number, f"{found[1]} leads to no file{near}")
            elif fragment and fragment not in anchors_of(target):
                deck.fault(number, f"{found[1]} leads to no heading{source.close_to(fragment, anchors_of(target))}")


def anchors_of(path: Path) -> List[str]:
    if path.suffix != ".md":
        return []
    titles = [re.match(r"#{1,6} +(.+?)\s*(?:\{[^}]*\})?\s*$", line)
              for _, line in unfenced(numbered(path.read_text("utf-8")))]
    return [anchor(title[1]) for title in titles if title]
