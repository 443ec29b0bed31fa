/*
 * Recording: what each public call notes about itself while a record is running. With no record running
 * record_begin returns NULL, which every function here accepts, so a call costs one load.
 */
#ifndef LAB_SRC_TRACE_RECORD_H
#define LAB_SRC_TRACE_RECORD_H

#include "backend.h"
#include "lab_trace.h"
#include "stream.h"

typedef struct record_entry record_entry;

/* Where the calling thread's current call stands in the program: noted by lab_here, used up by the next entry. A call
 * that makes several entries takes it at its beginning and gives it to the one that matters. */
typedef struct record_place {
    const char *file;
    int line;
} record_place;
record_place record_take_place(void);
void record_set_place(record_place place);

/* Where the thread's last call that noted it stands, used up or not; the file is "" if none did. */
record_place record_last_place(void);

/* Opens an entry for a call that begins now on this thread; NULL if no record is running. */
record_entry *record_begin(lab_op_kind kind, int device);

/* Closes the entry when the call returns. The entry of a call that failed is dropped. */
void record_end(record_entry *entry, lab_status status);

/* What the call works on. record_on_stream also notes which operations of other streams the null stream's rules make
 * it wait for. */
void record_on_stream(record_entry *entry, const struct stream *on);
void record_object(record_entry *entry, uint64_t object);
void record_name(record_entry *entry, const char *name);
void record_bytes(record_entry *entry, size_t bytes);
void record_memory(record_entry *entry, uint64_t address, size_t bytes);
void record_host_waits(record_entry *entry);
void record_host_memory(record_entry *entry, lab_host_memory memory);
void record_dimensions(record_entry *entry, lab_dim grid, lab_dim block);
void record_access(record_entry *entry, lab_trace_access access);
void record_waits_for(record_entry *entry, uint64_t id);

/* A number for the entry that no other entry of this process has, 0 for NULL: what record_waits_for of a later call
 * takes. One from an earlier record is ignored there. */
uint64_t record_id(const record_entry *entry);

/* Where the device notes when it ran the operation; NULL for NULL. Stays valid until the record has ended. */
backend_times *record_times(record_entry *entry);

/* Notes that a stream exists; called when it is made, whether or not a record is running. */
void record_stream(const struct stream *made);

/* Begins the record that LAB_TRACE=FILE asks for, once; called when the runtime opens. */
lab_status record_start_from_environment(void);

#endif
