/*
 * labunpack: reads the archive on descriptor 3 and writes what it holds, as frames, to descriptor 4. labgrade starts it
 * in the sandbox, because an archive comes from a stranger.
 */
#include <stdlib.h>

#include "intake/archive_frames.h"

int main(void) { return archive_frames_write(3, 4) ? EXIT_SUCCESS : EXIT_FAILURE; }
