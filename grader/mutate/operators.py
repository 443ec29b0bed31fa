"""The operators: each makes mutants of a source, which are small edits of the lines that the student writes.

An operator is a generator: operator(source, function) yields Mutant after Mutant, and may yield what does not compile.
"""
import re

from source import arguments_of, closing, plain_type

HOST_WAIT = "lab_device_synchronize()"
COMPARISONS = {"<": ("<=", ">="), "<=": ("<",), ">": (">=", "<="), ">=": (">",), "==": ("!=",), "!=": ("==",)}
OTHER_OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&", "+=": "=", "-=": "+=", "%": "/"}
CONSTANTS = {"lab_stream*": ("NULL", "lab_stream_null()", "lab_stream_per_thread()")}
ENUMS = re.compile(r"LAB_(STREAM|EVENT|ERROR|SUCCESS|U?INT\d+|FLOAT\d+)|LAB\d\d_")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+\.\d*|\d+)([fFuUlL]*)\b")


class Mutant:
    """A change of a source: the operator, the function, what the change is about, and the edits."""

    def __init__(self, operator, function, about, edits):
        self.operator, self.function, self.about = operator, function, about
        self.edits = sorted(edits)
        self.name = f"{operator} {function}: {about}"

    def text(self, source):
        """The mutated file."""
        parts, place = [], 0
        for start, end, new in self.edits:
            parts += [source.text[place:start], new]
            place = end
        return "".join(parts) + source.text[place:]

    def lines(self, source):
        """The numbers of the changed lines, in the mutated file: the lines around a removed one, too."""
        lines, shift = set(), 0
        for start, end, new in self.edits:
            first = source.line(start) + shift
            lines |= set(range(first, first + new.count("\n") + 1))
            shift += new.count("\n") - source.text[start:end].count("\n")
        return sorted(lines)


def tried(function, call):
    """A statement that makes a call and passes on its failure, where the function can."""
    return f"LAB_TRY({call});" if function.returns == "lab_status" else f"(void){call};"


def indented(source, place, text):
    """A line of text to put in front of the statement at place."""
    start = source.line_starts[source.line(place) - 1]
    if source.text[start:place].strip():
        return f"{text} "
    return f"{text}\n{source.text[start:place]}"


def about(source, statement):
    """A statement in a name: without LAB_TRY around it and the semicolon."""
    words = source.words(statement.start, statement.end).rstrip(";")
    tried_call = re.fullmatch(r"LAB_TRY\( ?(.*)\)", words)
    return shortened(tried_call[1] if tried_call else words)


def shortened(words):
    return words if len(words) <= 90 else words[:60] + "..." + words[-27:]


def students_statements(source, function, kinds=("simple",)):
    for statement in function.statements():
        if statement.kind in kinds and source.is_students(statement.start, statement.end):
            yield statement


def lists(function):
    """The statements of each block."""
    return (part.body for part in function.statements() if part.kind == "block")


# Statements.

def drops(source, function):
    for statement in students_statements(source, function):
        if source.plain[statement.start:statement.end].strip() == ";":
            continue
        yield Mutant("drops", function.name, about(source, statement), [(statement.start, statement.end, ";")])
    for expression in function.expressions:
        if expression.kind == "CallExpr" and expression.type == "lab_status" and source.is_students(
                expression.start, expression.end):
            words = shortened(source.words(expression.start, expression.end))
            yield Mutant("drops", function.name, words, [(expression.start, expression.end, "LAB_SUCCESS")])


def drops_block(source, function):
    for statement in students_statements(source, function, ("if", "for", "while", "switch", "block")):
        if statement is not function.body:
            words = shortened(source.words(statement.start, statement.end))
            yield Mutant("drops block", function.name, words, [(statement.start, statement.end, ";")])


def keeps_block(source, function):
    """A block without the if, the loop or the scope that it stands in."""
    for statement in function.statements():
        if statement.head and statement.kind not in ("case", "switch") and source.is_students(
                statement.start, statement.head[1]):
            words = shortened(source.words(statement.start, statement.head[1] + 1))
            yield Mutant("takes out of its block", function.name, words,
                         [(statement.start, statement.head[1] + 1, "")])


