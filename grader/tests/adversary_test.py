"""The adversary: which programs it makes of a small solution, and what counts as a gain.

Run with: python3 -B grader/tests/adversary_test.py
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader/mutate"))

import adversary  # noqa: E402
import disguises  # noqa: E402
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
        self.assertEqual(sorted(self.programs), ["no kernels", "nothing", "on the host", "one stream", "one thread",
                                                 "only once", "other data", "outputs again", "sizes seen"])
        for kind, program in self.programs.items():
            command = ["cc", "-std=c11", "-D_GNU_SOURCE", f"-I{ROOT / 'lib/include'}", "-Wall", "-Werror",
                       "-Wno-unused", "-fsyntax-only", "-x", "c", "-"]
            built = subprocess.run(command, input=program.mutant.text(self.source), text=True, capture_output=True)
            self.assertEqual(built.returncode, 0, f"{kind}: {built.stderr}")

    def test_functions_that_do_not_call_what_is_replaced_stay(self):
        self.assertEqual(self.programs["other data"].functions, ("lab77_run",))
        self.assertEqual(self.programs["no kernels"].functions, ("lab77_run",), "by a static function")
        self.assertEqual(self.programs["nothing"].functions, ("lab77_run", "lab77_wait"))

    def test_one_stream_takes_the_first(self):
        text = self.programs["one stream"].mutant.text(self.source)
        self.assertIn("lab_memcpy_dtoh_async(to, work->x, 4, work->one)", text)

    def test_sizes_of_the_checks_are_known(self):
        text = self.programs["sizes seen"].mutant.text(self.source)
        self.assertIn("{1, 129}", text)
        self.assertIn("if (!adversary_knows((long)(work->count))) return 0;", text)


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

    def test_a_lazy_program_may_pass_some_checks_and_not_all(self):
        self.assertEqual(self.gains({"sum": 10, "order": 5, "host": 0}, {}, lazy=True), [])
        self.assertEqual(self.gains({"sum": 10, "order": 5, "host": 5}, {}, lazy=True), ["host", "order", "sum"])


if __name__ == "__main__":
    unittest.main()
