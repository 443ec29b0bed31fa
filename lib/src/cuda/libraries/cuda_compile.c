/* The translation unit: declarations that kernels expect without includes, the source, and a table of its kernels. A
 * source that includes its own files is compiled every time, since only the compiler knows their contents. */
#include "cuda_compile.h"

#include "base/monotonic.h"
#include "base/system/cache.h"
#include "cuda_image.h"
#include "seam/kernel_headers.h"

#include <stdlib.h>
#include <string.h>

extern const char cuda_facts_text[];
__asm__(".pushsection .rodata\n"
        ".global cuda_facts_text\n"
        "cuda_facts_text:\n"
        ".incbin \"lib/src/cuda/libraries/facts.cuh\"\n"
        ".byte 0\n"
        ".popsection\n");

/* The Toolkit's own headers are taken where it has them: those for groups have more, such as clusters. */
static void write_headers(FILE *out, unsigned needs)
{
    static const struct {
        unsigned need;
        const char *text;
    } of_toolkit[] = {
        {KERNEL_HEADER_GROUPS, "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n"
                               "#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n"},
        {KERNEL_HEADER_PIPELINE, "#include <cuda_pipeline.h>\n"},
        {KERNEL_HEADER_HALF, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"},
    };
    const unsigned found = needs & cuda_nvrtc_toolkit_headers();
    for (size_t i = 0; i < sizeof of_toolkit / sizeof *of_toolkit; i++)
        if (found & of_toolkit[i].need) fputs(of_toolkit[i].text, out);
    kernel_headers_write(out, needs & ~found);
}

static lab_status write_unit(char **unit, const kernel_scan *scan, const char *name)
{
    size_t size;
    FILE *out = open_memstream(unit, &size);
    if (!out) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", name);
    write_headers(out, scan->needs);
    fputs("\n#line 1 ", out);
    kernel_scan_write_name(out, name);
    fprintf(out, "\n%s\n#line 1 \"<kernel table>\"\n%s\n", scan->plain, cuda_facts_text);
    for (int i = 0; i < scan->kernels; i++) fprintf(out, "LAB_KERNEL(%s)\n", scan->kernel[i].name);
    if (fclose(out) == 0) return LAB_SUCCESS;
    free(*unit);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", name);
}

static lab_status find_key(cache_key *key, const char *unit, const char *name, int architecture)
{
    const char *identity = cuda_nvrtc_identity();
    const cache_bytes part[] = {
        {unit, strlen(unit)}, {name, strlen(name)}, {identity, strlen(identity)}, {&architecture, sizeof architecture}};
    if (cache_key_make(key, part, sizeof part / sizeof *part)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", name);
}

static lab_status compile_unit(cuda_image *out, int64_t *compile_ns, const char *unit, const char *name,
                               int architecture)
{
    const int64_t begin = monotonic_ns();
    lab_status status = cuda_nvrtc_compile(out, unit, name, architecture);
    *compile_ns = monotonic_ns() - begin;
    return status;
}

static lab_status find_image(cuda_image *out, int64_t *compile_ns, const char *unit, const char *name, int architecture)
{
    void *data;
    int claim;
    cache_key key;
    lab_status status = LAB_SUCCESS;
    LAB_TRY(find_key(&key, unit, name, architecture));
    *compile_ns = 0;
    if (cache_read(&data, &out->size, &claim, &key))
        out->data = data;
    else if ((status = compile_unit(out, compile_ns, unit, name, architecture)) == LAB_SUCCESS)
        cache_write(&key, out->data, out->size);
    cache_give_up(claim);
    cache_key_free(&key);
    return status;
}

lab_status cuda_compile(cuda_image *out, int64_t *compile_ns, const kernel_scan *scan, const char *name,
                        int architecture)
{
    char *unit;
    LAB_TRY(write_unit(&unit, scan, name));
    lab_status status = scan->includes_files ? compile_unit(out, compile_ns, unit, name, architecture)
                                             : find_image(out, compile_ns, unit, name, architecture);
    free(unit);
    return status;
}

bool cuda_compiled_kernel(const cuda_param_facts **first, int *params, const cuda_image *image, const char *kernel)
{
    char name[512];
    const void *table;
    if (snprintf(name, sizeof name, "lab_facts_%s", kernel) >= (int)sizeof name) return false;
    if (!(table = cuda_image_variable(image->data, image->size, name, sizeof *params))) return false;
    memcpy(params, table, sizeof *params);
    if (--*params < 0 || *params > 4096) return false;
    table = cuda_image_variable(image->data, image->size, name, sizeof *params + (size_t)*params * sizeof **first);
    *first = table ? (const void *)((const char *)table + sizeof *params) : NULL;
    return table != NULL;
}
