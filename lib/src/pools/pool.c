/* Handing out and taking back blocks: the ladder that an allocation climbs, and the order between the streams. */
#include "pool.h"

#include "base/handle.h"
#include "base/status.h"
#include "objects/memory.h"
#include "objects/stream_record.h"
#include "seam/ledger.h"

#include <stdlib.h>

static lab_status no_host_memory(const char *call)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for the pool's list of blocks", call);
}

static const range_cutter cutter; /* how this kind of pool cuts ranges */

static void lock(pool *of) { pthread_mutex_lock(&of->streams.lock); }

static void unlock(pool *of) { pthread_mutex_unlock(&of->streams.lock); }

/* ------------------------------------------------------------------------------------------------------
 * Blocks
 */

/* Makes sure that one more block can be made. */
static bool make_room(pool *in)
{
    if (!number_map_reserve(&in->blocks, 1)) return false;
    if (!in->spare) in->spare = calloc(1, sizeof *in->spare);
    return in->spare;
}

static pool_block *take_spare(pool *from)
{
    pool_block *taken = from->spare;
    from->spare = taken->next;
    return taken;
}

static void keep_spare(pool *in, pool_block *unused)
{
    unused->next = in->spare;
    in->spare = unused;
}

static void add_to_arena(pool *of, pool_block *block)
{
    pool_tree_insert(&block->chunk->home->free_blocks, block);
    of->free_blocks++;
}

static void remove_from_arena(pool *of, pool_block *block)
{
    pool_tree_remove(&block->chunk->home->free_blocks, block);
    of->free_blocks--;
}

/* Takes the block that follows, free too and in no tree, into the first one. */
static void merge(pool *in, pool_block *block, pool_block *following)
{
    number_map_remove(&in->blocks, following->address);
    pool_uses_join(&in->streams, &block->uses, &following->uses);
    pool_block_absorb(block, following);
    keep_spare(in, following);
}

/* Puts the block, and what is free beside it, into the arena. */
static void put_back(pool *into, pool_block *block)
{
    pool_block *previous = block->previous, *next = block->next;
    block->used = false;
    block->borrower = NULL;
    if (next && !next->used) {
        remove_from_arena(into, next);
        merge(into, block, next);
    }
    if (previous && !previous->used) {
        remove_from_arena(into, previous);
        merge(into, previous, block);
        block = previous;
    }
    add_to_arena(into, block);
}

/* ------------------------------------------------------------------------------------------------------
 * Chunks
 */

static lab_status ask_source(uint64_t *address, const pool *into, size_t bytes, lab_stream *stream, const char *call)
{
    if (!into->source.alloc) {
        LAB_TRY(memory_alloc_on(address, into->context, bytes, call));
    } else {
        lab_deviceptr memory = 0;
        LAB_TRY(into->source.alloc(&memory, bytes, stream, into->source.user));
        if (!memory)
            return lab_fail(LAB_ERROR_UNKNOWN, "%s: the pool's source reports success, but gave no memory", call);
        *address = memory;
    }
    ranges_set_pool(device_ranges, *address, bytes, 0, into->handle, &cutter);
    ledger_set_pooled(*address, true);
    return LAB_SUCCESS;
}

static lab_status give_to_source(const pool *from, uint64_t address, size_t bytes)
{
    ranges_set_pool(device_ranges, address, bytes, from->handle, 0, NULL);
    if (from->source.alloc) ledger_set_pooled(address, false); /* the source may use it for something else */
    return from->source.alloc ? from->source.free(address, bytes, NULL, from->source.user) : lab_mem_free(address);
}

static void add_chunk(pool *to, pool_chunk *chunk, pool_block *block, pool_stream *home)
{
    *block = (pool_block){.address = chunk->address, .bytes = chunk->bytes, .chunk = chunk, .used = true};
    chunk->first = block;
    chunk->home = home;
    home->references++;
    chunk->next = to->chunks;
    if (to->chunks) to->chunks->previous = chunk;
    to->chunks = chunk;
    number_map_put(&to->blocks, block->address, block);
    to->total += chunk->bytes;
}

