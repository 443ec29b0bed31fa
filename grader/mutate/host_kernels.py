"""A lab's kernels as C of the host: each as a function of one thread, and a table of its parameters.

Kernels come from kernels.cu, and from the texts that a solution gives lab_elementwise_create. How many elements an
array has say the declarations for check_flow in the lab's checks.
"""
import re
from pathlib import Path

from source import arguments_of

KERNEL = re.compile(r'(?:extern "C" )?__global__ void (\w+)\(([^)]*)\)')
HEAD = Path(__file__).with_name("kernel_head.c")
VALUE = {"float": "arg[{}].value.f32", "int": "(int)arg[{}].value.integer"}
TYPES = {"T": "T", "float32": "float", "int32": "int"}


def parameters_of(text):
    """Type and name of each parameter."""
    return [re.fullmatch(r"\s*(.*?)(\w+)\s*", part).groups() for part in text.split(",")]


def declared_counts(checks):
    """By kernel and array, what a declaration for check_flow says of its number of elements."""
    found = {}
    for kernel, parameters in re.findall(r'"(\w+)\(([^"()]*\[[^"()]*)\)', re.sub(r'"\s*"', "", checks)):
        for array, count in re.findall(r"(\w+)\[(\w+)\]", parameters):
            found[kernel, array] = count
    return found


def runnable(parameters):
    """Whether the host can give a kernel these parameters."""
    return all(kind.count("*") == 1 or kind.strip() in VALUE for kind, _ in parameters)


def row(kernel, parameters, place, counts):
    """A parameter's line of the table."""
    kind, name = parameters[place]
    names = [other for _, other in parameters]
    count = counts.get((kernel, name), "count" if "count" in names else names[-1])
    counter = names.index(count) if count in names and "*" in kind else -1
    counted = any(counts.get((kernel, other), "count") == name for other in names)
    element = kind.replace("*", "").replace("const", "").strip()
    writes = "*" in kind and "const" not in kind
    return (f'    {{"{kernel}", {place}, sizeof({element}), {count if count.isdigit() else 0}, {counter}, '
            f"{str(writes).lower()}, {str(counted).lower()}}},\n")


def device_kernels(text, checks):
    """C of the kernels of kernels.cu: functions, calls by name and lines of the table; "" three times for none."""
    counts, calls, rows = declared_counts(checks), "", ""
    for name, words in KERNEL.findall(text):
        parameters = parameters_of(words)
        if not runnable(parameters):
            continue
        values = [f"memory[{place}]" if "*" in kind else VALUE[kind.strip()].format(place)
                  for place, (kind, _) in enumerate(parameters)]
        calls += f'    if (strcmp(name, "{name}") == 0) adversary_runs_{name}({", ".join(values)});\n'
        rows += "".join(row(name, parameters, place, counts) for place in range(len(parameters)))
    body = re.sub(r'(?:extern "C" )?__global__ void (\w+)\(', r"static void adversary_runs_\1(", text)
    return (body, calls, rows) if calls else ("", "", "")


def elementwise(source):
    """C that computes an elementwise kernel whose texts stand in the solution: a call by name for each."""
    calls = ""
    for _, name, opening, _ in source.calls(0, len(source.text)):
        if name != "lab_elementwise_create":
            continue
        words = [source.text[start:end] for start, end in arguments_of(source.plain, opening)]
        if len(words) != 5 or not all(re.fullmatch(r'"[^"]*"', word) for word in words[1:]):
            continue
        inputs, output, body, kernel = (word[1:-1] for word in words[1:])
        parameters = parameters_of(f"{inputs}, {output}")
        if not all(kind.strip() in TYPES for kind, _ in parameters):
            continue
        declared = "".join(f"{TYPES[kind.strip()]} {name} = (({TYPES[kind.strip()]} *)memory[{place}])[i]; "
                           for place, (kind, name) in enumerate(parameters))
        kind, name = parameters[-1]
        loop = (f"for (size_t i = 0; i < count; i++) {{ {declared}{body}; "
                f"(({TYPES[kind.strip()]} *)memory[{len(parameters) - 1}])[i] = {name}; }}")
        calls += (f'    if (strcmp(name, "{kernel}") == 0 && dtype == LAB_FLOAT32) {{ typedef float T; {loop} }}\n'
                  f'    if (strcmp(name, "{kernel}") == 0 && dtype == LAB_INT32) {{ typedef int T; {loop} }}\n')
    return calls


def meets(text):
    """C that says whether a kernel has a barrier."""
    names = [KERNEL.match("__global__" + part)[1] for part in text.split("__global__")[1:] if "__syncthreads" in part]
    return "".join(f'    if (strcmp(name, "{name}") == 0) return true;\n' for name in names)


def host_kernels(source, text, checks):
    """C that runs a lab's kernels on the host."""
    body, calls, rows = device_kernels(text, checks)
    return (f"{HEAD.read_text()}{body}\n"
            f"static const adversary_parameter adversary_parameters[] = {{\n{rows}    {{0}},\n}};\n"
            "static void adversary_run(const char *name, const lab_arg *arg, void **memory)\n{\n"
            f"    (void)name, (void)arg, (void)memory;\n{calls}}}\n"
            f"static bool adversary_meets(const char *name)\n{{\n    (void)name;\n{meets(text)}    return false;\n}}\n"
            "static void adversary_element(const char *name, lab_dtype dtype, size_t count, void **memory)\n{\n"
            f"    (void)name, (void)dtype, (void)count, (void)memory;\n{elementwise(source)}}}\n")
