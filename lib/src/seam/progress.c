/* The place is set before kernels run. */
#include "progress.h"

static _Atomic uint64_t own;
static _Atomic uint64_t *made = &own;

void progress_note(void) { atomic_fetch_add_explicit(made, 1, memory_order_relaxed); }

uint64_t progress_made(void) { return atomic_load_explicit(made, memory_order_relaxed); }

void progress_keep_at(_Atomic uint64_t *place) { made = place; }
