"""A debugger in the kernels of a program that was compiled with labcc -g -G.

Run with: python3 -B lib/tests/gdb_test.py
"""
from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()

# Lines are counted by the tests: the first is 1.
PROGRAM = """struct factors { int whole; float part; };
__device__ int twice(int x)
{
    int y = x * 2;
    return y;
}
__global__ void mirror(float *data, factors by)
{
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i;
    __syncthreads();
    float other = tile[31 - threadIdx.x];
    data[i] = other * by.part + twice(i);
}
__global__ void fill(float *data)
{
    int i = threadIdx.x + blockDim.x * threadIdx.y;
    data[i] = i;
}
int main()
{
    float *data;
    cudaMalloc(&data, 64 * sizeof(float));
    fill<<<1, dim3(16, 4)>>>(data);
    mirror<<<2, 32>>>(data, factors{1, 2.5f});
    return cudaDeviceSynchronize();
}
"""


class StopsInKernels(unittest.TestCase):
    place: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.place = Path(folder.name)
        (cls.place / "program.cu").write_text(PROGRAM)
        subprocess.run([BUILD / "bin/labcc", "-g", "-G", "-o", "program", "program.cu"], cwd=cls.place, check=True)

    def debug(self, *commands: str, program: str = "./program") -> str:
        """What gdb and the program print."""
        words = ["gdb", "-nx", "-batch", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off"]
        for command in ("set width 0", "set breakpoint pending on", *commands):
            words += ["-ex", command]
        return subprocess.run([*words, program], cwd=self.place, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
                              env={**os.environ, "LAB_DEVICE": "cpu"}).stdout

    def test_a_line_of_a_kernel_stops_the_thread_of_a_condition(self) -> None:
        """The kernel has a barrier: its threads have stacks of their own."""
        told = self.debug("break program.cu:14 -force-condition if blockIdx.x == 1 && threadIdx.x == 5", "run",
                          "print threadIdx", "print blockIdx", "print blockDim", "print gridDim", "print other",
                          "print tile[7]", "print by", "print i + 0 * data[i]")
        self.assertRegex(told, r"hit Breakpoint 1.*, mirror \(data=0x[0-9a-f]+, by=\.\.\.\) at program\.cu:14\n14\t")
        for value in ("$1 = {x = 5, y = 0, z = 0}", "$2 = {x = 1, y = 0, z = 0}", "$3 = {x = 32, y = 1, z = 1}",
                      "$4 = {x = 2, y = 1, z = 1}", "$5 = 58", "$6 = 39", "$7 = {whole = 1, part = 2.5}", "$8 = 37"):
            self.assertIn(value + "\n", told)

    def test_a_kernel_without_a_barrier_stops_by_its_name_for_each_thread(self) -> None:
        told = self.debug("break fill", "run", "print threadIdx", "continue", "print threadIdx")
        self.assertRegex(told, r"hit Breakpoint 1.*, fill \(data=0x[0-9a-f]+\) at program\.cu:18\n18\t")
        self.assertIn("$1 = {x = 0, y = 0, z = 0}\n", told)
        self.assertIn("$2 = {x = 1, y = 0, z = 0}\n", told)

    def test_a_device_function_has_its_kernel_above_it(self) -> None:
        told = self.debug("break twice -force-condition if x == 37", "run", "next", "print y", "backtrace 2")
        self.assertIn("$1 = 74\n", told)
        self.assertRegex(told, r"#0  twice \(x=37\) at program\.cu:5\n#1 .* mirror \(.*\) at program\.cu:14\n")

    def test_a_function_of_another_file_stops_too(self) -> None:
        (self.place / "halve.cu").write_text("__device__ float halve(float x)\n{\n    return x / 2;\n}\n")
        (self.place / "main.cu").write_text(
            "extern __device__ float halve(float);\n"
            "__global__ void change(float *x) { x[threadIdx.x] = halve(8 + threadIdx.x); }\n"
            "int main()\n{\n    float *x;\n    cudaMalloc(&x, 16);\n    change<<<1, 4>>>(x);\n"
            "    return cudaDeviceSynchronize();\n}\n")
        subprocess.run([BUILD / "bin/labcc", "-g", "-G", "-rdc=true", "-o", "linked", "main.cu", "halve.cu"],
                       cwd=self.place, check=True)
        told = self.debug("break halve.cu:3 -force-condition if threadIdx.x == 2", "run", "backtrace 2",
                          "print threadIdx", "print blockDim", "up", "print threadIdx", program="./linked")
        self.assertRegex(told, r"#0  halve \(x=10\) at halve\.cu:3\n#1 .* change \(.*\) at main\.cu:2\n")
        for value in ("$1 = {x = 2, y = 0, z = 0}", "$2 = {x = 4, y = 1, z = 1}", "$3 = {x = 2, y = 0, z = 0}"):
            self.assertIn(value + "\n", told)

    def test_the_program_runs_and_is_checked_as_others_are(self) -> None:
        for settings in ({}, {"LAB_RACECHECK": "1"}, {"LAB_MEMCHECK": "1"}, {"LAB_SCHEDULE": "adversarial:1"}):
            with self.subTest(**settings):
                done = subprocess.run(["./program"], cwd=self.place, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, env={**os.environ, **settings, "LAB_DEVICE": "cpu"},
                                      check=False)
                self.assertEqual((done.returncode, done.stdout), (0, b""))


if __name__ == "__main__":
    unittest.main()
