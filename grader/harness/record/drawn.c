/* What a call of a case is given: its arguments, and where its arrays are; see case.h and worker/call.h. */
#include "worker/call.h"

#include <string.h>

#include "record/records.h"

_Static_assert((int)DRAWN_ARRAYS == (int)CHECK_CASE_ARRAYS && (int)DRAWN_NUMBERS == (int)CHECK_ARGUMENTS,
               "worker_drawn has room for a case");

size_t check_case_begin(const check_case *of, int k)
{
    return of->given.bytes ? of->array[k].offset : (size_t)k * drawn_room(of->most);
}

size_t check_case_bytes(const check_case *of)
{
    return of->given.bytes ? of->memory_bytes : CHECK_CASE_ARRAYS * drawn_room(of->most);
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

/* Draws what `given` names and is 0, and takes what the kernels get. */
static void draw(check_case_run *now, const check_case_given *given, unsigned char *arguments)
{
    for (int i = 0; i < CHECK_ARGUMENTS && given->draw[i].name; i++) {
        const float low = given->draw[i].low, high = given->draw[i].high;
        unsigned char *field = arguments + given->draw[i].offset;
        float real;
        int whole;
        memcpy(&whole, field, sizeof whole);
        if (!whole && given->draw[i].whole) {
            whole = check_draw((int)low, (int)high);
            memcpy(field, &whole, sizeof whole);
        } else if (!whole) {
            real = low + (high - low) * check_random_float((uint64_t)i, now->count);
            memcpy(field, &real, sizeof real);
        }
        memcpy(&real, field, sizeof real);
        now->argument[i] = (check_argument){given->draw[i].name, given->draw[i].whole ? whole : (double)real};
    }
}

check_case_run check_case_drawn(const check_case *of, const void *arguments, size_t count)
{
    const check_case_given given = given_of(of);
    const bool is_int = given.count_bytes == sizeof(int);
    unsigned char *made = check_alloc(given.bytes);
    int number = (int)count;
    if (!of->given.bytes) ((drawn_arguments *)(void *)made)->most = of->most;
    if (arguments)
        memcpy(made, arguments, given.bytes);
    else
        memcpy(made + given.count_at, is_int ? (const void *)&number : &count, given.count_bytes);
    memcpy(is_int ? (void *)&number : &count, made + given.count_at, given.count_bytes);
    check_case_run now = {
        .of = of, .count = is_int ? (size_t)number : count, .arguments = made, .argument_bytes = given.bytes};
    draw(&now, &given, made);
    return now;
}
