/* Who makes an entry of the cache: while one does, others that need it wait instead of making it too. */
#ifndef LAB_BASE_SYSTEM_CACHE_CLAIM_H
#define LAB_BASE_SYSTEM_CACHE_CLAIM_H

#include "digest.h"

#include <stdbool.h>

/* The file of claims in the cache's folder. */
#define CACHE_CLAIMS "claims"

/* Claims the entry with this digest. Returns what the caller hands to cache_claim_end, or -1 where nothing can be claimed.
 * *waited: another had the claim and has ended it, or keeps it for a minute. */
int cache_claim(bool *waited, const char *folder, const digest *key);

/* The last one to end removes the file. */
void cache_claim_end(int claim, const char *folder);

#endif
