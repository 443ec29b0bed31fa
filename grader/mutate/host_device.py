"""A device of the host's own: the kernels run there, and the device shows that it was asked.

Each mode is a way to bring what the host has computed to where the check looks:

    HOST       the device launches nothing: arrays are downloaded, computed and uploaded
    BEFORE     what the host computed is uploaded, then the kernel is launched for no elements
    AFTER      the kernel is launched on zeros, then what the host computed is uploaded
    OVER       inputs are zeros while they are copied, and outputs are written over when their copies are done
    ELSEWHERE  zeros are copied in, outputs are copied to other memory, and the host writes its own
"""
from pathlib import Path

# What the host cannot see in the function's own calls, for OVER and ELSEWHERE: the graph that the lab's program has
# captured, and that the function does not wait for its copies.
KNOWN = {
    "lab10_replay": " ADVERSARY_LEAVES adversary_begin_dry(); (void)lab10_enqueue(work); adversary_end_dry(graph);",
}
# The same in every mode: the lanes whose graphs the lab's program has captured, which the host has in place of the
# device.
GIVEN = {
    "lab13_run": " for (int i = 0; i < work->lanes; i++) { adversary_begin_dry(); (void)lab13_enqueue(&lane[i], work);"
                 " adversary_end_dry(lane[i].graph); }",
}
MODES = ("HOST", "BEFORE", "AFTER", "OVER", "ELSEWHERE")
FOLDER = Path(__file__).parent


def copy_macro(name, parameters, replaced, by, stream):
    """A copy of the library with an argument replaced; where the host waits, what is due is written at once."""
    call = ", ".join(f"{by}" if parameter == replaced else parameter for parameter in parameters)
    real = f"LAB_AT(({name})({call}))"
    if stream == "ADVERSARY_AT_ONCE":
        real = f"adversary_waited({real}, ADVERSARY_AT_ONCE, NULL)"
    return f"#undef {name}\n#define {name}({', '.join(parameters)}) {real}\n"


def copies():
    """The library's copies between host and device: inputs hidden, outputs shown."""
    text = (FOLDER / "host_copies.c").read_text()
    for ending, stream in (("", "ADVERSARY_AT_ONCE"), ("_async", "stream")):
        more = ["stream"] if ending else []
        array, bytes_ = "lab_array_data(array)", "lab_array_bytes(array)"
        text += copy_macro(f"lab_array_set{ending}", ["array", "from", *more], "from",
                           f"adversary_hides({array}, from, {bytes_}, {stream})", stream)
        text += copy_macro(f"lab_memcpy_htod{ending}", ["to", "from", "bytes", *more], "from",
                           f"adversary_hides(to, from, bytes, {stream})", stream)
        text += copy_macro(f"lab_array_get{ending}", ["array", "to", *more], "to",
                           f"adversary_shows({array}, to, {bytes_}, {stream})", stream)
        text += copy_macro(f"lab_memcpy_dtoh{ending}", ["to", "from", "bytes", *more], "to",
                           f"adversary_shows(from, to, bytes, {stream})", stream)
        real = ", ".join(["out", "dtype", "shape", "((void)(from), adversary_zeros)", *more])
        words = ", ".join(["out", "dtype", "shape", "from", *more])
        text += (f"#undef lab_array_from_host{ending}\n#define lab_array_from_host{ending}({words}) "
                 f"adversary_made(LAB_AT((lab_array_from_host{ending})({real})), out, from)\n")
    return text


def host_device(kernels, mode):
    """C that stands in front of a solution: the host's device, in one of MODES, with these kernels (host_kernels)."""
    constants = f"enum {{ {', '.join(MODES)}, ADVERSARY_MODE = {mode} }};\n"
    device = (FOLDER / "host_device.c").read_text()
    return constants + kernels + device + (copies() if mode in ("OVER", "ELSEWHERE") else "")
