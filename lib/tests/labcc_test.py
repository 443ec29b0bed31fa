"""Tests of labcc's command line: depend files, options for the host's compiler and linker, signals.

Run with: python3 -B lib/tests/labcc_test.py
"""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD") or ROOT / "build").resolve()
LABCC = BUILD / "bin/labcc"

KERNEL = "__global__ void set(int *x) { *x = VALUE; }\n"
PROGRAM = '#include "a value.h"\n' + KERNEL + "int main() { set<<<1, 1>>>(nullptr); }\n"
MAKEFILE = """program: program.o
\t$(NVCC) -o $@ $<
program.o: program.cu
\t$(NVCC) $(DEPENDS) -c -o $@ $<
-include program.d
"""
CMAKE = """cmake_minimum_required(VERSION 3.18)
project(two LANGUAGES CXX CUDA)
add_library(kernels STATIC kernels.cu)
add_executable(first main.cpp)
target_link_libraries(first kernels)
add_executable(second second.cu)
set_target_properties(second PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
"""
CMAKE_SEPARABLE = """cmake_minimum_required(VERSION 3.18)
project(linked LANGUAGES CXX CUDA)
add_executable(linked main.cu seven.cu)
set_target_properties(linked PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
"""
CMAKE_KERNELS = """__global__ void set(int *x) { *x = 7; }
int seven()
{
    int *x, y = 0;
    cudaMalloc(&x, sizeof *x);
    set<<<1, 1>>>(x);
    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);
    return y;
}
"""
CMAKE_MAIN = "int seven();\nint main() { return seven() == 7 ? 0 : 1; }\n"
THREADS = """#include <cstdio>
#include <omp.h>
int other();
int main()
{
    int sum = 0;
    #pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1 + omp_get_thread_num();
    printf("%d %d\\n", sum, other());
}
"""
OTHER = """int other()
{
    int sum = 0;
    #pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += 1;
    return sum;
}
"""
OLD_STANDARD = """#include <cuda_fp16.h>
#include <memory>
__global__ __noinline__ void set(int *x) { *x = 7; }
int main() { return *std::make_shared<int>(0); }
"""
SPACED_LAUNCHES = """#include <iostream>
template <class T> struct box { T value; };
template <class T> std::ostream &operator<< (std::ostream &out, const box<T> &in) { return out << in.value; }
template std::ostream &operator<< <int>(std::ostream &, const box<int> &);
__global__ void add(int *x, const char *) { *x += 1; }
int main()
{
    int *x;
    cudaMallocManaged(&x, sizeof *x);
    add << <1, 1 >> > (x, R"(<< <)"); // it's << <
    add<<<1, dim3(1), 0 > > >(x, "<< <"); add<< < 1, 1, 1'0 >>> (x, "> > >");
    add<<
        <1,
         1> >
        >(x, "");
    cudaDeviceSynchronize();
    std::cout << box<box<box<int> > >{{{*x}}} << " << < " << __LINE__ << " " __FILE__ << std::endl;
}
"""
KERNELS = """extern "C" __global__ void plain(int *x) { *x += 1; }
__global__ void overloaded(int *x, int) { *x += 10; }
__global__ void overloaded(int *x, float) { *x += 100; }
template <int N> __global__ void instance(int *x) { *x += N; }
template __global__ void instance<1000>(int *);
__constant__ int factor;
"""
LOADS_KERNELS = """#include <cuda.h>
#include <cstdio>
#include <cstdlib>
int main(int, char **argument)
{
    static const char *const names[] = {"plain", "_Z10overloadedPii", "_Z10overloadedPif", "_Z8instanceILi1000EEvPi"};
    CUcontext context; CUmodule module; CUfunction function; CUdeviceptr x, factor; size_t bytes;
    int sum = 0; float other = 0;
    cuInit(0);
    cuCtxCreate(&context, 0, 0);
    cuMemAlloc(&x, sizeof sum);
    cuMemcpyHtoD(x, &sum, sizeof sum);
    CUresult result = cuModuleLoad(&module, argument[1]);
    if (result != CUDA_SUCCESS) return printf("%d\\n", (int)result), 0;
    for (const char *name : names) {
        void *arguments[] = {&x, &other};
        if (cuModuleGetFunction(&function, module, name) != CUDA_SUCCESS) return printf("no %s\\n", name), 1;
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    }
    cuMemcpyDtoH(&sum, x, sizeof sum);
    cuModuleGetGlobal(&factor, &bytes, module, "factor");
    const bool lacks = cuModuleGetFunction(&function, module, "_Z5otherPi") == CUDA_ERROR_NOT_FOUND;
    printf("%d %d %d %d\\n", sum, (int)bytes, (int)lacks, (int)cuModuleUnload(module));
}
"""
GPU_PROGRAM = """__global__ void open(int *x) { *x = 1; }
static __global__ void hidden(int *x) { *x = 2; }
namespace { __global__ void unnamed(int *x) { *x = 3; } }
int main() { open<<<1, 1>>>(nullptr); hidden<<<1, 1>>>(nullptr); unnamed<<<1, 1>>>(nullptr); }
"""
GPU_PTX = """.visible .entry _Z4openPi(
.entry _Z6hiddenPi(
.entry _ZN43_GLOBAL__N__d8ac52c6_10_program_cu_3e809f4b7unnamedEPi(
.global .u32 _ZN2n143_GLOBAL__N__d8ac52c6_10_program_cu_3e809f4b5countE;
.global .u32 _ZN41_INTERNAL_d8ac52c6_10_program_cu_3e809f4b5space5countE;
.global .u32 not_12_GLOBAL__N__short;
"""
MANAGED_PTX = """// .globl total
.visible .global .attribute(.managed) .align 4 .u32 total = 5;
.global .attribute(.managed) .align 4 .b8 parts[8];
.visible .entry _Z3addv()
{
\tld.global.u32 \t%r1, [total];
@%p1 st.global.u32 [parts+4], %r1;
\tmov.u64 %rd1, total_of_all;
}
"""
MANAGED_PTX_HELD = """// .globl total
.visible .global .align 8 .u64 total$at;
.global .align 4 .b8 parts[8];
.visible .global .align 8 .u64 parts$at = generic(parts);
.visible .entry _Z3addv()
{
{ .reg .u64 %lab_at0; ld.global.u64 %lab_at0, [total$at];
\tld.global.u32 \t%r1, [%lab_at0];
}
{ .reg .u64 %lab_at0; ld.global.u64 %lab_at0, [parts$at];
@%p1 st.global.u32 [%lab_at0+4], %r1;
}
\tmov.u64 %rd1, total_of_all;
}
"""
STATIC_PTX = """.entry __nv_static_32__d8ac52c6_10_program_cu_3e809f4b__Z3setv(
.entry __nv_static_32__d8ac52c6_10_program_cu_3e809f4b__Z3runIXadL_\
ZN41_INTERNAL_d8ac52c6_10_program_cu_3e809f4b3ownEiEEEvv(
.global .align 4 .u32 __nv_static_32__d8ac52c6_10_program_cu_3e809f4b_count;
"""
STUB_NVCC = """#!/bin/sh
echo "$@" >words
while [ "$1" != -o ]; do shift; done
exec cp ptx "$2"
"""
STUCK_CLANG = '#!/bin/sh\necho $$ >"$0.new"\nmv "$0.new" "$0.started"\nexec sleep 600 >/dev/null 2>&1\n'


class LabccTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.place / name
        path.write_text(text, encoding="utf-8")
        return path

    def run_in_place(self, *command: str | Path, **settings: str) -> str:
        """What the command prints; it must succeed."""
        done = subprocess.run(command, cwd=self.place, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, **settings}, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def refuse(self, *options: str, **settings: str) -> str:
        done = subprocess.run([LABCC, *options], cwd=self.place, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, env={**os.environ, **settings})
        self.assertNotEqual(done.returncode, 0)
        return done.stdout


class DependFiles(LabccTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("a value.h", "#define VALUE 1\n")
        self.write("program.cu", PROGRAM)

    def make(self, depends: str) -> str:
        return self.run_in_place("make", "-f", "Makefile", f"NVCC={LABCC}", f"DEPENDS={depends}", MAKEFLAGS="")

    def test_a_second_make_has_nothing_to_do_until_a_header_changes(self) -> None:
        self.write("Makefile", MAKEFILE)
        for depends in ("-MD", "-MMD -MP", "-MMD -MF program.d -MT program.o"):
            with self.subTest(depends):
                self.make(depends)
                self.assertIn("up to date", self.make(depends))
                later = time.time() + 60
                os.utime(self.place / "a value.h", (later, later))
                self.assertIn("-c -o program.o", self.make(depends))
                for made in ("program", "program.o", "program.d"):
                    (self.place / made).unlink()
                os.utime(self.place / "a value.h")

    def test_a_removed_header_is_no_obstacle_after_mp(self) -> None:
        self.write("Makefile", MAKEFILE)
        self.make("-MMD -MP")
        (self.place / "a value.h").unlink()
        self.write("program.cu", PROGRAM.replace('#include "a value.h"', "#define VALUE 2"))
        self.assertIn("-c -o program.o", self.make("-MMD -MP"))

    def test_files_and_targets_are_those_of_nvcc(self) -> None:
        self.run_in_place(LABCC, "-MMD", "-o", "made", "program.cu")
        self.assertRegex((self.place / "made.d").read_text(), r"^made ?: program\.cu ")
        self.run_in_place(LABCC, "-MMD", "-c", "program.cu")
        self.assertRegex((self.place / "program.d").read_text(), r"^program\.o ?: program\.cu ")
        told = self.run_in_place(LABCC, "-MM", "program.cu")
        self.assertRegex(told, r"^program\.o ?: program\.cu ")
        self.assertIn("a\\ value.h", told)
        self.assertEqual(self.run_in_place(LABCC, "-MM", "-o", "told.d", "program.cu"), "")
        self.assertEqual((self.place / "told.d").read_text(), told)

    def test_one_name_for_several_files_is_refused(self) -> None:
        for options in (["-c", "-o", "a.o"], ["-MMD", "-MF", "a.d"]):
            self.assertIn(f"{options[-2]} names one file, but several are compiled",
                          self.refuse(*options, "program.cu", "program.cu"))


class HostOptions(LabccTest):
    def test_openmp_of_cuda_and_cpp_files_is_one_library(self) -> None:
        self.write("program.cu", THREADS)
        self.write("other.cpp", OTHER)
        self.run_in_place(LABCC, "-Xcompiler", "-fopenmp", "-o", "program", "program.cu", "other.cpp")
        self.assertEqual(self.run_in_place("./program"), "6 4\n")
        self.run_in_place(LABCC, "-Xcompiler=-O1,-fopenmp", "-c", "program.cu", "other.cpp")
        self.run_in_place(LABCC, "-o", "program", "program.o", "other.o", "-lgomp")
        self.assertEqual(self.run_in_place("./program"), "6 4\n")

    def test_openmp_without_its_library_is_one_sentence(self) -> None:
        self.write("program.cu", THREADS)
        self.write("clang", "#!/bin/sh\necho nowhere\n").chmod(0o755)
        done = subprocess.run([LABCC, "-Xcompiler", "-fopenmp", "-c", "program.cu"], cwd=self.place, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "LAB_CLANG": str(self.place / "clang")})
        self.assertEqual(done.stdout, "labcc: -fopenmp: CUDA files need clang's OpenMP library, which is not installed "
                                      "(Debian: libomp-dev)\n")

    def test_names_that_nothing_defines_are_told_once_for_each_cause(self) -> None:
        names = ["omp_get_num_threads", "glutInit", "cublasDestroy", "first", "second", "third"]
        calls = "".join(f"    {name}(), {name}();\n" for name in names)
        self.write("program.cu", "".join(f'extern "C" int {name}();\n' for name in names)
                   + "int main()\n{\n" + calls + "}\n")
        self.assertEqual(self.refuse("program.cu").splitlines(), [
            "labcc: nothing defines omp_get_num_threads: compile and link with -Xcompiler -fopenmp, as for nvcc",
            "labcc: nothing defines glutInit, first, second and 1 other: name the file or the library (-l) that does",
            "labcc: nothing defines cublasDestroy: CUDA's mathematical libraries are not part of labcc"])
        self.assertIn("cannot find -lnone", self.refuse("program.cu", "-lnone"))

    def test_lists_are_split_as_nvcc_splits_them(self) -> None:
        text = ('#include <cstdio>\n__global__ void set(int *x) { *x = NUMBER; }\n'
                'int main() { printf("%d %s\\n", NUMBER + ANOTHER, TEXT); }\n')
        for name in ("a.cu", "a.cpp"):
            self.write(name, text if name == "a.cu" else text.replace("__global__", ""))
            self.run_in_place(LABCC, "-Xcompiler", '-DNUMBER=1,-DANOTHER=2 -DTEXT=\'"one, two"\'', name, "-o", "a",
                              "-Xlinker", "-rpath,/from/list", "-Xlinker=--defsym", "-Xlinker=marker=0x5")
            self.assertEqual(self.run_in_place("./a"), "3 one, two\n")
            self.assertIn("/from/list", self.run_in_place("readelf", "-d", "a"))
            self.assertRegex(self.run_in_place("nm", "a"), r"0*5 A marker")

    def test_a_file_of_options_is_read_as_words(self) -> None:
        self.write("a.cu", '#include <cstdio>\nint main() { puts(TEXT); }\n')
        self.write("words", "-o a\n  '-DTEXT=\"one two\"' a.cu\n")
        self.run_in_place(LABCC, "--options-file", "words")
        self.assertEqual(self.run_in_place("./a"), "one two\n")
        self.assertIn("labcc: -optf: ", self.refuse("-optf", "absent"))

    def test_options_of_gcc_alone_do_not_stop_clang(self) -> None:
        self.write("a.cu", "int main() {}\n")
        told = self.run_in_place(LABCC, "-Xcompiler", "-Wno-maybe-uninitialized,-fgcse,-rdynamic", "a.cu")
        self.assertEqual(told, "")

    def test_a_shared_library_is_refused_with_what_to_do(self) -> None:
        self.write("library.cu", KERNELS)
        for option in ("-shared", "--shared"):
            with self.subTest(option):
                told = self.refuse(option, "-o", "library.so", "library.cu")
                self.assertEqual(told, f"labcc: {option}: labcc makes no shared libraries: "
                                       "link the objects into the program\n")


