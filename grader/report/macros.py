"""Expands the macros that a source defines itself, so that a name for a type or a call does not hide what stands there.

Knows `#define` and `#undef` of one file, with and without parameters, and a `typedef` that gives a type another name.
Includes and conditions are left alone. Every token that is read, written or taken for an argument is a step, and a
source has MOST_STEPS of them: what grows without end is refused.
"""
from __future__ import annotations

import re
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Pattern, Sequence, Tuple

MOST_STEPS = 300_000
MOST_DEPTH = 30

_LAYOUT = re.compile(r"\s|//|/\*|\\\n")
_NAME = re.compile(r"[^\W\d]\w*")


class Token(NamedTuple):
    text: str
    line: int


class Macro(NamedTuple):
    parameters: Optional[List[str]]  # None for a macro without parentheses
    body: List[str]


class Endless(Exception):
    """The macros need more than MOST_STEPS."""


class _Expansion:
    """The tokens that come out, and how many steps are left."""

    def __init__(self) -> None:
        self.tokens: List[Token] = []
        self.steps = MOST_STEPS

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise Endless

    def put(self, tokens: Sequence[Token], macros: Mapping[str, Macro], hidden: FrozenSet[str]) -> None:
        """Raises Endless."""
        closings = _closings(tokens)
        position = 0
        while position < len(tokens):
            self.spend(1)
            token = tokens[position]
            position += 1
            macro = macros.get(token.text) if token.text not in hidden and len(hidden) < MOST_DEPTH else None
            if macro is None:
                self.tokens.append(token)
                continue
            values: Dict[str, List[Token]] = {}
            if macro.parameters is not None:
                end = closings.get(position)
                if end is None:
                    self.tokens.append(token)
                    continue
                self.spend(end - position)
                values = dict(zip(macro.parameters, _arguments(tokens, position, end)))
                position = end + 1
            self.put(self._body(macro, values, token.line), macros, hidden | {token.text})

    def _body(self, macro: Macro, values: Mapping[str, List[Token]], line: int) -> List[Token]:
        body: List[Token] = []
        for text in macro.body:
            value = values.get(text)
            self.spend(1 if value is None else len(value) + 1)
            if value is None:
                body.append(Token(text, line))
            else:
                body.extend(value)
        return body


def expanded(text: str, token: Pattern[str]) -> List[Token]:
    """The tokens of the source without layout and directives, its own macros expanded; each has the line of its use.
    Raises Endless."""
    macros: Dict[str, Macro] = {}
    out = _Expansion()
    for directive, tokens in _lines(text, token):
        if directive:
            _define(tokens, macros)
        else:
            out.put(tokens, macros, frozenset())
    return out.tokens


def _lines(text: str, token: Pattern[str]) -> List[Tuple[bool, List[Token]]]:
    """Runs of tokens, each a directive or what stands between two. Layout stays in a directive: in "#define A (b)" the
    space says that the macro has no parameters."""
    runs: List[Tuple[bool, List[Token]]] = [(False, [])]
    line, fresh = 1, True
    for match in token.finditer(text):
        found = match.group()
        layout = bool(_LAYOUT.match(found))
        ends = layout and "\n" in found and found != "\\\n" and not found.startswith("/")
        if fresh and found == "#":
            runs.append((True, []))
        elif ends and runs[-1][0]:
            runs.append((False, []))
        elif not layout or runs[-1][0]:
            runs[-1][1].append(Token(found, line))
        fresh = (fresh and layout) or ends
        line += found.count("\n")
    return [alias for directive, tokens in runs if not directive for alias in _aliases(tokens)] + runs


def _aliases(tokens: List[Token]) -> List[Tuple[bool, List[Token]]]:
    """Takes `typedef lab_stream *stream;` for a macro at the beginning: types of another name have the same tokens."""
    found = []
    for start, word in enumerate(tokens):
        if word.text != "typedef":
            continue
        end = next((i for i in range(start, min(start + 12, len(tokens))) if tokens[i].text == ";"), start)
        words = [part.text for part in tokens[start + 1:end]]
        plain = all(_NAME.fullmatch(part) or part == "*" for part in words)
        if plain and len(words) > 1 and words[-1] != "*":
            found.append((True, [Token(part, word.line) for part in ("define", " ", words[-1], " ", *words[:-1])]))
    return found


def _define(tokens: Sequence[Token], macros: Dict[str, Macro]) -> None:
    words = [token.text for token in tokens]
    kind = _visible(words, 0)
    name = _visible(words, kind + 1)
    if name >= len(words) or words[kind] not in ("define", "undef"):
        return
    if words[kind] == "undef":
        macros.pop(words[name], None)
        return
    parameters: Optional[List[str]] = None
    rest = words[name + 1:]
    if rest[:1] == ["("] and ")" in rest:
        end = rest.index(")")
        parameters = [word for word in rest[1:end] if _NAME.fullmatch(word)]
        rest = rest[end + 1:]
    macros[words[name]] = Macro(parameters, [word for word in rest if not _LAYOUT.match(word)])


def _visible(words: Sequence[str], start: int) -> int:
    """The place of the first word from `start` on that is not layout."""
    while start < len(words) and _LAYOUT.match(words[start]):
        start += 1
    return start


def _closings(tokens: Sequence[Token]) -> Dict[int, int]:
    """For each "(" that is closed, the places of both. Any closing mark closes the innermost open one."""
    closings: Dict[int, int] = {}
    opened: List[int] = []
    for at, token in enumerate(tokens):
        if token.text in ("(", "[", "{"):
            opened.append(at)
        elif token.text in (")", "]", "}") and opened:
            start = opened.pop()
            if tokens[start].text == "(":
                closings[start] = at
    return closings


def _arguments(tokens: Sequence[Token], start: int, end: int) -> List[List[Token]]:
    """The arguments of a call between these parentheses."""
    arguments: List[List[Token]] = [[]]
    depth = 0
    for token in tokens[start + 1:end]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments
