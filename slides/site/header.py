"""A header of the library as a page: comments become prose, declarations code, and every name an anchor. It reads the
form that the headers have. A section begins with a comment under a line of dashes. An entry is a comment with the
declarations below it, up to an empty line. In a comment, aligned columns are a list or a table, lines indented by two
are a list, by four code."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import Dict, List, Tuple

import deck as decks
import source

RULE = re.compile(r"/\* -{3}")
ELSEWHERE = re.compile(r"(?:(?<=\s)|^)(?=(?:CUDA|CuPy|PyCUDA|NumPy|PyTorch): )")
WORD = re.compile(r"""(?<![\w&.])(?:
      (?:lab|LAB)_\w*\w(?:\(\)|=[\w.:|]*\w)?
    | __\w+
    | (?:cu(?:da)?[A-Z]|CU(?:DA)?_|CU[a-z]|nvrtc)\w*
    | (?:[A-Za-z]\w*\.)*[a-z]\w*\([^()]*\)             # a call
    | (?:cupy|pycuda|numpy|[A-Z]\w+)(?:\.\w+)+          # a name of Python
    | (?P<status>[A-Z]+(?:_[A-Z]+)+)\b)
    | "(?P<title>[A-Z][\w ]+)\"""", re.X)
TABLE_ROW = re.compile(r"\bX\((\w+),\s*(.*)\)(?:\s*\\)?$", re.M)


@dataclass(order=True)
class Piece:
    """A comment, or a declaration with its names and the constants of its enum: text[start:end]."""
    start: int
    end: int
    names: List[str] = field(default_factory=list)
    constants: List[str] = field(default_factory=list)


@dataclass
class Entry:
    comment: str
    codes: List[str] = field(default_factory=list)
    names: List[str] = field(default_factory=list)
    constants: List[str] = field(default_factory=list)  # of its enums


@dataclass
class Section:
    title: str
    comment: str
    entries: List[Entry] = field(default_factory=list)


def pieces(text: str) -> List[Piece]:
    """The comments and declarations outside of all braces, in their order."""
    found: List[Piece] = []
    for item in sorted(source.items(text), key=lambda item: (item.start, -item.end)):
        if found and item.start < found[-1].end:
            continue  # a macro inside of an enum
        code = text[item.start:item.end]
        if re.fullmatch(r"#\s*define \w+", code):
            continue  # what keeps a header from being read twice
        inside = re.search(r"\benum\b[^{;(]*\{(.*)\}", re.sub(r"/\*.*?\*/|^ *#.*", "", code, flags=re.S | re.M), re.S)
        constants = re.findall(r"^\s*([A-Z]\w+)", inside[1].replace(",", "\n"), re.M) if inside else []
        end = item.end + len(re.match(r"(?: */\*[^\n]*?\*/)?", text[item.end:])[0])  # a comment after it
        found.append(Piece(item.start, end, sorted(item.names, key=code.index), constants))
    for comment in re.finditer(r"^/\*.*?\*/", text, re.S | re.M):
        if not any(piece.start <= comment.start() < piece.end for piece in found):
            found.append(Piece(comment.start(), comment.end()))
    return sorted(found)


def sections(text: str) -> List[Section]:
    """The first is what stands before the first title, with the file's comment."""
    out = [Section("", "")]
    last, fresh = 0, True
    for piece in pieces(text):
        apart, code = "\n\n" in text[last:piece.start], text[piece.start:piece.end]
        last = piece.end
        if not code.startswith("/*"):
            if fresh or apart and out[-1].entries[-1].codes:
                out[-1].entries.append(Entry(""))
            out[-1].entries[-1].codes.append(code)
            out[-1].entries[-1].names += piece.names
            out[-1].entries[-1].constants += piece.constants
            fresh = False
        elif RULE.match(code):
            title, _, rest = plain(code).strip("-\n ").partition("\n")
            out.append(Section(title.strip(" -"), rest))
            fresh = True
        elif piece.start == 0:
            out[0].comment = plain(code)
        elif "clang-format" in code:
            fresh = fresh or apart
        else:
            out[-1].entries.append(Entry(plain(code)))
            fresh = False
    return [Section(section.title, section.comment, [entry for entry in section.entries if entry.codes])
            for section in out]


