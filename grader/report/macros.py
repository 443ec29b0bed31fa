"""Expands the macros that a source defines itself, so that a name for a type or a call does not hide what stands there.

Knows `#define` and `#undef` of one file, with and without parameters, and a `typedef` that gives a type another name.
Includes and conditions are left alone. The work is bounded: a source whose macros grow without end is cut.
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


class _Expansion:
    """The tokens that come out, and how many steps are left."""

    def __init__(self) -> None:
        self.tokens: List[Token] = []
        self.steps = MOST_STEPS

    def put(self, tokens: Sequence[Token], macros: Mapping[str, Macro], hidden: FrozenSet[str]) -> None:
        position = 0
        while position < len(tokens) and self.steps > 0:
            self.steps -= 1
            token = tokens[position]
            position += 1
            macro = macros.get(token.text) if token.text not in hidden and len(hidden) < MOST_DEPTH else None
            if macro is None:
                self.tokens.append(token)
                continue
            values: Dict[str, List[Token]] = {}
            if macro.parameters is not None:
                found = _arguments(tokens, position)
                if found is None:
                    self.tokens.append(token)
                    continue
                arguments, position = found
                values = dict(zip(macro.parameters, arguments))
            body = [part for text in macro.body for part in values.get(text, (Token(text, token.line),))]
            self.put(body[:self.steps], macros, hidden | {token.text})


def expanded(text: str, token: Pattern[str]) -> List[Token]:
    """The tokens of the source without layout and directives, its own macros expanded; each has the line of its use."""
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
    for found in token.findall(text):
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
    for directive, tokens in list(runs):
        if not directive:
            _aliases(tokens, runs)
    return runs


def _aliases(tokens: List[Token], runs: List[Tuple[bool, List[Token]]]) -> None:
    """Takes `typedef lab_stream *stream;` for a macro at the beginning: types of another name have the same tokens."""
    for start, found in enumerate(tokens):
        if found.text != "typedef":
            continue
        end = next((i for i in range(start, min(start + 12, len(tokens))) if tokens[i].text == ";"), start)
        words = [part.text for part in tokens[start + 1:end]]
        plain = all(_NAME.fullmatch(word) or word == "*" for word in words)
        if plain and len(words) > 1 and words[-1] != "*":
            runs.insert(0, (True, [Token(part, found.line) for part in ("define", " ", words[-1], " ", *words[:-1])]))


def _define(tokens: Sequence[Token], macros: Dict[str, Macro]) -> None:
    words = [token.text for token in tokens]
    while words and _LAYOUT.match(words[0]):
        words.pop(0)
    if not words or words[0] not in ("define", "undef"):
        return
    rest = words[1:]
    while rest and _LAYOUT.match(rest[0]):
        rest.pop(0)
    if not rest:
        return
    name, rest = rest[0], rest[1:]
    if words[0] == "undef":
        macros.pop(name, None)
        return
    parameters: Optional[List[str]] = None
    if rest[:1] == ["("] and ")" in rest:
        end = rest.index(")")
        parameters = [word for word in rest[1:end] if _NAME.fullmatch(word)]
        rest = rest[end + 1:]
    macros[name] = Macro(parameters, [word for word in rest if not _LAYOUT.match(word)])


def _arguments(tokens: Sequence[Token], position: int) -> Optional[Tuple[List[List[Token]], int]]:
    """The arguments of a call that begins there, and the position behind it; None if there is no call."""
    if position >= len(tokens) or tokens[position].text != "(":
        return None
    arguments: List[List[Token]] = [[]]
    depth = 1
    for at in range(position + 1, len(tokens)):
        text = tokens[at].text
        depth += (text in "([{") - (text in ")]}") if len(text) == 1 else 0
        if depth == 0:
            return arguments, at + 1
        if text == "," and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append(tokens[at])
    return None
