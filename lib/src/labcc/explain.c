/* A table of words in clang's errors. The words that clang quotes are names of the program. */
#include "explain.h"

#include "base/system/text_file.h"

#include <ctype.h>
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
static const char watching[] = "NVIDIA's libraries that watch and profile GPUs are not part of labcc";
static const char graphics[] = "OpenGL, Direct3D and Vulkan cannot share memory with labcc's devices";
static const char reference[] = "CUDA 12 removed texture and surface references: use a texture object";
static const char texture[] =
    "textures have no mipmaps, cubemaps, gathers and views here: labcc has tex1Dfetch, tex1D, tex2D, "
    "tex3D and the layered tex1D and tex2D";
static const char surface[] = "surfaces have no cubemaps here: labcc has surf1D, surf2D, surf3D and the layered two";
static const char green[] = "green contexts and locality domains, which divide a device, are not part of labcc";
static const char tensor[] = "tensor cores (nvcuda::wmma) are not part of labcc";

static const char early[] = "what was experimental is in the namespace cooperative_groups since CUDA 12";
static const char narrow[] = "floating point of 8, 6 and 4 bits is not part of labcc";

static const missing names[] = {
    {"cuda_fp8.h", narrow},
    {"cuda_fp6.h", narrow},
    {"cuda_fp4.h", narrow},
    {"experimental", early},
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
    {"nvml", watching},
    {"cupti", watching},
    {"cuda_d3d", graphics},
    {"cudaGL", graphics},
    {"GL/", graphics},
    {"mma.h", tensor},
    {"nvcuda", tensor},
    {"cudaTextureType", reference},
    {"cudaSurfaceType", reference},
    {"texture", reference},
    {"surface", reference},
    {"cudaResView", texture},
    {"cudaDevAttrLocality", green},
    {"cudaDevResource", green},
    {"cudaDevSmResource", green},
    {"cudaExecutionC", green},
    {"cudaGreenCtx", green},
    {"cudaMemLocationTypeDeviceLocality", green},
    {"localityDomain", green},
    {"CUdevResource", green},
    {"CUgreenCtx", green},
    {"CU_DEV_RESOURCE", green},
    {"CU_GREEN", green},
    {"cudaCreateChannelDesc", "channels of CUDA arrays have 8, 16 or 32 bits here, and floats have 32"},
    {"tex1D", texture},
    {"tex2D", texture},
    {"tex3D", texture},
    {"texCubemap", texture},
    {"surfCubemap", surface},
};

const char *labcc_why_missing(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i].begins, strlen(names[i].begins)) == 0) return names[i].sentence;
    return NULL;
}

/* What the error in a line is about: the header that gcc does not find, without quotes, or the first name in quotes,
 * which are gcc's own or plain ones. */
static const char *find_name(int *length, const char *error, const char *end)
{
    static const char *const quotes[][2] = {{"error: ", ": No such file or directory"}, {"'", "'"}, {"‘", "’"}};
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        const char *open = memmem(error, (size_t)(end - error), quotes[i][0], strlen(quotes[i][0]));
        const char *name = open ? open + strlen(quotes[i][0]) : end;
        const char *close = memmem(name, (size_t)(end - name), quotes[i][1], strlen(quotes[i][1]));
        if (!open || !close) continue;
        *length = (int)(close - name);
        return name;
    }
    return NULL;
}

/* The sentence about an error; NULL if labcc lacks nothing that it names. */
static const char *find_sentence(const char *line, const char *error, const char *name, const char *end)
{
    static const char *const unknown[] = {"file not found",       "unknown type name",    "undeclared identifier",
                                          "no template named",    "use of undeclared",    "No such file or directory",
                                          "not declared in this", "does not name a type", "no member named"};
    const size_t length = (size_t)(end - line);
    if (memmem(line, length, "reference to __global__ function", 32))
        return "kernels cannot launch kernels (dynamic parallelism) on labcc's devices";
    if (memmem(line, length, "inline assembly", 15) || memmem(line, length, "in asm", 6))
        return "inline assembly is a GPU's own, and the CPU device cannot run it";
    bool is_unknown = false;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        is_unknown = is_unknown || memmem(error, (size_t)(end - error), unknown[i], strlen(unknown[i]));
    return is_unknown && name ? labcc_why_missing(name) : NULL;
}

/* The name alone in what a compiler quotes: of a function, gcc quotes the declaration and clang the arguments. */
static const char *bare_name(int *length, const char *quoted, int quoted_length)
{
    const char *end = quoted, *name;
    while (end < quoted + quoted_length && *end != '<' && *end != '(') end++;
    for (name = end; name > quoted && (isalnum((unsigned char)name[-1]) || name[-1] == '_');) name--;
    *length = (int)(end - name);
    return name;
}

/* The sentences that were said: once each, at the first line that needs them. */
typedef struct said {
    const char *sentence[16];
    int count;
} said;

static bool is_new(said *before, const char *sentence, size_t length)
{
    for (int i = 0; i < before->count; i++)
        if (strncmp(before->sentence[i], sentence, length) == 0) return false;
    if (before->count < (int)(sizeof before->sentence / sizeof *before->sentence))
        before->sentence[before->count++] = sentence;
    return true;
}

/* Prints what is to be said of an error in place of it. False if there is nothing. */
static bool explain(said *before, const char *line, size_t length)
{
    static const char unavailable[] = " is unavailable: ";
    const char *error = memmem(line, length, "error: ", 7), *end = line + length;
    int name_length = 0;
    if (!error) return false;
    const char *name = find_name(&name_length, error, end), *sentence = find_sentence(line, error, name, end);
    size_t sentence_length = sentence ? strlen(sentence) : 0;
    const char *of_header = memmem(line, length, unavailable, sizeof unavailable - 1);
    if (of_header && name) { /* the headers say it */
        sentence = of_header + sizeof unavailable - 1;
        sentence_length = (size_t)(end - sentence);
        name = bare_name(&name_length, name, name_length);
    }
    if (!sentence) return false;
    if (is_new(before, sentence, sentence_length))
        fprintf(stderr, "%.*serror: %.*s%s%.*s\n", (int)(error - line), line, name_length, name ? name : "",
                name ? ": " : "", (int)sentence_length, sentence);
    return true;
}

void labcc_explain(const char *file)
{
    char *text;
    said before = {.count = 0};
    bool found = false;
    if (text_file_read(&text, file) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return;
    }
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (explain(&before, line, length)) found = true;
        line += length + (line[length] == '\n');
    }
    if (!found) fputs(text, stderr);
    free(text);
}