/* Takes a chunk that is one free block out of the pool. */
static void remove_chunk(pool *from, pool_chunk *chunk)
{
    remove_from_arena(from, chunk->first);
    number_map_remove(&from->blocks, chunk->address);
    pool_uses_drop(&from->streams, &chunk->first->uses);
    keep_spare(from, chunk->first);
    if (chunk->next) chunk->next->previous = chunk->previous;
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        from->chunks = chunk->next;
    from->total -= chunk->bytes;
    pool_stream_release(&from->streams, chunk->home);
}

/* Takes the chunks without a used block out of the pool: a list. Fails if there are some and a capture forbids to give
 * them back. */
static lab_status remove_free_chunks(pool_chunk **removed, pool *from, const struct stream *only, const char *call)
{
    *removed = NULL;
    for (pool_chunk *chunk = from->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        if (chunk->first->used || chunk->first->bytes < chunk->bytes) continue;
        if (only && chunk->home->id != only->identity.id) continue;
        if (!*removed) LAB_TRY(runtime_backend()->capture_check_unsafe(call));
        remove_chunk(from, chunk);
        chunk->next = *removed;
        *removed = chunk;
    }
    return LAB_SUCCESS;
}

/* The device's own way of freeing waits for the work that may use the memory; a source of the caller's need not. */
static lab_status give_back(const pool *from, pool_chunk *list)
{
    lab_status status = LAB_SUCCESS;
    if (list && from->source.alloc) status = runtime_backend()->context_wait(from->context->native);
    while (list) {
        pool_chunk *next = list->next;
        lab_status given = give_to_source(from, list->address, list->bytes);
        if (status == LAB_SUCCESS) status = given;
        free(list);
        list = next;
    }
    return status;
}

lab_status pool_free_all(pool *of, const struct stream *only, const char *call)
{
    pool_chunk *removed;
    lock(of);
    lab_status status = remove_free_chunks(&removed, of, only, call);
    unlock(of);
    return status == LAB_SUCCESS ? give_back(of, removed) : status;
}

/* ------------------------------------------------------------------------------------------------------
 * Allocating
 *
 * An allocation climbs a ladder. Each rung sets `found`, or leaves it NULL for the next rung, or fails.
 */

typedef struct request {
    pool *from;
    size_t asked, bytes; /* bytes: asked rounded up */
    pool_stream *by;
    const char *call;
    pool_block *found;
} request;

/* Makes the stream wait for what other streams do with the block. `waits` is the number of the wait among the stream's
 * operations, or 0 if there was nothing to wait for. */
static lab_status wait_for_users(uint64_t *waits, const request *of, const pool_block *block)
{
    pool_stream *by = of->by, *home = block->chunk->home;
    *waits = 0;
    if ((home == by || pool_stream_done(home)) && pool_uses_done(block->uses)) return LAB_SUCCESS;
    struct stream *on = by->on;
    *waits = stream_begin_work(on);
    lab_status status = home == by ? LAB_SUCCESS : pool_stream_wait(by, home);
    if (status == LAB_SUCCESS) status = pool_uses_wait(block->uses, by);
    stream_end_work(on);
    return status;
}

/* Hands a free block over, cut to size, and makes the stream wait for what other streams do with it. A chunk that is
 * wholly free moves to the arena of the stream; a block of another chunk is only lent, and its new user noted. */
static lab_status take(request *of, pool_block *block)
{
    pool *from = of->from;
    pool_chunk *chunk = block->chunk;
    pool_stream *home = chunk->home;
    bool moves = home != of->by && block->bytes == chunk->bytes, lent = home != of->by && !moves;
    pool_use *new_use = NULL;
    if ((block->bytes > of->bytes && !make_room(from)) || (lent && !pool_uses_note(&new_use, of->by)))
        return no_host_memory(of->call);
    uint64_t waits;
    lab_status status = wait_for_users(&waits, of, block);
    if (status != LAB_SUCCESS) {
        pool_uses_drop(&from->streams, &new_use);
        return status;
    }
    remove_from_arena(from, block);
    if (moves) {
        chunk->home = of->by;
        of->by->references++;
        pool_stream_release(&from->streams, home);
    }
    if (moves || (waits && !lent)) block->last = waits;
    block->before = block->last;
    block->borrower = lent ? of->by : NULL;
    pool_use *waited_for = block->uses;
    block->uses = new_use;
    if (block->bytes > of->bytes) {
        pool_block *rest = take_spare(from);
        pool_block_split(block, of->bytes, rest);
        number_map_put(&from->blocks, rest->address, rest);
        if (lent) { /* its home has not waited */
            rest->uses = waited_for;
            waited_for = NULL;
        }
        add_to_arena(from, rest);
    }
    pool_uses_drop(&from->streams, &waited_for);
    of->found = block;
    return LAB_SUCCESS;
}

