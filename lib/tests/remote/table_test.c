/* The table of calls and the headers: what does not agree fails the build, with its name. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Runs the generator on a table and a lab.h that sed has changed. Its status and what it prints. */
static int generate(char *output, size_t capacity, const char *table, const char *header)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "folder=$(mktemp -d) && trap 'rm -rf $folder' EXIT && sed '%s' lib/src/wire/calls.txt >$folder/calls.txt && "
        "sed '%s' lib/include/lab.h >$folder/lab.h && python3 lib/tools/wire-calls.py $folder/calls.txt "
        "$folder/made $folder/lab.h lib/include/lab_trace.h lib/src/wire/extra.h 2>&1",
        table, header);
    FILE *generator = popen(command, "r");
    output[fread(output, 1, capacity - 1, generator)] = '\0';
    return pclose(generator);
}

static void is_refused(const char *table, const char *header, const char *words)
{
    char output[1024];
    cr_assert_neq(generate(output, sizeof output, table, header), 0, "%s", words);
    cr_assert_not_null(strstr(output, words), "\"%s\" is not in: %s", words, output);
}

Test(table, is_of_the_headers)
{
    char output[1024];
    cr_assert_eq(generate(output, sizeof output, "", ""), 0, "%s", output);
}

Test(table, functions_that_are_missing_or_too_many)
{
    is_refused("/^lab_launch:/d", "", "lab_launch is not in ");
    is_refused("", "s/^lab_status lab_event_query(/lab_status lab_event_ask(int of);\\n&/", "lab_event_ask is not in ");
    is_refused("s/^lab_launch:.*/&\\nlab_lunch: value/", "", "names lab_lunch, which no header declares");
    is_refused("s/^lab_launch:.*/&\\n&/", "", "a name that was there before");
}

Test(table, arguments_that_do_not_suit_their_words)
{
    is_refused("s/^lab_event_query: handle/&handle value/", "", "lab_event_query has 1 arguments, not 2");
    is_refused("s/^lab_event_query: handle/lab_event_query: text/", "", "event of type lab_event * cannot be a text");
    is_refused("", "s/lab_event_query(lab_event \\*event)/lab_event_query(lab_event **event)/", "cannot be a handle");
    is_refused("", "s/lab_mem_free(lab_deviceptr memory)/lab_mem_free(lab_args memory)/", "cannot be a value");
}
