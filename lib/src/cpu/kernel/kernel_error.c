/* "kernel 'check', block [2,0,0], thread [4,0,0]: file.cu:4: Assertion ..." */
#include "kernel_error.h"

#include "cpu/builtins/wait_name.h"
#include "kernel_blocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kernel_error_say(kernel_error *error, const char *format, ...)
{
    const size_t length = strlen(error->message);
    va_list values;
    va_start(values, format);
    vsnprintf(error->message + length, sizeof error->message - length, format, values);
    va_end(values);
}

bool kernel_place_equal(const kernel_place *a, const kernel_place *b)
{
    if (!a->file || !b->file) return a->file == b->file;
    return a->line == b->line && a->kind == b->kind && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* "threads 0-15 wait at __syncthreads, scan.cu:12; threads 16-31 have exited" */
static void say_waits(kernel_error *error, const kernel_place *place, unsigned threads)
{
    for (unsigned first = 0, end; first < threads; first = end) {
        for (end = first + 1; end < threads && kernel_place_equal(&place[end], &place[first]);) end++;
        const bool one = end == first + 1;
        if (first > 0) kernel_error_say(error, "; ");
        kernel_error_say(error, one ? "thread %u" : "threads %u-%u", first, end - 1);
        if (place[first].file)
            kernel_error_say(error, " wait%s at %s, %s:%u", one ? "s" : "", cpu_wait_name(place[first].kind),
                             place[first].file, place[first].line);
        else
            kernel_error_say(error, one ? " has exited" : " have exited");
    }
}

void kernel_error_stuck(kernel_error *error, const cpu_kernel *kernel, const unsigned block[3], const char *what,
                        const kernel_place *place, unsigned threads)
{
    error->status = LAB_ERROR_LAUNCH_FAILED;
    error->message[0] = '\0';
    kernel_error_say(error, "kernel '%s', block [%u,%u,%u]: %s: ", kernel->name, block[0], block[1], block[2], what);
    say_waits(error, place, threads);
}

void kernel_error_stopped(kernel_error *error, const cpu_kernel *kernel, const cpu_failure *failure)
{
    static const lab_status status[] = {
        [CPU_FAILURE_TRAP] = LAB_ERROR_LAUNCH_FAILED,      [CPU_FAILURE_ASSERT] = LAB_ERROR_ASSERT,
        [CPU_FAILURE_ADDRESS] = LAB_ERROR_ILLEGAL_ADDRESS, [CPU_FAILURE_ALIGNMENT] = LAB_ERROR_MISALIGNED_ADDRESS,
        [CPU_FAILURE_EXCHANGE] = LAB_ERROR_LAUNCH_FAILED,  [CPU_FAILURE_RACE] = LAB_ERROR_NOT_ORDERED,
        [CPU_FAILURE_UNWRITTEN] = LAB_ERROR_LAUNCH_FAILED, [CPU_FAILURE_BARRIER] = LAB_ERROR_LAUNCH_FAILED,
    };
    error->status = status[failure->kind];
    if (!failure->file) {
        snprintf(error->message, sizeof error->message, "kernel '%s': %s", kernel->name, failure->what);
        return;
    }
    snprintf(error->message, sizeof error->message, "kernel '%s', block [%u,%u,%u], thread [%u,%u,%u]: %s:%u: %s%s%s",
             kernel->name, failure->block[0], failure->block[1], failure->block[2], failure->thread[0],
             failure->thread[1], failure->thread[2], failure->file, failure->line, failure->what,
             *failure->function ? " in " : "", failure->function);
}

void kernel_error_outside_mask(kernel_error *error, const cpu_kernel *kernel, const cpu_launch *launch,
                               const unsigned block[3], unsigned thread, unsigned mask, const kernel_place *place)
{
    char what[128];
    cpu_failure failure = {CPU_FAILURE_BARRIER, .what = what, .file = place->file, .function = "", .line = place->line};
    snprintf(what, sizeof what, "lane %u is not in its own mask 0x%08x of %s", thread % 32, mask,
             cpu_wait_name(place->kind));
    memcpy(failure.block, block, sizeof failure.block);
    kernel_thread_index(failure.thread, thread, launch);
    kernel_error_stopped(error, kernel, &failure);
}
