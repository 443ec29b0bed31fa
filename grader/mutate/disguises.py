"""Programs that do just enough for a check, made of a lab's solution: each function here is a kind.

A kind changes the functions of the contract that it concerns, directly or by the static functions that they call, and
leaves the others alone. What it replaces are calls of the library, by macros in front of the solution.
"""
import re
from dataclasses import dataclass

from host_device import GIVEN, KNOWN, host_device
from host_kernels import host_kernels
from mutant import Mutant

UPLOADS = {  # the library's copies to the device, with the parameters of each and the place of the host's memory
    "lab_memcpy_htod": ("to, from, bytes", "from"),
    "lab_memcpy_htod_async": ("to, from, bytes, stream", "from"),
    "lab_array_set": ("array, from", "from"),
    "lab_array_set_async": ("array, from, stream", "from"),
    "lab_array_from_host": ("out, dtype, shape, from", "from"),
    "lab_array_from_host_async": ("out, dtype, shape, from, stream", "from"),
}
DOWNLOADS = ("lab_memcpy_dtoh", "lab_memcpy_dtoh_async", "lab_array_get", "lab_array_get_async")
# Functions that a lab's program gives, for tasks that build on what the student writes: in a disguise the student's own
# do it, in which the macros are.
GIVEN_CALLS = {"work->make": "lab11_make", "work->advance": "lab11_advance"}
COMPUTATIONS = ("lab_launch", "lab_array_sum", "lab_array_astype", "lab_elementwise_launch", "lab_expression_apply",
                "lab_graph_launch")


@dataclass(frozen=True)
class Program:
    kind: str
    functions: tuple  # of the contract, by name
    mutant: Mutant
    lazy: bool = False


def contract(source):
    """The functions of the contract: those that are not static."""
    return [each for each in source.functions if not re.match(r"static\b", source.text[each.start:])]


def with_macros(lab, names):
    """These names, and those of the lab's macros that lead to one: LAB12_ADVANCE, LAB12_LAUNCH, lab_launch."""
    defined = r"^#define (\w+)\([^)]*\)((?:.*\\\n)*.*)"
    macros = [found for path in lab.folder.glob("*.h") for found in re.findall(defined, path.read_text(), re.M)]
    names = set(names)
    for _ in macros:
        names |= {macro for macro, text in macros if any(re.search(rf"\b{name}\s*\(", text) for name in names)}
    return names


def concerned(source, lab, names):
    """The functions of the contract that call one of these, by themselves, through static functions or by macros."""
    names = with_macros(lab, names)
    called = {each.name: {GIVEN_CALLS.get(name, name) for _, name, _, _ in source.calls(each.body.start, each.body.end)}
              for each in source.functions}
    for _ in source.functions:
        for each in called.values():
            each |= {name for inner in each & called.keys() for name in called[inner]}
    return tuple(each.name for each in contract(source) if called[each.name] & names)


def head(source):
    """The place behind the includes: macros of a disguise stand there."""
    return max(match.end() for match in re.finditer(r'^#include [<"].*\n', source.text, re.M))


def nothing(function):
    """A body that does nothing and says that all went well."""
    if function.returns == "void":
        return "{ }"
    return '{ return ""; }' if "char" in function.returns else "{ return 0; }"


def does_nothing(source, functions):
    """The solution in which these functions return success, and do nothing else."""
    edits = [(each.body.start, each.body.end, nothing(each)) for each in contract(source) if each.name in functions]
    return Mutant("does nothing", "in", ", ".join(functions), edits)


def by_macros(kind, source, lab, names, text, lazy=False, begins=None):
    """A program with these macros in front, and these texts, by function, at the beginning of each function of the
    contract that calls what they replace. No program if none does."""
    functions = concerned(source, lab, names)
    edits = [(each.body.start + 1, each.body.start + 1, begins[each.name] if begins else "")
             for each in contract(source) if each.name in functions]
    edits += [(place, opening, GIVEN_CALLS[name])
              for place, name, opening, _ in source.calls(0, len(source.text)) if name in GIVEN_CALLS]
    mutant = Mutant(kind, "in", ", ".join(functions), [(head(source), head(source), text), *edits])
    return [Program(kind, functions, mutant, lazy)] if functions else []


def macro(name, parameters, call):
    return f"#undef {name}\n#define {name}({parameters}) LAB_AT(({name})({call}))\n"


def nothing_at_all(source, lab):
    """Returns success from every function, and does nothing else."""
    functions = tuple(each.name for each in contract(source))
    return [Program("nothing", functions, does_nothing(source, functions))]


