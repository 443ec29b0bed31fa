/*
 * What a context of one's own costs compared with the primary one: to make it, to load a kernel in it, to destroy it,
 * and the device memory that is gone while it exists.
 */
#include "slide.h"

enum { CONTEXTS = 5 };

static double megabytes_free(void)
{
    size_t left, total;
    LAB_CHECK(lab_mem_get_info(&left, &total));
    return (double)left / 1e6;
}

static double since(double *before)
{
    const double now = slide_clock(), passed = now - *before;
    *before = now;
    return passed;
}

static void add(json_t *rows, const char *name, double *clock)
{
    json_array_append_new(rows, slide_row(name, "ms", since(clock)));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 0);
    lab_context *context[CONTEXTS], *primary;
    json_t *rows = json_array();
    slide_kernel("labs/lab04-contexts/kernels.cu", "shift"); /* makes the primary context, and compiles */
    const double before = megabytes_free();
    double clock = slide_clock();
    for (int k = 0; k < CONTEXTS; k++) {
        LAB_CHECK(lab_context_create(&context[k], 0));
        add(rows, "make a context", &clock);
        slide_kernel("labs/lab04-contexts/kernels.cu", "shift");
        add(rows, "load the kernel in it", &clock);
    }
    const double taken = (before - megabytes_free()) / CONTEXTS;
    for (int k = CONTEXTS; k-- > 0;) {
        clock = slide_clock();
        LAB_CHECK(lab_context_destroy(context[k]));
        add(rows, "destroy it", &clock);
    }
    for (int k = 0; k < CONTEXTS; k++) {
        clock = slide_clock();
        LAB_CHECK(lab_context_primary_retain(&primary, 0));
        add(rows, "use the primary context", &clock);
        LAB_CHECK(lab_context_primary_release(0));
    }
    slide_save(json_pack("{s:o, s:f}", "rows", rows, "megabytes_each", taken));
    return 0;
}
