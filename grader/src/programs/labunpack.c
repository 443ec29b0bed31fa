/*
 * labunpack: reads the archive on descriptor 3 and writes what it holds, as frames, to descriptor 4; with a word, of a
 * student's archive only what can matter. labgrade starts it in the sandbox, because an archive is untrusted.
 */
#include <stdlib.h>

#include "intake/archive_frames.h"

int main(int count, char **words)
{
    (void)words;
    return archive_frames_write(3, 4, count > 1) ? EXIT_SUCCESS : EXIT_FAILURE;
}
