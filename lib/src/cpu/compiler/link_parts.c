/* clang itself links bitcode into what it compiles, here an empty file of C: no other program of LLVM is needed. */
#include "link_parts.h"

#include "clang.h"
#include "temporary_folder.h"

#include "base/status.h"
#include "base/system/cache.h"
#include "cpu/builtins/builtins.h"
#include "cpu/passes/host_code.h"
#include "cpu/retarget/parts.h"
#include "cpu/retarget/retarget.h"
#include "seam/program/program_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

typedef struct linking {
    cpu_clang clang;
    const char *name; /* of the program, for messages */
    char folder[PATH_MAX];
    FILE *list; /* of the options that name the parts */
} linking;

static const char *const only_link[] = {"-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm", NULL};

static lab_status no_memory(const char *name)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to link the kernels of %s", name);
}

static lab_status run(cpu_text *out, const linking *l, const char *const *options, const cpu_text *input)
{
    lab_process_result result;
    const char *const *const lists[] = {only_link, options, NULL};
    lab_status status = cpu_clang_run(&result, &l->clang, NULL, lists, input->data, input->size);
    if (status == LAB_SUCCESS &&
        (result.timed_out || result.flooded || !WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)) {
        const char *said = strstr(result.errors, "error: ");
        status = lab_fail(LAB_ERROR_INVALID_SOURCE, "%s: the device code of its files cannot be linked: %.1000s",
                          l->name, said ? said + strlen("error: ") : result.errors);
    }
    if (status == LAB_SUCCESS && out) {
        *out = (cpu_text){strdup(result.output), strlen(result.output)};
        if (!out->data) status = no_memory(l->name);
    }
    lab_process_result_free(&result);
    return status;
}

/* Makes bitcode of a part. */
static lab_status add_part(linking *l, const program_image *image, int number)
{
    char path[PATH_MAX + 32];
    cpu_text part = {0};
    char *code = strndup(image->link, image->link_bytes);
    const char *begin =
        code && strncmp(code, PROGRAM_NEEDS, strlen(PROGRAM_NEEDS)) == 0 ? code + strlen(PROGRAM_NEEDS) : code;
    const bool made = code && cpu_ir_make_part(&part, begin, number);
    free(code);
    if (!made) {
        free(part.data);
        return no_memory(l->name);
    }
    snprintf(path, sizeof path, "%s/%d", l->folder, number);
    const char *const options[] = {"-x", "ir", "-c", "-o", path, "-", NULL};
    const lab_status status = run(NULL, l, options, &part);
    free(part.data);
    fprintf(l->list, "-Xclang -mlink-bitcode-file -Xclang %s\n", path);
    return status;
}

static lab_status link_all(cpu_text *out, linking *l, const char *images)
{
    char list[PATH_MAX + 32], option[PATH_MAX + 33];
    snprintf(list, sizeof list, "%s/list", l->folder);
    snprintf(option, sizeof option, "@%s", list);
    l->list = fopen(list, "w");
    if (!l->list) return lab_fail(LAB_ERROR_IO, "%s cannot be written", list);
    lab_status status = LAB_SUCCESS;
    program_image image;
    int number = 0;
    for (const char *at = images; status == LAB_SUCCESS && program_image_take(&image, &at);)
        status = add_part(l, &image, number++);
    if (fclose(l->list) != 0 && status == LAB_SUCCESS) status = lab_fail(LAB_ERROR_IO, "%s cannot be written", list);
    const char *const options[] = {"-x", "c", "-fPIC", option, "-fno-discard-value-names", "-S", "-o", "-", "-", NULL};
    const cpu_text nothing = {"", 0};
    return status == LAB_SUCCESS ? run(out, l, options, &nothing) : status;
}

bool cpu_needs_others(span *name, const char *ir)
{
    return cpu_ir_find_undefined(name, ir) || ir_find_foreign_function(name, ir);
}

static lab_status retarget(cpu_text *out, const char *linked, const char *name)
{
    span missing;
    if (!cpu_ir_retarget(out, linked)) return no_memory(name);
    if (!cpu_needs_others(&missing, out->data)) return LAB_SUCCESS;
    missing = cpu_ir_source_name(missing);
    return lab_fail(LAB_ERROR_INVALID_SOURCE,
                    "%s: kernels use %.*s, which no file that was compiled with -rdc=true defines", name,
                    (int)missing.length, missing.start);
}

static lab_status link_images(cpu_text *out, const cpu_clang *clang, const char *images, const char *name)
{
    linking l = {.clang = *clang, .name = name};
    cpu_text linked = {0};
    LAB_TRY(temporary_folder_make(l.folder));
    lab_status status = link_all(&linked, &l, images);
    temporary_folder_remove(l.folder);
    if (status == LAB_SUCCESS) status = retarget(out, linked.data, name);
    free(linked.data);
    return status;
}

lab_status cpu_link_parts(cpu_text *out, const char *images, const char *name)
{
    cpu_clang clang;
    cache_key key;
    program_image last = {.places = images};
    program_images_last(&last, images);
    LAB_TRY(cpu_clang_find(&clang));
    char *identity = cpu_clang_identity(&clang);
    const cache_bytes part[] = {{"linked", strlen("linked")},
                                {images, (size_t)(last.places - images)},
                                {identity, identity ? strlen(identity) : 0},
                                {cpu_compiler_version, strlen(cpu_compiler_version)}};
    const bool made = identity && cache_key_make(&key, part, sizeof part / sizeof *part);
    free(identity);
    if (!made) return no_memory(name);
    void *kept;
    int claim;
    lab_status status = LAB_SUCCESS;
    if (cache_read(&kept, &out->size, &claim, &key)) {
        out->data = strndup(kept, out->size);
        free(kept);
        if (!out->data) status = no_memory(name);
    } else {
        status = link_images(out, &clang, images, name);
        if (status == LAB_SUCCESS) cache_write(&key, out->data, out->size);
    }
    cache_give_up(claim);
    cache_key_free(&key);
    return status;
}
