"""Shows which checks of labs give points without check_flow: followed-checks.py CHECKS.c...

The files of one folder are one lab's. Reads the functions that each check calls, directly or through others, and
prints each that looks at outputs, orders, times or records of the student's program (check.h, "What a check rests
on") and neither reaches check_flow nor says why: by .without_flow, or for records and calls that fail by .after. The
harness says the same when a check passes, run by run. Last come the reasons and the checks that have one, with --list.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

CHECK = re.compile(r"CHECK\(\s*(\w+)")
FAILURES = re.compile(r"^CHECK_FAILURES\(\s*(\w+).*?\);$", re.M | re.S)
FUNCTION = re.compile(r"[a-z][\w *]*?\b(\w+)\(")
WORDS = re.compile(r"\"(?:\\.|[^\"\\])*\"|/\*.*?\*/|//[^\n]*", re.S)
MACRO = re.compile(r"^#define (\w+)(?:\([^)]*\))?((?:[^\n]*\\\n)*[^\n]*)", re.M)
REASON = re.compile(r"\.without_flow\s*=\s*((?:\"(?:\\.|[^\"\\])*\"\s*)+)")
FOLLOWS = {"check_flow", "check_filled", "check_case_prove", "check_case_proven", "check_case_sizes",
           "check_case_in_order", "check_case_keeps_nothing"}
OUTPUTS = {"check_snapshot": "outputs", "check_relations": "an order", "check_plan_edges": "an order",
           "check_chain": "an order", "check_model": "an order", "check_case_keeps_plan": "an order",
           "check_timing": "times", "check_measure": "times", "check_measure_both": "times"}
AROUND = {"lab_relations_create": "check_relations", "lab_model_run": "check_model"}  # what the harness does not see
ALONE = {"check_trace": "a record", "check_call_twice": "a record",
         "check_case_at": "a record", "check_case_with": "a record", "check_failures": "calls that fail",
         "check_case_failures": "calls that fail"}


def bodies(text):
    """Check, function and text of each definition: on one line, or from a line with its name to the line `}`."""
    lines = iter(text.replace("\nCHECK(\n", "\nCHECK(").splitlines())
    for line in lines:
        check, function = CHECK.match(line), FUNCTION.match(line)
        if not check and not function:
            continue
        whole = [line]
        while not (whole[-1] == "}" or whole[-1].endswith(";") and "{" not in whole or
                   "{" in line and line.endswith("}") and len(whole) == 1):
            whole.append(next(lines, "}"))
        if "{" in whole or "{" in line:
            yield check and check[1], function and function[1], "\n".join(whole)


def with_macros(text, macros):
    """The text with the bodies of its macros behind it."""
    seen, names = set(), set(re.findall(r"\w+", text))
    while names & macros.keys() - seen:
        for name in names & macros.keys() - seen:
            seen.add(name)
            text += " " + macros[name]
            names |= set(re.findall(r"\w+", macros[name]))
    return text


def reached(name, calls):
    """All functions that a function calls, directly or through others."""
    found, left = set(), [name]
    while left:
        for called in calls[left.pop()] - found:
            found.add(called)
            left.append(called)
    return found


def faults(paths):
    """The faults of a lab's checks, and its reasons with the checks that have them."""
    texts = [path.read_text() for path in paths]
    macros = {macro[1]: macro[2] for text in texts for macro in MACRO.finditer(text)}
    calls, checks, reasons, found = defaultdict(set), {}, defaultdict(list), []
    for text in texts:
        for check, function, body in bodies(text):
            body = with_macros(body, macros)
            calls[check or function] |= set(re.findall(r"\w+", WORDS.sub("", body)))
            if check:
                checks[check] = body
        for check in FAILURES.finditer(text):  # the only check of a whole case that follows nothing
            calls[check[1]].add("check_case_failures")
            checks[check[1]] = with_macros(check[0], macros)
    for name in set().union(*calls.values()) & AROUND.keys():
        found.append(f"{paths[0].parent}: {name} is called: {AROUND[name]} is what the harness sees")
    for check, body in checks.items():
        names = reached(check, calls)
        reason = REASON.search(body)
        if reason:
            reasons["".join(re.findall(r"\"((?:\\.|[^\"\\])*)\"", reason[1]))].append(check)
        if reason or names & FOLLOWS:
            continue
        what = {OUTPUTS[name] for name in names & OUTPUTS.keys()}
        if not re.search(r"\.after\s*=", body):
            what |= {ALONE[name] for name in names & ALONE.keys()}
        if what:
            found.append(f"{paths[0].parent}: {check} gives points for {' and '.join(sorted(what))} without check_flow")
    return found, reasons


def main(words):
    folders = defaultdict(list)
    for word in words:
        if word != "--list":
            folders[Path(word).parent].append(Path(word))
    failed = False
    for folder, paths in sorted(folders.items()):
        found, reasons = faults(sorted(paths))
        failed = failed or bool(found)
        print("".join(f"{line}\n" for line in found), end="")
        for reason, checks in reasons.items() if "--list" in words else ():
            print(f"{folder.name}: {', '.join(checks)}: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
