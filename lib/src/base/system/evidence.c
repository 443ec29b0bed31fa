/* The memory of the evidence. Entries are begun one after another; their bytes are copied side by side. */
#include "evidence.h"

#include "base/monotonic.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

atomic_bool evidence_kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and where entries begin */
static evidence_head *head;
static int file = -1;
static uint64_t last_number;
static int open_entries;

/* A file of this size that nobody can make smaller; -1 if there is none. */
static int make_file(size_t bytes)
{
    int made = memfd_create("lab evidence", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made >= 0 && ftruncate(made, (off_t)bytes) == 0 &&
        fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return made;
    if (made >= 0) close(made);
    return -1;
}

/* A child that is forked does not have the memory. */
static evidence_head *map_file(int made, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, made, 0);
    if (memory == MAP_FAILED) return NULL;
    madvise(memory, bytes, MADV_DONTFORK);
    return memory;
}

bool evidence_begin(size_t bytes)
{
    const int made = bytes > sizeof(evidence_head) ? make_file(bytes) : -1;
    evidence_head *memory = made >= 0 ? map_file(made, bytes) : NULL;
    if (!memory) {
        if (made >= 0) close(made);
        return false;
    }
    memory->bytes = bytes;
    memory->first = memory->end = sizeof *memory;
    pthread_mutex_lock(&lock);
    if (file >= 0) close(file);
    if (head && !open_entries) munmap(head, head->bytes); /* else a copy still writes to it */
    head = memory;
    file = made;
    pthread_mutex_unlock(&lock);
    atomic_store(&evidence_kept, true);
    return true;
}

int evidence_descriptor(void)
{
    pthread_mutex_lock(&lock);
    const int found = file;
    pthread_mutex_unlock(&lock);
    return found;
}

/* The memory is used again from its beginning, unless a copy still writes to it: the program may be standing still, so
 * that such a copy cannot be waited for. */
void evidence_clear(void)
{
    pthread_mutex_lock(&lock);
    if (head) {
        if (!open_entries) atomic_store(&head->end, sizeof *head);
        atomic_store(&head->first, atomic_load(&head->end));
        atomic_store(&head->incomplete, 0);
    }
    pthread_mutex_unlock(&lock);
}

void evidence_end(void) { atomic_store(&evidence_kept, false); }

/* Room for the bytes of an entry, which only this process writes to; NULL if there is none. */
static void *open_entry(evidence_way way, uint64_t copy, uint64_t address, size_t bytes)
{
    evidence_entry *entry = NULL;
    pthread_mutex_lock(&lock);
    const uint64_t at = head ? atomic_load(&head->end) : 0;
    const bool fits =
        head && !atomic_load(&head->incomplete) && bytes <= head->bytes && evidence_after(at, bytes) <= head->bytes;
    if (fits) {
        entry = (evidence_entry *)((unsigned char *)head + at);
        entry->number = ++last_number;
        entry->copy = copy;
        entry->address = address;
        entry->bytes = bytes;
        entry->begin_ns = monotonic_ns();
        entry->way = way;
        atomic_store(&entry->state, EVIDENCE_OPEN);
        atomic_store(&head->end, evidence_after(at, bytes));
        open_entries++;
    } else if (head) {
        atomic_store(&head->incomplete, 1);
    }
    pthread_mutex_unlock(&lock);
    return entry ? entry + 1 : NULL;
}

/* The bytes are there, or could not be copied. */
static void close_entry(void *bytes, bool whole)
{
    evidence_entry *entry = (evidence_entry *)bytes - 1;
    atomic_store(&entry->state, whole ? EVIDENCE_WHOLE : EVIDENCE_FAILED);
    pthread_mutex_lock(&lock);
    open_entries--;
    pthread_mutex_unlock(&lock);
}

bool evidence_keep_upload(void *into, uint64_t address, size_t bytes, uint64_t copy)
{
    void *kept = open_entry(EVIDENCE_UPLOAD, copy, address, bytes);
    const bool read = host_memory_read(kept ? kept : into, address, bytes);
    if (!kept) return read;
    if (read) memcpy(into, kept, bytes);
    close_entry(kept, read);
    return read;
}

bool evidence_keep_delivery(uint64_t address, const void *from, size_t bytes, uint64_t copy)
{
    void *kept = open_entry(EVIDENCE_DELIVERY, copy, address, bytes);
    if (kept) memcpy(kept, from, bytes);
    const bool written = host_memory_write(address, kept ? kept : from, bytes);
    if (kept) close_entry(kept, written);
    return written;
}