def doubles(source, function):
    for statement in students_statements(source, function):
        text = source.text[statement.start:statement.end]
        yield Mutant("doubles", function.name, about(source, statement),
                     [(statement.start, statement.end, f"{{ {text} {text} }}")])


def moves(source, function):
    """Two statements that follow each other exchange their places."""
    for statements in lists(function):
        for first, second in zip(statements, statements[1:]):
            if "case" in (first.kind, second.kind) or not (
                    source.is_students(first.start, first.end) and source.is_students(second.start, second.end)):
                continue
            texts = source.text[first.start:first.end], source.text[second.start:second.end]
            yield Mutant("moves later", function.name, f"{about(source, first)} | {about(source, second)}",
                         [(first.start, first.end, texts[1]), (second.start, second.end, texts[0])])


def moves_far(source, function):
    """A statement goes to the start or to the end of its block: by more than one place."""
    for statements in lists(function):
        own = [each for each in statements if source.is_students(each.start, each.end) and each.kind != "case"]
        for number, statement in enumerate(own):
            text = source.text[statement.start:statement.end]
            if number > 1:
                yield Mutant("moves first", function.name, about(source, statement),
                             [(own[0].start, own[0].start, indented(source, own[0].start, text)),
                              (statement.start, statement.end, ";")])
            if number < len(own) - 2:
                yield Mutant("moves last", function.name, about(source, statement),
                             [(statement.start, statement.end, ";"), (own[-1].end, own[-1].end, " " + text)])


def moves_out(source, function):
    """The first or last statement of a block goes in front of or behind the loop, if or scope; and into it."""
    for statements in lists(function):
        for number, loop in enumerate(statements):
            if loop.kind not in ("for", "while", "if") and not loop.kind.startswith("LAB_WITH"):
                continue
            if not loop.body or not source.is_students(loop.start, loop.end):
                continue
            inner = loop.body[0].body if loop.body[0].kind == "block" else loop.body[:1]
            if inner and inner[-1].kind == "simple":
                last, text = inner[-1], source.text[inner[-1].start:inner[-1].end]
                yield Mutant("moves behind the block", function.name, about(source, last),
                             [(last.start, last.end, ";"), (loop.end, loop.end, " " + text)])
            if inner and inner[0].kind == "simple":
                first, text = inner[0], source.text[inner[0].start:inner[0].end]
                yield Mutant("moves before the block", function.name, about(source, first),
                             [(loop.start, loop.start, indented(source, loop.start, text)),
                              (first.start, first.end, ";")])
            after = statements[number + 1] if number + 1 < len(statements) else None
            before = statements[number - 1] if number else None
            if not inner:
                continue
            if after and after.kind == "simple" and source.is_students(after.start, after.end):
                yield Mutant("moves into the block", function.name, about(source, after),
                             [(inner[0].start, inner[0].start, "{ "),
                              (inner[-1].end, inner[-1].end, f" {source.text[after.start:after.end]} }}"),
                              (after.start, after.end, ";")])
            if before and before.kind == "simple" and source.is_students(before.start, before.end):
                yield Mutant("moves into the block", function.name, about(source, before),
                             [(before.start, before.end, ";"),
                              (inner[0].start, inner[0].start, f"{{ {source.text[before.start:before.end]} "),
                              (inner[-1].end, inner[-1].end, " }")])


def joins_loops(source, function):
    """Two loops with the same head, one behind the other, become one."""
    for statements in lists(function):
        loops = [each for each in statements if each.kind == "for" and source.is_students(each.start, each.end)]
        for first, second in zip(loops, loops[1:]):
            if source.words(*first.head) == source.words(*second.head):
                body = source.text[second.body[0].start:second.body[0].end]
                about_it = f"{about(source, first)} | {about(source, second)}"
                yield Mutant("joins loops", function.name, about_it,
                             [(first.body[0].start, first.body[0].start, "{ "),
                              (first.end, first.end, f" {body} }}"), (second.start, second.end, ";")])


def splits_loop(source, function):
    """A loop over several statements becomes two loops."""
    for loop in students_statements(source, function, ("for",)):
        inner = loop.body[0].body
        for statement in inner[1:]:
            head = source.text[loop.start:loop.head[1] + 1]
            yield Mutant("splits loop", function.name, f"before {about(source, statement)}",
                         [(statement.start, statement.start, f"}} {head} {{ ")])


