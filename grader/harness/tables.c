/* Predictions: tables of constants, which the build took from the object of the student's file; see check.h. */
#include "check_state.h"

#include <stdlib.h>
#include <string.h>

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
