/* CUDA's headers as compilers see them: C and C++, what is missing, and forms that only C++ has. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

typedef struct source {
    const char *command, *text;
} source;

/* Compiles a text that comes from stdin. */
static void compile(void *user)
{
    const source *given = user;
    FILE *compiler = popen(given->command, "w");
    if (!compiler) _exit(9);
    fputs(given->text, compiler);
    _exit(pclose(compiler) == 0 ? 0 : 1);
}

static int compiles(const char *command, const char *text, char *output, size_t bytes)
{
    source given = {command, text};
    return test_in_child(compile, &given, output, bytes) == 0;
}

#define OPTIONS " -Wall -Wextra -Werror -Ilib/include/cuda -fsyntax-only -"

static const char all[] = "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <nvrtc.h>\n#include <nvToolsExt.h>\n"
                          "#include <cuda_profiler_api.h>\n#include <cudaProfiler.h>\n";

Test(cuda_headers, compile_as_c_and_as_cpp)
{
    static const char *const commands[] = {"cc -std=c11 -x c" OPTIONS, "clang -x c" OPTIONS,
                                           "c++ -std=c++11 -x c++" OPTIONS, "clang++ -std=c++17 -x c++" OPTIONS};
    char output[8192];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        cr_assert(compiles(commands[i], all, output, sizeof output), "%s: %s", commands[i], output);
}

Test(cuda_headers, cpp_has_the_forms_with_types)
{
    static const char text[] = "#include <cuda_runtime.h>\n#include <memory>\n"
                               "__constant__ float table[4];\n"
                               "__global__ void kernel(int *) {}\n"
                               "int main() {\n"
                               "    float *x;\n"
                               "    int grid, block;\n"
                               "    if (!::cudaMalloc(&x, 4) && cudaMallocManaged(&x, 4) == cudaSuccess) return 1;\n"
                               "    std::unique_ptr<float, decltype(&cudaFree)> owner(x, cudaFree);\n"
                               "    cudaMalloc<float>(&x, 4);\n"
                               "    cudaMemcpyToSymbol(table, x, sizeof table);\n"
                               "    cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault);\n"
                               "    cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);\n"
                               "    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);\n"
                               "    cudaGraphExec_t exec;\n"
                               "    cudaGraphInstantiate(&exec, 0, NULL, NULL, 0);\n"
                               "    return cudaGraphInstantiate(&exec, 0, 0);\n"
                               "}\n";
    char output[8192];
    cr_assert(compiles("c++ -x c++" OPTIONS, text, output, sizeof output), "%s", output);
    cr_assert(compiles("clang++ -x c++" OPTIONS, text, output, sizeof output), "%s", output);
}

Test(cuda_headers, what_is_missing_is_an_error_with_its_reason)
{
    static const char text[] =
        "#include <cuda_runtime.h>\n"
        "int main(void) { return cudaBindTexture(0, 0, 0, 0) || cudaGraphAddEventRecordNode(0); }\n";
    static const char *const commands[] = {"cc -x c" OPTIONS, "clang -x c" OPTIONS, "c++ -x c++" OPTIONS};
    char output[8192];
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        cr_assert(!compiles(commands[i], text, output, sizeof output), "%s", commands[i]);
        cr_assert(strstr(output, "texture and surface references") && strstr(output, "cudaGraphAdd...Node") &&
                      strstr(output, ":2:"),
                  "%s: %s", commands[i], output);
    }
}