def plain(comment: str) -> str:
    """The comment's text without its stars."""
    return re.sub(r"^ \* ?", "", re.sub(r"^/\*+ ?|\s*(?<!\S)\*?\*/$", "", comment), flags=re.M).rstrip()


def all_names(text: str) -> List[str]:
    """Every name that the header declares, with the rows of its tables."""
    names: List[str] = []
    for entry in (entry for section in sections(text) for entry in section.entries):
        names += entry.names + entry.constants
        names += [name for code in entry.codes for name, _ in TABLE_ROW.findall(code)]
    return names


# --- HTML ----------------------------------------------------------------------------------------------------

class Manual:
    """Writes a header's page. `own` are the names whose anchors are on it."""

    def __init__(self, path: str, own: Dict[str, str]) -> None:
        self.path, self.own = path, own
        self.text = source.read(path)
        self.sections = sections(self.text)
        self.titles = {section.title: decks.anchor(section.title) for section in self.sections if section.title}
        self.blocks = 0

    def html(self) -> str:
        file = self.path.rsplit("/")[-1]
        about = re.sub(rf"^{re.escape(file)}: (\w)", lambda found: found[1].upper(), self.sections[0].comment.strip())
        out = [f"<h1>{escape(file)}</h1>", self.prose(about)]
        for section in self.sections:
            if section.title:
                out += [f'<h2 id="{self.titles[section.title]}">{escape(section.title)}</h2>',
                        self.prose(section.comment)]
            elif section.entries:
                out.append('<h2 id="declarations">Declarations</h2>')
            out += map(self.entry, section.entries)
        return "\n".join(out)

    def entry(self, entry: Entry) -> str:
        """A heading with the names, the declarations, and what the comment says about them."""
        names = entry.names or entry.constants
        first = names[0]
        anchor = f' id="{first}"' if first in self.own else ""
        links = [name for name in entry.names + entry.constants if name in self.own and name != first]
        code = "\n".join(map(shown, entry.codes))
        self.blocks += 1
        block = source.listing(code.split("\n"), "c", label=f"Declaration {self.blocks}").replace(
            'class="listing"', 'class="listing declaration"', 1)
        for name in links:
            block = re.sub(rf"(?<![\w#\"]){name}(?!\w)", f'<a id="{name}" href="#{name}">{name}</a>', block, count=1)
        tables = "".join(self.table(first, rows) for rows in map(TABLE_ROW.findall, entry.codes) if rows)
        heading = ", ".join(f"<code>{name}</code>" for name in names[:4] + ["…"][:len(names) > 4])
        return f"<h3{anchor}>{heading}</h3>\n{tables or block}\n{self.prose(entry.comment)}"

    def table(self, name: str, rows: List[Tuple[str, str]]) -> str:
        """The rows of an X-macro. Its columns have the names that the parameters of its first user have."""
        heads = re.search(r"#\s*define \w+\(([^)]*)\)[^\n]*\n *" + name, self.text)
        columns = [head.strip().replace("_", " ") for head in heads[1].split(",")] if heads else []
        body = ""
        for first, rest in rows:
            cells = [escape(cell.strip(' "')) for cell in re.findall(r'\s*"[^"]*"|[^,]+', rest)]
            body += f'<tr><td id="{first}"><code>{first}</code></td><td>{"</td><td>".join(cells)}</td></tr>'
        head = "".join(f"<th>{escape(column)}</th>" for column in columns)
        return decks.table(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", name)

    # What a comment says.

    def prose(self, comment: str) -> str:
        out: List[str] = []
        chunk: List[str] = []
        kind = ""
        for line in [*comment.split("\n"), ""]:
            indent = len(line) - len(line.lstrip())
            inside = "list" if indent < 4 or kind == "list" else "code"
            now = "" if not line.strip() else inside if indent else "text"
            if now != kind:
                out.append({"text": self.text_of, "list": self.listed, "code": self.code}.get(kind, "".join)(chunk))
                chunk, kind = [], now
            chunk.append(line)
        return "\n".join(part for part in out if part)

    def text_of(self, lines: List[str]) -> str:
        """A paragraph, and what it says about other libraries as one of its own."""
        said, *elsewhere = ELSEWHERE.split(" ".join(line.strip() for line in lines))
        parts = [self.paragraph(said)]
        if elsewhere:
            named = [part.partition(": ") for part in elsewhere]
            words = "".join(f"<span><b>{label}</b> {self.inline(rest.strip())}</span> " for label, _, rest in named)
            parts.append(f'<p class="elsewhere">{words.strip()}</p>')
        return "\n".join(part for part in parts if part)

    def paragraph(self, text: str) -> str:
        return f"<p>{self.inline(text.strip())}</p>" if text.strip() else ""

    def listed(self, lines: List[str]) -> str:
        """A list; with aligned columns a list of terms, or a table if there are more than two."""
        indent = len(lines[0]) - len(lines[0].lstrip())
        cut = [line[indent:] for line in lines]
        starts = [0] + [found.end() for found in re.finditer(r"\S {2,}(?=\S)", cut[0])]
        if len(starts) == 1:
            return self.items(cut)
        rows: List[List[str]] = []
        ends = [*starts[1:], None]
        for line in cut:
            cells = [line[start:end].strip() for start, end in zip(starts, ends)]
            if line[:starts[1]].strip() and line[starts[1] - 1:starts[1]].strip():  # a term as long as the line
                cells = [line.strip()] + [""] * (len(starts) - 1)
            if cells[0] or not rows:
                rows.append(cells)
            else:
                rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells)]
        if len(starts) == 2:
            return "<dl>" + "".join(f"<dt>{self.inline(term)}</dt><dd>{self.inline(said)}</dd>"
                                    for term, said in rows) + "</dl>"
        head, *body = ["".join(f"<{cell}>{self.inline(part)}</{cell}>" for part in row)
                       for row, cell in zip(rows, ["th"] + ["td"] * len(rows))]
        return decks.table(f"<table><thead><tr>{head}</tr></thead><tbody>"
                           + "".join(f"<tr>{row}</tr>" for row in body) + "</tbody></table>", rows[0][0])

    def items(self, lines: List[str]) -> str:
        said: List[str] = []
        for line in lines:
            if not said or not line.startswith(" ") and said[-1].endswith((";", ".")):
                said.append(line)
            else:
                said[-1] += " " + line.strip()
        return "<ul>" + "".join(f"<li>{self.inline(item)}</li>" for item in said) + "</ul>"

    def code(self, lines: List[str]) -> str:
        self.blocks += 1
        language = "c" if re.match(r" *\w+\(", lines[0]) else "text"  # a call, or a message
        return source.listing([line[4:] for line in lines], language, label=f"Example {self.blocks}")

    def inline(self, text: str) -> str:
        """The text as HTML: names as code, short names of statuses and quoted titles of sections as links."""
        parts = escape(text, quote=False).split("`")
        parts[::2] = [WORD.sub(self.word, part) for part in parts[::2]]
        parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
        return "".join(parts)

    def word(self, found: re.Match) -> str:
        if found["title"]:
            anchor = self.titles.get(found["title"])
            return f'"<a href="#{anchor}">{found["title"]}</a>"' if anchor else found[0]
        status = f"LAB_ERROR_{found['status']}"
        if found["status"]:
            return f'<a href="#{status}"><code>{found[0]}</code></a>' if status in self.own else found[0]
        return f"<code>{found[0]}</code>"


def shown(code: str) -> str:
    """A declaration as a reader needs it: of a function with a body and of a macro with parameters, the head."""
    macro = re.match(r"#\s*define (\w+(?:\([^)]*\))?)(.*)", code, re.S)
    if macro:
        return f"#define {macro[1]}" + ("" if macro[1].endswith(")") or "\n" in macro[2] else macro[2].rstrip())
    if code.startswith("static inline"):
        return code[:code.index("{")].rstrip() + ";"
    return code
