"""A lab's kernels as C of the host, and a lab_launch that runs them there: for a program that only seems to use the
device. It downloads each array, calls the kernel for each thread in turn, and uploads what the kernel may have written.
"""
import re

KERNEL = re.compile(r'(?:extern "C" )?__global__ void (\w+)\(([^)]*)\)')
HEAD = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
typedef struct adversary_dim { unsigned x, y, z; } adversary_dim;
static adversary_dim threadIdx, blockIdx, blockDim, gridDim;
static unsigned adversary_add(unsigned *at, unsigned more) { unsigned was = *at; *at += more; return was; }
#define atomicAdd(at, more) adversary_add(at, more)
#define __device__
#define __shared__ static
#define __syncthreads()
"""
LAUNCH = """
/* Downloads an array, of as many bytes as are there of these. */
static lab_status adversary_get(void *to, lab_arg arg, size_t bytes)
{
    if (arg.kind == LAB_ARG_ARRAY) return lab_array_get(arg.value.array, to);
    for (; bytes; bytes /= 4)
        if (lab_memcpy_dtoh(to, (lab_deviceptr)arg.value.integer, bytes) == LAB_SUCCESS) return LAB_SUCCESS;
    return LAB_ERROR_INVALID_VALUE;
}

static lab_status adversary_launch(const char *of, lab_dim grid, lab_dim block, size_t shared, lab_stream *stream,
                                   lab_args args)
{
    enum { MOST = 16 << 20 };
    const char *name = of + strlen(of);
    void *memory[12] = {0};
    (void)shared;
    while (name > of && (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z') ||
                         (name[-1] >= '0' && name[-1] <= '9')))
        name--;
    LAB_TRY(lab_stream_synchronize(stream));
    for (int i = 0; i < args.count; i++) {
        if (args.arg[i].kind != LAB_ARG_POINTER && args.arg[i].kind != LAB_ARG_ARRAY) continue;
        const size_t bytes = args.arg[i].kind == LAB_ARG_ARRAY ? lab_array_bytes(args.arg[i].value.array)
                                                               : adversary_bytes(name, args, i);
        memory[i] = calloc(1, MOST);
        LAB_TRY(adversary_get(memory[i], args.arg[i], bytes));
    }
    gridDim = (adversary_dim){grid.x, 1, 1};
    blockDim = (adversary_dim){block.x, 1, 1};
    for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < block.x; threadIdx.x++) adversary_run(name, args.arg, memory);
    for (int i = 0; i < args.count; i++) {
        if (memory[i] && args.arg[i].kind == LAB_ARG_ARRAY)
            LAB_TRY(lab_array_set((lab_array *)args.arg[i].value.array, memory[i]));
        else if (memory[i])
            LAB_TRY(lab_memcpy_htod((lab_deviceptr)args.arg[i].value.integer, memory[i],
                                    adversary_bytes(name, args, i)));
        free(memory[i]);
    }
    return LAB_SUCCESS;
}
#undef lab_launch
#define lab_launch(function, ...) ((void)(function), adversary_launch(#function, __VA_ARGS__))
"""
VALUE = {"float": "arg[{}].value.f32", "int": "(int)arg[{}].value.integer"}


def parameters_of(text):
    """Type and name of each parameter."""
    return [re.fullmatch(r"\s*(.*?)(\w+)\s*", part).groups() for part in text.split(",")]


def host_kernels(text):
    """C that defines lab_launch for these kernels; "" if one has a parameter that the host does not know."""
    runs, sizes, names = "", "", []
    for name, parameters in KERNEL.findall(text):
        values = []
        for place, (kind, parameter) in enumerate(parameters_of(parameters)):
            if "*" in kind.replace("*", "", 1):
                break
            if "*" in kind:
                values.append(f"memory[{place}]")
                element = kind.replace("*", "").replace("const", "").strip()
                sizes += (f'    if (strcmp(name, "{name}") == 0 && which == {place})\n'
                          f"        return sizeof({element}) * adversary_count(args, 1);\n")
            elif kind.strip() in VALUE:
                values.append(VALUE[kind.strip()].format(place))
        if len(values) == len(parameters_of(parameters)):
            names.append(name)
            runs += f'    if (strcmp(name, "{name}") == 0) adversary_{name}({", ".join(values)});\n'
    if not names:
        return ""
    body = re.sub(r'(?:extern "C" )?__global__ void (\w+)\(', r"static void adversary_\1(", text)
    return (HEAD + body +
            "\n/* The largest whole number among the arguments: how many elements there are. */\n"
            "static size_t adversary_count(lab_args args, size_t count)\n{\n    for (int i = 0; i < args.count; i++)\n"
            "        if (args.arg[i].kind == LAB_ARG_INTEGER && args.arg[i].value.integer > count)\n"
            "            count = args.arg[i].value.integer;\n    return count;\n}\n"
            "static size_t adversary_bytes(const char *name, lab_args args, int which)\n{\n" + sizes +
            "    return 0;\n}\nstatic void adversary_run(const char *name, const lab_arg *arg, void **memory)\n{\n"
            "    (void)arg;\n" + runs + "}\n" + LAUNCH)
