/* The bytes of an array, for records and the order checker. */
#ifndef LAB_OBJECTS_WORK_ARRAY_ACCESSES_H
#define LAB_OBJECTS_WORK_ARRAY_ACCESSES_H

#include "array_object.h"
#include "record/record.h"

/* Notes an access. If it is of an array whose elements are apart in memory, which is NULL otherwise, it becomes an
 * access for each run of elements side by side, unless there are more than 64 runs. */
void array_record_access(record_entry *entry, lab_trace_access access, const struct array *strided);

#endif
