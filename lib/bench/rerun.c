/* Wishes and figures pass through pipes. */
#include "rerun.h"

#include "base/status.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_run(const char *argument, const char *const *settings)
{
    for (; *settings; settings++) putenv((char *)*settings);
    execl("/proc/self/exe", "bench", argument, (char *)NULL);
    _exit(127);
}

lab_status rerun_start(rerun *made, const char *argument, const char *const *settings)
{
    int wishes[2], figures[2];
    *made = (rerun){0};
    if (pipe2(wishes, O_CLOEXEC) != 0 || pipe2(figures, O_CLOEXEC) != 0)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no pipe to another run of this program");
    made->process = fork();
    if (made->process == 0) {
        dup2(wishes[0], STDIN_FILENO);
        dup2(figures[1], STDOUT_FILENO);
        become_run(argument, settings);
    }
    close(wishes[0]);
    close(figures[1]);
    made->wishes = fdopen(wishes[1], "w");
    made->figures = fdopen(figures[0], "r");
    if (made->process > 0 && made->wishes && made->figures) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "this program does not run again");
}

void rerun_end(const rerun *run)
{
    if (run->wishes) fclose(run->wishes);
    if (run->figures) fclose(run->figures);
    if (run->process > 0) waitpid(run->process, NULL, 0);
}

lab_status rerun_ask(double *figures, int count, const rerun *run, int number)
{
    bool answered = fputc('a' + number, run->wishes) != EOF && fflush(run->wishes) == 0;
    for (int i = 0; i < count && answered; i++) answered = fscanf(run->figures, "%lf", &figures[i]) == 1;
    return answered ? LAB_SUCCESS : lab_fail(LAB_ERROR_UNKNOWN, "the run that measures has ended");
}

bool rerun_next(int *number, int count)
{
    fflush(stdout);
    *number = getchar() - 'a';
    return *number >= 0 && *number < count;
}