def breaks_off(source, function):
    """A loop ends after its first round, or starts a round and skips the rest."""
    for loop in students_statements(source, function, ("for", "while")):
        words = shortened(source.words(loop.start, loop.head[1] + 1))
        body = loop.body[0]
        yield Mutant("breaks off", function.name, words,
                     [(body.start, body.start, "{ "), (body.end, body.end, " break; }")])


# Waiting and returning.

def places(source, function):
    """Each place in front of a statement that the student may fill, with the statement behind it."""
    own = any(source.is_students(each.start, each.end) for each in function.statements() if each.kind == "simple")
    for statements in lists(function) if own else ():
        for statement in statements:
            previous = [each for each in statements if each.end <= statement.start]
            near = source.is_students(statement.start, statement.end) or (
                previous and source.is_students(previous[-1].start, previous[-1].end))
            declares = re.match(r"(const )?\w+ \*?\w+[^()=]*;", source.plain[statement.start:])
            if statement.kind != "case" and near and not (declares and not declares[0].startswith("return")):
                yield statement


def inserted(source, statement, text):
    return [(statement.start, statement.start, indented(source, statement.start, text))]


def adds_wait(source, function):
    """A wait of the host for the device or for a stream that has work, and a wait of a stream for a recorded event."""
    for statement in places(source, function):
        before = source.plain[function.body.start:statement.start]
        reach = in_reach(source, function, statement.start)
        streams = [name for name in reach.get("lab_stream*", ()) if re.search(rf"(?<![&\w.>]){re.escape(name)}(?!\w)", before)]
        events = [name for name in reach.get("lab_event*", ()) if f"lab_event_record({name}," in before]
        waits = [HOST_WAIT, *(f"lab_stream_synchronize({name})" for name in streams)]
        waits += [f"lab_stream_wait_event({stream}, {event})" for stream in streams for event in events]
        for wait in waits:
            yield Mutant("adds", function.name, f"{wait} before {about(source, statement)}",
                         inserted(source, statement, tried(function, wait)))


def returns_early(source, function):
    value = {"lab_status": " LAB_SUCCESS", "void": ""}.get(function.returns)
    for statement in places(source, function) if value is not None else ():
        if not source.plain.startswith("return", statement.start):
            yield Mutant("returns", function.name, f"before {about(source, statement)}",
                         inserted(source, statement, f"return{value};"))


def asynchronous(source, function):
    """A call of the waiting kind for one that does not wait, and back."""
    for start, name, opening, end in source.calls(function.body.start, function.body.end):
        arguments = arguments_of(source.plain, opening)
        if not source.is_students(start, end) or not arguments or not name.startswith("lab_"):
            continue
        words = shortened(source.words(start, end))
        if name.endswith("_async"):
            yield Mutant("waits in", function.name, words,
                         [(start, opening, name[:-len("_async")]), (arguments[-2][1], arguments[-1][1], "")])
        else:
            streams = in_reach(source, function, start).get("lab_stream*", ()) or ("NULL",)
            for stream in streams:
                yield Mutant("does not wait in", function.name, f"{words} on {stream}",
                             [(start, opening, name + "_async"), (end - 1, end - 1, f", {stream}")])


# Statuses.

def tries(source, function):
    for statement in students_statements(source, function):
        match = re.compile(r"LAB_TRY\s*\(").match(source.plain, statement.start)
        if match:
            yield statement, match.end() - 1, closing(source.plain, match.end() - 1)


def swallows(source, function):
    for statement, opening, _ in tries(source, function):
        yield Mutant("swallows", function.name, about(source, statement), [(statement.start, opening, "(void)")])
    for statement in students_statements(source, function):
        match = re.compile(r"return\s+(.*);$", re.S).match(source.plain[statement.start:statement.end])
        if match and function.returns == "lab_status" and match[1] != "LAB_SUCCESS":
            at = statement.start + match.start(1)
            yield Mutant("swallows", function.name, about(source, statement), [
                (at, at, "((void)("), (statement.end - 1, statement.end - 1, "), LAB_SUCCESS)")])