static lab_status look_in_own_arena(request *of)
{
    pool_block *block = pool_tree_best_fit(of->by->free_blocks, of->bytes);
    return block ? take(of, block) : LAB_SUCCESS;
}

/* The best fit of all other arenas: of ended streams only, or of those whose work is done only, if asked. */
static pool_block *best_elsewhere(const request *of, bool ended, bool done)
{
    pool_block *best = NULL;
    for (pool_stream *each = of->from->streams.first; each; each = each->next) {
        if (each == of->by || (ended && each->on)) continue;
        pool_block *block = pool_tree_best_fit(each->free_blocks, of->bytes);
        if (!block || (best && best->bytes <= block->bytes)) continue;
        if (!done || (pool_stream_done(each) && pool_uses_done(block->uses))) best = block;
    }
    return best;
}

static lab_status look_in_ended_arenas(request *of)
{
    pool_block *block = best_elsewhere(of, true, true);
    return block ? take(of, block) : LAB_SUCCESS;
}

static lab_status look_where_work_is_done(request *of)
{
    pool_block *block = best_elsewhere(of, false, true);
    return block ? take(of, block) : LAB_SUCCESS;
}

static lab_status look_in_all_arenas(request *of)
{
    pool_block *block = best_elsewhere(of, false, false);
    return block ? take(of, block) : LAB_SUCCESS;
}

static bool limit_allows(const pool *in, size_t bytes)
{
    size_t held = in->total + in->arriving;
    return !in->limit || (held <= in->limit && bytes <= in->limit - held);
}

/* Makes a chunk of what the source gave. On failure the memory is still the caller's. */
static lab_status adopt(request *of, pool_chunk *chunk)
{
    pool *into = of->from;
    if (!make_room(into)) return no_host_memory(of->call);
    of->found = take_spare(into);
    add_chunk(into, chunk, of->found, of->by);
    return LAB_SUCCESS;
}

/* Asks the source for exactly the bytes needed. */
static lab_status grow(request *of)
{
    pool *into = of->from;
    if (!limit_allows(into, of->bytes)) return LAB_SUCCESS;
    pool_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk) return no_host_memory(of->call);
    chunk->bytes = of->bytes;
    lab_stream *stream = of->by->on->handle;
    into->arriving += of->bytes;
    unlock(into);
    lab_status status = ask_source(&chunk->address, into, of->bytes, stream, of->call);
    bool given = status == LAB_SUCCESS;
    lock(into);
    into->arriving -= of->bytes;
    if (given && number_map_get(&into->blocks, chunk->address)) {
        status = lab_fail(LAB_ERROR_UNKNOWN, "%s: the pool's source gave 0x%llx, which it had given before", of->call,
                          (unsigned long long)chunk->address);
        given = false;
    }
    if (given) status = adopt(of, chunk);
    if (status == LAB_SUCCESS) return LAB_SUCCESS;
    if (given) {
        unlock(into);
        give_to_source(into, chunk->address, chunk->bytes);
        lock(into);
    }
    free(chunk);
    return !given && status == LAB_ERROR_OUT_OF_MEMORY ? LAB_SUCCESS : status;
}

static lab_status free_all_and_grow(request *of)
{
    pool *from = of->from;
    pool_chunk *removed;
    LAB_TRY(remove_free_chunks(&removed, from, NULL, of->call));
    if (!removed) return LAB_SUCCESS;
    unlock(from);
    lab_status status = give_back(from, removed);
    lock(from);
    return status == LAB_SUCCESS ? grow(of) : status;
}

/* While this thread waits, others may free. */
static lab_status wait_and_try_all_again(request *of)
{
    unlock(of->from);
    lab_status status = runtime_backend()->context_wait(of->from->context->native);
    lock(of->from);
    if (status == LAB_SUCCESS) status = look_in_own_arena(of);
    if (status == LAB_SUCCESS && !of->found) status = look_in_all_arenas(of);
    if (status == LAB_SUCCESS && !of->found) status = free_all_and_grow(of);
    if (status == LAB_SUCCESS && !of->found) status = grow(of);
    return status;
}

