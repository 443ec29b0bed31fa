/* The list of parts in use is this process's own: what lies in a window says nothing about the window. */
#include "window.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_PLACES = 64 };

typedef struct window_block {
    uint64_t address, bytes;
    struct window_block *next;
} window_block;

uint64_t window_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

bool window_holds(const window *holder, uint64_t address, uint64_t bytes)
{
    return holder->address && address >= holder->address && bytes <= holder->bytes &&
           address - holder->address <= holder->bytes - bytes;
}

bool window_make(window *made, const char *name, uint64_t bytes)
{
    *made = (window){.bytes = bytes / PAGE * PAGE, .lock = PTHREAD_MUTEX_INITIALIZER};
    made->file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made->file < 0) return false;
    if (ftruncate(made->file, (off_t)made->bytes) == 0 &&
        fcntl(made->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return true;
    close(made->file);
    made->file = -1;
    return false;
}

bool window_map(window *mapped, uint64_t place)
{
    if (mapped->address == place || mapped->fixed) return mapped->address == place;
    if (mapped->address) munmap((void *)(uintptr_t)mapped->address, mapped->bytes);
    const int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *memory = mmap((void *)(uintptr_t)place, mapped->bytes, PROT_READ | PROT_WRITE, flags, mapped->file, 0);
    mapped->address = memory == MAP_FAILED ? 0 : (uintptr_t)memory;
    return mapped->address == place;
}

bool window_map_near(window *mapped, uint64_t place)
{
    for (int i = 0; i < MOST_PLACES; i++, place += mapped->bytes)
        if (window_map(mapped, place)) return true;
    return false;
}

bool window_keep(window *keeper, uint64_t bytes)
{
    const uint64_t pages = window_pages(bytes);
    if (bytes > keeper->bytes || fallocate(keeper->file, 0, 0, (off_t)pages) != 0) return false;
    keeper->kept = pages;
    return true;
}

/* The first place that is large enough; 0 if there is none. */
static uint64_t take_place(window *taken, uint64_t bytes)
{
    window_block *made = malloc(sizeof *made), **link = &taken->blocks;
    uint64_t place = taken->address + taken->kept;
    pthread_mutex_lock(&taken->lock);
    for (; *link && (*link)->address - place < bytes; link = &(*link)->next) place = (*link)->address + (*link)->bytes;
    const bool fits = made && bytes <= taken->address + taken->bytes - place;
    if (fits) {
        *made = (window_block){place, bytes, *link};
        *link = made;
        taken->taken += bytes;
    }
    pthread_mutex_unlock(&taken->lock);
    if (!fits) free(made);
    return fits ? place : 0;
}

static void give_place(window *given, uint64_t address)
{
    pthread_mutex_lock(&given->lock);
    window_block **link = &given->blocks;
    while (*link && (*link)->address != address) link = &(*link)->next;
    window_block *found = *link;
    if (found) *link = found->next;
    if (found) given->taken -= found->bytes;
    pthread_mutex_unlock(&given->lock);
    free(found);
}

uint64_t window_find_free(window *asked, uint64_t address, uint64_t bytes)
{
    if (!window_holds(asked, address, bytes)) return 0;
    const uint64_t end = address + bytes;
    if (address - asked->address < asked->kept) address = asked->address + asked->kept;
    pthread_mutex_lock(&asked->lock);
    for (const window_block *block = asked->blocks; block && block->address <= address; block = block->next)
        if (address - block->address < block->bytes) address = block->address + block->bytes;
    pthread_mutex_unlock(&asked->lock);
    return address < end ? address : 0;
}

bool window_tells_uses(void)
{
    char setting[128] = "";
    const int file = open("/sys/kernel/mm/transparent_hugepage/shmem_enabled", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? read(file, setting, sizeof setting - 1) : 0;
    if (file >= 0) close(file);
    return got <= 0 || strstr(setting, "[never]") || strstr(setting, "[advise]") || strstr(setting, "[deny]");
}

/* The first use in a gap between blocks. */
static uint64_t find_use(const window *asked, uint64_t begin, uint64_t end)
{
    const off_t at = begin < end ? lseek(asked->file, (off_t)(begin - asked->address), SEEK_DATA) : -1;
    return at >= 0 && (uint64_t)at < end - asked->address ? asked->address + (uint64_t)at : 0;
}

/* The system gives a page to whoever uses one: there are more than were taken, and the gaps tell which. */
uint64_t window_find_used(window *asked)
{
    struct stat now;
    uint64_t found = 0, begin = asked->address + asked->kept;
    pthread_mutex_lock(&asked->lock);
    if (fstat(asked->file, &now) == 0 && (uint64_t)now.st_blocks * 512 > asked->taken) {
        for (const window_block *block = asked->blocks; block && !found; block = block->next) {
            found = find_use(asked, begin, block->address);
            begin = block->address + block->bytes;
        }
        if (!found) found = find_use(asked, begin, asked->address + asked->bytes);
    }
    pthread_mutex_unlock(&asked->lock);
    return found;
}

uint64_t window_take(window *taken, uint64_t bytes)
{
    if (bytes == 0 || bytes > taken->bytes || !taken->address) return 0;
    const uint64_t pages = window_pages(bytes), address = take_place(taken, pages);
    if (!address || fallocate(taken->file, 0, (off_t)(address - taken->address), (off_t)pages) == 0) return address;
    window_give(taken, address, bytes);
    return 0;
}

void window_give(window *given, uint64_t address, uint64_t bytes)
{
    fallocate(given->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(address - given->address),
              (off_t)window_pages(bytes));
    give_place(given, address);
}
