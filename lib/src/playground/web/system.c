/* What the library uses of an operating system and a browser does not have. Nothing of it matters to a program that
 * runs on a device that does no work. */
#include "base/system/digest.h"
#include "base/system/evidence.h"
#include "base/system/own_time.h"
#include "base/system/text_file.h"
#include "base/terminal.h"
#include "objects/contexts/host_pages.h"
#include "order/order_state.h"
#include "record/record.h"
#include "seam/kernel_headers.h"

#include <string.h>

const host_memory_access *host_memory_other;
atomic_bool evidence_kept;

void own_time_begins(void) {}
void own_time_ends(void) {}

/* Kernels have no text here that identifies them. Their digest is not empty: the model takes a kernel without one for
 * the library's own. */
digest digest_of(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return (digest){0};
}

void digest_write(char digits[DIGEST_DIGITS], const digest *written)
{
    (void)written;
    memset(digits, '0', DIGEST_DIGITS - 1);
    digits[DIGEST_DIGITS - 1] = '\0';
}

const kernel_header *kernel_headers_find(const char *name, size_t length)
{
    (void)name;
    (void)length;
    return NULL;
}

/* There is no environment, so nothing asks for a record or a checker but the playground. */
lab_status order_start_from_environment(void) { return LAB_SUCCESS; }
lab_status record_start_from_environment(void) { return LAB_SUCCESS; }
lab_status host_pages_open(bool on_cpu)
{
    (void)on_cpu;
    return LAB_SUCCESS;
}
void order_print(const lab_order_finding *finding, size_t number)
{
    (void)finding;
    (void)number;
}