def last_status(source, function):
    """The function, or a loop, goes on after a failure and passes on the status of its last call."""
    found = list(tries(source, function))
    wholes = [(function.body.start + 1, function.body.end - 1, "the function")] if len(found) > 1 else []
    wholes += [(loop.start, loop.end, shortened(source.words(loop.start, loop.head[1] + 1)))
               for loop in students_statements(source, function, ("for", "while"))]
    for start, end, words in wholes:
        inside = [(statement.start, opening) for statement, opening, _ in found if start <= statement.start < end]
        edits = [(at, opening, "last_status = ") for at, opening in inside]
        if not edits:
            continue
        if words == "the function":
            final = [each for each in function.body.body if source.words(each.start, each.end) == "return LAB_SUCCESS;"]
            edits += [(each.start, each.end, "return last_status;") for each in final]
            yield Mutant("returns the last status of", function.name, words,
                         [(start, start, " lab_status last_status = LAB_SUCCESS;"), *edits])
        else:
            yield Mutant("returns the last status of", function.name, words,
                         [(start, start, "{ lab_status last_status = LAB_SUCCESS; "), *edits,
                          (end, end, " LAB_TRY(last_status); }")])


def fails_late(source, function):
    """A function that does not stop at a failure and returns the first at its end."""
    found = list(tries(source, function))
    final = [each for each in function.body.body if source.words(each.start, each.end) == "return LAB_SUCCESS;"]
    if len(found) > 1 and final:
        at = function.body.start + 1
        edits = [(at, at, " lab_status first_status = LAB_SUCCESS, this_status;")]
        for statement, opening, end in found:
            edits += [(statement.start, opening, "{ this_status = "),
                      (end, statement.end, "; if (first_status == LAB_SUCCESS) first_status = this_status; }")]
        yield Mutant("goes on after a failure in", function.name, "the function",
                     edits + [(each.start, each.end, "return first_status;") for each in final])


# Expressions.

def in_reach(source, function, place):
    """The expressions of each type that can be named at a place: variables, their fields, elements of arrays."""
    found = {}

    def add(name, type_, depth):
        kind = plain_type(type_)
        found.setdefault(kind, [])
        if name not in found[kind]:
            found[kind].append(name)
        record = source.records.get(kind.rstrip("*")) if kind.count("*") <= 1 and "[" not in kind else None
        if record and depth < 2:
            for field, field_type in record:
                add(f"{name}{'->' if kind.endswith('*') else '.'}{field}", field_type, depth + 1)
        element = re.fullmatch(r"(.*)\[\d+\]|(lab_\w+\*|float\*)\*(?:const)?", kind)
        if element:
            for index in indices:
                add(f"{name}[{index}]", element[1] or element[2], depth + 1)

    here = [each for each in function.variables if each.start <= place < each.end]
    indices = [each.name for each in here if each.type == "int" and re.fullmatch(r"[a-z]", each.name)] + ["0", "1"]
    for variable in here:
        add(variable.name, variable.type, 0)
    return found


def references(source, function):
    """The longest expressions that name a place in memory or a constant: work->x, input[k], &end, LAB_INT8."""
    kinds = ("DeclRefExpr", "MemberExpr", "ArraySubscriptExpr")
    own = [each for each in function.expressions if each.kind in kinds and source.is_students(each.start, each.end)]
    for each in own:
        longer = any(other is not each and other.start == each.start and each.end < other.end for other in own)
        if not longer and "(" not in each.type:
            yield each


def exchanges(source, function):
    """A reference for each other of the same type in reach, and a constant for others of its enumeration."""
    for each in references(source, function):
        words = source.words(each.start, each.end)
        if words in source.enums:
            others = [name for name in source.enums[words] if name != words and ENUMS.match(name)]
            if words.startswith(("LAB_ERROR", "LAB_SUCCESS")):
                others = [name for name in ("LAB_SUCCESS", "LAB_ERROR_INVALID_VALUE") if name != words]
            others = others[:4]
        else:
            others = [name for name in in_reach(source, function, each.start).get(each.type, ()) if name != words]
            others += CONSTANTS.get(each.type, ())
        statement = statement_at(function, each.start)
        for other in others:
            yield Mutant("exchanges", function.name, f"{words} for {other} in {about(source, statement)}",
                         [(each.start, each.end, other)])
    for start, name, _, end in source.calls(function.body.start, function.body.end):
        words = source.words(start, end)
        if name in ("lab_stream_null", "lab_stream_per_thread") and source.is_students(start, end):
            others = [*in_reach(source, function, start).get("lab_stream*", ()), *CONSTANTS["lab_stream*"]]
            statement = statement_at(function, start)
            for other in others:
                if other != words:
                    yield Mutant("exchanges", function.name, f"{words} for {other} in {about(source, statement)}",
                                 [(start, end, other)])


