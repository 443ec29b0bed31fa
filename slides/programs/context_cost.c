/*
 * What a context of one's own costs beside the primary one: to make it, to load a kernel in it, to destroy it, and the
 * device memory that is gone while it exists.
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

int main(int argc, char **argv)
{
    slide_open(argc, argv, 0);
    lab_context *context[CONTEXTS];
    double make[CONTEXTS], load[CONTEXTS], destroy[CONTEXTS];
    slide_kernel("labs/lab04-contexts/kernels.cu", "shift"); /* makes the primary context */
    double clock = slide_clock();
    slide_kernel("labs/lab04-contexts/kernels.cu", "shift");
    const double load_again = since(&clock), before = megabytes_free();
    for (int k = 0; k < CONTEXTS; k++) {
        clock = slide_clock();
        LAB_CHECK(lab_context_create(&context[k], 0));
        make[k] = since(&clock);
        slide_kernel("labs/lab04-contexts/kernels.cu", "shift");
        load[k] = since(&clock);
    }
    const double taken = (before - megabytes_free()) / CONTEXTS;
    for (int k = CONTEXTS; k-- > 0;) {
        clock = slide_clock();
        LAB_CHECK(lab_context_destroy(context[k]));
        destroy[k] = since(&clock);
    }
    json_t *each = json_array();
    for (int k = 0; k < CONTEXTS; k++)
        json_array_append_new(
            each, json_pack("{s:f, s:f, s:f}", "make_ms", make[k], "load_ms", load[k], "destroy_ms", destroy[k]));
    slide_save(json_pack("{s:o, s:f, s:f}", "contexts", each, "primary_load_ms", load_again, "megabytes_each", taken));
    return 0;
}
