"""A mutant, and what the operators share: statements that the student writes, places between them, names in reach."""
import re

from source import Statement, closing, plain_type

LONGEST = 90  # characters of code in a name


class Mutant:
    """A change of a source: the operator, the function or table, what the change is about, the edits of the text."""

    def __init__(self, operator, function, subject, edits):
        self.name = f"{operator} {getattr(function, 'name', function)}: {subject}"
        self.edits = sorted(edits)

    def text(self, source):
        """The mutated file."""
        parts, place = [], 0
        for start, end, new in self.edits:
            parts += [source.text[place:start], new]
            place = end
        return "".join(parts) + source.text[place:]

    def lines(self, source):
        """The numbers of the changed lines, in the mutated file."""
        lines, shift = set(), 0
        for start, end, new in self.edits:
            first = source.line(start) + shift
            lines |= set(range(first, first + new.count("\n") + 1))
            shift += new.count("\n") - source.text[start:end].count("\n")
        return sorted(lines)


def shortened(words):
    """Words that fit into a name: the beginning and the end."""
    return words if len(words) <= LONGEST else f"{words[:60]}...{words[-27:]}"


def about(source, statement):
    """A statement in a name: without its LAB_TRY and its semicolon."""
    words = source.words(statement.start, statement.end).rstrip(";")
    tried_call = re.fullmatch(r"LAB_TRY\( ?(.*)\)", words)
    return shortened(tried_call[1] if tried_call else words)


def tried(function, call):
    """A statement that makes a call and passes on its failure, where the function can."""
    return f"LAB_TRY({call});" if function.returns == "lab_status" else f"(void){call};"


def inserted(source, place, text):
    """The edit that puts a statement in front of the one at place: on a line of its own where that one has its own."""
    start = source.line_starts[source.line(place) - 1]
    indent = source.text[start:place]
    return place, place, f"{text} " if indent.strip() else f"{text}\n{indent}"


def students_statements(source, function, kinds=("simple",)):
    """The statements of these kinds that the student writes."""
    return (each for each in function.statements() if each.kind in kinds and source.is_students(each.start, each.end))


def lists(function):
    """The statements of each block."""
    return (each.body for each in function.statements() if each.kind == "block")


def places(source, function):
    """The statements in front of which the student may write: the student's own, and those behind one."""
    for statements in lists(function) if source.writes_in(function) else ():
        before = False
        for statement in statements:
            own = source.is_students(statement.start, statement.end)
            declares = re.match(r"(?!return\b)(const )?\w+ \**\w+[^()=;]*;", source.plain[statement.start:])
            if (own or before) and statement.kind != "case" and not declares:
                yield statement
            before = own


def tries(source, function):
    """The student's statements LAB_TRY(call), each with the places of the brackets."""
    for statement in students_statements(source, function):
        match = re.compile(r"LAB_TRY\s*\(").match(source.plain, statement.start)
        if match:
            yield statement, match.end() - 1, closing(source.plain, match.end() - 1)


def statement_at(function, place):
    """The innermost statement around a place. In the head of a loop or an if, that is the head alone."""
    found = min((each for each in function.statements() if each.start <= place < each.end),
                key=lambda each: each.end - each.start)
    if found.head and found.head[0] <= place < found.head[1]:
        return Statement("head", found.start, found.head[1] + 1)
    return found


def in_reach(source, function, place, index=None):
    """The expressions that can be named at a place, by type: variables, their fields, elements of their arrays. An
    element has this index, or is the first or the second where none is given."""
    found = {}

    def add(name, type_, depth):
        kind = plain_type(type_)
        names = found.setdefault(kind, [])
        if name not in names:
            names.append(name)
        record = source.records.get(kind.rstrip("*")) if kind.count("*") <= 1 and "[" not in kind else None
        for field, field_type in record if record and depth < 2 else ():
            add(f"{name}{'->' if kind.endswith('*') else '.'}{field}", field_type, depth + 1)
        element = re.fullmatch(r"(.*)\[\d+\]", kind) or re.fullmatch(r"(\w+\*)\*", kind)
        for at in ([index] if index else ["0", "1"]) if element else ():
            add(f"{name}[{at}]", element[1], depth + 1)

    for variable in function.variables:
        if variable.start <= place < variable.end:
            add(variable.name, variable.type, 0)
    return found
