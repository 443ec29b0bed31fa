"""The adversary: which programs it makes of a small solution, and what counts as a gain.

Run with: python3 -B grader/tests/adversary_test.py
"""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
sys.path.insert(0, str(ROOT / "grader/mutate"))

import adversary  # noqa: E402
import disguises  # noqa: E402
import host_device  # noqa: E402
from host_kernels import host_kernels  # noqa: E402
from source import Source  # noqa: E402

SOLUTION = """#include "lab.h"

typedef struct lab77_work { int count; lab_function shift; lab_deviceptr x; lab_stream *one, *two; } lab77_work;

static lab_status launch(const lab77_work *work)
{
    return lab_launch(work->shift, LAB_DIM(1), LAB_DIM(128), 0, work->two, LAB_ARGS(work->x, work->count, 2.0f));
}

lab_status lab77_run(float *to, const float *from, const lab77_work *work)
{
    LAB_TRY(lab_memcpy_htod_async(work->x, from, 4, work->one));
    LAB_TRY(launch(work));
    return lab_memcpy_dtoh_async(to, work->x, 4, work->two);
}

lab_status lab77_wait(lab_stream *stream) { return lab_stream_synchronize(stream); }
"""
KERNELS = """extern "C" __global__ void shift(float *x, int count, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = 2.0f * x[i] + by;
}
"""