/* From the second rung on the lock is let go now and then: the stream must stay. */
static lab_status climb_on(request *of)
{
    static lab_status (*const rungs[])(request *) = {
        look_in_ended_arenas,   grow, look_where_work_is_done, look_in_all_arenas, free_all_and_grow,
        wait_and_try_all_again,
    };
    lab_status status = LAB_SUCCESS;
    of->by->references++;
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs && !of->found && status == LAB_SUCCESS; i++)
        status = rungs[i](of);
    pool_stream_release(&of->from->streams, of->by);
    return status;
}

/* With the lock. */
static lab_status out_of_memory(const request *of)
{
    const pool *from = of->from;
    size_t in_pool = from->total - from->used, device_free = 0, device_total = 0;
    if (from->limit)
        return lab_fail(
            LAB_ERROR_OUT_OF_MEMORY,
            "%s: %zu bytes asked for, but the pool's limit is %zu: %zu bytes are in use and %zu are free in pieces "
            "too small or still in partly used chunks; free what is not needed, or raise the limit",
            of->call, of->asked, from->limit, from->used, in_pool);
    runtime_backend()->memory_info(&device_free, &device_total, from->context->native);
    return lab_fail(
        LAB_ERROR_OUT_OF_MEMORY,
        "%s: %zu bytes asked for, but device %d has %zu of %zu free; the pool holds %zu bytes in use and %zu free, and "
        "has no limit; free what is not needed, or work in smaller pieces",
        of->call, of->asked, from->context->device, device_free, device_total, from->used, in_pool);
}

static lab_status alloc_locked(request *of, struct stream *on)
{
    if (of->asked > SIZE_MAX - (POOL_UNIT - 1)) return out_of_memory(of);
    of->bytes = (of->asked + (POOL_UNIT - 1)) / POOL_UNIT * POOL_UNIT;
    of->by = pool_stream_of(&of->from->streams, on);
    if (!of->by) return no_host_memory(of->call);
    LAB_TRY(look_in_own_arena(of));
    if (!of->found) LAB_TRY(climb_on(of));
    if (!of->found) return out_of_memory(of);
    of->found->used = true;
    of->found->asked = of->asked;
    of->from->used += of->found->bytes;
    of->from->used_blocks++;
    return LAB_SUCCESS;
}

lab_status pool_alloc(uint64_t *address, pool *from, size_t bytes, struct stream *on, const char *call)
{
    char pool_words[CONTEXT_NAME_BYTES], stream_words[CONTEXT_NAME_BYTES];
    if (on->context != from->context)
        return lab_fail(LAB_ERROR_INVALID_CONTEXT, "%s: the pool belongs to %s, the stream to %s", call,
                        context_describe(pool_words, sizeof pool_words, from->context),
                        context_describe(stream_words, sizeof stream_words, on->context));
    *address = 0;
    if (bytes == 0) return LAB_SUCCESS;
    record_entry *entry = stream_record_begin(LAB_OP_POOL_ALLOC, on);
    request made = {.from = from, .asked = bytes, .call = call};
    lock(from);
    lab_status status = alloc_locked(&made, on);
    if (status == LAB_SUCCESS) {
        *address = made.found->address;
        ledger_add(*address, bytes, from->context->native);
    }
    unlock(from);
    if (status == LAB_SUCCESS) record_made(entry, *address, bytes);
    record_end(entry, status);
    return status;
}

/* ------------------------------------------------------------------------------------------------------
 * Freeing, and using on other streams
 */

/* The block around an address of a chunk. */
static pool_block *block_around(const pool_chunk *chunk, uint64_t address)
{
    pool_block *block = chunk->first;
    while (address - block->address >= block->bytes) block = block->next;
    return block;
}

