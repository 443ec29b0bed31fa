/* What a call of a case is given: its arguments, and where its arrays are; see case.h and worker/call.h. */
#include "worker/call.h"

#include <string.h>

#include "record/records.h"

_Static_assert((int)DRAWN_ARRAYS == (int)CHECK_CASE_ARRAYS && (int)DRAWN_NUMBERS == (int)CHECK_ARGUMENTS,
               "worker_drawn has room for a case");

static size_t arrays_of(const check_case *of)
{
    size_t arrays = 0;
    while (arrays < CHECK_CASE_ARRAYS && of->array[arrays].name) arrays++;
    return arrays;
}

size_t check_case_begin(const check_case *of, int k)
{
    return of->given.bytes ? of->array[k].offset : (size_t)k * drawn_room(of->most);
}

size_t check_case_bytes(const check_case *of)
{
    return of->given.bytes ? of->memory_bytes : arrays_of(of) * drawn_room(of->most);
}

/* Where the arguments are in the lab's struct, or in the harness's. */
static check_case_given given_of(const check_case *of)
{
    check_case_given given = of->given;
    if (given.bytes) return given;
    given.bytes = sizeof(drawn_arguments);
    given.count_at = offsetof(drawn_arguments, count);
    given.count_bytes = sizeof(size_t);
    for (size_t i = 0; i < CHECK_ARGUMENTS; i++)
        given.draw[i].offset = given.draw[i].whole ? offsetof(drawn_arguments, whole) + i * sizeof(int)
                                                   : offsetof(drawn_arguments, real) + i * sizeof(float);
    return given;
}

/* Takes the number of elements and what the kernels get from the arguments, those of now->row. */
static void take(check_case_run *now)
{
    const check_case_given given = given_of(now->of);
    const size_t row = now->of->dealt ? (size_t)now->row : 0;
    const unsigned char *arguments = now->arguments, *count = arguments + given.count_at + row * given.count_bytes;
    int number;
    memcpy(given.count_bytes == sizeof number ? (void *)&number : &now->count, count, given.count_bytes);
    if (given.count_bytes == sizeof number) now->count = (size_t)number;
    for (int i = 0; i < CHECK_ARGUMENTS && given.draw[i].name; i++) {
        const unsigned char *field = arguments + given.draw[i].offset + row * sizeof(float);
        float real;
        memcpy(&number, field, sizeof number);
        memcpy(&real, field, sizeof real);
        now->argument[i] = (check_argument){given.draw[i].name, given.draw[i].whole ? number : (double)real};
    }
}

check_case_run check_case_row(const check_case_run *now, int row)
{
    check_case_run at = *now;
    at.row = row;
    if (now->of->dealt) take(&at);
    return at;
}

/* Draws what `given` names and is 0, for a row. */
static void draw(const check_case_given *given, unsigned char *arguments, size_t row)
{
    static uint64_t drawn;
    for (int i = 0; i < CHECK_ARGUMENTS && given->draw[i].name; i++) {
        const float low = given->draw[i].low, high = given->draw[i].high;
        unsigned char *field = arguments + given->draw[i].offset + row * sizeof(float);
        float real = low + (high - low) * check_random_float((uint64_t)i, ++drawn);
        int whole;
        memcpy(&whole, field, sizeof whole);
        if (whole) continue;
        if (given->draw[i].whole) whole = check_draw((int)low, (int)high);
        memcpy(field, given->draw[i].whole ? (const void *)&whole : &real, sizeof real);
    }
}

check_case_run check_case_drawn(const check_case *of, const void *arguments, size_t count)
{
    const check_case_given given = given_of(of);
    unsigned char *made = check_alloc(given.bytes);
    const int number = (int)count;
    check_case_run now = {.of = of, .arguments = made, .argument_bytes = given.bytes, .rows = of->rows};
    if (!of->given.bytes)
        *(drawn_arguments *)(void *)made = (drawn_arguments){.most = of->most, .arrays = arrays_of(of)};
    if (arguments) memcpy(made, arguments, given.bytes);
    if (of->rows_at) memcpy(&now.rows, made + of->rows_at, sizeof now.rows);
    for (int row = 0; row < (of->dealt ? now.rows : 1); row++) {
        unsigned char *to = made + given.count_at + (size_t)row * given.count_bytes;
        if (!arguments)
            memcpy(to, given.count_bytes == sizeof number ? (const void *)&number : &count, given.count_bytes);
        draw(&given, made, (size_t)row);
        now.row = row;
        take(&now);
        if (now.count > now.room) now.room = now.count;
    }
    for (size_t k = 0; k < arrays_of(of); k++)
        if (of->array[k].numbers > now.room) now.room = of->array[k].numbers;
    return check_case_row(&now, 0);
}