class Disguises(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lab = SimpleNamespace(name="lab77", folder=Path(folder.name))
        (self.lab.folder / "kernels.cu").write_text(KERNELS)
        (self.lab.folder / "checks.c").write_text("static const int sizes[] = {1, 129};\n")
        path = self.lab.folder / "lab77.c"
        path.write_text(SOLUTION)
        self.source = Source(path, "", [ROOT / "lib/include"])
        self.programs = {program.kind: program for program in disguises.programs(self.source, self.lab)}

    def test_each_compiles(self):
        self.assertEqual(sorted(self.programs), ["copied elsewhere", "no kernels", "nothing", "on the host",
                                                 "one stream", "one thread", "only once", "other data",
                                                 "outputs again", "sizes seen", "uploads after", "uploads before",
                                                 "written over"])
        for kind, program in self.programs.items():
            command = ["cc", "-std=c11", "-D_GNU_SOURCE", f"-I{ROOT / 'lib/include'}", "-Wall", "-Werror",
                       "-Wno-unused", "-fsyntax-only", "-x", "c", "-"]
            built = subprocess.run(command, input=program.mutant.text(self.source), text=True, capture_output=True)
            self.assertEqual(built.returncode, 0, f"{kind}: {built.stderr}")

    def test_functions_that_do_not_call_what_is_replaced_stay(self):
        self.assertEqual(self.programs["other data"].functions, ("lab77_run",))
        self.assertEqual(self.programs["no kernels"].functions, ("lab77_run",), "by a static function")
        self.assertEqual(self.programs["nothing"].functions, ("lab77_run", "lab77_wait"))

    def test_calls_by_a_macro_of_the_lab_count(self):
        (self.lab.folder / "lab77.h").write_text(
            "#define LAB77_WAIT(stream) \\\n    LAB77_SYNCHRONIZE(stream)\n"
            "#define LAB77_SYNCHRONIZE(stream) lab_stream_synchronize(stream)\n")
        (self.lab.folder / "lab77.c").write_text('#include "lab77.h"\n' + SOLUTION.replace(
            "{ return lab_stream_synchronize(", "{ return LAB77_WAIT("))
        source = Source(self.lab.folder / "lab77.c", "", [ROOT / "lib/include", self.lab.folder])
        self.assertEqual(disguises.concerned(source, self.lab, ["lab_stream_synchronize"]), ("lab77_wait",))

    def test_one_stream_takes_the_first(self):
        text = self.programs["one stream"].mutant.text(self.source)
        self.assertIn("lab_memcpy_dtoh_async(to, work->x, 4, work->one)", text)

    def test_sizes_of_the_checks_are_known(self):
        text = self.programs["sizes seen"].mutant.text(self.source)
        self.assertIn("{1, 129}", text)
        self.assertIn("if (!adversary_knows((long)(work->count))) return 0;", text)


DATA = """#include "lab.h"

typedef struct lab77_work {
    int count;
    lab_function shift, add, turn;
    lab_array *x, *y;
    lab_stream *stream;
    lab_event *done;
} lab77_work;

lab_status lab77_plain(float *to, const float *from, const lab77_work *work)
{
    LAB_TRY(lab_array_set_async(work->x, from, work->stream));
    LAB_TRY(lab_launch(work->shift, LAB_DIM(3), LAB_DIM(64), 0, work->stream, LAB_ARGS(work->x, work->count, 2.0f)));
    LAB_TRY(lab_launch(work->turn, LAB_DIM(3), LAB_DIM(64), 0, work->stream, LAB_ARGS(work->x, work->count)));
    LAB_TRY(lab_array_get_async(work->x, to, work->stream));
    return lab_stream_synchronize(work->stream);
}

lab_status lab77_graph(float *to, const float *from, const lab77_work *work)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_TRY(lab_stream_begin_capture(work->stream, LAB_CAPTURE_RELAXED));
    LAB_TRY(lab_memset_async(lab_array_data(work->y), 0, (size_t)work->count * sizeof(float), work->stream));
    LAB_TRY(lab_launch(work->add, LAB_DIM(3), LAB_DIM(64), 0, work->stream, LAB_ARGS(work->y, work->y, work->count)));
    LAB_TRY(lab_launch(work->shift, LAB_DIM(3), LAB_DIM(64), 0, work->stream, LAB_ARGS(work->y, work->count, 1.0f)));
    LAB_TRY(lab_stream_end_capture(&graph, work->stream));
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    LAB_TRY(lab_graph_exec_update_kernel(exec, 1, work->add, LAB_DIM(3), LAB_DIM(64), 0,
                                         LAB_ARGS(work->y, work->x, work->count)));
    LAB_TRY(lab_array_set(work->x, from));
    LAB_TRY(lab_graph_launch(exec, work->stream));
    LAB_TRY(lab_array_get_async(work->y, to, work->stream));
    LAB_TRY(lab_event_record(work->done, work->stream));
    LAB_TRY(lab_event_synchronize(work->done));
    LAB_TRY(lab_graph_exec_destroy(exec));
    return lab_graph_destroy(graph);
}

lab_status lab77_enqueue(const lab77_work *work)
{
    return lab_launch(work->add, LAB_DIM(3), LAB_DIM(64), 0, work->stream, LAB_ARGS(work->y, work->x, work->count));
}

lab_status lab77_replay(float *to, const float *from, lab_graph *graph, const lab77_work *work)
{
    lab_graph_exec *exec;
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    LAB_TRY(lab_array_set_async(work->x, from, work->stream));
    LAB_TRY(lab_graph_launch(exec, work->stream));
    LAB_TRY(lab_array_get_async(work->y, to, work->stream));
    return lab_graph_exec_destroy(exec);
}

lab_status lab77_uploaded(float *to, const float *from, const lab77_work *work)
{
    (void)from;
    LAB_TRY(lab_launch(work->add, LAB_DIM(3), LAB_DIM(64), 0, work->stream, LAB_ARGS(work->y, work->y, work->count)));
    LAB_TRY(lab_array_get_async(work->y, to, work->stream));
    return lab_stream_synchronize(work->stream);
}

lab_status lab77_library(float *to, const float *from, const lab77_work *work)
{
    lab_elementwise *kernel;
    lab_expression *expression;
    lab_array *floats, *cast;
    signed char whole[7] = {0};
    LAB_TRY(lab_array_from_host(&floats, LAB_FLOAT32, LAB_SHAPE(7), from));
    LAB_TRY(lab_array_astype(&cast, floats, LAB_INT8, work->stream));
    LAB_TRY(lab_stream_synchronize(work->stream));
    LAB_TRY(lab_array_get(cast, whole));
    LAB_TRY(lab_array_destroy(floats));
    LAB_TRY(lab_array_empty(&floats, LAB_FLOAT32, LAB_SHAPE(1)));
    for (int i = 0; i < 7; i++) to[i] = (float)whole[i];
    LAB_TRY(lab_array_set(work->x, from));
    LAB_TRY(lab_elementwise_create(&kernel, "T x, float32 y", "T out", "out = x * y + 1", "product"));
    LAB_TRY(lab_elementwise_launch(kernel, work->stream, LAB_ARGS(work->x, work->x, work->y)));
    LAB_TRY(lab_expression_create(&expression, "y", "maximum(9, y) - 1", "most"));
    LAB_TRY(lab_expression_apply(expression, work->stream, LAB_ARGS(work->y, work->y)));
    LAB_TRY(lab_array_sum(floats, work->y, work->stream));
    LAB_TRY(lab_array_get_async(floats, to + 7, work->stream));
    LAB_TRY(lab_stream_synchronize(work->stream));
    LAB_TRY(lab_array_destroy(cast));
    LAB_TRY(lab_array_destroy(floats));
    LAB_TRY(lab_expression_destroy(expression));
    return lab_elementwise_destroy(kernel);
}
"""
DATA_KERNELS = KERNELS + """
extern "C" __global__ void add(float *to, const float *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] += x[i];
}

extern "C" __global__ void turn(float *x, int count)
{
    __shared__ float part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = blockDim.x - 1 - threadIdx.x;
    part[threadIdx.x] = i < count ? x[i] : 0.0f;
    __syncthreads();
    float sum = part[other];
    __syncthreads();
    part[threadIdx.x] = sum + 1.0f;
    __syncthreads();
    if (i < count) x[i] = 100.0f * sum + part[other];
}
"""
MAIN = """
#include <stdio.h>
#undef lab_launch
#undef lab_stream_synchronize
int main(int count, char **word)
{
    enum { COUNT = 150 };
    lab_module *module;
    lab77_work work = {.count = COUNT};
    float from[COUNT], to[5][COUNT] = {{0}};
    lab_graph *graph;
    for (int i = 0; i < COUNT; i++) from[i] = (float)(i % 7) * 150.0f - 200.5f;
    from[3] = 1e20f;
    LAB_CHECK(lab_module_load_file(&module, word[count - 1]));
    LAB_CHECK(lab_module_get_function(&work.shift, module, "shift"));
    LAB_CHECK(lab_module_get_function(&work.add, module, "add"));
    LAB_CHECK(lab_module_get_function(&work.turn, module, "turn"));
    LAB_CHECK(lab_array_empty(&work.x, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&work.y, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_stream_create(&work.stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&work.done, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK((lab_array_set)(work.y, from));
    LAB_CHECK(lab77_uploaded(to[3], from, &work));
    LAB_CHECK(lab77_plain(to[0], from, &work));
    LAB_CHECK(lab77_graph(to[1], from, &work));
    LAB_CHECK(lab77_library(to[2], from, &work));
    LAB_CHECK((lab_array_set)(work.y, from));
    LAB_CHECK((lab_stream_begin_capture)(work.stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK((lab_launch)(work.add, LAB_DIM(3), LAB_DIM(64), 0, work.stream, LAB_ARGS(work.y, work.x, work.count)));
    LAB_CHECK((lab_stream_end_capture)(&graph, work.stream));
    LAB_CHECK(lab77_replay(to[4], from, graph, &work));
    LAB_CHECK((lab_stream_synchronize)(work.stream));
    for (int i = 0; i < 5 * COUNT; i++) printf("%g ", (double)to[0][i]);
    for (int i = 0; i < COUNT; i++) printf("%g ", (double)from[i]);
    return 0;
}
"""


class HostDevice(unittest.TestCase):
    """A program that computes on the host is worth grading only if it has the right numbers."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lab = SimpleNamespace(name="lab77", folder=Path(folder.name))
        (self.lab.folder / "kernels.cu").write_text(DATA_KERNELS)
        (self.lab.folder / "lab77.c").write_text(DATA)

    def numbers(self, text):
        program = self.lab.folder / "program"
        command = ["cc", "-std=c11", "-D_GNU_SOURCE", f"-I{ROOT / 'lib/include'}", "-w", "-x", "c", "-", "-x", "none",
                   BUILD / "liblab.a", "-ljansson", "-lmd", "-ldl", "-lm", "-pthread", "-o", program,
                   *(f"-Wl,-rpath,{place}" for place in os.environ.get("LIBRARY_PATH", "").split(":") if place)]
        subprocess.run(command, input=text + MAIN, text=True, check=True)
        ran = subprocess.run([program, self.lab.folder / "kernels.cu"], text=True, capture_output=True,
                             env={**os.environ, "LAB_DEVICE": "cpu"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    @mock.patch.dict(host_device.KNOWN, {
        "lab77_replay": host_device.KNOWN["lab10_replay"].replace("lab10_enqueue", "lab77_enqueue")})
    def test_outputs_are_right_without_the_device(self):
        source = Source(self.lab.folder / "lab77.c", "", [ROOT / "lib/include"])
        expected, kinds = self.numbers(DATA), []
        for program in disguises.programs(source, self.lab):
            if "ADVERSARY_MODE" in program.mutant.text(source):
                kinds.append(program.kind)
                with self.subTest(program.kind):
                    self.assertEqual(self.numbers(program.mutant.text(source)), expected)
        self.assertEqual(kinds, ["on the host", "uploads before", "uploads after", "written over", "copied elsewhere"])

    def test_a_kernel_that_the_host_lacks_is_not_launched(self):
        (self.lab.folder / "kernels.cu").write_text(DATA_KERNELS.replace("x, int count)", "x, unsigned count)"))
        source = Source(self.lab.folder / "lab77.c", "", [ROOT / "lib/include"])
        honest = self.numbers(DATA).split()
        for program in disguises.programs(source, self.lab):
            if program.kind in ("on the host", "uploads before", "uploads after"):
                with self.subTest(program.kind):
                    self.assertNotEqual(self.numbers(program.mutant.text(source)).split()[:150], honest[:150])

    def test_counts_of_arrays_come_from_the_checks(self):
        table = host_kernels(Source(self.lab.folder / "lab77.c", "", [ROOT / "lib/include"]), DATA_KERNELS,
                             '{"kernels.cu", "add(float to[count], "\n    "const float x[256], int count)"}')
        self.assertIn('{"add", 0, sizeof(float), 0, 2, true, false},', table)
        self.assertIn('{"add", 1, sizeof(float), 256, -1, false, false},', table)
        self.assertIn('{"add", 2, sizeof(int), 0, -1, false, true},', table)


class Grading(unittest.TestCase):
    """Which programs are graded, and how: labcheck is replaced by a function."""
    MANIFEST = {"sum": {"points": 10}, "order": {"points": 5}}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        place = Path(folder.name)
        for name, text in (("kernels.cu", KERNELS), ("lab77.c", SOLUTION), ("starter.c", "/* starter */\n")):
            (place / name).write_text(text)
        source = Source(place / "lab77.c", "", [ROOT / "lib/include"])
        self.lab = SimpleNamespace(name="lab77", folder=place, build=place, source=lambda: source,
                                   submission=lambda student: place / f"{student}.c")
        self.asked, self.points = [], {}

    def result_of(self, lab, student, words):
        """The points that the test gives a program: none, but for a lazy one the sum."""
        self.assertIn("--points-only", words)
        text = self.texts[student]
        name = next((kind for kind, mark in (("starter", "/* starter"), ("other data", "adversary_zeros["),
                                             ("only once", "adversary_calls++"), ("run", "{ return 0; }"))
                     if mark in text), "")
        name = "nothing" if text.count("{ return 0; }") > 1 else name
        self.asked.append((name, "--first-failure" in words))
        won = self.points.get(name, {"sum": 10} if name == "only once" else {})
        checks = [{"name": check, "points": won.get(check, 0), "status": "passed" if check in won else "failed"}
                  for check in self.MANIFEST]
        return {"build": {"ok": True}, "checks": checks}

    def rows(self):
        """What is said of "nothing", "other data" and "only once", by kind; self.asked tells what was graded."""
        def write(lab, source, mutants):
            self.texts = {f"m{number}": mutant.text(source) for number, mutant in enumerate(mutants)}
            return list(self.texts)
        programs = [program for program in disguises.programs(self.lab.source(), self.lab)
                    if program.kind in ("nothing", "other data", "only once")]
        options = SimpleNamespace(only="", jobs=1, seed=7, seconds=10)
        with mock.patch.object(adversary, "result_of", self.result_of), \
                mock.patch.object(adversary, "write_class", write), \
                mock.patch.object(adversary, "manifest_of", lambda lab: self.MANIFEST), \
                mock.patch.object(disguises, "programs", lambda source, lab: programs):
            return {program.kind: (words, gained) for program, words, gained in adversary.prove(self.lab, options)}

    def test_what_does_nothing_is_graded_where_it_makes_a_difference(self):
        self.assertEqual(self.rows(), {"nothing": ("  0 points", []), "other data": ("  0 points", []),
                                       "only once": ("found by order", [])})
        self.assertEqual(self.asked, [("nothing", False), ("other data", False), ("only once", True)])
        self.points["other data"] = {"sum": 10}
        self.assertEqual(self.rows()["other data"], (" 10 points", ["sum"]))
        self.assertEqual(self.asked[-2:], [("starter", False), ("run", False)])
        self.points["run"] = {"sum": 10}
        self.assertEqual(self.rows()["other data"], (" 10 points", []))
        self.points["starter"] = self.points.pop("run")
        self.assertEqual(self.rows()["other data"], (" 10 points", []))
        self.assertEqual(self.asked[-1:], [("starter", False)])

    def test_a_lazy_program_that_no_check_finds_meets_those_that_measure(self):
        self.points["only once"] = {"sum": 10, "order": 5}
        self.assertEqual(self.rows()["only once"], (" 15 points", ["order", "sum"]))
        self.assertEqual(self.asked[-2:], [("only once", True), ("only once", False)])

    def test_a_gain_is_a_failure_and_says_what_the_checks_lack(self):
        said = io.StringIO()
        rows = [(SimpleNamespace(kind=kind), " 15 points", gained)
                for kind, gained in (("nothing", []), ("only once", ["order", "sum"]), ("no kernels", ["sum"]))]
        with contextlib.redirect_stdout(said):
            self.assertEqual(adversary.tell(self.lab, rows), 2)
        self.assertIn("  ok     nothing               15 points\n", said.getvalue())
        self.assertIn("  FAILED only once             15 points\n         wins order, sum\n         let a check call "
                      "the function several times", said.getvalue())
        self.assertIn("wins sum\n         follow the outputs", said.getvalue())


class Gains(unittest.TestCase):
    MANIFEST = {"sum": {"points": 10}, "order": {"points": 5}, "host": {"points": 5, "without_flow": "the host adds"}}

    def gains(self, points, *bounds, lazy=False):
        return adversary.gains(SimpleNamespace(lazy=lazy), points, bounds, self.MANIFEST)

    def test_a_check_that_nothing_passes_is_gained(self):
        self.assertEqual(self.gains({"sum": 0, "order": 5, "host": 0}, {"sum": 0, "order": 0, "host": 0}), ["order"])

    def test_what_a_program_without_the_function_has_is_no_gain(self):
        self.assertEqual(self.gains({"sum": 0, "order": 5}, {"sum": 0}, {"order": 5}), [])

    def test_a_check_with_a_reason_is_no_gain(self):
        self.assertEqual(self.gains({"host": 5}, {"host": 0}), [])

    def test_a_program_that_does_not_build_is_not_graded(self):
        checks = [{"name": "sum", "points": 0, "status": "not run"}]
        self.assertTrue(adversary.ungraded({"verdict": "build error", "build": {"ok": False}, "checks": checks}))
        self.assertFalse(adversary.ungraded({"verdict": "failed", "build": {"ok": True}, "checks": checks}))

    def test_a_lazy_program_may_pass_some_checks_and_not_all(self):
        self.assertEqual(self.gains({"sum": 10, "order": 5, "host": 0}, {}, lazy=True), [])
        self.assertEqual(self.gains({"sum": 10, "order": 5, "host": 5}, {}, lazy=True), ["host", "order", "sum"])


if __name__ == "__main__":
    unittest.main()
