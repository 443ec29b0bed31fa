/* Answers the playground's question outside of a browser: play LANGUAGE PROFILE TEXT. Of several texts, it prints the
 * answers one after another. */
#include "playground/answer.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    setenv("LAB_DEVICE", "cpu", 1); /* which is the playground's device here */
    unsetenv("LAB_ORDER");
    unsetenv("LAB_TRACE");
    for (int i = 3; i < argc; i++) {
        char *answer = play_answer(argv[i], argv[1], argv[2]);
        if (!answer) return 1;
        fputs(answer, stdout);
        free(answer);
    }
    return 0;
}
