#!/usr/bin/env python3
"""Turns the attacks into submissions of real labs, and prints what each gained.

    on_labs.py class FOLDER LAB...     writes FOLDER/LAB/ATTACK/LAB.c for each attack and for their honest part
    on_labs.py table OUT FOLDER LAB... prints attack, lab, verdict and points gained; status 1 if any gained a point

A submission is the lab's solution in which a call of the attack replaces each function of the contract. The attack
gets the function's own output to tamper with. The files of this folder are written for the toy lab and define toy_run.
Those of labs/ define a function `attack`, which also gets the honest function. The honest part is the same file with
nothing in place of the attack. A check that passes there (a prediction, say) was not gained. Files of labs/LAB are for
that lab alone: they define `attack` too, or functions of the contract, which replace those of the lab's starter. The
honest part of these is the starter.
An attack may include files of labs/parts/, headers of the wire and of the check's messages, whose text is put there,
and use the number of a call of the wire: CALL_NUMBER(lab_trace_begin).
"""
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PARTS = (HERE / "labs", ROOT / "lib/src", ROOT / "lib/src/wire", ROOT / "grader/harness")
HONEST = ("honest_success", "honest_error")
STARTER = "honest_starter"
FUNCTION = re.compile(r"^lab_status (lab\d\d_\w+)\(([^;]*)\);", re.M)
DECLARED = re.compile(r"^(?!typedef)[a-z][\w ]*[ *](lab\d\d_\w+)\(", re.M)
TABLE = re.compile(r"^extern const .*?(lab\d\d_\w+)", re.M)
# A function's output, input and their length, where these are plain floats. Other functions get scratch memory.
MEMORY = {
    "lab01_sum": ("sum", "input", "1"),
    "lab01_two_sums": ("sum", "input[0]", "2"),
    "lab02_pipeline": ("work->output", "work->input", "work->count"),
    "lab02_time_kernel": ("work->output", "work->input", "work->count"),
    "lab03_serial": ("work->output[0]", "work->input[0]", "work->length"),
    "lab03_depth_first": ("work->output[0]", "work->input[0]", "work->length"),
    "lab03_breadth_first": ("work->output[0]", "work->input[0]", "work->length"),
    "lab03_time_kernels": ("times->milliseconds", "work->rate", "work->arrays"),
    "lab04_own_context": ("job->output", "job->input", "job->count"),
    "lab04_shared_context": ("job->output", "job->input", "job->count"),
    "lab05_smooth": ("output", "attack_scratch", "count"),
    "lab05_twice": ("output", "input", "count"),
    "lab06_as_device": ("to", "from", "(int)(count / sizeof(float))"),
    "lab06_normalize": ("sum", "attack_scratch", "1"),
}
SCRATCH = ("attack_scratch", "attack_scratch", "1000")
TOY = ("#define attack(honest, arguments, bytes, out, in, count) \\\n"
       "    ((void)(honest), (void)(arguments), toy_run(out, in, count))\n")
NOTHING = ("#define attack(honest, arguments, bytes, out, in, count) \\\n"
           "    ((void)(honest), (void)(arguments), (void)(out), (void)(in), (void)(count), %s)\n")


def numbers_of_calls():
    """The number of each call of the wire: its place among those that are sent."""
    lines = (ROOT / "lib/src/wire/calls.txt").read_text().splitlines()
    calls = [line.split(":") for line in lines if re.match(r"\w+:", line)]
    return {name: number for number, name in
            enumerate(name for name, words in calls if words.strip() not in ("local", "by hand"))}


def attack_of(path, seen=None):
    """The text of an attack, complete: with the parts and the headers of the wire and the check that it includes."""
    seen = set() if seen is None else seen

    def included(match):
        found = next((folder / match[1] for folder in PARTS if (folder / match[1]).is_file()), None)
        if not found:
            return match[0]
        text = "" if found in seen else attack_of(found, seen)
        seen.add(found)
        return text
    text = re.sub(r'#include "([\w/]+\.h)"\n', included, path.read_text())
    numbers = numbers_of_calls()
    return re.sub(r"CALL_NUMBER\((lab_\w+|wire_\w+)\)", lambda call: f"{numbers[call[1]]}u", text)


def folder_of(lab):
    return next((ROOT / "labs").glob(f"{lab}-*"))


def solution_of(lab):
    return next((ROOT / "solutions").glob(f"{lab}-*")) / f"{lab}.c"


def starter_of(lab):
    return folder_of(lab) / "starter.c"


def parameters(text):
    """The declarations and the names of a function's parameters. Arrays become pointers."""
    declarations, names = [], []
    for part in text.split(","):
        name = re.search(r"(\w+)\s*(\[\w*\])?\s*$", part)
        kind = part[:name.start(1)].strip()
        declarations.append(f"{kind}{' ' if kind[-1] != '*' else ''}{'*' if name[2] else ''}{name[1]}")
        names.append(name[1])
    return declarations, names


