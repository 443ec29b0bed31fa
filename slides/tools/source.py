"""The workbook's files as slides show them: which part of a file an include means, and its HTML.

Paths are relative to the top of the tree, where make runs. READ lists every file that was asked for, there or not: a
deck is built again when one changes. A fault is a sentence; who asked adds the deck and the line."""
from __future__ import annotations

import difflib
import html
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Set, Tuple

READ: Set[str] = set()


class Fault(Exception):
    """What is wrong in a deck, and what to do."""


def close_to(word: str, words: Iterable[str]) -> str:
    """The end of a sentence that names what was probably meant."""
    near = difflib.get_close_matches(word, sorted(set(words)), 3, 0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def existing(path: str, kind: str, advice: str) -> str:
    """The path, if there is such a file."""
    READ.add(path)
    file = Path(path)
    if not file.is_file():
        others = [other.name for other in file.parent.glob(f"*{file.suffix}")]
        raise Fault(f"there is no {kind} {path}{close_to(file.name, others) or ': ' + advice}")
    return path


def path_of_student(path: str) -> str:
    """The path as a student knows it, to whom a starter is the file to write in."""
    return re.sub(r"^labs/((lab[^-/]*)-[^/]*)/starter\.c$", r"labs/\1/\2.c", path)


def read(path: str) -> str:
    return Path(existing(path, "file", "check the path from the top of the workbook")).read_text("utf-8")


# --- C -------------------------------------------------------------------------------------------------------

C_WORDS = set("""alignas alignof auto break case const continue default do else enum extern for goto if inline register
restrict return sizeof static struct switch typedef union volatile while true false NULL _Atomic _Bool _Generic
_Static_assert _Thread_local __global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__
__syncthreads""".split())
KEYWORDS = C_WORDS | set("""and as assert async await class def del elif except finally from import in is lambda not or
pass raise try with yield None True False""".split())
TYPES = re.compile(r"(?:void|char|short|int|long|float|double|signed|unsigned|bool|dim3|\w+_t|CU(?:stream|event)|"
                   r"lab_(?:status|stream|event|array|context|module|function|device|pool|graph|dtype|capture))$")
TOKEN = re.compile(r"""
    (?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<directive>^[ \t]*\#(?:\\\n|"(?:\\.|[^"\\\n])*"|/\*.*?(?:\*/|\Z)|(?!/[/*])[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
  | (?P<number>\.?\b\d(?:[eEpP][+-]|[\w.'])*)
  | (?P<word>[^\W\d]\w*)
  | (?P<space>\s+)
  | (?P<mark>.)""", re.S | re.M | re.X)
SCRIPT = re.compile(r"""(?P<comment>\#[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  |(?P<number>\b\d[\w.]*)|(?P<word>[^\W\d]\w*)|(?P<space>\s+)|(?P<mark>.)""", re.S | re.X)
CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass
class Item:
    """A definition or declaration at the top level of a C file: text[start:end] is its code."""
    names: Set[str]
    start: int
    end: int
    defines: bool


def items(text: str) -> Iterator[Item]:
    """The items of a C file. Braces that a conditional leaves open are closed by the next one in column 1."""
    tokens: List[Tuple[str, int, int]] = []
    depth = 0
    for found in TOKEN.finditer(text):
        token, kind = found.group(), found.lastgroup
        if kind == "directive":
            macro = re.match(r"\s*#\s*define\s+(\w+)", token)
            if macro:
                yield Item({macro[1]}, found.start() + token.index("#"), found.start() + len(token.rstrip()), True)
            tokens = tokens if depth else []
        if kind in ("directive", "comment", "space"):
            continue
        first_column = found.start() == 0 or text[found.start() - 1] == "\n"
        if first_column and depth == 0 and tokens and tokens[-1][0] == ")" and kind == "word":
            tokens = []  # the call of a macro that makes definitions
        depth = 0 if token == "}" and first_column else max(0, depth - (token in CLOSING))
        tokens.append((token, found.start(), found.end()))
        depth += token in CLOSING.values()
        words = [word for word, _, _ in tokens]
        if words == ["extern", '"C"', "{"] or words == ["}"]:
            tokens, depth = [], 0
        elif depth == 0 and (token == ";" or token == "}" and is_function(words)):
            yield item(tokens)
            tokens = []


def flat(words: List[str]) -> List[str]:
    """The words outside of all brackets. A pair of brackets is one word; (*) is one that holds a pointer's name."""
    out: List[str] = []
    depth = 0
    for k, word in enumerate(words):
        depth -= word in CLOSING and depth > 0
        if depth == 0 and word not in "([{":
            out.append(CLOSING[word] + word if word in CLOSING else word)
        elif depth == 0 and words[k:k + 2] == ["(", "*"]:
            out += [name for name in words[k + 2:k + 4] if name not in C_WORDS and name[0].isalpha()][:1] + ["(*)"]
        depth += word in "([{"
    return out


def is_function(words: List[str]) -> bool:
    outside = flat(words)
    return "()" in outside and "=" not in outside and outside[0] not in ("typedef", "struct", "union", "enum") \
        or outside[:1] != ["typedef"] and outside[-2:] == ["()", "{}"]


def item(tokens: List[Tuple[str, int, int]]) -> Item:
    words = [word for word, _, _ in tokens]
    outside = flat(words)
    prototype = "()" in outside and "{}" not in outside and "=" not in outside and outside[0] != "typedef"
    names = {before for before, after in zip(outside, outside[1:])
             if after in ("()", "(*)", "[]", "=", ";", "{}") and re.match(r"[^\W\d]", before) and before not in C_WORDS}
    # A structure that is only named, as in struct a; or struct a *f(void), is not defined here.
    opaque = "{}" not in outside and outside[0] in ("struct", "union", "enum")
    return Item(names, tokens[0][1], tokens[-1][2], not prototype and not opaque)


# --- Includes ------------------------------------------------------------------------------------------------

@dataclass
class Excerpt:
    path: str
    lines: List[str]
    name: str = ""
    first: int = 1  # the number of the first line in the file
    language: str = "text"
    signs: List[str] = field(default_factory=list)  # of a patch: + - or a space for each line


LANGUAGES = {".c": "c", ".h": "c", ".cu": "c", ".py": "python", ".sh": "sh", ".mk": "sh", ".patch": "diff"}


def excerpt(include: str, start: str = "", end: str = "", comment: bool = False) -> Excerpt:
    """The lines that include="FILE#NAME" from=START to=END means."""
    path, _, name = include.partition("#")
    text = read(path)
    language = LANGUAGES.get(Path(path).suffix, "text")
    begin, stop = definition(path, text, name, comment) if name else (0, len(text))
    lines = text[text.rfind("\n", 0, begin) + 1:text.find("\n", stop) if "\n" in text[stop:] else len(text)].split("\n")
    first = text.count("\n", 0, begin) + 1
    if language == "diff":
        lines = text[text.index("\n@@") + 1:].split("\n") if "\n@@" in text else lines
        lines = ["⋯" if line.startswith("@@") else line for line in lines]
        lines = lines[1:] if lines[0] == "⋯" else lines
    while lines and not lines[-1].strip():
        lines.pop()
    if start or end:
        skip, length = narrowed(include, lines, start, end)
        lines, first = lines[skip:skip + length], first + skip
    if language == "diff":
        signs = [line[:1] if line[:1] in ("+", "-") else " " for line in lines]
        body = textwrap.dedent("\n".join(line[1:] if line != "⋯" else "" for line in lines)).split("\n")
        lines = ["⋯" if line == "⋯" else code for line, code in zip(lines, body)]
        return Excerpt(path, lines, Path(path).stem, first, "c", signs)
    return Excerpt(path, textwrap.dedent("\n".join(lines)).split("\n"), name, first, language)


def definition(path: str, text: str, name: str, comment: bool) -> Tuple[int, int]:
    """Where the definition of NAME begins and ends; a declaration counts if there is no definition."""
    found = list(items(text))
    named = [item for item in found if name in item.names]
    named = [item for item in named if item.defines] or named
    if not named:
        raise Fault(f"{path} defines no {name}" + (close_to(name, {n for item in found for n in item.names})
                                                   or ": name a function, struct, enum, macro or typedef of it"))
    if len(named) > 1:
        lines = " and ".join(str(text.count("\n", 0, item.start) + 1) for item in named)
        raise Fault(f"{path} defines {name} in the lines {lines}: choose one by from and to, without #{name}")
    begin = named[0].start
    if comment:
        above = re.compile(r"(?:/\*(?:(?!\*/).)*\*/|(?:^[ \t]*//[^\n]*\n)*^[ \t]*//[^\n]*)\s*\Z", re.S | re.M)
        before = above.search(text, 0, begin)
        if not before or "\n\n" in before.group().rstrip(" \t")[-2:]:
            raise Fault(f"{path} has no comment above {name}: leave out comment=yes")
        begin = before.start()
    return begin, named[0].end


def narrowed(include: str, lines: List[str], start: str, end: str) -> Tuple[int, int]:
    """The first line that contains START, and how many lines there are to the one that contains END."""
    begins = [k for k, line in enumerate(lines) if start in line] if start else [0]
    if len(begins) != 1:
        raise Fault(f'from="{start}" is in {len(begins) or "no"} lines of {include}: use a text that is in one line')
    ends = [k for k in range(begins[0], len(lines)) if end in lines[k]] if end else [len(lines) - 1]
    if not ends:
        raise Fault(f'to="{end}" is in no line of {include} from line {begins[0] + 1} of the excerpt on')
    return begins[0], ends[0] - begins[0] + 1


# --- HTML ----------------------------------------------------------------------------------------------------

def coloured(text: str, language: str) -> str:
    """The text as HTML, with a span for each comment, string, number, keyword, type and directive."""
    if language not in ("c", "cpp", "cu", "python", "sh"):
        return html.escape(text)
    out = []
    for found in (SCRIPT if language in ("python", "sh") else TOKEN).finditer(text):
        token, kind = found.group(), found.lastgroup
        if kind == "word":
            kind = "" if language == "sh" else "keyword" if token in KEYWORDS else "type" if TYPES.match(token) else ""
        elif kind in ("space", "mark") or language == "sh" and kind == "number":
            kind = ""
        # A comment may continue in the next line, a span may not: each line is an element of its own.
        out.append("\n".join(f'<span class="{kind}">{part}</span>' if kind and part else part
                             for part in html.escape(token).split("\n")))
    return "".join(out)


def listing(lines: List[str], language: str, mark: str = "", signs: List[str] = [], steps: Dict[int, str] = {},
            label: str = "") -> str:
    """The lines as a block of code. `mark` are texts between semicolons: lines that contain one are highlighted.
    `steps` gives the steps of a player to lines, which count from 0."""
    marks = [text.strip() for text in mark.split(";") if text.strip()]
    for text in marks:
        if not any(text in line for line in lines):
            raise Fault(f'mark="{text}" is in none of the {len(lines)} lines'
                        + close_to(text, [line.strip() for line in lines]))
    out = []
    for k, line in enumerate(coloured("\n".join(lines), language).split("\n")):
        classes = ["line"]
        if any(text in lines[k] for text in marks):
            classes.append("marked")
        if signs and signs[k] != " ":
            classes.append("added" if signs[k] == "+" else "removed")
        step = f' data-step="{steps[k]}"' if k in steps else ""
        out.append(f'<span class="{" ".join(classes)}"{step}>{signs[k] + " " if signs else ""}{line}\n</span>')
    columns = max(map(len, lines)) + (2 if signs else 0)
    name = f' role="region" aria-label="{html.escape(label)}"' if label else ""
    return (f'<div class="listing" style="--lines:{len(lines)};--columns:{columns}">'
            f'<pre tabindex="0"{name}><code>{"".join(out)}</code></pre></div>')
