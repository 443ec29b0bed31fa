/* What a check reads of the student's file itself: predictions, which are tables of constants that the build took from
 * its object, and its text; see check.h. */
#include "check_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/c_text.h"
#include "base/folder.h"

void check_table(void *out, size_t bytes, const char *name)
{
    const char *folder = getenv("LAB_CHECK_TABLES"), *file = getenv("LAB_CHECK_SOURCE");
    char *found = NULL;
    size_t count = 0;
    grader_fault fault;
    check_location("", 0, NULL); /* what is wrong from here on is the prediction, and no call */
    if (!folder) check_fault("LAB_CHECK_TABLES does not name the folder of the tables");
    const folder_found outcome = folder_read(&found, &count, owned_text("%s/%s", folder, name), bytes, &fault);
    const bool whole = outcome == FOLDER_FILE && count == bytes;
    if (whole) memcpy(out, found, bytes);
    free(found);
    if (whole) return;
    check_expected("%zu bytes", bytes);
    check_cause("it is to be defined outside of functions, as the lab's header declares it: const, of that type and "
                "size, and made of numbers, not of addresses");
    if (outcome == FOLDER_NOTHING) check_fail(CHECK_RULE, "%s has no table of constants named %s", file, name);
    if (outcome != FOLDER_FILE && outcome != FOLDER_TOO_LARGE) check_fault("cannot read the table %s", name);
    check_fail(CHECK_RULE, "the table %s of %s has another size than the lab's", name, file);
}

/* The text of the file that this variable names; NULL without it. */
static char *read_text(const char *variable)
{
    enum { MOST_BYTES = 1 << 20 };
    const char *path = getenv(variable);
    char *text = NULL;
    size_t bytes;
    grader_fault fault;
    if (!path || folder_read(&text, &bytes, path, MOST_BYTES, &fault) != FOLDER_FILE) free(text), text = NULL;
    return text;
}

int check_changed_lines(const char *function)
{
    char *before = read_text("LAB_CHECK_STARTER"), *after = read_text("LAB_CHECK_TEXT");
    const int found = before && after ? c_text_changed_lines(before, after, function) : -1;
    free(before);
    free(after);
    if (found < 0) check_fault("cannot compare the student's file with the starter");
    return found;
}
