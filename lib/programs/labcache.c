/*
 * labcache: shows the cache of compiled kernels, or clears it.
 */
#include "lab.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "usage: labcache [show|clear]\n"
                           "\n"
                           "Compiled kernels are kept in a folder, so that a second run need not compile them again.\n"
                           "\n"
                           "  show      shows where the cache is, how much it holds, and its limit (the default)\n"
                           "  clear     removes all compiled kernels\n"
                           "  --help    shows this text\n"
                           "\n"
                           "LAB_CACHE_DIR=FOLDER moves the cache; LAB_CACHE_SIZE=64M limits it, and 0 turns it off.\n";

enum { EXIT_USAGE = 2 };

static lab_status show(void)
{
    lab_cache_info info;
    LAB_TRY(lab_cache_get_info(&info));
    printf("folder   %s\n", info.folder);
    printf("holds    %" PRIu64 " kernel%s, %" PRIu64 " bytes\n", info.entries, info.entries == 1 ? "" : "s",
           info.bytes);
    if (info.limit)
        printf("limit    %" PRIu64 " bytes\n", info.limit);
    else
        printf("limit    0: nothing is kept\n");
    if (*info.problem) printf("problem  %s\n", info.problem);
    return LAB_SUCCESS;
}

int main(int count, char **argument)
{
    const char *what = count > 1 ? argument[1] : "show";
    if (strcmp(what, "--help") == 0) {
        fputs(help, stdout);
        return EXIT_SUCCESS;
    }
    bool clears = strcmp(what, "clear") == 0;
    if (count > 2 || (!clears && strcmp(what, "show") != 0)) {
        fprintf(stderr, "labcache: unknown argument '%s': expected show or clear; see labcache --help\n",
                argument[count - 1]);
        return EXIT_USAGE;
    }
    if ((clears ? lab_cache_clear() : show()) == LAB_SUCCESS) return EXIT_SUCCESS;
    fprintf(stderr, "labcache: %s\n", lab_error_message());
    return EXIT_FAILURE;
}