def statement_at(function, place):
    """The innermost statement around a place. In the head of a loop that is the loop, named by its head alone."""
    inside = [each for each in function.statements() if each.start <= place < each.end]
    found = min(inside, key=lambda each: each.end - each.start)
    if found.head and found.head[0] <= place < found.head[1]:
        return type(found)("head", found.start, found.head[1] + 1)
    return found


def swaps(source, function):
    """Two arguments of a call exchange their places."""
    for start, name, opening, end in source.calls(function.body.start, function.body.end):
        arguments = arguments_of(source.plain, opening)
        if not source.is_students(start, end) or name.startswith("LAB_TRY"):
            continue
        for number, one in enumerate(arguments):
            for other in arguments[number + 1:]:
                texts = source.text[slice(*one)], source.text[slice(*other)]
                if texts[0] != texts[1]:
                    yield Mutant("swaps", function.name,
                                 f"{source.words(*one)} and {source.words(*other)} in {shortened(source.words(start, end))}",
                                 [(*one, texts[1]), (*other, texts[0])])


def negates(source, function):
    for statement in function.statements():
        if statement.kind in ("if", "while") and source.is_students(*statement.head):
            words = shortened(source.words(*statement.head))
            yield Mutant("negates", function.name, words,
                         [(statement.head[0], statement.head[0], "!("), (statement.head[1], statement.head[1], ")")])


def operands(source, expression):
    """The place of a binary operator: between its operands, outside of brackets."""
    plain, place = source.plain, expression.start
    opcode, found = expression.opcode, None
    while place < expression.end:
        if plain[place] in "([{":
            place = closing(plain, place)
            continue
        if plain.startswith(opcode, place) and not re.match(r"[<>=!&|+\-]", plain[place + len(opcode)]) \
                and plain[place - 1] not in "<>=!&|-+" and place > expression.start:
            found = place
            if opcode not in ("+", "-", "*", "/", "&&", "||"):
                break
        place += 1
    return found


def operators(source, function):
    """Comparisons and other operators."""
    for expression in function.expressions:
        if expression.kind not in ("BinaryOperator", "CompoundAssignOperator") or not source.is_students(
                expression.start, expression.end):
            continue
        others = COMPARISONS.get(expression.opcode) or (OTHER_OPERATORS.get(expression.opcode),)
        place = operands(source, expression) if others[0] else None
        for other in others if place else ():
            yield Mutant("changes", function.name,
                         f"{expression.opcode} to {other} in {shortened(source.words(expression.start, expression.end))}",
                         [(place, place + len(expression.opcode), other)])


def steps(source, function):
    """A loop counts by two, or starts with one, or ends one earlier."""
    for loop in students_statements(source, function, ("for",)):
        head = source.plain[slice(*loop.head)]
        words = source.words(*loop.head)
        bound = re.search(r"[<>]=?\s*([^;]+);", head)
        if bound:
            at = loop.head[0] + bound.end(1)
            yield Mutant("ends a round earlier", function.name, words, [(at, at, " - 1")])
        more = re.search(r"(\w+)\+\+$", head)
        if more:
            yield Mutant("counts by two", function.name, words,
                         [(loop.head[0] + more.start(), loop.head[1], f"{more[1]} += 2")])


def literals(source, function):
    for expression in function.expressions:
        if expression.kind not in ("IntegerLiteral", "FloatingLiteral", "CXXBoolLiteralExpr") or not source.is_students(
                expression.start, expression.end):
            continue
        words = source.words(expression.start, expression.end)
        for other in other_numbers(words):
            yield Mutant("changes", function.name,
                         f"{words} to {other} in {about(source, statement_at(function, expression.start))}",
                         [(expression.start, expression.end, other)])