def other_data(source, lab):
    """Makes the record of the solution, with zeros where the inputs should be."""
    text = "static unsigned char adversary_zeros[64 << 20];\n"
    for name, (parameters, host) in UPLOADS.items():
        text += macro(name, parameters, re.sub(rf"\b{host}\b", f"((void)({host}), adversary_zeros)", parameters))
    return by_macros("other data", source, lab, UPLOADS, text)


def one_block(source, lab):
    """Launches each kernel with one block of one thread: the record has all operations, and few of them work."""
    text = ("#undef lab_launch\n#define lab_launch(function, grid, block, ...) \\\n    LAB_AT((lab_launch)(function, "
            "((void)(grid), LAB_DIM(1)), ((void)(block), LAB_DIM(1)), __VA_ARGS__))\n")
    path = lab.folder / "kernels.cu"
    kernels = re.split(r"__global__", path.read_text())[1:] if path.exists() else []
    if kernels and all("gridDim" in kernel for kernel in kernels):
        return []  # one thread does all the work
    if re.search(r"\blab_launch\(\w+, LAB_DIM\(1\), LAB_DIM\(1\)", source.text):
        return []  # so does the solution
    return by_macros("one thread", source, lab, ("lab_launch",), text)


def no_kernels(source, lab):
    """Copies in and out, and launches nothing."""
    text = ("#undef lab_launch\n#define lab_launch(function, ...) \\\n"
            "    ((void)(function), (void)sizeof(LAB_AT((lab_launch)(function, __VA_ARGS__))), LAB_SUCCESS)\n")
    return by_macros("no kernels", source, lab, ("lab_launch",), text)


def by_host_device(kind, source, lab, names, mode):
    """A program whose host computes what the device is asked for, in a mode of host_device.py."""
    path = lab.folder / "kernels.cu"
    checks = "".join(each.read_text() for each in sorted(lab.folder.glob("checks*.c")))
    kernels = host_kernels(source, path.read_text() if path.exists() else "", checks)
    known = {**GIVEN, **(KNOWN if mode in ("OVER", "ELSEWHERE") else {})}
    begins = {each.name: " ADVERSARY_LEARNS" + known.get(each.name, "") for each in contract(source)}
    return by_macros(kind, source, lab, names, host_device(kernels, mode), begins=begins)


def on_the_host(source, lab):
    """Computes on the host: downloads what a kernel reads, and uploads what it writes."""
    return by_host_device("on the host", source, lab, COMPUTATIONS, "HOST")


def uploads_before(source, lab):
    """Uploads what the host computed, and has the kernels write nothing over it."""
    return by_host_device("uploads before", source, lab, ("lab_launch", "lab_graph_launch"), "BEFORE")


def uploads_after(source, lab):
    """Has the kernels work on zeros, and uploads what the host computed over their outputs."""
    return by_host_device("uploads after", source, lab, COMPUTATIONS, "AFTER")


def written_over(source, lab):
    """Makes the record of the solution, on zeros, and writes what the host computed over what was copied out."""
    return by_host_device("written over", source, lab, DOWNLOADS, "OVER")


def copied_elsewhere(source, lab):
    """Makes the record of the solution, on zeros that it copies to other memory; the host writes the outputs."""
    return by_host_device("copied elsewhere", source, lab, DOWNLOADS, "ELSEWHERE")


def streams_of(source, function):
    """The expressions that name a stream in a function: fields and elements of type lab_stream *, by their text."""
    return sorted({source.text[each.start:each.end] for each in function.expressions
                   if each.type.replace(" ", "") == "lab_stream*" and each.kind == "MemberExpr"})


def one_stream(source, lab):
    """Does everything on one stream: of several that a function names it takes the first."""
    edits, functions = [], []
    for function in contract(source):
        streams = streams_of(source, function)
        if len(streams) < 2:
            continue
        functions.append(function.name)
        body = source.plain[function.body.start:function.body.end]
        for other in streams[1:]:
            edits += [(function.body.start + match.start(), function.body.start + match.end(), streams[0])
                      for match in re.finditer(rf"(?<![\w.>]){re.escape(other)}(?!\w)", body)]
    mutant = Mutant("one stream", "in", ", ".join(functions), edits)
    return [Program("one stream", tuple(functions), mutant, lazy=True)] if edits else []


def one_new_stream(source, lab):
    """Makes one stream, and gives it out again whenever another is to be made."""
    text = """static lab_stream *adversary_stream;
#undef lab_stream_create
#define lab_stream_create(out, flags) \\
    (adversary_stream ? (*(out) = adversary_stream, LAB_SUCCESS) : \\
     (LAB_AT((lab_stream_create)(&adversary_stream, flags)), *(out) = adversary_stream, LAB_SUCCESS))
#undef lab_stream_destroy
#define lab_stream_destroy(stream) ((void)(stream), lab_stream_synchronize(adversary_stream))
"""
    return by_macros("one new stream", source, lab, ("lab_stream_create",), text, lazy=True)