/* Why no block in use begins at the address. */
static lab_status explain(const pool *of, uint64_t address, const char *call)
{
    unsigned long long shown = address;
    const pool_chunk *chunk = of->chunks;
    while (chunk && address - chunk->address >= chunk->bytes) chunk = chunk->next;
    if (!chunk) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%llx does not come from this pool", call, shown);
    const pool_block *block = block_around(chunk, address);
    char where[LEDGER_PLACE_WORDS];
    if (!block->used)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%llx was freed already%s", call, shown,
                        ledger_where_freed(where, sizeof where, address));
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "%s: 0x%llx lies inside the block that begins at 0x%llx; name the beginning", call, shown,
                    (unsigned long long)block->address);
}

static lab_status find_used(pool_block **out, const pool *of, uint64_t address, const char *call)
{
    *out = number_map_get(&of->blocks, address);
    return *out && (*out)->used ? LAB_SUCCESS : explain(of, address, call);
}

/* The stream that has the block runs in order; of its work only the last needs to be known. */
static bool note_own_use(pool_block *block, struct stream *user)
{
    if (block->borrower || block->chunk->home->id != user->identity.id) return false;
    block->last = atomic_load(&user->begun);
    return true;
}

/* The stream that has the block has waited for those who had it before, or is one of them: a stream that begins to use
 * it must wait for that one, unless its part is known to be done. */
static lab_status wait_for_owner(const pool_block *block, pool_stream *user)
{
    pool_stream *owner = block->borrower ? block->borrower : block->chunk->home;
    bool known_done = block->before == 0 || (owner->on && block->before <= atomic_load(&owner->on->known_done));
    return known_done && !block->borrower ? LAB_SUCCESS : pool_stream_wait(user, owner);
}

static lab_status note_use(pool *of, pool_block *block, struct stream *user, const char *call)
{
    if (note_own_use(block, user)) return LAB_SUCCESS;
    pool_stream *by = pool_stream_of(&of->streams, user);
    if (!by) return no_host_memory(call);
    if (pool_uses_know(block->uses, by)) return LAB_SUCCESS;
    LAB_TRY(wait_for_owner(block, by));
    return pool_uses_note(&block->uses, by) ? LAB_SUCCESS : no_host_memory(call);
}

/* Freeing on a stream is a use of it, though nothing needs to be waited for. */
static lab_status note_free(pool *of, pool_block *block, struct stream *freed_on, const char *call)
{
    if (note_own_use(block, freed_on)) return LAB_SUCCESS;
    pool_stream *by = pool_stream_of(&of->streams, freed_on);
    return by && pool_uses_note(&block->uses, by) ? LAB_SUCCESS : no_host_memory(call);
}

/* Tells the device that what is in the block is nobody's from where its stream is now. Not while other streams may be at
 * it: their end is somewhere else. */
static void leave_memory(const pool *to, pool_block *block)
{
    pool_stream *owner = block->borrower ? block->borrower : block->chunk->home;
    if (!owner->on || to->source.alloc) return;
    for (const pool_use *use = block->uses; use; use = use->next)
        if (use->by != owner) return;
    if (!runtime_backend()->memory_left(owner->on->native, block->address, block->bytes)) return;
    const uint64_t work = stream_begin_work(owner->on);
    stream_end_work(owner->on);
    if (!block->borrower) block->last = work;
}

static lab_status free_locked(record_entry *entry, pool *to, uint64_t address, struct stream *freed_on,
                              const char *call)
{
    pool_block *block;
    LAB_TRY(find_used(&block, to, address, call));
    LAB_TRY(record_gives_back(entry, address, block->asked));
    if (freed_on) LAB_TRY(note_free(to, block, freed_on, call));
    leave_memory(to, block);
    pool_uses_mark(&to->streams, block->uses);
    ledger_remove(address, block->asked);
    to->used -= block->bytes;
    to->used_blocks--;
    put_back(to, block);
    return LAB_SUCCESS;
}

lab_status pool_free(pool *to, uint64_t address, struct stream *freed_on, const char *call)
{
    record_entry *entry = record_begin(LAB_OP_POOL_FREE, to->context->device);
    if (entry && freed_on) record_on_stream(entry, &freed_on->identity, false);
    lock(to);
    lab_status status = free_locked(entry, to, address, freed_on, call);
    unlock(to);
    record_end(entry, status);
    return status;
}

lab_status pool_record_stream(pool *of, uint64_t address, struct stream *user, const char *call)
{
    pool_block *block;
    lock(of);
    lab_status status = find_used(&block, of, address, call);
    if (status == LAB_SUCCESS) status = note_use(of, block, user, call);
    unlock(of);
    return status;
}

