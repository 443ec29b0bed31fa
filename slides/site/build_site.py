"""Builds the workbook's site: build_site.py SLIDES OUT TARGET. SLIDES is the folder of the built slides, whose decks
the site takes. It writes the pages into the new folder OUT, and into OUT.d the files that make's TARGET is made from.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from pathlib import Path
from typing import Dict, List, Tuple

import jinja2

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tools")]

import build  # noqa: E402
import deck as decks  # noqa: E402
import figure  # noqa: E402
import header  # noqa: E402
import index  # noqa: E402
import pages as plan  # noqa: E402
import source  # noqa: E402
import terms  # noqa: E402
from pages import Page, relative  # noqa: E402

BADGE = re.compile(r"^\[!\[[^]]*\]\(\.\./\.\./actions/.*\n", re.M)  # the code host shows it
MOVING = "lab02-event-wait"  # the player of the home page
FIGURES = ("timeline", "player")  # the kinds that show a recorded run
PLAY = """if (matchMedia("(prefers-reduced-motion: no-preference)").matches) {
  document.querySelector("figure.player").player.start();
}"""
TOP = [("Lessons", "labs/README.md"), ("Slides", "slides/index.html"), ("Course", "slides/README.md"),
       ("Cheat sheet", "slides/cheat-sheet.md"), ("Glossary", "slides/glossary.md"),
       ("Playground", "slides/playground.html"),
       ("Manual", "lib/include/lab.h"), ("Timelines", "timelines.html"), ("Reference", "reference.html")]


class Site:
    def __init__(self, slides: Path, out: Path) -> None:
        self.slides, self.out = slides, out
        self.pages = plan.planned()
        self.names: Dict[str, str] = {}
        for page in self.of("Manual"):
            for name in header.all_names(source.read(page.path)):
                self.names.setdefault(name, f"{page.url}#{name}")
        built = {os.path.relpath(slides / name): plan.address(path) for path, name in build.built().items()}
        built[os.path.relpath(slides / "index.html")] = "slides/index.html"
        self.playground = slides / build.PLAYGROUND
        built[os.path.relpath(self.playground)] = "slides/playground.html"
        self.puzzles = json.loads(source.read("slides/playground/puzzles.json")) if self.playground.exists() else []
        self.links = plan.Links(self.pages, self.names, built)
        self.index: List[List[object]] = []
        self.begins: Dict[str, str] = {}  # with which sentence a page does
        self.templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(str(HERE)), autoescape=True, trim_blocks=True, lstrip_blocks=True,
            undefined=jinja2.StrictUndefined)

    def of(self, group: str) -> List[Page]:
        return [page for page in self.pages.values() if page.group == group]

    # --- Bodies ----------------------------------------------------------------------------------------------

    def text_body(self, page: Page) -> str:
        """A page of Markdown. Those of the slides may have figures."""
        markdown = source.read(page.path)
        if page.group == "Course":
            text = decks.read_page(page.path)
            markdown = "\n".join(decks.Writer(text).markdown(text.before))
            if text.faults:
                raise source.Fault("\n".join(text.faults))
        markdown = BADGE.sub("", markdown)
        body = decks.converted(markdown, "+gfm_auto_identifiers")
        body = decks.tables(re.sub(r"<table>\s*<tbody>.*?</table>", term_list, body, flags=re.S))
        if page.path == "slides/glossary.md":
            body = re.sub(r'<th scope="row">(.*?)</th>', lambda found: f'<th scope="row" id="{decks.anchor(found[1])}">'
                          f"{found[1]}</th>", body)
        body = self.with_drawings(page.path, body)
        count = 0

        def listing(found: re.Match) -> str:
            nonlocal count
            count += 1
            lines = unescape(re.sub(r"<[^>]+>", "", found[2])).rstrip("\n").split("\n")
            return source.listing(lines, found[1] or "text", label=f"Text {count}")
        body = re.sub(r'<pre(?: class="([\w.+-]*)")?><code>(.*?)</code></pre>', listing, body, flags=re.S)
        body = self.links.in_text(body, os.path.dirname(page.path), page.url)
        body = self.links.of_names(body, page.url)
        lesson = page.path.startswith("labs/lab")
        return terms.linked(body, relative(plan.address(terms.GLOSSARY), page.url)) if lesson else body

    @staticmethod
    def with_drawings(path: str, body: str) -> str:
        """The page with drawings and recorded figures in place of the figures of letters that follow their names."""
        writer = decks.Writer(decks.Deck(path))

        def shown(found: re.Match) -> str:
            kind, name = found.groups()
            folder, ending = ("drawings", "svg") if kind == "drawing" else ("figures", "json")
            text = source.existing(f"slides/{folder}/{name}.{ending}", kind, f"{path} names it")
            said = figure.load(text)["about"] if kind == "figure" else unescape(
                re.search(r"<desc[^>]*>(.*?)</desc>", source.read(text), re.S)[1])
            return writer.picture(kind, name, said)
        body = re.sub(r"<!-- (drawing|figure): ([\w-]+) -->\s*<pre>.*?</pre>", shown, body, flags=re.S)
        left = re.search(r"<!-- (?:drawing|figure)\b", body)
        if left:
            raise source.Fault(f"{path}: after {left[0]}: NAME --> follows the figure of letters that it replaces")
        return body

    def header_body(self, page: Page) -> str:
        own = {name: url for name, url in self.names.items() if url.startswith(f"{page.url}#")}
        return self.links.of_names(header.Manual(page.path, own).html(), page.url, listings=True)

    def source_body(self, path: str, url: str) -> str:
        part = source.excerpt(path)
        code = source.listing(part.lines, part.language, label="Source")
        return self.links.of_names(f"<h1>{escape(path)}</h1>\n{code}", url, listings=True)

    def deck(self, page: Page) -> str:
        """The deck as `make slides` builds it, with links to the site's pages."""
        text = (self.slides / Path(page.url).name).read_text("utf-8")
        return self.links.in_text(text, str(self.slides), page.url)

    def timelines(self) -> List[Tuple[str, List[dict]]]:
        """The drawn records by lab, each with the slides and lessons that show it."""
        shown: Dict[str, List[Tuple[str, str]]] = {}
        for page in self.of("Lessons"):
            for name in re.findall(r"<!-- figure: ([\w-]+) -->", source.read(page.path)):
                shown.setdefault(name, []).append((page.url, page.title))
        for page in self.of("Slides"):
            deck = decks.read_deck(page.path)
            for slide in deck.slides:
                for name in re.findall(r"\]\(figure:([\w-]+)\)", "\n".join(line for _, line in slide.lines)):
                    shown.setdefault(name, []).append((f"{page.url}#{slide.name}", f"{page.title}: {slide.title}"))
        writer = decks.Writer(decks.Deck("timelines"))
        groups: Dict[str, List[dict]] = {}
        for path in sorted(Path("slides/figures").glob("*.json")):
            recipe = figure.load(str(path))
            if recipe.get("kind") in FIGURES and path.stem in shown:
                titles = [page.title for page in self.of("Lessons") if page.path.startswith(
                    f"labs/{path.stem.split('-')[0]}-")]
                others = figure.not_shown(path.stem, recipe)
                groups.setdefault((titles or ["Before the labs"])[0], []).append({
                    "name": path.stem, "title": recipe["title"], "about": recipe["about"], "slides": shown[path.stem],
                    "figure": recorded_run(writer, path.stem, recipe),
                    "others": [(figure.recorded(record)["machine"], recorded_run(writer, path.stem, recipe, record))
                               for record in others]})
        return sorted(groups.items())

    # --- Writing ---------------------------------------------------------------------------------------------

    def write(self, url: str, text: str) -> None:
        path = self.out / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def page(self, page: Page, body: str, script: str = "") -> None:
        """Writes a page in the site's frame, and the pictures that it shows."""
        group = self.of(page.group) if page.group else []
        at = group.index(page) if page in group else 0
        nearby = [(word, relative(other.url, page.url), other.title) for word, other in
                  (("Previous", group[at - 1] if at else None), ("Next", (group[at + 1:] or [None])[0])) if other]
        deck = dict((lesson.path, deck) for lesson, deck in plan.lessons(self.pages)).get(page.path)
        contents = [(found[1], re.sub(r"<[^>]+>", "", found[2]))
                    for found in re.finditer(r'<h2 id="([^"]+)">(.*?)</h2>', body, re.S)]
        top = [(name, relative(self.links.page_of(path) or path, page.url)) for name, path in TOP
               if name != "Playground" or self.playground.exists()]
        puzzles = [(relative(f"slides/playground.html#puzzle={puzzle['name']}", page.url), puzzle["title"])
                   for puzzle in self.puzzles if page.path.startswith(f"labs/{puzzle['name'].partition('-')[0]}-")]
        self.write(page.url, self.filled(
            "page.html", page, body=body, puzzles=puzzles, script=script, top=top, nearby=nearby,
            contents=contents if len(contents) > 2 else [], chapters=group if len(group) > 1 else [], at=at,
            deck=deck if deck is not page else None, lesson=page.path.startswith("labs/lab"),
            here=os.path.basename(page.url)))
        for picture in re.findall(r'<img [^>]*src="([^":]+)"', body):
            path = os.path.normpath(os.path.join(os.path.dirname(page.path), picture))
            source.READ.add(path)
            target = self.out / os.path.normpath(os.path.join(os.path.dirname(page.url), picture))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)

    def filled(self, template: str, page: Page, **values: object) -> str:
        found = self.templates.get_template(template)
        return found.render(page=page, link=lambda url: relative(url, page.url), **values)

    def find(self, page: Page, text: str) -> None:
        """Lets the search find a page."""
        for anchor, heading, said in index.texts(text):
            title = f"slides, {page.title}" if page.group == "Slides" else page.title
            self.index.append([page.url + (f"#{anchor}" if anchor else ""), title, heading, said, plan.rank(page)])

    def build(self) -> None:
        made = {"Slides": self.deck, "Manual": self.header_body}
        every = list(self.pages.values())
        with ThreadPoolExecutor() as pool:  # several pandocs run at the same time
            bodies = list(pool.map(lambda page: made.get(page.group, self.text_body)(page), every))
        for path, url in sorted(self.links.sources.items()):
            every.append(Page(path, url, path))
            bodies.append(self.source_body(path, url))
        for page, body in zip(every, bodies):
            if page.group == "Slides":
                self.write(page.url, body)
            else:
                self.page(page, body)
            self.begins[page.url] = first_sentence(body)
            self.find(page, body if page.group == "Slides" else f"<main>{body}</main>")
        self.own_pages()
        self.write("search-index.js",
                   f"const LAST = {plan.LAST}, INDEX = {json.dumps(self.index, ensure_ascii=False)};\n")
        self.write("search.js", source.read("slides/site/search.js"))
        theme = [source.read(f"slides/theme/{name}.css") for name in ("theme", "page")]
        self.write("style.css", "".join([
            (self.slides / "fonts.css").read_text("utf-8"), *theme, source.read("slides/site/site.css"),
            "@media screen and (prefers-color-scheme: dark) {\n", source.read("slides/theme/dark.css"), "}\n"]))
        if self.playground.exists():
            text = self.playground.read_text("utf-8")
            self.write("slides/playground.html", text)
            self.find(Page("", "slides/playground.html", "The playground"),
                      re.sub(r"<script>.*</script>", "", text, flags=re.S))
        self.write(".nojekyll", "")  # GitHub Pages serves the files as they are

    def own_pages(self) -> None:
        """The pages that are made from no single file."""
        decks_of, player = self.of("Slides"), source.read("slides/theme/player.js")
        read = {page.path: decks.read_deck(page.path) for page in decks_of}
        about = {path: deck.about for path, deck in read.items()}
        code, verdict = plan.front()
        verdict = re.sub(r"\n {2}(?!To order)", " ", verdict)  # the page breaks the lines
        values = {"code": source.listing(code.rstrip("\n").split("\n"), "c", label="The program"), "verdict": verdict,
                  "moving": decks.Writer(decks.Deck("home")).picture("figure", MOVING, figure.load(
                      f"slides/figures/{MOVING}.json")["about"]), "answers": plan.answers(),
                  "begins": self.begins, "questions": {path: question(deck) for path, deck in read.items()},
                  "playground": self.playground.exists(), "timelines": self.timelines(),
                  "lessons": plan.lessons(self.pages), "decks": decks_of, "about": about,
                  "groups": [(group, self.of(group)) for group, _ in plan.GROUPS
                             if group not in ("Lessons", "Course", "Slides")]}
        for url, title, template, script in (
                ("index.html", "GPU concurrency: the workbook", "home.html", f"<script>{player}{PLAY}</script>"),
                ("slides/index.html", "The slides", "decks.html", ""),
                ("timelines.html", "Recorded timelines", "timelines.html",
                 f"<script>{player}</script>"),
                ("reference.html", "Reference", "reference.html", ""),
                ("search.html", "Search", "search.html",
                 '<script src="search-index.js"></script>\n<script src="search.js"></script>')):
            page = Page("", url, title)
            body = self.filled(template, page, **values)
            self.page(page, body, script)
            if template == "timelines.html":
                self.find(page, f"<main>{body}</main>")


