/* What a check reads of the student's file itself: predictions, which are tables of constants that the build took from
 * its object, and its text; see check.h. */
#include "check_state.h"

#include <stdlib.h>
#include <string.h>

#include "source/changed_lines.h"
#include "base/folder.h"

void check_table(void *out, size_t bytes, const char *name)
{
    const char *folder = getenv("LAB_CHECK_TABLES"), *file = getenv("LAB_CHECK_SOURCE");
    char *found = NULL;
    size_t count = 0;
    grader_fault fault;
    if (!folder) check_fault("LAB_CHECK_TABLES does not name the folder of the tables");
    const folder_found outcome = folder_read(&found, &count, check_text("%s/%s", folder, name), bytes, &fault);
    const bool whole = outcome == FOLDER_FILE && count == bytes;
    if (whole) memcpy(out, found, bytes);
    free(found);
    if (whole) return;
    if (outcome != FOLDER_NOTHING && outcome != FOLDER_FILE && outcome != FOLDER_TOO_LARGE)
        check_fault("cannot read the table %s", name);
    /* What is wrong is the prediction, and no call. */
    check_fail(CHECK_RULE,
               outcome == FOLDER_NOTHING ? check_text("%s has no table of constants named %s", file, name)
                                         : check_text("the table %s of %s has another size than the lab's", name, file),
               .at = check_at_no_line(), .expected = check_text("%zu bytes", bytes),
               .cause = "it is to be defined outside of functions, as the lab's header declares it: const, of that "
                        "type and size, and made of numbers, not of addresses");
}

/* The text of the file that this variable names; the caller frees it. */
static char *read_text(preprocessed_text *out, const char *variable)
{
    enum { MOST_BYTES = 2 << 20 };
    const char *path = getenv(variable);
    char *text = NULL;
    grader_fault fault;
    const folder_found found = path ? folder_read(&text, &out->length, path, MOST_BYTES, &fault) : FOLDER_NOTHING;
    if (found == FOLDER_TOO_LARGE)
        check_fail(CHECK_RULE, check_text("without its macros %s has more than %d MiB", getenv("LAB_CHECK_SOURCE"),
                                          MOST_BYTES >> 20));
    if (found != FOLDER_FILE) check_fault("cannot compare the student's file with the starter");
    out->text = text;
    return text;
}

int check_changed_lines(const char *function)
{
    preprocessed_text given, now;
    if (!this_check.definition->counts_lines) check_fault("the check does not say that it counts lines");
    char *before = read_text(&given, "LAB_CHECK_STARTER"), *after = read_text(&now, "LAB_CHECK_TEXT");
    const int found = changed_lines(given, now, function);
    free(before);
    free(after);
    if (found < 0) check_fault("not enough memory to compare the student's file with the starter");
    return found;
}