def wrapper(name, text):
    """A function of the contract that calls the attack."""
    declarations, names = parameters(text)
    members = " ".join(f"{declaration};" for declaration in declarations)
    out, source, count = MEMORY.get(name, SCRATCH)
    return f"""
typedef struct {name}_arguments {{ {members} }} {name}_arguments;
static lab_status {name}_by_arguments(void *user)
{{
    {name}_arguments *given = user;
    return honest_{name}({", ".join(f"given->{each}" for each in names)});
}}
lab_status {name}({text})
{{
    {name}_arguments arguments = {{{", ".join(names)}}};
    return attack({name}_by_arguments, &arguments, sizeof arguments, (float *)({out}), (const float *)({source}),
                  {count});
}}
"""


def file_of(lab, payload):
    """The file that an attacker of this lab hands in."""
    functions = FUNCTION.findall((folder_of(lab) / f"{lab}.h").read_text())
    honest = re.sub(r'#include "lab\d\d\.h"\n', "", solution_of(lab).read_text())
    renamed = "".join(f"#define {name} honest_{name}\n" for name, _ in functions)
    declared = "".join(f"lab_status {name}({text});\n" for name, text in functions)  # one may call another
    restored = "".join(f"#undef {name}\n" for name, _ in functions)
    return (f'#include "{lab}.h"\n#include <stddef.h>\n\n'
            "typedef lab_status attack_honest(void *arguments);\nstatic float attack_scratch[4096];\n\n"
            + payload + "\n" + renamed + declared + honest + restored
            + "".join(wrapper(*function) for function in functions))


def payloads(lab):
    """Name and text of each attack, with the paths replaced by those of the lab."""
    for status, name in zip(("LAB_SUCCESS", "LAB_ERROR_UNKNOWN"), HONEST):
        yield name, NOTHING % status
    for path in sorted(HERE.glob("*.c")):
        text = path.read_text().replace('#include "toylab.h"\n', "").replace("secret/values.inc", "checks.c")
        text = text.replace("extern float expected[];", "static float expected[4096];")
        yield path.stem, text.replace("solution/toylab.c", f"../../{solution_of(lab).relative_to(ROOT)}") + TOY
    for path in sorted((HERE / "labs").glob("*.c")):
        yield path.stem, attack_of(path)


def own_file_of(lab, attack):
    """The starter, in which the definitions of an attack of this lab replace the starter's own. The header's
    declarations are renamed too, so that the attack's may differ."""
    header = (folder_of(lab) / f"{lab}.h").read_text()
    contract = DECLARED.findall(header) + TABLE.findall(header)
    defined = [name for name in contract if re.search(rf"^\w[^;={{}}]*\b{name}\b", attack, re.M)]
    renamed = "".join(f"#define {name} starters_{name}\n" for name in defined)
    restored = "".join(f"#undef {name}\n" for name in defined)
    return renamed + starter_of(lab).read_text() + restored + attack


def is_own(lab, name):
    """Whether an attack replaces functions of the starter."""
    path = HERE / "labs" / lab / f"{name}.c"
    return path.is_file() and "\nstatic lab_status attack(" not in path.read_text()


def files(lab):
    """Name and file of each submission."""
    yield STARTER, starter_of(lab).read_text()
    for name, payload in payloads(lab):
        yield name, file_of(lab, payload)
    for path in sorted((HERE / "labs" / lab).glob("*.c")):
        yield path.stem, (own_file_of if is_own(lab, path.stem) else file_of)(lab, attack_of(path))


def write_class(folder, labs):
    for lab in labs:
        for name, text in files(lab):
            student = folder / lab / name
            student.mkdir(parents=True, exist_ok=True)
            (student / f"{lab}.c").write_text(text)


def read_results(path):
    results = json.loads(path.read_text())["submissions"]
    return {result["submission"]["name"]: result for result in results}


def earned(result):
    return {check["name"]: check["points"] for check in result["checks"]}


def print_table(out, folder, labs):
    """Prints the rows. Returns how many points were gained in all."""
    total = rows = 0
    print(f"{'attack':36} {'lab':6} {'verdict':15} points gained")
    for lab in labs:
        path = out / lab / "results.json" if len(labs) > 1 else out / "results.json"
        results = read_results(path)
        honest = [earned(results[name]) for name in HONEST]
        for name in sorted(entry.name for entry in (folder / lab).iterdir()):
            checks = earned(results[name])
            bound = [earned(results[STARTER])] if is_own(lab, name) else honest
            gained = sum(max(0, points - max(part.get(check, 0) for part in bound))
                         for check, points in checks.items())
            total, rows = total + gained, rows + 1
            print(f"{name:36} {lab:6} {results[name]['verdict']:15} {gained}")
    print(f"{rows} submissions, {total} points gained")
    return total


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "class":
        write_class(Path(arguments[1]), arguments[2:])
        return 0
    if len(arguments) >= 4 and arguments[0] == "table":
        return 1 if print_table(Path(arguments[1]), Path(arguments[2]), arguments[3:]) else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
