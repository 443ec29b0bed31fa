/* Replaces CUPTI in a build without its headers. */
#include "cupti.h"

bool cuda_cupti_begin(void) { return false; }

void cuda_cupti_rest(void) {}

void cuda_cupti_resume(void) {}

bool cuda_cupti_rests(void) { return false; }

void cuda_cupti_push(backend_times *times) { (void)times; }

void cuda_cupti_pop(void) {}

void cuda_cupti_end(void) {}
