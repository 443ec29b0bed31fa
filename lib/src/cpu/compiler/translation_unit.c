/* Generated names begin with lab_, since macros of the source apply to them. */
#include "translation_unit.h"
#include "base/status.h"
#include "cpu/builtins/builtins.h"
#include "seam/kernel_headers.h"

#include <stdlib.h>
#include <string.h>

/* The names of the parts that the user did not write, as in #line. */
#define CPU_BUILTINS_FILE "\"<CUDA built-ins>\""
#define CPU_TABLE_FILE "\"<kernel table>\""

/* If the preprocessor removed the kernel, ::NAME means the stand-in: a name in the global namespace itself hides those
 * of a using-directive. */
static void write_entry(FILE *out, const scanned_kernel *kernel)
{
    const char *name = kernel->name;
    fprintf(out, "namespace lab_absent { void %s(lab_missing *); }\n", name);
    fprintf(out, "extern \"C\" void lab_entry_%s(const void *const *lab_args, const cpu_launch *lab_launch,\n", name);
    fprintf(out, "    unsigned long lab_first, unsigned long lab_count) {\n");
    fprintf(out, "    lab_kernel<&::%s>::lab_run(lab_args, lab_launch, lab_first, lab_count);\n}\n", name);
    /* Functions that a kernel calls return to the module, where a signal handler looks for it (kernel_signals.h). */
    fprintf(out, "extern \"C\" __attribute__((disable_tail_calls))\n");
    fprintf(out, "void lab_thread_%s(const void *const *lab_args, const cpu_launch *lab_launch,\n", name);
    fprintf(out, "    const unsigned *lab_block, const unsigned *lab_thread) {\n");
    fprintf(out, "    lab_kernel<&::%s>::lab_run_thread(lab_args, lab_launch, lab_block, lab_thread);\n}\n", name);
    fprintf(out, "static const char *const lab_names_%s[] = {", name);
    for (int i = 0; i < kernel->params; ++i) {
        kernel_scan_write_name(out, kernel->param[i]);
        fputs(", ", out);
    }
    fputs("\"\"};\n", out);
    fprintf(out, "static lab_kernel<&::%s>::lab_table lab_params_%s(lab_names_%s);\n", name, name, name);
}

static void write_table(FILE *out, const kernel_scan *scan)
{
    fputs("\n#line 1 " CPU_TABLE_FILE "\nnamespace lab_absent {}\nusing namespace lab_absent;\n", out);
    for (int i = 0; i < scan->kernels; ++i) write_entry(out, &scan->kernel[i]);
    if (scan->uses_dynamic_shared)
        fputs("extern \"C\" { __align__(128) __thread char lab_dynamic_shared[CPU_DYNAMIC_SHARED_BYTES]; }\n", out);
    fputs("extern \"C\" LAB_EXPORT const cpu_kernel lab_kernels[] = {\n", out);
    for (int i = 0; i < scan->kernels; ++i) {
        const scanned_kernel *kernel = &scan->kernel[i];
        const char *name = kernel->name;
        fprintf(
            out,
            "    {\"%s\", %d, lab_kernel<&::%s>::lab_params, lab_params_%s.lab_param, lab_entry_%s, lab_thread_%s},\n",
            name, kernel->line, name, name, name, name);
    }
    fputs("    {}};\n", out);
}

/* Whether the source may name a function of the part. */
static bool may_need(const cpu_builtins_part *part, const kernel_scan *scan)
{
    if (part->needs & scan->needs) return true;
    if (*part->mark && (scan->includes_files || strstr(scan->source, "##"))) return true;
    for (const char *const *mark = part->mark; *mark; ++mark)
        if (strstr(scan->source, *mark)) return true;
    return false;
}

static void write_builtins(FILE *out, const kernel_scan *scan, bool checked)
{
    fprintf(out, "#line 1 " CPU_BUILTINS_FILE "\n%s", cpu_builtins);
    for (const cpu_builtins_part *part = cpu_builtins_parts; part->text; ++part)
        if (may_need(part, scan)) fputs(part->text, out);
    fprintf(out, "%s\n", checked ? cpu_check_builtins : "");
    kernel_headers_write(out, scan->needs);
}

lab_status cpu_unit_write(cpu_unit *unit, const kernel_scan *scan, const char *name, bool checked)
{
    *unit = (cpu_unit){.scan = scan, .name = name, .checked = checked};
    FILE *out = open_memstream(&unit->text.data, &unit->text.size);
    if (!out) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", name);
    write_builtins(out, scan, checked);
    unit->source_begin = (size_t)ftello(out);
    fputs("\n#line 1 ", out);
    kernel_scan_write_name(out, name);
    fputc('\n', out);
    fwrite(scan->source, 1, scan->source_size, out);
    fputc('\n', out);
    unit->source_end = (size_t)ftello(out);
    write_table(out, scan);
    if (fclose(out) == 0) return LAB_SUCCESS;
    free(unit->text.data);
    unit->text = (cpu_text){0};
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", name);
}

static bool list_kernel(kernel_scan *scan, const program_kernel *kernel)
{
    scanned_kernel *larger = realloc(scan->kernel, ((size_t)scan->kernels + 1) * sizeof *larger);
    if (!larger) return false;
    scan->kernel = larger;
    char *name = strndup(kernel->symbol, (size_t)kernel->symbol_length);
    if (!name) return false;
    scan->kernel[scan->kernels++] = (scanned_kernel){.name = name, .line = kernel->line, .params = kernel->params};
    return true;
}

lab_status cpu_unit_take_code(cpu_unit *unit, kernel_scan *scan, const program_image *image, const char *name,
                              bool checked)
{
    program_kernel kernel;
    *scan = (kernel_scan){.source = strndup(image->cpu, image->cpu_bytes), .source_size = image->cpu_bytes};
    *unit = (cpu_unit){.scan = scan, .name = name, .checked = checked, .is_code = true};
    bool done = scan->source != NULL;
    for (const char *at = scan->source; done && program_image_next_kernel(&kernel, &at);)
        done = list_kernel(scan, &kernel);
    unit->text = (cpu_text){done ? strndup(image->cpu, image->cpu_bytes) : NULL, image->cpu_bytes};
    unit->source_end = image->cpu_bytes;
    unit->debugged = done && !checked && strstr(scan->source, "emissionKind: FullDebug");
    return unit->text.data ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", name);
}
