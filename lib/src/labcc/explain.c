/* A table of words in clang's errors. The words that clang quotes are names of the program. */
#include "explain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Something that is missing, known by the beginning of a quoted name in an error. */
typedef struct missing {
    const char *begins, *sentence;
} missing;

static const char thrust[] = "Thrust is not part of labcc, which has CUDA's runtime and driver API alone";
static const char cub[] = "CUB is not part of labcc, which has CUDA's runtime and driver API alone";
static const char libcudacxx[] = "libcu++ (cuda::std, cuda::barrier) is not part of labcc";
static const char library[] = "CUDA's mathematical libraries are not part of labcc";
static const char graphics[] = "OpenGL, Direct3D and Vulkan cannot share memory with labcc's devices";
static const char texture[] = "textures and surfaces are not part of labcc: read the array through a pointer";
static const char tensor[] = "tensor cores (nvcuda::wmma) are not part of labcc";
static const char pipeline[] = "asynchronous copies in pipelines (cuda_pipeline.h) are not part of labcc";

static const char narrow[] = "floating point of 8, 6 and 4 bits is not part of labcc";

static const missing names[] = {
    {"cuda_fp8.h", narrow},
    {"cuda_fp6.h", narrow},
    {"cuda_fp4.h", narrow},
    {"block_tile_memory", "cooperative groups have at most a warp or exactly a block of threads on labcc's devices"},
    {"thrust/", thrust},
    {"cub/", cub},
    {"cuda/", libcudacxx},
    {"nv/", libcudacxx},
    {"cublas", library},
    {"cufft", library},
    {"curand", library},
    {"cusparse", library},
    {"cusolver", library},
    {"cudnn", library},
    {"npp", library},
    {"nvjpeg", library},
    {"cutensor", library},
    {"nccl", library},
    {"cuda_gl_interop.h", graphics},
    {"cuda_d3d", graphics},
    {"cudaGL", graphics},
    {"GL/", graphics},
    {"mma.h", tensor},
    {"nvcuda", tensor},
    {"cuda_pipeline", pipeline},
    {"cudaTextureObject_t", texture},
    {"cudaSurfaceObject_t", texture},
    {"cudaCreateTextureObject", texture},
    {"cudaBindTexture", texture},
    {"cudaTextureType", texture},
    {"cudaReadMode", texture},
    {"texture", texture},
    {"surface", texture},
    {"tex1D", texture},
    {"tex2D", texture},
    {"tex3D", texture},
    {"texCubemap", texture},
    {"surf1D", texture},
    {"surf2D", texture},
    {"surf3D", texture},
};

const char *labcc_why_missing(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i].begins, strlen(names[i].begins)) == 0) return names[i].sentence;
    return NULL;
}

/* The sentence about an error; NULL if labcc lacks nothing that it names. */
static const char *find_sentence(const char *line, size_t length)
{
    static const char *const unknown[] = {"file not found", "unknown type name", "undeclared identifier",
                                          "no template named", "use of undeclared"};
    static const char unavailable[] = " is unavailable: ";
    const char *error = memmem(line, length, "error: ", 7), *end = line + length;
    if (!error) return NULL;
    if (memmem(line, length, unavailable, sizeof unavailable - 1)) return ""; /* the headers say it */
    if (memmem(line, length, "reference to __global__ function", 32))
        return "kernels cannot launch kernels (dynamic parallelism) on labcc's devices";
    if (memmem(line, length, "inline assembly", 15) || memmem(line, length, "in asm", 6))
        return "inline assembly is a GPU's own, and the CPU device cannot run it";
    bool is_unknown = false;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        is_unknown = is_unknown || memmem(line, length, unknown[i], strlen(unknown[i]));
    const char *quote = is_unknown ? memchr(error, '\'', (size_t)(end - error)) : NULL;
    return quote ? labcc_why_missing(quote + 1) : NULL;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file) return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

void labcc_explain(const char *file)
{
    char *text = read_all(file);
    bool found = false;
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        const char *sentence = find_sentence(line, length);
        if (sentence) {
            const char *error = memmem(line, length, "error: ", 7);
            const char *quote = memchr(line, '\'', length);
            const char *close = quote ? memchr(quote + 1, '\'', (size_t)(line + length - quote - 1)) : NULL;
            if (!*sentence)
                fprintf(stderr, "%.*s\n", (int)length, line);
            else if (close)
                fprintf(stderr, "%.*serror: %.*s: %s\n", (int)(error - line), line, (int)(close - quote - 1), quote + 1,
                        sentence);
            else
                fprintf(stderr, "%.*serror: %s\n", (int)(error - line), line, sentence);
            found = true;
        }
        line += length + (line[length] == '\n');
    }
    if (text && !found) fputs(text, stderr);
    free(text);
}
