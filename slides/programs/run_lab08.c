/*
 * Asks lab 08's table for one kernel and launches it, TIMES times. The kernel computes for TURNS turns:
 *
 *     get TIMES TURNS
 */
#include "slide.h"

#include "lab08.h"

#include <stdio.h>
#include <string.h>

#include ANSWER

static const char source[] = "extern \"C\" __global__ void answer(float *out)\n"
                             "{\n"
                             "    float x = out[0];\n"
                             "    for (int k = 0; k < TURNS; k++) x = 3.9f * x * (1 - x);\n"
                             "    out[0] = x;\n"
                             "}\n";
static lab08_request request = {source, "", "", 90, 1300, "answer.cu"};
static char turns[64];
static lab08_table table;
static lab_array *out;
static lab_stream *stream;
static int times;

void lab08_lap(int cost) { (void)cost; }

/* The same code in every call, so that the library's cache on the disk has it. */
lab_status lab08_compile(char code[LAB08_CODE_BYTES], const lab08_request *wanted)
{
    snprintf(code, LAB08_CODE_BYTES, "#define TURNS %s\n%s", wanted->options, wanted->source);
    return LAB_SUCCESS;
}

size_t lab08_disk_read(void *bytes, size_t most, uint64_t name)
{
    (void)bytes, (void)most, (void)name;
    return 0;
}

bool lab08_disk_write(uint64_t name, const void *bytes, size_t count)
{
    (void)name, (void)bytes, (void)count;
    return false;
}

static void get(void)
{
    lab_function answer;
    for (int k = 0; k < times; k++) {
        LAB_CHECK(lab08_get(&answer, &table, &request));
        LAB_CHECK(lab_launch(answer, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(out)));
    }
    LAB_CHECK(lab_stream_synchronize(stream));
}

/* A process begins with an empty table. */
static void empty(void)
{
    for (int k = 0; k < table.count; k++) LAB_CHECK(lab_module_unload(table.entry[k].module));
    table.count = 0;
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 3);
    times = slide_number(1);
    snprintf(turns, sizeof turns, "%d", slide_number(2));
    request.options = turns;
    LAB_CHECK(lab_array_full(&out, LAB_FLOAT32, LAB_SHAPE(1), LAB_ARG(0.3f)));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    slide_record(slide_text(0), 21, (slide_run){empty, get});
    return 0;
}
