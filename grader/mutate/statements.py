"""Operators on whole statements: dropped, doubled, moved, joined, locked."""
import re

from mutant import Mutant, about, inserted, lists, shortened, students_statements

BLOCKS = ("if", "for", "while", "switch", "block")


def text_of(source, statement):
    return source.text[statement.start:statement.end]


def drops(source, function):
    """A statement is left out, or a call inside a statement: LAB_SUCCESS stands for its status."""
    for statement in students_statements(source, function):
        yield Mutant("drops", function, about(source, statement), [(statement.start, statement.end, ";")])
    for each in function.expressions:
        if each.kind == "CallExpr" and each.type == "lab_status" and source.is_students(each.start, each.end):
            yield Mutant("drops", function, shortened(source.words(each.start, each.end)),
                         [(each.start, each.end, "LAB_SUCCESS")])


def drops_block(source, function):
    """A whole loop, if or block is left out."""
    for statement in students_statements(source, function, BLOCKS):
        if statement is not function.body:
            yield Mutant("drops block", function, about(source, statement), [(statement.start, statement.end, ";")])


def keeps_body(source, function):
    """The body of an if, a loop or a scope runs once, without its head."""
    for statement in function.statements():
        if statement.kind not in ("case", "switch") and statement.head and source.is_students(*statement.head):
            start, end = statement.start, statement.head[1] + 1
            yield Mutant("takes out of its block", function, shortened(source.words(start, end)), [(start, end, "")])


def doubles(source, function):
    """A statement runs twice."""
    for statement in students_statements(source, function):
        text = text_of(source, statement)
        yield Mutant("doubles", function, about(source, statement),
                     [(statement.start, statement.end, f"{{ {text} {text} }}")])


def moves(source, function):
    """Two statements that follow each other exchange their places."""
    for statements in lists(function):
        for first, second in zip(statements, statements[1:]):
            if "case" not in (first.kind, second.kind) and all(
                    source.is_students(each.start, each.end) for each in (first, second)):
                yield Mutant("moves later", function, f"{about(source, first)} | {about(source, second)}",
                             [(first.start, first.end, text_of(source, second)),
                              (second.start, second.end, text_of(source, first))])


def moves_out(source, function):
    """The first statement of a loop, an if or a scope goes in front of it, the last one behind it."""
    for statement in function.statements():
        if not statement.head or not statement.body or not source.is_students(statement.start, statement.end):
            continue
        inner = statement.body[0].body if statement.body[0].kind == "block" else statement.body[:1]
        for each, where in ((inner[0], "before"), (inner[-1], "behind")) if inner else ():
            if each.kind == "simple":
                text = text_of(source, each)
                place = inserted(source, statement.start, text) if where == "before" else (
                    statement.end, statement.end, f" {text}")
                yield Mutant(f"moves {where} the block", function, about(source, each),
                             [(each.start, each.end, ";"), place])


def moves_in(source, function):
    """The statement in front of a loop, an if or a scope, or behind it, goes into its body."""
    for statements in lists(function):
        for first, second in zip(statements, statements[1:]):
            block, other = (first, second) if first.head else (second, first)
            inner = block.body[0] if block.body else None
            if not inner or other.kind != "simple" or not all(
                    source.is_students(each.start, each.end) for each in (block, other)):
                continue
            text = text_of(source, other)
            start, end = (inner.body[0].start, inner.body[-1].end) if inner.body else (inner.start, inner.end)
            before, behind = (f"{{ {text} ", " }") if other is first else ("{ ", f" {text} }}")
            yield Mutant("moves into the block", function, about(source, other),
                         [(other.start, other.end, ";"), (start, start, before), (end, end, behind)])


def joins_loops(source, function):
    """Two loops with the same head become one."""
    for statements in lists(function):
        loops = [each for each in statements if each.kind == "for" and source.is_students(each.start, each.end)]
        for first, second in zip(loops, loops[1:]):
            if source.words(*first.head) == source.words(*second.head):
                body = first.body[0]
                yield Mutant("joins loops", function, f"{about(source, first)} | {about(source, second)}",
                             [(body.start, body.start, "{ "), (second.start, second.end, ";"),
                              (body.end, body.end, f" {text_of(source, second.body[0])} }}")])


def splits_loop(source, function):
    """A loop over several statements becomes two loops."""
    for loop in students_statements(source, function, ("for",)):
        head = source.text[loop.start:loop.head[1] + 1]
        for statement in loop.body[0].body[1:]:
            yield Mutant("splits loop", function, f"before {about(source, statement)}",
                         [(statement.start, statement.start, f"}} {head} {{ ")])


def breaks_off(source, function):
    """A loop ends after its first round."""
    for loop in students_statements(source, function, ("for", "while")):
        body = loop.body[0]
        yield Mutant("breaks off", function, shortened(source.words(loop.start, loop.head[1] + 1)),
                     [(body.start, body.start, "{ "), (body.end, body.end, " break; }")])


def locks(source, function):
    """A mutex around a function, in a file that has threads."""
    if "pthread.h" not in source.text or not source.writes_in(function):
        return
    head = " ".join(source.text[function.start:function.body.start].split())
    names = ", ".join(name for name, _ in function.parameters)
    renamed = re.sub(rf"\b{function.name}\b", f"unlocked_{function.name}", head)
    yield Mutant("locks", function, "the function", [
        (function.start, function.body.start, f"{'' if renamed.startswith('static') else 'static '}{renamed}\n"),
        (function.body.end, function.body.end,
         f"\n\n{head}\n{{\n    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
         f"    pthread_mutex_lock(&lock);\n    {function.returns} result = unlocked_{function.name}({names});\n"
         "    pthread_mutex_unlock(&lock);\n    return result;\n}")])


OPERATORS = (drops, drops_block, keeps_body, doubles, moves, moves_out, moves_in, joins_loops, splits_loop, breaks_off,
             locks)
