/* The built-ins name the types that they share with the library as the library does. A CUDA program may have such names
 * too, so the prelude puts lab_ before them. */
#include "prelude.h"

#include "cpu/builtins/builtins.h"
#include "seam/kernel_headers.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 500 };

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

static bool is_among(const word *all, int count, word name)
{
    for (int i = 0; i < count; i++)
        if (all[i].length == name.length && memcmp(all[i].text, name.text, (size_t)name.length) == 0) return true;
    return false;
}

static int find_names(word all[MOST_NAMES])
{
    int count = 0;
    for (word name = next_name(cpu_cuda_builtins); name.length; name = next_name(name.text + name.length))
        if (!is_among(all, count, name)) {
            assert(count < MOST_NAMES);
            all[count++] = name;
        }
    return count;
}

bool labcc_write_prelude(const char *path, bool is_linked)
{
    word own[MOST_NAMES];
    const int count = find_names(own);
    FILE *out = fopen(path, "w");
    if (!out) return false;
    fputs("#define __NVCC__ 1\n#define __CUDACC__ 1\n#define __CUDACC_VER_MAJOR__ 12\n#define __CUDACC_VER_MINOR__ 4\n",
          out);
    for (int i = 0; i < count; i++)
        fprintf(out, "#define %.*s lab_%.*s\n", own[i].length, own[i].text, own[i].length, own[i].text);
    fputs("#define __CUDACC_VER_BUILD__ 0\n#include <vector_types.h>\n#line 1 \"<CUDA built-ins>\"\n", out);
    fputs("#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wc++14-extensions\"\n", out);
    fputs("#pragma clang diagnostic ignored \"-Wc++17-extensions\"\n", out);
    fputs(cpu_cuda_builtins, out);
    for (int i = 0; i < count; i++) fprintf(out, "#undef %.*s\n", own[i].length, own[i].text);
    fprintf(out, "\n#line 1 \"<headers for kernels>\"\n%s", kernel_headers_groups);
    fputs("\n#line 1 \"<CUDA headers>\"\n#pragma clang attribute pop\n#pragma clang diagnostic pop\n", out);
    /* clang leaves out the image of a file that has nothing to register. */
    if (is_linked) fputs("__attribute__((device)) char lab_linked_file;\n", out);
    fputs("#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n",
          out);
    fputs("#include <cmath>\n#include <cstdlib>\n#include <new>\n#include <cuda_runtime.h>\n", out);
    return fclose(out) == 0;
}