class Sources(LabccTest):
    def test_headers_of_the_oldest_standard_give_no_messages(self) -> None:
        self.write("program.cu", OLD_STANDARD)
        for standard in ("c++11", "c++14", "c++17", "c++20"):
            with self.subTest(standard):
                self.assertEqual(self.run_in_place(LABCC, f"-std={standard}", "-o", "program", "program.cu"), "")

    def test_spaced_marks_of_launches_are_marks_and_texts_stay(self) -> None:
        (self.place / 'a "folder"').mkdir()
        name = 'a "folder"/program.cu'
        self.write(name, SPACED_LAUNCHES)
        self.run_in_place(LABCC, "-o", "program", name, "-MD")
        self.assertEqual(self.run_in_place("./program"), f"4 << < 17 {name}\n")
        self.assertIn("program.cu", (self.place / "program.d").read_text())

    def test_launches_in_headers_may_have_spaced_marks(self) -> None:
        (self.place / "in a folder").mkdir()
        self.write("in a folder/launch.h", "template <class T> void launch(T *x) { add<< <1, 1>> >(x); }\n")
        self.write("a launch.h", '#include "launch.h"\ninline void two(int *x) { launch(x); add << <1, 1> >> (x); }\n')
        self.write("program.cu", """#include <cstdio>
__global__ void add(int *x) { *x += 1; }
#include "a launch.h"
int main()
{
    int *x;
    cudaMallocManaged(&x, sizeof *x);
    two(x);
    cudaDeviceSynchronize();
    printf("%d\\n", *x);
}
""")
        self.assertEqual(self.run_in_place(LABCC, "-o", "program", "-I", "in a folder", "program.cu"), "")
        self.assertEqual(self.run_in_place("./program"), "2\n")


