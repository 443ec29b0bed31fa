/* Fills in entries. An entry without memory for its lists is dropped from the record. */
#include "record_entry.h"

#include <stdlib.h>
#include <string.h>

void record_object(record_entry *entry, uint64_t object)
{
    if (entry) entry->op.object = object;
}

void record_name(record_entry *entry, const char *name)
{
    if (entry) entry->name = entry->recorded ? strdup(name) : name;
}

void record_bytes(record_entry *entry, size_t bytes)
{
    if (entry) entry->op.bytes = bytes;
}

void record_memory(record_entry *entry, uint64_t address, size_t bytes)
{
    record_object(entry, address);
    record_bytes(entry, bytes);
}

void record_host_waits(record_entry *entry, bool source_alone)
{
    if (!entry) return;
    entry->op.host_waits = true;
    entry->waits_for_source = source_alone;
}

void record_host_memory(record_entry *entry, lab_host_memory memory)
{
    if (entry) entry->op.host_memory = memory;
}

void record_peer(record_entry *entry, int device, bool access)
{
    if (!entry) return;
    entry->op.peer = 1 + device;
    entry->op.peer_access = access;
}

void record_dimensions(record_entry *entry, lab_dim grid, lab_dim block)
{
    if (!entry) return;
    entry->op.grid = grid;
    entry->op.block = block;
}

/* Without its module the kernel would be taken for one of the library's own. */
static void keep_module(record_entry *entry, const char *module)
{
    entry->module = strdup(module);
    if (!entry->module) entry->dropped = true;
}

void record_kernel(record_entry *entry, const char *module, const char *arguments)
{
    if (!entry) return;
    keep_module(entry, module);
    entry->arguments = strdup(arguments);
}

void record_load(record_entry *entry, const char *module, int64_t compile_ns)
{
    if (!entry) return;
    keep_module(entry, module);
    entry->op.compile_ns = compile_ns;
}

uint64_t record_kept(record_entry *entry)
{
    if (entry) entry->op.kept = record_id(entry);
    return record_id(entry);
}

static bool lengthen(record_entry *entry)
{
    const int capacity = 2 * entry->access_capacity;
    lab_trace_access *own = entry->access == entry->few ? NULL : entry->access;
    lab_trace_access *larger = realloc(own, (size_t)capacity * sizeof *larger);
    if (!larger) return false;
    if (!own) memcpy(larger, entry->few, sizeof entry->few);
    entry->access = larger;
    entry->access_capacity = capacity;
    return true;
}

void record_access(record_entry *entry, lab_trace_access access)
{
    if (!entry) return;
    if (!entry->access) {
        entry->access = entry->few;
        entry->access_capacity = FEW_ACCESSES;
    }
    if (entry->op.accesses == entry->access_capacity && !lengthen(entry)) {
        entry->dropped = true;
        return;
    }
    entry->access[entry->op.accesses++] = access;
}

void record_no_access(record_entry *entry)
{
    if (!entry) return;
    entry->op.accesses = 0;
    entry->op.declared = 0;
}

void record_declared_access(record_entry *entry, lab_trace_access access)
{
    const int before = entry ? entry->op.accesses : 0;
    record_access(entry, access);
    if (entry) entry->op.declared += entry->op.accesses - before;
}