def other_numbers(words):
    """0, 1, one more, one less and the double of a number."""
    if words in ("true", "false"):
        return ["false" if words == "true" else "true"]
    match = NUMBER.fullmatch(words)
    if not match:
        return []
    value = float(match[1]) if "." in match[1] else int(match[1], 0)
    others = dict.fromkeys((0, 1, value + 1, value - 1, 2 * value))
    return [f"{other}{match[2]}" for other in others if other != value]


def sizes(source, function):
    """Elements for bytes, and a byte or an element less."""
    for expression in function.expressions:
        if expression.type not in ("size_t", "unsigned long") or not source.is_students(expression.start, expression.end):
            continue
        words = source.words(expression.start, expression.end)
        outer = [each for each in function.expressions if each.start <= expression.start and expression.end <= each.end
                 and each.end - each.start > expression.end - expression.start
                 and each.type in ("size_t", "unsigned long")]
        text = source.text[expression.start:expression.end]
        if expression.kind == "UnaryExprOrTypeTraitExpr" or re.match(r"sizeof\b", words):
            yield Mutant("counts elements in", function.name,
                         f"{words} of {about(source, statement_at(function, expression.start))}",
                         [(expression.start, expression.end, "1")])
        elif not outer and not re.match(r"\s*(=|\+=|-=)[^=]", source.plain[expression.end:]):
            for change, other in (("a fourth", f"(({text}) / sizeof(float))"), ("four times", f"(({text}) * sizeof(float))"),
                                  ("one less", f"(({text}) - 1)"), ("one more", f"(({text}) + 1)")):
                yield Mutant(f"takes {change} of", function.name,
                             f"{words} in {about(source, statement_at(function, expression.start))}",
                             [(expression.start, expression.end, other)])


def grids(source, function):
    """A grid that is rounded down, or is one block too small."""
    for start, name, opening, end in source.calls(function.body.start, function.body.end):
        if re.fullmatch(r"LAB\d\d_GRID", name) and source.is_students(start, end):
            inner = source.text[opening + 1:end - 1]
            statement = statement_at(function, start)
            for change, other in (("rounds down", f"{name}(({inner}) - 127)"), ("launches one block of", "LAB_DIM(1)"),
                                  ("launches one block more of", f"{name}(({inner}) + 128)")):
                yield Mutant(change, function.name, f"{source.words(start, end)} in {about(source, statement)}",
                             [(start, end, other)])

def keeps_first(source, function):
    """The result of the first call, kept for all later ones."""
    if function.returns != "lab_status":
        return
    outs = [(name, plain_type(type_)) for name, type_ in function.parameters
            if re.fullmatch(r"(float|double|int|lab_status|lab\d\d_\w+) ?\*", type_) and not type_.startswith("const")]
    final = [each for each in function.body.body if re.match(r"return\b", source.plain[each.start:])]
    if not final or not any(source.is_students(each.start, each.end) for each in function.statements()):
        return
    at = function.body.start + 1
    given = "".join(f" *{name} = kept_{name};" for name, _ in outs)
    kept = "".join(f" static {type_[:-1]} kept_{name};" for name, type_ in outs)
    saved = "".join(f"kept_{name} = *{name}; " for name, _ in outs)
    yield Mutant("keeps the first result of", function.name, "the function", [
        (at, at, f" static int called;{kept} if (called++) {{{given} return LAB_SUCCESS; }}"),
        (final[-1].start, final[-1].start, saved)])


def keeps_object(source, function):
    """An object that is made by the first call and kept for all others: not given back."""
    for statement, opening, end in tries(source, function):
        made = re.match(r"\(\s*(lab_\w+)\(\s*&(\w+),", source.plain[opening:end])
        variable = made and next((each for each in function.variables if each.name == made[2]), None)
        if not variable or not re.fullmatch(r"lab_\w+ \*", variable.type):
            continue
        ends = [each for each in function.statements() if each.kind == "simple" and re.match(
            rf"LAB_TRY\(lab_\w+_(destroy|unload)\({made[2]}\)\)", source.plain[each.start:])]
        text = source.text[statement.start:statement.end]
        yield Mutant("keeps for all calls", function.name, made[2], [
            (statement.start, statement.end,
             f"static {variable.type}kept_{made[2]}; {made[2]} = kept_{made[2]}; "
             f"if (!{made[2]}) {{ {text} kept_{made[2]} = {made[2]}; }}"),
            *((each.start, each.end, ";") for each in ends)])