def first_sentence(body: str) -> str:
    said = re.search(r"<p>(.*?[.:])(?:\s|</p>)", body, re.S)
    return unescape(re.sub(r"<[^>]+>", "", said[1])).rstrip(":") if said else ""


def question(deck: decks.Deck) -> str:
    """What the deck answers: what its slide of the question has to be remembered."""
    asked = "\n".join(line for slide in deck.slides if slide.part == "question" for _, line in slide.lines)
    found = re.search(r"\[([^]]*)\]\{\.key\}", asked)
    return found[1].replace("\n", " ") if found else ""


def recorded_run(writer: decks.Writer, name: str, recipe: dict, *records: str) -> str:
    """The figure, of the records that its recipe shows or of others."""
    machine = "".join(f" on {figure.recorded(record)['machine']}" for record in records)
    return writer.picture("figure", name, recipe["about"] + machine, records).replace(
        'aria-label="The source"', f'aria-label="The source: {escape(recipe["title"] + machine)}"')


def term_list(table: re.Match) -> str:
    """A table of two columns without a head, as a list of terms."""
    return "<dl>" + re.sub(r"<tr[^>]*>\s*<td[^>]*>(.*?)</td>\s*<td[^>]*>(.*?)</td>\s*</tr>", r"<dt>\1</dt><dd>\2</dd>",
                           re.sub(r"</?(table|tbody)>\s*", "", table[0]), flags=re.S) + "</dl>"


def main(slides: str, out: str, target: str) -> None:
    try:
        Site(Path(slides), Path(out)).build()
    except source.Fault as fault:
        sys.exit(str(fault))
    files = sorted(path for path in source.READ if Path(path).exists())
    rules = "".join(f"{file}:\n" for file in files)
    Path(out + ".d").write_text(f"{target}: {' '.join(files)}\n{rules}", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
