/* A tree of the blocks by address, and a ring of the last ones freed. */
#include "kernel_heap.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

typedef struct heap_block {
    uintptr_t address;
    size_t bytes; /* 0 in a question: the block that holds the address */
} heap_block;

enum { KEPT = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *blocks;
static void *kept[KEPT]; /* freed memory */
static unsigned freed;

static int compare(const void *left, const void *right)
{
    const heap_block *a = left, *b = right;
    if (a->address < b->address) return b->address - a->address < a->bytes ? 0 : -1;
    return a->address == b->address || a->address - b->address < b->bytes ? 0 : 1;
}

void *kernel_heap_allocate(size_t bytes)
{
    heap_block *block = malloc(sizeof *block);
    void *memory = block ? malloc(bytes ? bytes : 1) : NULL;
    const heap_block **found = NULL;
    if (memory) {
        *block = (heap_block){(uintptr_t)memory, bytes ? bytes : 1};
        pthread_mutex_lock(&lock);
        found = tsearch(block, &blocks, compare);
        pthread_mutex_unlock(&lock);
    }
    if (found) return memory;
    free(memory);
    free(block);
    return NULL;
}

static heap_block *find(uintptr_t address)
{
    const heap_block question = {address, 0};
    heap_block **found = tfind(&question, &blocks, compare);
    return found ? *found : NULL;
}

bool kernel_heap_release(void *memory)
{
    if (!memory) return true;
    void *old = NULL;
    pthread_mutex_lock(&lock);
    heap_block *block = find((uintptr_t)memory);
    const bool is_block = block && block->address == (uintptr_t)memory;
    if (is_block) {
        tdelete(block, &blocks, compare);
        old = kept[freed % KEPT];
        kept[freed++ % KEPT] = memory;
    }
    pthread_mutex_unlock(&lock);
    if (is_block) free(block);
    free(old);
    return is_block;
}

bool kernel_heap_holds(uintptr_t address, size_t bytes)
{
    pthread_mutex_lock(&lock);
    const heap_block *found = find(address);
    const bool holds = found && bytes <= found->bytes - (address - found->address);
    pthread_mutex_unlock(&lock);
    return holds;
}