def makes_static(source, function):
    """A local variable that keeps its value from the first call on."""
    for statement in students_statements(source, function):
        if re.match(r"(float|double|int|bool|size_t|lab\w*|lab_status)\s+[*\w]", source.plain[statement.start:]):
            yield Mutant("makes static", function.name, about(source, statement),
                         [(statement.start, statement.start, "static ")])


def locks(source, function):
    """A mutex around the body of a function, in a file that has threads."""
    if "pthread.h" not in source.text or not any(source.is_students(each.start, each.end) for each in function.statements()):
        return
    head = source.text[function.start:function.body.start]
    again = " ".join(head.split())
    names = ", ".join(name for name, _ in function.parameters)
    renamed = re.sub(rf"\b{function.name}\b", f"unlocked_{function.name}", again)
    renamed = renamed if renamed.startswith("static") else f"static {renamed}"
    yield Mutant("locks", function.name, "the function", [
        (function.start, function.body.start, f"{renamed}\n"),
        (function.body.end, function.body.end,
         f"\n{again}\n{{\n    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
         f"    pthread_mutex_lock(&lock);\n    {function.returns} result = unlocked_{function.name}({names});\n"
         "    pthread_mutex_unlock(&lock);\n    return result;\n}")])


FUNCTION_OPERATORS = (drops, drops_block, keeps_block, doubles, moves, moves_far, moves_out, joins_loops, splits_loop,
                      breaks_off, adds_wait, returns_early, asynchronous, swallows, last_status, fails_late, exchanges,
                      swaps, negates, operators, steps, literals, sizes, grids, keeps_first, keeps_object, makes_static,
                      locks)


# Tables and the text of kernels.

def table_entries(source):
    """Each entry of a prediction: another truth, number or name."""
    for name, start, end in source.tables:
        equals = source.plain.index("=", start)
        for match in re.finditer(r"(?<![\w.\[])-?\w+(?![\w\]])", source.plain[equals:end]):
            place = equals + match.start()
            word = match[0]
            if not source.is_students(place, place + len(word)):
                continue
            if word in source.enums:
                names = source.enums[word]
                others = [names[(names.index(word) + 1) % len(names)]]
            elif word.startswith("-"):
                others = [word[1:], "0"]
            else:
                others = other_numbers(word)[:2]
            line = source.text[source.line_starts[source.line(place) - 1]:].split("\n")[0].split("/*")[0]
            for other in others:
                yield Mutant("changes", name, f"{word} to {other} in {' '.join(line.split())}",
                             [(place, place + len(word), other)])


def kernel_text(source):
    """Comparisons and numbers in a kernel that the student writes as a string."""
    for function in source.functions:
        for expression in function.expressions:
            if expression.kind != "StringLiteral" or not source.is_students(expression.start, expression.end):
                continue
            text = source.text[expression.start:expression.end]
            line_of = statement_at(function, expression.start)
            for match in re.finditer(r"[<>]=?|==|&&|\|\|", text):
                others = COMPARISONS.get(match[0]) or (OTHER_OPERATORS[match[0]],)
                at = expression.start + match.start()
                for other in others:
                    yield Mutant("changes", function.name, f"{match[0]} to {other} in {about(source, line_of)}",
                                 [(at, at + len(match[0]), other)])
            for match in NUMBER.finditer(text):
                at = expression.start + match.start()
                for other in other_numbers(match[0])[:3] if len(match[1]) < 4 else (f"0{match[2]}",):
                    yield Mutant("changes", function.name, f"{match[0]} to {other} in {about(source, line_of)}",
                                 [(at, at + len(match[0]), other)])


def mutants(source):
    """All mutants of a source, each with a name of its own."""
    names = {}
    every = [mutant for function in source.functions for operator in FUNCTION_OPERATORS
             for mutant in operator(source, function)]
    for mutant in [*every, *table_entries(source), *kernel_text(source)]:
        names[mutant.name] = names.get(mutant.name, 0) + 1
        if names[mutant.name] > 1:
            mutant.name += f" ({names[mutant.name]})"
        yield mutant
