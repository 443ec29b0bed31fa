"""Operators on expressions: arguments, operators, numbers, sizes, predictions, the text of kernels."""
import re

from mutant import Mutant, about, in_reach, shortened, statement_at, students_statements
from source import arguments_of

OTHERS = {"<": ("<=", ">="), "<=": ("<",), ">": (">=", "<="), ">=": (">",), "==": ("!=",), "!=": ("==",), "&&": ("||",),
          "||": ("&&",), "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",), "+=": ("=",), "-=": ("+=",)}
STREAMS = ("NULL", "lab_stream_null()", "lab_stream_per_thread()")
CONSTANT = re.compile(r"LAB_(STREAM|EVENT|ERROR|SUCCESS|U?INT\d+|FLOAT\d+)|LAB\d\d_")
STATUSES = ("LAB_SUCCESS", "LAB_ERROR_INVALID_VALUE")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+\.\d*|\d+)([fFuUlL]*)\b")
LONG_NUMBER = 4  # digits: such a number in the text of a kernel is a bound


def students_expressions(source, function, *kinds):
    """The expressions of these kinds that the student writes."""
    return (each for each in function.expressions if each.kind in kinds and source.is_students(each.start, each.end))


def mutant_at(source, operator, function, words, place, edits):
    """A mutant whose name ends with the statement around the place of its change."""
    return Mutant(operator, function, f"{words} in {about(source, statement_at(function, place))}", edits)


def references(source, function):
    """The longest expressions that name a variable, a field, an element or a constant: work->x, input[k], LAB_INT8.
    The counter in the head of a loop is left to other operators."""
    own = list(students_expressions(source, function, "DeclRefExpr", "MemberExpr", "ArraySubscriptExpr"))
    for each in own:
        part = any(other.start <= each.start and each.end <= other.end and other is not each for other in own)
        head = about(source, statement_at(function, each.start))
        counter = head.startswith(f"for (int {source.words(each.start, each.end)} =")
        if not part and not counter and "(" not in each.type:
            yield each


def exchanges(source, function):
    """A reference for each other of the same type in reach, a stream for the default ones, a constant for another."""
    streams = [each for each in students_expressions(source, function, "CallExpr") if each.type == "lab_stream*"]
    for each in [*references(source, function), *streams]:
        words = source.words(each.start, each.end)
        element = re.fullmatch(r"(.*)\[(\w+)\]", words)
        others = in_reach(source, function, each.start, element and element[2]).get(each.type, [])
        if words in STATUSES or words.startswith("LAB_ERROR"):
            others = STATUSES
        elif words in source.enums:
            others = [name for name in source.enums[words] if CONSTANT.match(name)][:5]
        elif element:
            others = [f"{element[1]}[0]", f"{element[1]}[1]", *others]
        if each.type == "lab_stream*":
            others = [*others, *STREAMS]
        for other in dict.fromkeys(others):
            if other != words:
                yield mutant_at(source, "exchanges", function, f"{words} for {other}", each.start,
                                [(each.start, each.end, other)])


def swaps(source, function):
    """Two arguments of a call exchange their places."""
    for start, name, opening, end in source.calls(function.body.start, function.body.end):
        arguments = arguments_of(source.plain, opening) if source.is_students(start, end) and name != "LAB_TRY" else []
        for number, one in enumerate(arguments):
            for other in arguments[number + 1:]:
                words = f"{source.words(*one)} and {source.words(*other)} in {shortened(source.words(start, end))}"
                yield Mutant("swaps", function, words,
                             [(*one, source.text[slice(*other)]), (*other, source.text[slice(*one)])])


def negates(source, function):
    """The condition of an if or a while, negated."""
    for statement in function.statements():
        if statement.kind in ("if", "while") and source.is_students(*statement.head):
            start, end = statement.head
            yield Mutant("negates", function, shortened(source.words(start, end)),
                         [(start, start, "!("), (end, end, ")")])


def operators(source, function):
    """Another comparison, another operator of arithmetic or logic."""
    for each in students_expressions(source, function, "BinaryOperator", "CompoundAssignOperator"):
        if len(each.operands) != 2 or None in each.operands:
            continue
        place = source.plain.find(each.opcode, each.operands[0][1], each.operands[1][0])
        words = shortened(source.words(each.start, each.end))
        for other in OTHERS.get(each.opcode, ()) if place > 0 else ():
            yield Mutant("changes", function, f"{each.opcode} to {other} in {words}",
                         [(place, place + len(each.opcode), other)])


