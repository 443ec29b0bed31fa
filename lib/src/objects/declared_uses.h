/* What the program declares of its next kernel or host function, since no argument shows it. */
#ifndef LAB_OBJECTS_DECLARED_USES_H
#define LAB_OBJECTS_DECLARED_USES_H

#include "record/record.h"

/* Adds the uses that the calling thread has declared, and forgets them. */
void declared_uses_take(record_entry *entry);

#endif
