/* Writing all bytes. */
#include "write_all.h"

#include <errno.h>
#include <unistd.h>

bool write_all(int descriptor, const void *bytes, size_t count)
{
    for (const char *at = bytes; count > 0;) {
        const ssize_t written = write(descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = EIO;
        if (written <= 0) return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}
