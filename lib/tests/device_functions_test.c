/* The page of device functions tells the truth: what it lists compiles on the CPU device, or does not. */
#include "kernels.h"

#include <ctype.h>

enum { MOST_NAMES = 1024, NAME = 48 };

static char names[MOST_NAMES][NAME];
static int count;

/* Adds what a text with braces stands for: "__hadd{,_sat}" for two names. `done` is what precedes the text. */
static void expand(const char *done, const char *text)
{
    char longer[2 * NAME];
    const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close) {
        cr_assert(count < MOST_NAMES && snprintf(names[count], NAME, "%s%s", done, text) < NAME);
        count++;
        return;
    }
    for (const char *choice = open + 1, *end; choice <= close; choice = end + 1) {
        end = choice + strcspn(choice, ",}");
        snprintf(longer, sizeof longer, "%s%.*s%.*s", done, (int)(open - text), text, (int)(end - choice), choice);
        expand(longer, close + 1);
    }
}

/* Reads the names in the second column of the table below a heading. */
static void read_names(const char *heading)
{
    char line[2048];
    bool is_there = false;
    FILE *page = fopen("lib/docs/device-functions.md", "r");
    cr_assert_not_null(page);
    count = 0;
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "## ", 3) == 0) is_there = strstr(line, heading) != NULL;
        char *const column = is_there && *line == '|' ? strchr(line + 1, '|') : NULL;
        if (!column) continue;
        *(strchr(column + 1, '|')) = '\0';
        for (char *name = column; (name = strchr(name, '`')); name = strchr(name + 1, '`') + 1) {
            char text[512];
            snprintf(text, sizeof text, "%.*s", (int)strcspn(name + 1, "`"), name + 1);
            expand("", text);
        }
    }
    fclose(page);
}

/* A source with a line for each of these names. */
static const char *source_of(const char *line, int first, int end)
{
    static char source[MOST_NAMES * (NAME + 16)];
    char *at = source;
    at +=
        sprintf(at, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_pipeline.h>\nnamespace named {\n");
    for (int i = first; i < end; i++) at += sprintf(at, line, i, names[i]);
    sprintf(at, "}\nextern \"C\" __global__ void k() {}\n");
    return source;
}

Test(device_functions_page, those_of_the_page_compile)
{
    kernels_use_kept_cache();
    read_names("What there is\n");
    cr_assert(count > 700, "%d names", count);
    cpu_module_unload(kernels_load(source_of("namespace n%d { using ::%s; }\n", 0, count)));
}

/* The compiler says so of at most twenty names at once. */
Test(device_functions_page, those_that_the_page_misses_do_not_compile)
{
    kernels_use_kept_cache();
    kernels_use_kept_clang();
    static const char called[] = "__device__ void f%d() { %s(0); }\n";
    read_names("What there is not\n");
    cr_assert(count > 15, "%d names", count);
    for (int first = 0; first < count; first += 15) {
        cpu_module *module = NULL;
        const int end = first + 15 < count ? first + 15 : count;
        cr_assert_eq(cpu_module_load(&module, source_of(called, first, end), "test.cu", NULL),
                     LAB_ERROR_INVALID_SOURCE);
        for (int i = first; i < end; i++)
            cr_assert_not_null(strstr(lab_error_message(), names[i]), "%s compiles: %s", names[i], lab_error_message());
    }
}