def steps(source, function):
    """A loop that ends a round earlier, or counts by two."""
    for loop in students_statements(source, function, ("for",)):
        start, end = loop.head
        bound = re.search(r"[<>]=?\s*([^;]+);", source.plain[start:end])
        if bound:
            at = start + bound.end(1)
            yield Mutant("ends a round earlier", function, source.words(start, end), [(at, at, " - 1")])
        counter = re.search(r"(\w+)\+\+$", source.plain[start:end])
        if counter:
            yield Mutant("counts by two", function, source.words(start, end),
                         [(start + counter.start(), end, f"{counter[1]} += 2")])


def literals(source, function):
    """Another number."""
    for each in students_expressions(source, function, "IntegerLiteral", "FloatingLiteral", "CXXBoolLiteralExpr"):
        words = source.words(each.start, each.end)
        for other in other_numbers(words):
            yield mutant_at(source, "changes", function, f"{words} to {other}", each.start,
                            [(each.start, each.end, other)])


def other_numbers(words):
    """0, 1, one more, one less and the double of a number; the other truth."""
    if words in ("true", "false"):
        return ["false" if words == "true" else "true"]
    match = NUMBER.fullmatch(words)
    if not match:
        return []
    value = float(match[1]) if "." in match[1] else int(match[1], 0)
    others = dict.fromkeys((value + 1, value - 1, 2 * value, 0, 1 if value < 0 else 0))
    return [f"{other}{match[2]}" for other in others if other != value]


def sizes(source, function):
    """Elements for bytes, and a byte or an element less."""
    sized = [each for each in function.expressions if each.type in ("size_t", "unsigned long")
             and each.kind not in ("ImplicitCastExpr", "ParenExpr")]
    for each in sized:
        if not source.is_students(each.start, each.end):
            continue
        text, words = source.text[each.start:each.end], source.words(each.start, each.end)
        part = any(other.start <= each.start and each.end <= other.end and other is not each for other in sized)
        if each.kind == "UnaryExprOrTypeTraitExpr":
            yield mutant_at(source, "counts elements in", function, words, each.start, [(each.start, each.end, "1")])
        elif not part and not re.match(r"\s*[-+*/]?=[^=]", source.plain[each.end:]):
            for change, other in (("takes a fourth of", "/ sizeof(float)"), ("takes four times", "* sizeof(float)"),
                                  ("takes one less than", "- 1"), ("takes one more than", "+ 1")):
                yield mutant_at(source, change, function, words, each.start,
                                [(each.start, each.end, f"(({text}) {other})")])


def grids(source, function):
    """A grid that is rounded down, has one block, or one block more."""
    for start, name, opening, end in source.calls(function.body.start, function.body.end):
        if re.fullmatch(r"LAB\d\d_GRID", name) and source.is_students(start, end):
            count = source.text[opening + 1:end - 1]
            for change, other in (("rounds down", f"{name}(({count}) - 127)"), ("launches one block of", "LAB_DIM(1)"),
                                  ("launches one block more of", f"{name}(({count}) + 128)")):
                yield mutant_at(source, change, function, source.words(start, end), start, [(start, end, other)])


def kernel_text(source, function):
    """Another comparison or number in a kernel that the student writes as a string."""
    for each in students_expressions(source, function, "StringLiteral"):
        text = source.text[each.start:each.end]
        for match in re.finditer(r"[<>]=?|==|&&|\|\|", text):
            for other in OTHERS[match[0]]:
                yield mutant_at(source, "changes", function, f"{match[0]} to {other}", each.start,
                                [(each.start + match.start(), each.start + match.end(), other)])
        for match in NUMBER.finditer(text):
            zero = "0.0" if "." in match[1] else "0"
            others = other_numbers(match[0])[:3] if len(match[1]) < LONG_NUMBER else [zero + match[2]]
            for other in others:
                yield mutant_at(source, "changes", function, f"{match[0]} to {other}", each.start,
                                [(each.start + match.start(), each.start + match.end(), other)])


def table_entries(source):
    """An entry of a prediction: another truth, number or name."""
    for name, start, end in source.tables:
        values = source.plain.index("=", start)
        for match in re.finditer(r"(?<![\w.\[])-?\w+(?![\w\]])", source.plain[values:end]):
            place, word = values + match.start(), match[0]
            if word in source.enums:
                names = source.enums[word]
                others = [names[(names.index(word) + 1) % len(names)]]
            else:
                others = [word[1:]] if word[0] == "-" else other_numbers(word)[:1]
            line = source.text[source.line_starts[source.line(place) - 1]:].split("\n")[0].split("/*")[0]
            for other in others if source.is_students(place, place + len(word)) else ():
                yield Mutant("changes", name, f"{word} to {other} in {' '.join(line.split())}",
                             [(place, place + len(word), other)])


OPERATORS = (exchanges, swaps, negates, operators, steps, literals, sizes, grids, kernel_text)
