/* The program's memory: pinned memory, which both processes have at the same address, and all other, for which the
 * program is asked. */
#include "served.h"

#include "base/program/host_memory.h"
#include "base/status.h"
#include "base/system/window.h"
#include "wire/extra.h"
#include "wire/note.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const uint64_t MOST_WINDOW_BYTES = (uint64_t)64 << 30;
enum { MOST_PROPOSALS = 32, PAGE = 4096, PART = WIRE_BYTES - sizeof(wire_ask) };

/* Its size limits pinned memory: half of the machine's at most. It keeps what the program and its check share. */
static window pinned = {.file = -1};

static atomic_bool cooperative; /* whether the program may launch cooperatively */

/* ---- Pinned memory ---- */

static void *local(uint64_t address, size_t bytes)
{
    return window_holds(&pinned, address, bytes) ? (void *)(uintptr_t)address : NULL;
}

static bool ask_about(wire_question question, uint64_t address, uint64_t bytes)
{
    wire_told told;
    return served_ask(&told, &(served_question){question, {.address = address, .bytes = bytes}, NULL, 0, NULL, 0}) &&
           told.status;
}

static void pinned_free(uint64_t address, size_t bytes)
{
    ask_about(WIRE_CLOSE_PINNED, address, window_pages(bytes));
    window_give(&pinned, address, bytes);
}

static bool pinned_alloc(uint64_t *address, size_t bytes)
{
    *address = window_take(&pinned, bytes);
    if (!*address) return false;
    if (ask_about(WIRE_OPEN_PINNED, *address, window_pages(bytes))) return true;
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
    const uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    window_make(&pinned, "lab pinned memory", half < MOST_WINDOW_BYTES ? half : MOST_WINDOW_BYTES);
}

static bool make_window(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_file);
    return pinned.file >= 0;
}

int memory_share(uint64_t bytes) { return make_window() && window_keep(&pinned, bytes) ? pinned.file : -1; }

uint64_t memory_shared_address(void) { return pinned.address; }

lab_status wire_shared_memory(uint64_t *out)
{
    if (pinned.kept == 0) return lab_fail(LAB_ERROR_NOT_FOUND, "the program shares no memory with a check");
    *out = pinned.address;
    if (ask_about(WIRE_OPEN_PINNED, pinned.address, pinned.kept)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "the memory that the program shares with its check cannot be opened");
}

bool served_launches_cooperatively(void) { return atomic_load(&cooperative); }

bool served_meet(int socket)
{
    static const host_memory_access access = {local,        read_program, write_program, exists,
                                              pinned_alloc, pinned_free,  &pinned};
    if (!make_window() || (!pinned.address && !window_map_near(&pinned, WINDOW_FIRST_PLACE))) return false;
    host_memory_use(&access);
    wire_note note = {.kind = NOTE_HELLO, .version = served_version, .address = pinned.address, .bytes = pinned.bytes};
    if (!wire_send_note(socket, &note, pinned.file)) return false;
    for (int i = 0; i < MOST_PROPOSALS; i++) {
        int file;
        if (!wire_receive_note(&note, &file, socket) || note.kind != NOTE_MAPPED) return false;
        if (file >= 0) close(file);
        atomic_store(&cooperative, note.number != 0);
        bool suits = note.address % PAGE == 0 && note.address != 0 && window_map(&pinned, note.address);
        note = (wire_note){.kind = suits ? NOTE_AGREED : NOTE_HELLO, .address = pinned.address, .bytes = pinned.bytes};
        if (!wire_send_note(socket, &note, -1)) return false;
        if (suits) return true;
    }
    return false;
}
