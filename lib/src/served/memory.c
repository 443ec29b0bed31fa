/* The program's memory: pinned memory, which both processes have at the same address, and all other, for which the
 * program is asked. */
#include "served.h"

#include "base/host_memory.h"
#include "base/status.h"
#include "wire/extra.h"
#include "wire/note.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The place that is proposed first for the window: below where a system puts libraries and stacks, and among the
 * addresses that the sanitizers leave to programs. */
static const uint64_t FIRST_PLACE = 0x7e8000000000, MOST_WINDOW_BYTES = (uint64_t)64 << 30;
enum { MOST_PROPOSALS = 32, PAGE = 4096, PART = WIRE_BYTES - sizeof(wire_ask) };

/* A part of the window that is in use, in a list by address. */
typedef struct block {
    uint64_t address, bytes;
    struct block *next;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static block *blocks;
static uint64_t window, window_bytes; /* its size limits pinned memory: half of the machine's at most */
static uint64_t shared_bytes;         /* at the beginning of the window: what the program and its check share */
static int window_file = -1;

static uint64_t whole_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* ---- Pinned memory ---- */

static void *local(uint64_t address, size_t bytes)
{
    if (address < window || bytes > window_bytes || address - window > window_bytes - bytes) return NULL;
    return (void *)(uintptr_t)address;
}

/* The first place that is large enough. Returns 0 if there is none. */
static uint64_t take_place(uint64_t bytes)
{
    block *made = malloc(sizeof *made), **link = &blocks;
    uint64_t place = window + shared_bytes;
    pthread_mutex_lock(&lock);
    for (; *link && (*link)->address - place < bytes; link = &(*link)->next) place = (*link)->address + (*link)->bytes;
    bool fits = made && bytes <= window + window_bytes - place;
    if (fits) {
        *made = (block){place, bytes, *link};
        *link = made;
    }
    pthread_mutex_unlock(&lock);
    if (!fits) free(made);
    return fits ? place : 0;
}

static void give_place(uint64_t address)
{
    pthread_mutex_lock(&lock);
    block **link = &blocks;
    while (*link && (*link)->address != address) link = &(*link)->next;
    block *found = *link;
    if (found) *link = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
}

static bool ask_about(wire_question question, uint64_t address, uint64_t bytes)
{
    wire_told told;
    return served_ask(&told, &(served_question){question, {.address = address, .bytes = bytes}, NULL, 0, NULL, 0}) &&
           told.status;
}

static void pinned_free(uint64_t address, size_t bytes)
{
    uint64_t pages = whole_pages(bytes);
    ask_about(WIRE_CLOSE_PINNED, address, pages);
    fallocate(window_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(address - window), (off_t)pages);
    give_place(address);
}

static bool pinned_alloc(uint64_t *address, size_t bytes)
{
    if (bytes > window_bytes) return false;
    uint64_t pages = whole_pages(bytes);
    *address = take_place(pages);
    if (!*address) return false;
    if (fallocate(window_file, 0, (off_t)(*address - window), (off_t)pages) == 0 &&
        ask_about(WIRE_OPEN_PINNED, *address, pages))
        return true;
    pinned_free(*address, bytes);
    return false;
}

/* ---- All other memory ---- */

static bool read_program(void *into, uint64_t address, size_t bytes)
{
    wire_told told;
    for (size_t at = 0; at < bytes; at += PART) {
        size_t part = bytes - at < PART ? bytes - at : PART;
        const served_question read = {WIRE_READ, {.address = address + at, .bytes = part}, NULL, 0, (char *)into + at,
                                      part};
        if (!served_ask(&told, &read) || !told.status) return false;
    }
    return true;
}

static bool write_program(uint64_t address, const void *from, size_t bytes)
{
    wire_told told;
    for (size_t at = 0; at < bytes; at += PART) {
        size_t part = bytes - at < PART ? bytes - at : PART;
        const served_question write = {
            WIRE_WRITE, {.address = address + at, .bytes = part}, (const char *)from + at, part, NULL, 0};
        if (!served_ask(&told, &write) || !told.status) return false;
    }
    return true;
}

static bool exists(uint64_t address, size_t bytes) { return ask_about(WIRE_EXISTS, address, bytes); }

/* ---- The window ---- */

static void make_file(void)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    window_bytes = half < MOST_WINDOW_BYTES ? half / PAGE * PAGE : MOST_WINDOW_BYTES;
    window_file = memfd_create("lab pinned memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (window_file < 0 || (ftruncate(window_file, (off_t)window_bytes) == 0 &&
                            fcntl(window_file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0))
        return;
    close(window_file);
    window_file = -1;
}

static bool make_window(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_file);
    return window_file >= 0;
}

static bool map_window(uint64_t place)
{
    if (window == place) return true;
    if (window) munmap((void *)(uintptr_t)window, window_bytes);
    const int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *memory = mmap((void *)(uintptr_t)place, window_bytes, PROT_READ | PROT_WRITE, flags, window_file, 0);
    window = memory == MAP_FAILED ? 0 : (uintptr_t)memory;
    return window == place;
}

int memory_share(uint64_t bytes)
{
    if (!make_window() || bytes > window_bytes || fallocate(window_file, 0, 0, (off_t)whole_pages(bytes)) != 0)
        return -1;
    shared_bytes = whole_pages(bytes);
    return window_file;
}

lab_status wire_shared_memory(uint64_t *out)
{
    if (shared_bytes == 0) return lab_fail(LAB_ERROR_NOT_FOUND, "the program shares no memory with a check");
    *out = window;
    if (ask_about(WIRE_OPEN_PINNED, window, shared_bytes)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "the memory that the program shares with its check cannot be opened");
}

bool served_meet(int socket)
{
    static const host_memory_access access = {local, read_program, write_program, exists, pinned_alloc, pinned_free};
    if (!make_window() || (!window && !map_window(FIRST_PLACE) && !map_window(FIRST_PLACE + window_bytes)))
        return false;
    host_memory_use(&access);
    wire_note note = {.kind = NOTE_HELLO, .version = served_version, .address = window, .bytes = window_bytes};
    if (!wire_send_note(socket, &note, window_file)) return false;
    for (int i = 0; i < MOST_PROPOSALS; i++) {
        int file;
        if (!wire_receive_note(&note, &file, socket) || note.kind != NOTE_MAPPED) return false;
        if (file >= 0) close(file);
        bool suits = note.address % PAGE == 0 && note.address != 0 && map_window(note.address);
        note = (wire_note){.kind = suits ? NOTE_AGREED : NOTE_HELLO, .address = window, .bytes = window_bytes};
        if (!wire_send_note(socket, &note, -1)) return false;
        if (suits) return true;
    }
    return false;
}
