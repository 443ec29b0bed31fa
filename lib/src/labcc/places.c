/* A program in PREFIX/bin has its library in PREFIX/lib. Any other runs where it was built. */
#include "places.h"
#include "arguments.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

labcc_places labcc_find_places(void)
{
    char path[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *programs = ".";
    for (int up = 0; up < 2; up++) {
        char *slash = length > 0 ? strrchr(path, '/') : NULL;
        if (slash) *slash = '\0';
        if (slash && up == 0) programs = arguments_text("%s", path);
    }
    const char *installed = arguments_text("%s/include/lab-cuda", path);
    if (access(installed, R_OK) == 0)
        return (labcc_places){arguments_text("%s/include", path), installed, arguments_text("%s/lib", path), programs,
                              arguments_text("%s/lib/check-cuda.py", path)};
    return (labcc_places){LABCC_SOURCES "/lib/include", LABCC_SOURCES "/lib/include/cuda",
                          path[0] ? arguments_text("%s", path) : ".", programs,
                          LABCC_SOURCES "/lib/tools/check-cuda.py"};
}
