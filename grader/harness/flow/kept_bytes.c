/* Maps the evidence and walks through it. */
#include "kept_bytes.h"

#include <sys/mman.h>
#include <sys/stat.h>

bool kept_bytes_map(check_evidence *out, int descriptor)
{
    struct stat status;
    *out = (check_evidence){0};
    if (fstat(descriptor, &status) != 0 || status.st_size < (off_t)sizeof(evidence_head)) return false;
    const size_t bytes = (size_t)status.st_size;
    void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) return false;
    *out = (check_evidence){memory, bytes};
    if (out->head->bytes == bytes) return true;
    kept_bytes_unmap(out);
    return false;
}

void kept_bytes_unmap(check_evidence *mapped)
{
    if (mapped->head) munmap((void *)mapped->head, mapped->bytes);
    *mapped = (check_evidence){0};
}

bool kept_bytes_are_incomplete(const check_evidence *mapped) { return atomic_load(&mapped->head->incomplete); }

const evidence_entry *kept_bytes_next(const check_evidence *mapped, const evidence_entry *entry)
{
    const unsigned char *memory = (const unsigned char *)mapped->head;
    uint64_t at = atomic_load(&mapped->head->first), end = atomic_load(&mapped->head->end);
    if (entry) at = evidence_after((uint64_t)((const unsigned char *)entry - memory), entry->bytes);
    if (end > mapped->bytes) return NULL;
    for (; at < end; at = evidence_after(at, entry->bytes)) {
        entry = (const evidence_entry *)(memory + at);
        if (end - at < sizeof *entry || entry->bytes > end - at - sizeof *entry) return NULL;
        if (atomic_load(&((evidence_entry *)entry)->state) == EVIDENCE_WHOLE) return entry;
    }
    return NULL;
}
