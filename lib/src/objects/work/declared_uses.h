/* Memory that the program declares its next kernel or host function to use, since no argument shows it. */
#ifndef LAB_OBJECTS_WORK_DECLARED_USES_H
#define LAB_OBJECTS_WORK_DECLARED_USES_H

#include "record/record.h"

/* Adds the uses that the calling thread has declared to the entry, and forgets them. */
void declared_uses_take(record_entry *entry);

#endif