static bool narrow(range *found, uint64_t address)
{
    pool *of = handle_get(HANDLE_MEMPOOL, found->pool);
    if (!of) return false;
    lock(of);
    const pool_block *block = number_map_get(&of->blocks, address);
    if (!block && (block = number_map_get(&of->blocks, found->address))) block = block_around(block->chunk, address);
    bool in_use = block && block->used && address - block->address < block->asked;
    if (in_use) {
        found->address = block->address;
        found->bytes = block->asked;
    }
    unlock(of);
    return in_use;
}

static lab_status note_use_in(const range *found, struct stream *user, const char *call)
{
    pool *of = handle_get(HANDLE_MEMPOOL, found->pool);
    return of ? pool_record_stream(of, found->address, user, call) : LAB_SUCCESS;
}

static const range_cutter cutter = {narrow, note_use_in};

/* ------------------------------------------------------------------------------------------------------
 * Pools
 */

static pthread_mutex_t default_pools_lock = PTHREAD_MUTEX_INITIALIZER;

/* Frees the pool's own lists; its memory is given back already, or goes with its context. */
static void free_pool(pool *of)
{
    for (pool_chunk *chunk = of->chunks, *next_chunk; chunk; chunk = next_chunk) {
        next_chunk = chunk->next;
        for (pool_block *block = chunk->first, *next; block; block = next) {
            next = block->next;
            pool_uses_drop(&of->streams, &block->uses);
            free(block);
        }
        pool_stream_release(&of->streams, chunk->home);
        free(chunk);
    }
    while (of->spare) free(take_spare(of));
    number_map_clear(&of->blocks);
    pool_streams_close(&of->streams);
    free(of);
}

static void end_with_context(context_member *member)
{
    pool *ended = (pool *)((char *)member - offsetof(pool, member));
    handle_remove(HANDLE_MEMPOOL, ended->handle);
    atomic_compare_exchange_strong(&ended->context->attachment[DEFAULT_POOL], &(void *){ended}, NULL);
    free_pool(ended);
}

lab_status pool_create(pool **out, struct context *on, const lab_allocator *source, const char *call)
{
    size_t limit;
    LAB_TRY(pool_limit_from_environment(&limit, on->info.total_memory));
    pool *made = calloc(1, sizeof *made);
    if (made) made->handle = handle_create(HANDLE_MEMPOOL, made);
    if (!made || !made->handle) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for a memory pool", call);
    }
    made->context = on;
    if (source) made->source = *source;
    made->limit = limit;
    pool_streams_open(&made->streams);
    context_add(on, &made->member, end_with_context);
    *out = made;
    return LAB_SUCCESS;
}

lab_status pool_destroy(pool *unused, const char *call)
{
    lock(unused);
    size_t blocks = unused->used_blocks, bytes = unused->used, held = unused->total;
    unlock(unused);
    if (blocks)
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "%s: %zu block%s of the pool (%zu bytes) %s still in use; free %s first", call, blocks,
                        blocks == 1 ? "" : "s", bytes, blocks == 1 ? "is" : "are", blocks == 1 ? "it" : "them");
    if (held) LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    if (!handle_remove(HANDLE_MEMPOOL, unused->handle))
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the pool was already destroyed", call);
    context_remove(unused->context, &unused->member);
    lab_status status = pool_free_all(unused, NULL, call);
    free_pool(unused);
    return status;
}

lab_status pool_of_context(pool **out, struct context *of)
{
    *out = atomic_load_explicit(&of->attachment[DEFAULT_POOL], memory_order_acquire);
    if (*out) return LAB_SUCCESS;
    pthread_mutex_lock(&default_pools_lock);
    lab_status status = LAB_SUCCESS;
    *out = atomic_load_explicit(&of->attachment[DEFAULT_POOL], memory_order_relaxed);
    if (!*out) {
        status = pool_create(out, of, NULL, "the default memory pool");
        if (status == LAB_SUCCESS) atomic_store_explicit(&of->attachment[DEFAULT_POOL], *out, memory_order_release);
    }
    pthread_mutex_unlock(&default_pools_lock);
    return status;
}