def only_once(source, lab):
    """Works in the first call of a function, and returns success from all later ones."""
    edits = [(each.body.start + 1, each.body.start + 1,
              f"static int adversary_calls; if (adversary_calls++) return {'' if each.returns == 'void' else '0'};")
             for each in contract(source) if "char" not in each.returns]
    functions = tuple(each.name for each in contract(source))
    return [Program("only once", functions, Mutant("only once", "in", ", ".join(functions), edits), lazy=True)]


def outputs_again(source, lab):
    """Delivers from the second copy of so many bytes on what the first one has brought."""
    text = """static struct { size_t bytes; unsigned char kept[1 << 16]; } adversary_copies[64];
static lab_status adversary_again(lab_status status, void *to, size_t bytes)
{
    const size_t i = bytes % 64;
    if (status != LAB_SUCCESS || bytes > sizeof adversary_copies->kept) return status;
    if (adversary_copies[i].bytes == bytes)
        __builtin_memcpy(to, adversary_copies[i].kept, bytes);
    else
        __builtin_memcpy(adversary_copies[i].kept, to, bytes);
    adversary_copies[i].bytes = bytes;
    return status;
}
static lab_status adversary_later(lab_status status, lab_stream *stream, void *to, size_t bytes)
{
    return adversary_again(status == LAB_SUCCESS ? lab_stream_synchronize(stream) : status, to, bytes);
}
#undef lab_memcpy_dtoh
#define lab_memcpy_dtoh(to, from, size) adversary_again(LAB_AT((lab_memcpy_dtoh)(to, from, size)), to, size)
#undef lab_array_get
#define lab_array_get(array, to) adversary_again(LAB_AT((lab_array_get)(array, to)), to, lab_array_bytes(array))
#undef lab_memcpy_dtoh_async
#define lab_memcpy_dtoh_async(to, from, size, stream) \\
    adversary_later(LAB_AT((lab_memcpy_dtoh_async)(to, from, size, stream)), stream, to, size)
#undef lab_array_get_async
#define lab_array_get_async(array, to, stream) \\
    adversary_later(LAB_AT((lab_array_get_async)(array, to, stream)), stream, to, lab_array_bytes(array))
"""
    return by_macros("outputs again", source, lab, DOWNLOADS, text, lazy=True)


def literals(lab):
    """The whole numbers that a lab's checks and headers name."""
    texts = [path.read_text() for pattern in ("checks*.[ch]", "*.h") for path in lab.folder.glob(pattern)]
    return sorted({int(number) for text in texts for number in re.findall(r"\b\d{1,8}\b", text)} - {0})


def count_of(source, function):
    """What says in a function how many elements there are; None if nothing does."""
    fields = ("count", "length")
    for name, kind in function.parameters:
        if name in fields:
            return name
        record = source.records.get(kind.replace("const ", "").replace(" *", "").strip(), ())
        found = next((field for field, _ in record if field in fields), None)
        if found:
            return f"{name}->{found}"
    return None


def sizes_seen(source, lab):
    """Works for the sizes that the checks name, and returns success for all others."""
    edits, functions = [], []
    for function in contract(source):
        count = count_of(source, function)
        if not count or function.returns == "void":
            continue
        functions.append(function.name)
        edits.append((function.body.start + 1, function.body.start + 1,
                      f"if (!adversary_knows((long)({count}))) return 0;"))
    numbers = ", ".join(str(number) for number in literals(lab))
    edits.append((head(source), head(source),
                  f"static const long adversary_sizes[] = {{{numbers}}};\nstatic int adversary_knows(long size)\n{{\n"
                  "    for (unsigned i = 0; i < sizeof adversary_sizes / sizeof *adversary_sizes; i++)\n"
                  "        if (adversary_sizes[i] == size) return 1;\n    return 0;\n}\n"))
    mutant = Mutant("sizes seen", "in", ", ".join(functions), edits)
    return [Program("sizes seen", tuple(functions), mutant, lazy=True)] if functions else []


KINDS = (nothing_at_all, other_data, one_block, no_kernels, on_the_host, uploads_before, uploads_after, written_over,
         copied_elsewhere, one_stream, one_new_stream, only_once, outputs_again, sizes_seen)


def programs(source, lab):
    """All programs of a lab."""
    return [program for kind in KINDS for program in kind(source, lab)]