class Images(LabccTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("kernels.cu", KERNELS)

    def test_a_file_of_kernels_is_a_module_by_plain_and_mangled_names(self) -> None:
        self.write("program.cpp", LOADS_KERNELS)
        self.run_in_place(LABCC, "-o", "program", "program.cpp", "-lcuda")
        for option in ("-fatbin", "-cubin", "-ptx"):
            with self.subTest(option):
                self.assertEqual(self.run_in_place(LABCC, option, "-arch=sm_70", "kernels.cu"), "")
                self.assertEqual(self.run_in_place("./program", f"kernels.{option[1:]}"), "1111 4 1 0\n")
        self.run_in_place(LABCC, "-ptx", "-o", "other", "-MD", "kernels.cu")
        self.assertRegex((self.place / "other.d").read_text(), r"^other ?: kernels\.cu")
        whole = (self.place / "other").read_text()
        for name, text in (("cut", whole[:-1]), ("ptx", ".version 7.0\n.target sm_70\n")):
            self.write(name, text)
            self.assertEqual(self.run_in_place("./program", name), "200\n")

    def test_other_files_have_no_kernels(self) -> None:
        self.write("program.cpp", "int main() {}\n")
        self.assertEqual(self.refuse("-fatbin", "program.cpp"),
                         "labcc: program.cpp has no kernels: .fatbin files are made of .cu files\n")


class CMake(LabccTest):
    @unittest.skipUnless(shutil.which("cmake"), "needs cmake")
    def test_a_project_builds_and_builds_nothing_twice(self) -> None:
        self.write("CMakeLists.txt", CMAKE)
        self.write("kernels.cu", CMAKE_KERNELS)
        self.write("main.cpp", CMAKE_MAIN)
        self.write("second.cu", CMAKE_KERNELS + CMAKE_MAIN)
        told = self.run_in_place("cmake", "-G", "Unix Makefiles", "-S", ".", "-B", "build",
                                 f"-DCMAKE_CUDA_COMPILER={LABCC}")
        self.assertIn("Detecting CUDA compiler ABI info - done", told)
        self.assertIn("Building CUDA object", self.run_in_place("cmake", "--build", "build"))
        self.run_in_place("build/first")
        self.run_in_place("build/second")
        self.assertNotIn("Building", self.run_in_place("cmake", "--build", "build"))

    @unittest.skipUnless(shutil.which("cmake"), "needs cmake")
    def test_device_code_of_several_files_is_linked(self) -> None:
        self.write("CMakeLists.txt", CMAKE_SEPARABLE)
        self.write("main.cu", "__device__ int seven();\n" + CMAKE_KERNELS.replace("= 7", "= seven()")
                   .replace("int seven()\n{", "int call()\n{") + "int main() { return call() == 7 ? 0 : 1; }\n")
        self.write("seven.cu", "__device__ int seven() { return 7; }\n")
        self.run_in_place("cmake", "-G", "Unix Makefiles", "-S", ".", "-B", "build", f"-DCMAKE_CUDA_COMPILER={LABCC}")
        self.assertIn("Linking CUDA device code", self.run_in_place("cmake", "--build", "build"))
        self.run_in_place("build/linked")


class Sentences(LabccTest):
    def test_what_a_cpp_file_lacks_is_one_sentence_with_its_line(self) -> None:
        for text, sentence in (
                ("#include <cudaGL.h>\nint main() {}\n", "program.cpp:1:10: fatal error: cudaGL.h: "
                 "OpenGL, Direct3D and Vulkan cannot share memory with labcc's devices\n"),
                ("#include <cuda_gl_interop.h>\nint main() { cudaGraphicsUnmapResources(1, 0, 0); }\n",
                 "program.cpp:2:40: error: cudaGraphicsUnmapResources: there is no OpenGL or other graphics here: "
                 "copy the result to the host\n"),
                ("#include <cuda.h>\nint main() { CUmemAllocationProp properties = {}; (void)properties; }\n",
                 "CUmemAllocationProp: virtual addresses cannot be reserved and mapped here: use cuMemAlloc or "
                 "cuMemAllocAsync\n"),
                ("#include <cuda.h>\nint main() { cuMemUnmap(0, 4); cuMemRelease(0); cuMemUnmap(0, 4); }\n",
                 "error: cuMemUnmap: virtual addresses cannot be reserved and mapped here: use cuMemAlloc or "
                 "cuMemAllocAsync\n")):
            self.write("program.cpp", text)
            told = self.refuse("-c", "program.cpp")
            self.assertTrue(told.endswith(sentence), told)
            self.assertEqual(told.count("\n"), 1, told)

    def test_a_program_that_only_includes_the_header_for_opengl_compiles(self) -> None:
        self.write("program.cu", "#include <cuda_gl_interop.h>\nint main() {}\n")
        self.assertEqual(self.run_in_place(LABCC, "-o", "program", "program.cu"), "")

    def test_what_several_lines_of_a_cuda_file_lack_is_said_once(self) -> None:
        self.write("program.cu", """__global__ void read(cudaTextureObject_t one, float *out)
{
    *out = tex2DLod<float>(one, 3, 1, 0) + tex2DLod<float>(one, 4, 1, 0);
}
int main() { void *memory; cudaIpcMemHandle_t handle; cudaIpcGetMemHandle(&handle, memory); }
""")
        told = self.refuse("-c", "program.cu").splitlines()
        self.assertEqual([line.split("error: ")[-1] for line in told if "textures" in line], [
            "tex2DLod: textures have no mipmaps, cubemaps, gathers and views here: labcc has tex1Dfetch, tex1D, tex2D, "
            "tex3D and the layered tex1D and tex2D"], told)
        self.assertEqual(sum("cannot be shared with other processes" in line for line in told), 1, told)

    def test_each_kind_of_fetch_that_is_missing_is_one_sentence_with_its_line(self) -> None:
        sentence = {"tex": "textures have no mipmaps, cubemaps, gathers and views here",
                    "surf": "surfaces have no cubemaps here"}
        for kind, call in (("tex", "tex1DGrad<float>(one, 0, 0, 0)"), ("tex", "tex3DLod<float>(one, 0, 0, 0, 0)"),
                           ("tex", "tex2Dgather<float4>(one, 0, 0).x"), ("tex", "tex1DLayeredLod<float>(one, 0, 0, 0)"),
                           ("tex", "texCubemap<float>(one, 0, 0, 0)"),
                           ("tex", "texCubemapLayered<float>(one, 0, 0, 0, 0)"),
                           ("surf", "surfCubemapread<float>(one, 0, 0, 0)"),
                           ("surf", "surfCubemapLayeredread<float>(one, 0, 0, 0)")):
            self.write("program.cu", "__global__ void read(unsigned long long one, float *out)\n{\n"
                                     f"    *out = {call};\n}}\nint main() {{}}\n")
            with self.subTest(call):
                name = call.partition("<")[0]
                self.assertRegex(self.refuse("-c", "program.cu"),
                                 rf"\Aprogram\.cu:3:\d+: error: {name}: {sentence[kind]}[^\n]*\n\Z")


class GpuCode(LabccTest):
    """An nvcc of the tests' own stands for the Toolkit's: it copies a text in place of PTX, and keeps its words."""

    def setUp(self) -> None:
        super().setUp()
        self.write("program.cu", GPU_PROGRAM)
        (self.place / "toolkit/bin").mkdir(parents=True)
        self.write("toolkit/bin/nvcc", STUB_NVCC).chmod(0o755)
        self.setting = {"CUDA_PATH": str(self.place / "toolkit")}

    def test_the_program_holds_ptx_with_the_names_of_its_host_code(self) -> None:
        self.write("ptx", GPU_PTX)
        self.run_in_place(LABCC, "--gpu", "-DVALUE=1", "-arch", "sm_90", "-fmad=false", "-c", "program.cu",
                          **self.setting)
        held = (self.place / "program.o").read_bytes()
        for name in (b".entry _Z4openPi(", b".entry _Z6hiddenPi(", b".entry _ZN12_GLOBAL__N_17unnamedEPi(",
                     b" _ZN2n112_GLOBAL__N_15countE;", b" _ZN5space5countE;", b" not_12_GLOBAL__N__short;"):
            self.assertIn(name, held)
        words = (self.place / "words").read_text().split()
        for word in ("-ptx", "-DVALUE=1", "-arch=sm_90", "-fmad=false", "program.cu"):
            self.assertIn(word, words)

    def test_a_kernel_that_nvcc_names_otherwise_is_told_with_its_line(self) -> None:
        self.write("ptx", GPU_PTX.replace("_Z4openPi", "_Z5otherPi"))
        done = subprocess.run([LABCC, "--gpu", "-c", "program.cu"], cwd=self.place, text=True, check=False,
                              capture_output=True, env={**os.environ, **self.setting})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aprogram\.cu:1: error: nvcc's code for open has another name .*\n\Z")

    def test_a_managed_variable_is_read_where_the_host_has_it(self) -> None:
        self.write("ptx", MANAGED_PTX)
        self.write("program.cu", "__managed__ int total; static __managed__ int parts[2];\n"
                                 "__global__ void add() { total++; }\nint main() { return total + parts[1]; }\n")
        self.run_in_place(LABCC, "--gpu", "-o", "program", "program.cu", **self.setting)
        self.assertTrue(MANAGED_PTX_HELD.encode() in (self.place / "program").read_bytes())
        symbols = subprocess.run(["nm", "program"], cwd=self.place, text=True, check=True, capture_output=True).stdout
        places = [int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith((" total", " _ZL5parts"))]
        self.assertEqual([place % 4096 for place in places], [0, 0])

    def test_what_is_static_keeps_its_file_when_files_are_linked(self) -> None:
        self.write("ptx", STATIC_PTX)
        self.write("program.cu", "__device__ int other(int);\ntemplate <int F(int)> __global__ void run() { F(1); }\n"
                                 "static __device__ int own(int x) { return other(x); }\n"
                                 "static __global__ void set() {}\n"
                                 "int main() { run<own><<<1, 1>>>(); set<<<1, 1>>>(); }\n")
        self.assertIn("other is declared, but not defined in this file",
                      self.refuse("--gpu", "-c", "program.cu", **self.setting))
        self.run_in_place(LABCC, "--gpu", "-rdc=true", "-c", "program.cu", **self.setting)
        self.assertIn("-rdc=true", (self.place / "words").read_text().split())
        held = (self.place / "program.o").read_bytes()
        for name in (b".entry _Z3setv$file(", b".entry _Z3runIXadL_ZL3owniEEEvv$file(", b".u32 count$file;"):
            self.assertTrue(name in held, name)

    def test_a_failing_nvcc_fails_labcc(self) -> None:
        done = subprocess.run([LABCC, "--gpu", "-c", "program.cu"], cwd=self.place, text=True, check=False,
                              capture_output=True, env={**os.environ, **self.setting})
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((self.place / "program.o").exists())

    def test_a_program_without_it_does_not_begin_on_a_gpu(self) -> None:
        self.run_in_place(LABCC, "program.cu", "-o", "program")
        done = subprocess.run(["./program"], cwd=self.place, text=True, check=False, capture_output=True,
                              env={**os.environ, "LAB_DEVICE": "cuda"})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("compile its files with labcc --gpu", done.stderr)


class Signals(LabccTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("program.cu", "int main() {}\n")
        self.clang = self.write("clang", STUCK_CLANG)
        self.clang.chmod(0o755)
        self.temporary = self.place / "temporary"
        self.temporary.mkdir()

    def end(self, number: int, *options: str | Path) -> int:
        """Ends labcc while clang runs. Returns how it ended."""
        started = self.clang.with_suffix(".started")
        with subprocess.Popen([LABCC, *options, "program.cu"], cwd=self.place, stderr=subprocess.DEVNULL,
                              env={**os.environ, "LAB_CLANG": str(self.clang), "TMPDIR": str(self.temporary)}) as labcc:
            while not started.exists() and labcc.poll() is None:
                time.sleep(0.01)
            clang = int(started.read_text())
            labcc.send_signal(number)
            labcc.wait()
        started.unlink()
        self.addCleanup(self.kill, clang)
        return labcc.returncode

    @staticmethod
    def kill(process: int) -> None:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def test_an_ended_labcc_leaves_no_files_and_ends_by_the_signal(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            for options in ([], ["--check", "--out", self.place / "out"]):
                with self.subTest(number=number, options=options):
                    self.assertEqual(self.end(number, *options), -number)
                    self.assertEqual(list(self.temporary.iterdir()), [])
                    shutil.rmtree(self.place / "out", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
