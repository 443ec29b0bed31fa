/* Writes to a descriptor whatever it takes: an interrupt or a short write is not an end. */
#ifndef LAB_BASE_SYSTEM_WRITE_ALL_H
#define LAB_BASE_SYSTEM_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes. False, with errno set, if that fails. */
bool write_all(int descriptor, const void *bytes, size_t count);

#endif
