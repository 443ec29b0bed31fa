/* The built-ins name the types that they share with the library as the library does. A CUDA program may have such names
 * too, so the prelude puts lab_ before them. */
#include "prelude.h"

#include "cpu/builtins/builtins.h"
#include "seam/kernel_headers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct word {
    const char *text;
    int length;
} word;

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The next name at or after `at` that begins with cpu_ or CPU_. Length 0 if there is none. */
static word next_name(const char *at)
{
    for (; *at; at++) {
        int length = 0;
        while (is_letter(at[length])) length++;
        if (length > 4 && (strncmp(at, "cpu_", 4) == 0 || strncmp(at, "CPU_", 4) == 0)) return (word){at, length};
        if (length) at += length - 1;
    }
    return (word){at, 0};
}

static bool is_earlier(word name)
{
    for (const char *at = cpu_cuda_builtins;; at++) {
        const word other = next_name(at);
        if (other.text == name.text) return false;
        if (other.length == name.length && memcmp(other.text, name.text, (size_t)name.length) == 0) return true;
        at = other.text + other.length - 1;
    }
}

/* A line for each of the names. */
static void write_names(FILE *out, const char *before, const char *between)
{
    for (word name = next_name(cpu_cuda_builtins); name.length; name = next_name(name.text + name.length)) {
        if (is_earlier(name)) continue;
        fprintf(out, "%s%.*s", before, name.length, name.text);
        if (*between) fprintf(out, "%s%.*s", between, name.length, name.text);
        fputc('\n', out);
    }
}

bool labcc_write_prelude(const char *path, bool is_linked)
{
    FILE *out = fopen(path, "w");
    if (!out) return false;
    fputs("#define __NVCC__ 1\n#define __CUDACC__ 1\n#define __CUDACC_VER_MAJOR__ 12\n#define __CUDACC_VER_MINOR__ 4\n",
          out);
    fputs("#define __CUDACC_VER_BUILD__ 0\n#include <vector_types.h>\n#line 1 \"<CUDA built-ins>\"\n", out);
    fputs("#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wc++14-extensions\"\n", out);
    fputs("#pragma clang diagnostic ignored \"-Wc++17-extensions\"\n", out);
    write_names(out, "#define ", " lab_");
    fputs(cpu_cuda_builtins, out);
    write_names(out, "#undef ", "");
    fprintf(out, "\n#line 1 \"<headers for kernels>\"\n%s", kernel_headers_groups);
    fputs("\n#line 1 \"<CUDA headers>\"\n#pragma clang attribute pop\n#pragma clang diagnostic pop\n", out);
    /* clang leaves out the image of a file that has nothing to register. */
    if (is_linked) fputs("__attribute__((device)) char lab_linked_file;\n", out);
    fputs("#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n",
          out);
    fputs("#include <cmath>\n#include <cstdlib>\n#include <new>\n#include <cuda_runtime.h>\n", out);
    return fclose(out) == 0;
}
