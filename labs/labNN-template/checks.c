/* The checks of lab NN: what a call gets and must leave, and what it enqueues, on which stream and after what. */
#include "case.h"

CHECK_LAB("labNN", "The template");

/* The reference on the host. */
static void shifted(float *to, const float *const *from, const check_case_run *now)
{
    const float factor = (float)now->argument[0].value;
    for (size_t i = 0; i < now->count; i++) to[i] = from[0][i + 1 < now->count ? i + 1 : i] * factor;
}

static const check_case shift = {
    .function = "labNN_run",
    .most = 100000,
    .given = {.draw = {{"factor", .low = 1.5f, .high = 2.5f}}},
    .array = {{"the input", .low = 1.0f, .high = 2.0f}, {"the output", .is = shifted, .from = {"the input"}}},
    .kernel = {{"kernels.cu", "shift(float to[count], const float from[count], int count, float factor)"}},
    .stream = {{"stream", "`stream`"}},
    .step = {{"the copy in", .kind = LAB_OP_COPY_HTOD, .on = "`stream`"},
             {"shift", .on = "`stream`", .after = {"the copy in"}},
             {"the copy out", .kind = LAB_OP_COPY_DTOH, .on = "`stream`", .after = {"shift"}}},
    .threads = 128,
    .waits = true,
};

CHECK_SIZES(every_element_is_right, shift, .points = 30, .title = "Task 1: every element is right, at every size",
            .hints = {"Task 1 is in labNN_run: what has to happen before the kernel can run, and after it?",
                      "lab_array_empty makes room on the device; lab_array_set_async and lab_array_get_async copy; "
                      "lab_launch needs LABNN_GRID(work->count) and LABNN_BLOCK.",
                      "Make both arrays with LAB_FLOAT32 and LAB_SHAPE(work->count); set one from work->input; launch "
                      "with LAB_ARGS(to, from, (int)work->count, work->factor); get the other into work->output; "
                      "synchronize."});

CHECK_IN_ORDER(the_stream_does_it, shift, .points = 20, .title = "Task 1: copies and kernel on the stream",
               .hints = {[2] = "work->stream for lab_array_set_async, lab_launch and lab_array_get_async, each called "
                               "once."});

CHECK_NO_RACES(no_threads_race, shift, .points = 20, .title = "Task 1: no thread reads what another writes",
               .hints = {"Thread i reads number i + 1. Which thread writes number i + 1, and when?",
                         [2] = "The kernel needs one array to read and another one to write."});

CHECK_KEEPS_NOTHING(nothing_is_left_behind, shift, .points = 20, .title = "The arrays are released",
                    .hints = {[2] = "lab_array_destroy, on every way out of the function."});

CHECK_FAILURES(failures_are_passed_on, shift, .points = 10, .after = "every_element_is_right",
               .hints = {[2] = "LAB_TRY around each call of labNN_run."});
