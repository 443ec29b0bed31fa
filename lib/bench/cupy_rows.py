"""Measures with CuPy what `make bench DEVICE=cuda` measures with the library: JSON on stdout, 21 samples per name.

Each sample is the mean of many calls, timed on the host. The device is idle before, and the host waits for it after.
"""
import json
import time

import cupy

ROUNDS = 21


def samples(call, calls, unit, wait_inside=False):
    stream = cupy.cuda.get_current_stream()
    found = []
    for measured in range(-3, ROUNDS):
        stream.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        if wait_inside:
            stream.synchronize()
        took = time.perf_counter() - start
        stream.synchronize()
        if measured >= 0:
            found.append(took / calls * unit)
    return found


def graph_of(kernel, nodes):
    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        for _ in range(nodes):
            kernel((1,), (1,), ())
        return stream.end_capture(), stream


def main():
    nothing = cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    square = cupy.ElementwiseKernel("T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a", "squared_difference")
    event = cupy.cuda.Event()
    small = cupy.zeros(1 << 20, cupy.float32)
    one = cupy.zeros((), cupy.float32)
    found = {}
    with cupy.cuda.Stream(non_blocking=True):
        found["launch"] = samples(lambda: nothing((1,), (1,), ()), 500, 1e6)
        found["record"] = samples(event.record, 500, 1e6)
        found["pool"] = samples(lambda: cupy.cuda.alloc(1 << 20), 5000, 1e9)
        found["elementwise"] = samples(lambda: square(small, small, 0.5, small), 200, 1e6)
        found["reduction"] = samples(lambda: cupy.sum(small, out=one), 200, 1e6)
    graph, stream = graph_of(nothing, 10)
    with stream:
        found["graph"] = samples(graph.launch, 200, 1e6)
    small = None  # frees the memory
    # Of numbers that differ, as ours are: memory moves equal ones faster.
    x = (cupy.arange(1 << 28, dtype=cupy.uint32) * 2654435761 >> 8).astype(cupy.float32) * 2.0**-24
    y, z = x[::-1].copy(), cupy.zeros_like(x)
    gigabytes = x.nbytes * 1e-9
    found["large elementwise"] = [3 * gigabytes / t for t in samples(lambda: square(x, y, 0.5, z), 5, 1, True)]
    found["large reduction"] = [gigabytes / t for t in samples(lambda: cupy.sum(x, out=one), 5, 1, True)]
    print(json.dumps({"version": cupy.__version__, "samples": found}))


main()
