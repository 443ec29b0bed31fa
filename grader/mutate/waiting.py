"""Operators on what a function waits for, which status it returns, and what it keeps from one call to the next."""
import re

from mutant import Mutant, about, in_reach, inserted, places, shortened, students_statements, tried, tries
from source import arguments_of, plain_type


def adds_wait(source, function):
    """A wait of the host for the device or a stream, or of a stream for a recorded event, in front of a statement."""
    for statement in places(source, function):
        before = source.plain[function.body.start:statement.start]
        reach = in_reach(source, function, statement.start)
        streams = [name for name in reach.get("lab_stream*", ())
                   if re.search(rf"(?<![&\w.>]){re.escape(name)}(?!\w)", before)]
        events = [name for name in reach.get("lab_event*", ()) if f"lab_event_record({name}," in before]
        waits = ["lab_device_synchronize()", *(f"lab_stream_synchronize({name})" for name in streams),
                 *(f"lab_stream_wait_event({stream}, {event})" for stream in streams for event in events)]
        for wait in waits:
            yield Mutant("adds", function, f"{wait} before {about(source, statement)}",
                         [inserted(source, statement.start, tried(function, wait))])


def returns_early(source, function):
    """The function returns in front of a statement, and says that all is well."""
    value = {"lab_status": " LAB_SUCCESS", "void": ""}.get(function.returns)
    for statement in places(source, function) if value is not None else ():
        if not source.plain.startswith("return", statement.start):
            yield Mutant("returns", function, f"before {about(source, statement)}",
                         [inserted(source, statement.start, f"return{value};")])


def asynchronous(source, function):
    """A call that waits for one that does not, and back."""
    for start, name, opening, end in source.calls(function.body.start, function.body.end):
        arguments = arguments_of(source.plain, opening)
        if not source.is_students(start, end) or not name.startswith("lab_") or not arguments:
            continue
        words = shortened(source.words(start, end))
        if name.endswith("_async") and name[:-len("_async")] in source.declared:
            yield Mutant("waits in", function, words,
                         [(start, opening, name[:-len("_async")]), (arguments[-2][1], arguments[-1][1], "")])
        index = re.search(r"\[(\w+)\]", words)
        streams = in_reach(source, function, start, index and index[1]).get("lab_stream*", ()) or ("NULL",)
        for stream in streams if f"{name}_async" in source.declared else ():
            yield Mutant("does not wait in", function, f"{words} on {stream}",
                         [(start, opening, f"{name}_async"), (end - 1, end - 1, f", {stream}")])


def swallows(source, function):
    """A failure is not passed on."""
    for statement, opening, _ in tries(source, function):
        yield Mutant("swallows", function, about(source, statement), [(statement.start, opening, "(void)")])
    for statement in students_statements(source, function):
        value = re.match(r"return\s+(.*);$", source.plain[statement.start:statement.end], re.S)
        if value and function.returns == "lab_status" and value[1] != "LAB_SUCCESS":
            start, end = statement.start + value.start(1), statement.start + value.end(1)
            yield Mutant("swallows", function, about(source, statement),
                         [(start, start, "((void)("), (end, end, "), LAB_SUCCESS)")])


def final_returns(source, function):
    """The statements return LAB_SUCCESS at the end of a function."""
    return [each for each in function.body.body if source.words(each.start, each.end) == "return LAB_SUCCESS;"]


def last_status(source, function):
    """A function or a loop goes on after a failure, and the status of its last call counts."""
    found, start = list(tries(source, function)), function.body.start + 1
    if len(found) > 1:
        yield Mutant("returns the last status of", function, "the function", [
            (start, start, " lab_status last_status = LAB_SUCCESS;"),
            *((statement.start, opening, "last_status = ") for statement, opening, _ in found),
            *((each.start, each.end, "return last_status;") for each in final_returns(source, function))])
    for loop in students_statements(source, function, ("for", "while")):
        edits = [(statement.start, opening, "last_status = ") for statement, opening, _ in found
                 if loop.start <= statement.start < loop.end]
        if edits:
            words = shortened(source.words(loop.start, loop.head[1] + 1))
            yield Mutant("returns the last status of", function, words, [
                (loop.start, loop.start, "{ lab_status last_status = LAB_SUCCESS; "), *edits,
                (loop.end, loop.end, " LAB_TRY(last_status); }")])


def first_status(source, function):
    """A function goes on after a failure, and returns the first one at its end."""
    found, start = list(tries(source, function)), function.body.start + 1
    edits = [(start, start, " lab_status first_status = LAB_SUCCESS, this_status;")]
    for statement, opening, end in found:
        edits += [(statement.start, opening, "{ this_status = "),
                  (end, statement.end, "; if (first_status == LAB_SUCCESS) first_status = this_status; }")]
    if len(found) > 1:
        yield Mutant("goes on after a failure in", function, "the function", [
            *edits, *((each.start, each.end, "return first_status;") for each in final_returns(source, function))])


def keeps_result(source, function):
    """The result of the first call is kept for all others."""
    final = [each for each in function.body.body if source.plain.startswith("return", each.start)]
    if function.returns != "lab_status" or not final or not source.writes_in(function):
        return
    results = [(name, plain_type(type_)[:-1]) for name, type_ in function.parameters
               if re.fullmatch(r"(float|double|int|lab_status|lab_deviceptr|lab\d\d_\w+) \*", type_)]
    kept = "".join(f" static {type_} kept_{name};" for name, type_ in results)
    given = "".join(f" *{name} = kept_{name};" for name, _ in results)
    saved = "".join(f"kept_{name} = *{name}; " for name, _ in results)
    start, end = function.body.start + 1, final[-1].start
    yield Mutant("keeps the first result of", function, "the function", [
        (start, start, f" static int called;{kept} if (called++) {{{given} return LAB_SUCCESS; }}"), (end, end, saved)])


def keeps_object(source, function):
    """An object that the first call makes serves all others, and is never released."""
    types = {each.name: each.type for each in function.variables}
    for statement, opening, end in tries(source, function):
        made = re.match(r"\(\s*lab_\w+\(\s*&(\w+),", source.plain[opening:end])
        if not made or not re.fullmatch(r"lab_\w+ \*", types.get(made[1], "")):
            continue
        name, text = made[1], source.text[statement.start:statement.end]
        gone = [each for each in function.statements() if each.kind == "simple" and re.match(
            rf"LAB_TRY\(lab_\w+_(destroy|unload)\({name}\)\)", source.plain[each.start:])]
        yield Mutant("keeps for all calls", function, name, [
            (statement.start, statement.end, f"static {types[name]}kept_{name}; {name} = kept_{name}; "
             f"if (!{name}) {{ {text} kept_{name} = {name}; }}"), *((each.start, each.end, ";") for each in gone)])


def makes_static(source, function):
    """A local variable keeps its value from one call to the next."""
    for statement in students_statements(source, function):
        if re.match(r"(float|double|int|bool|size_t|lab\w*) +[*\w]", source.plain[statement.start:]):
            yield Mutant("makes static", function, about(source, statement),
                         [(statement.start, statement.start, "static ")])


OPERATORS = (adds_wait, returns_early, asynchronous, swallows, last_status, first_status, keeps_result, keeps_object,
             makes_static)
