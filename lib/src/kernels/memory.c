/* The memory that the device process shares with this one, at the same addresses. */
#include "kernels.h"

#include <sys/mman.h>
#include <unistd.h>

apart_head *kernels_map_all(void)
{
    const int flags = MAP_SHARED | MAP_NORESERVE;
    int file = APART_FIRST_FILE;
    const off_t bytes = lseek(file, 0, SEEK_END);
    void *memory = bytes > 0 ? mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, flags, file, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) return NULL;
    close(file);
    apart_head *head = memory;
    for (int i = 0; i < APART_WINDOWS; i++) {
        if (!head->address[i]) continue;
        void *place = (void *)(uintptr_t)head->address[i];
        if (mmap(place, head->bytes[i], PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, ++file, 0) != place)
            return NULL;
        close(file);
    }
    return head;
}
