/* Allocating blocks: chunks from the source, and the steps that an allocation tries in turn. */
#include "pool_arena.h"

#include "objects/work/memory.h"
#include "objects/contexts/stream_record.h"
#include "seam/ledger.h"
#include "seam/written.h"

/* ------------------------------------------------------------------------------------------------------
 * Chunks
 */

static lab_status ask_source(uint64_t *address, const pool *owner, size_t bytes, lab_stream *stream, const char *call)
{
    if (!owner->source.alloc) {
        LAB_TRY(memory_alloc_on(address, owner->context, bytes, call));
    } else {
        lab_deviceptr memory = 0;
        LAB_TRY(owner->source.alloc(&memory, bytes, stream, owner->source.user));
        if (!memory)
            return lab_fail(LAB_ERROR_UNKNOWN, "%s: the pool's source reports success, but gave no memory", call);
        *address = memory;
    }
    ranges_set_pool(device_ranges, *address, bytes, 0, owner->handle, &pool_cutter);
    ledger_set_pooled(*address, true);
    return LAB_SUCCESS;
}

static lab_status give_to_source(const pool *owner, uint64_t address, size_t bytes)
{
    ranges_set_pool(device_ranges, address, bytes, owner->handle, 0, NULL);
    if (owner->source.alloc) ledger_set_pooled(address, false); /* the source may reuse it */
    return owner->source.alloc ? owner->source.free(address, bytes, NULL, owner->source.user) : lab_mem_free(address);
}

static void add_chunk(pool *owner, pool_chunk *chunk, pool_block *block, pool_stream *home)
{
    *block = (pool_block){.address = chunk->address, .bytes = chunk->bytes, .chunk = chunk, .used = true};
    chunk->first = block;
    chunk->home = home;
    home->references++;
    chunk->next = owner->chunks;
    if (owner->chunks) owner->chunks->previous = chunk;
    owner->chunks = chunk;
    number_map_put(&owner->blocks, block->address, block);
    owner->total += chunk->bytes;
}

/* Removes a chunk that is one free block from the pool. */
static void remove_chunk(pool *owner, pool_chunk *chunk)
{
    pool_remove_free(owner, chunk->first);
    number_map_remove(&owner->blocks, chunk->address);
    pool_uses_drop(&owner->streams, &chunk->first->uses);
    pool_keep_spare(owner, chunk->first);
    if (chunk->next) chunk->next->previous = chunk->previous;
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        owner->chunks = chunk->next;
    owner->total -= chunk->bytes;
    pool_stream_release(&owner->streams, chunk->home);
}

/* Removes the chunks without a used block from the pool and links them to a list. Fails if there are some and a capture
 * forbids returning them. */
static lab_status remove_free_chunks(pool_chunk **removed, pool *owner, const struct stream *only, const char *call)
{
    *removed = NULL;
    for (pool_chunk *chunk = owner->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        if (chunk->first->used || chunk->first->bytes < chunk->bytes) continue;
        if (only && chunk->home->id != only->identity.id) continue;
        if (!*removed) LAB_TRY(runtime_backend()->capture_check_unsafe(call));
        remove_chunk(owner, chunk);
        chunk->next = *removed;
        *removed = chunk;
    }
    return LAB_SUCCESS;
}

/* Returns a list of chunks to the source, once the work that may use them is done: freeing device memory waits for
 * that, a source need not. */
static lab_status give_back(const pool *owner, pool_chunk *list)
{
    lab_status status = LAB_SUCCESS;
    if (list && owner->source.alloc) status = runtime_backend()->context_wait(owner->context->native);
    while (list) {
        pool_chunk *next = list->next;
        lab_status given = give_to_source(owner, list->address, list->bytes);
        if (status == LAB_SUCCESS) status = given;
        free(list);
        list = next;
    }
    return status;
}

lab_status pool_free_all(pool *owner, const struct stream *only, const char *call)
{
    pool_chunk *removed;
    pool_lock(owner);
    lab_status status = remove_free_chunks(&removed, owner, only, call);
    pool_unlock(owner);
    return status == LAB_SUCCESS ? give_back(owner, removed) : status;
}

/* ------------------------------------------------------------------------------------------------------
 * Allocating
 *
 * An allocation tries several steps in turn. Each step sets `found`, leaves it NULL for the next step, or fails.
 */

typedef struct request {
    pool *owner;
    size_t asked, bytes; /* `bytes` is `asked` rounded up */
    pool_stream *stream;
    const char *call;
    pool_block *found;
} request;

/* Makes the stream wait for what other streams do with the block. *waits is the number of the wait among the stream's
 * operations, or 0 if there was nothing to wait for. */
static lab_status wait_for_users(uint64_t *waits, const request *wanted, const pool_block *block)
{
    pool_stream *stream = wanted->stream, *home = block->chunk->home;
    *waits = 0;
    if ((home == stream || pool_stream_done(home)) && (!block->uses || pool_uses_done(block->uses))) return LAB_SUCCESS;
    struct stream *object = stream->object;
    *waits = stream_begin_work(object);
    lab_status status = home == stream ? LAB_SUCCESS : pool_stream_wait(stream, home);
    if (status == LAB_SUCCESS) status = pool_uses_wait(block->uses, stream);
    stream_end_work(object);
    return status;
}

/* The contents of a block that other streams used were kept when it was freed: see leave_memory in pool_use.c. They may
 * change once the stream has waited for these. */
static void leave_contents(uint64_t *waits, const request *wanted, const pool_block *block, size_t bytes)
{
    struct stream *object = wanted->stream->object;
    if (!block->uses || wanted->owner->source.alloc) return;
    if (!runtime_backend()->memory_left(object->native, block->address, bytes)) return;
    *waits = stream_begin_work(object);
    stream_end_work(object);
}

/* Hands over a free block, cut to size, and makes the stream wait for what other streams do with it. A chunk of another
 * stream moves to the stream's arena if it is wholly free. Else its block is only lent, and the new user is noted. */
static lab_status take(request *wanted, pool_block *block)
{
    pool *owner = wanted->owner;
    if (owner->ended) return pool_ended(wanted->call);
    pool_chunk *chunk = block->chunk;
    pool_stream *home = chunk->home;
    bool moves = home != wanted->stream && block->bytes == chunk->bytes, lent = home != wanted->stream && !moves;
    pool_use *new_use = NULL;
    if ((block->bytes > wanted->bytes && !pool_make_room(owner)) || (lent && !pool_uses_note(&new_use, wanted->stream)))
        return pool_no_host_memory(wanted->call);
    uint64_t waits;
    lab_status status = wait_for_users(&waits, wanted, block);
    if (status != LAB_SUCCESS) {
        pool_uses_drop(&owner->streams, &new_use);
        return status;
    }
    leave_contents(&waits, wanted, block, lent ? wanted->bytes : block->bytes);
    pool_remove_free(owner, block);
    if (moves) {
        chunk->home = wanted->stream;
        wanted->stream->references++;
        pool_stream_release(&owner->streams, home);
    }
    if (moves || (waits && !lent)) block->last = waits;
    block->before = block->last;
    block->borrower = lent ? wanted->stream : NULL;
    pool_use *waited_for = block->uses;
    block->uses = new_use;
    if (block->bytes > wanted->bytes) {
        pool_block *rest = pool_take_spare(owner);
        pool_block_split(block, wanted->bytes, rest);
        number_map_put(&owner->blocks, rest->address, rest);
        if (lent) { /* the home stream has not waited */
            rest->uses = waited_for;
            waited_for = NULL;
        }
        pool_add_free(owner, rest);
    }
    if (waited_for) pool_uses_drop(&owner->streams, &waited_for);
    wanted->found = block;
    return LAB_SUCCESS;
}

static lab_status look_in_own_arena(request *wanted)
{
    pool_block *block = pool_tree_best_fit(wanted->stream->free_blocks, wanted->bytes);
    return block ? take(wanted, block) : LAB_SUCCESS;
}

/* The best fit in all other arenas. `ended`: only of ended streams. `done`: only blocks whose work is done. */
static pool_block *best_elsewhere(const request *wanted, bool ended, bool done)
{
    pool_block *best = NULL;
    for (pool_stream *each = wanted->owner->streams.first; each; each = each->next) {
        if (each == wanted->stream || (ended && each->object)) continue;
        pool_block *block = pool_tree_best_fit(each->free_blocks, wanted->bytes);
        if (!block || (best && best->bytes <= block->bytes)) continue;
        if (!done || (pool_stream_done(each) && pool_uses_done(block->uses))) best = block;
    }
    return best;
}

static lab_status look_in_ended_arenas(request *wanted)
{
    pool_block *block = best_elsewhere(wanted, true, true);
    return block ? take(wanted, block) : LAB_SUCCESS;
}

static lab_status look_where_work_is_done(request *wanted)
{
    pool_block *block = best_elsewhere(wanted, false, true);
    return block ? take(wanted, block) : LAB_SUCCESS;
}

static lab_status look_in_all_arenas(request *wanted)
{
    pool_block *block = best_elsewhere(wanted, false, false);
    return block ? take(wanted, block) : LAB_SUCCESS;
}

static bool limit_allows(const pool *owner, size_t bytes)
{
    size_t held = owner->total + owner->arriving;
    return !owner->limit || (held <= owner->limit && bytes <= owner->limit - held);
}

/* Adds a chunk from the source to the pool. On failure the memory stays the caller's. */
static lab_status adopt(request *wanted, pool_chunk *chunk)
{
    pool *owner = wanted->owner;
    if (owner->ended) return pool_ended(wanted->call);
    if (!pool_make_room(owner)) return pool_no_host_memory(wanted->call);
    wanted->found = pool_take_spare(owner);
    add_chunk(owner, chunk, wanted->found, wanted->stream);
    return LAB_SUCCESS;
}

/* Allocates a chunk of exactly the bytes needed from the source. Releases the lock meanwhile. */
static lab_status grow(request *wanted)
{
    pool *owner = wanted->owner;
    if (!limit_allows(owner, wanted->bytes)) return LAB_SUCCESS;
    pool_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk) return pool_no_host_memory(wanted->call);
    chunk->bytes = wanted->bytes;
    lab_stream *stream = wanted->stream->object->handle;
    owner->arriving += wanted->bytes;
    pool_unlock(owner);
    lab_status status = ask_source(&chunk->address, owner, wanted->bytes, stream, wanted->call);
    bool given = status == LAB_SUCCESS;
    pool_lock(owner);
    owner->arriving -= wanted->bytes;
    if (given && !owner->ended && number_map_get(&owner->blocks, chunk->address)) {
        status = lab_fail(LAB_ERROR_UNKNOWN, "%s: the pool's source gave 0x%llx, which it had given before",
                          wanted->call, (unsigned long long)chunk->address);
        given = false;
    }
    if (given) status = adopt(wanted, chunk);
    if (status == LAB_SUCCESS) return LAB_SUCCESS;
    if (given) {
        pool_unlock(owner);
        give_to_source(owner, chunk->address, chunk->bytes);
        pool_lock(owner);
    }
    free(chunk);
    return !given && status == LAB_ERROR_OUT_OF_MEMORY ? LAB_SUCCESS : status;
}

static lab_status free_all_and_grow(request *wanted)
{
    pool *owner = wanted->owner;
    pool_chunk *removed;
    LAB_TRY(remove_free_chunks(&removed, owner, NULL, wanted->call));
    if (!removed) return LAB_SUCCESS;
    pool_unlock(owner);
    lab_status status = give_back(owner, removed);
    pool_lock(owner);
    return status == LAB_SUCCESS ? grow(wanted) : status;
}

/* Other threads may free blocks while this one waits. */
static lab_status wait_and_try_all_again(request *wanted)
{
    pool_unlock(wanted->owner);
    lab_status status = runtime_backend()->context_wait(wanted->owner->context->native);
    pool_lock(wanted->owner);
    if (status == LAB_SUCCESS) status = look_in_own_arena(wanted);
    if (status == LAB_SUCCESS && !wanted->found) status = look_in_all_arenas(wanted);
    if (status == LAB_SUCCESS && !wanted->found) status = free_all_and_grow(wanted);
    if (status == LAB_SUCCESS && !wanted->found) status = grow(wanted);
    return status;
}

/* Tries all steps but the first. They may release the lock, so the reference keeps the stream alive. */
static lab_status try_other_steps(request *wanted)
{
    static lab_status (*const steps[])(request *) = {
        look_in_ended_arenas,   grow, look_where_work_is_done, look_in_all_arenas, free_all_and_grow,
        wait_and_try_all_again,
    };
    lab_status status = LAB_SUCCESS;
    wanted->stream->references++;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !wanted->found && status == LAB_SUCCESS; i++)
        status = steps[i](wanted);
    pool_stream_release(&wanted->owner->streams, wanted->stream);
    return status;
}

/* The caller holds the lock. */
static lab_status out_of_memory(const request *wanted)
{
    const pool *owner = wanted->owner;
    size_t in_pool = owner->total - owner->used, device_free = 0, device_total = 0;
    if (owner->limit)
        return lab_fail(
            LAB_ERROR_OUT_OF_MEMORY,
            "%s: %zu bytes asked for, but the pool's limit is %zu: %zu bytes are in use and %zu are free in pieces "
            "too small or still in partly used chunks; free what is not needed, or raise the limit",
            wanted->call, wanted->asked, owner->limit, owner->used, in_pool);
    runtime_backend()->memory_info(&device_free, &device_total, owner->context->native);
    return lab_fail(
        LAB_ERROR_OUT_OF_MEMORY,
        "%s: %zu bytes asked for, but device %d has %zu of %zu free; the pool holds %zu bytes in use and %zu free, and "
        "has no limit; free what is not needed, or work in smaller pieces",
        wanted->call, wanted->asked, owner->context->device, device_free, device_total, owner->used, in_pool);
}

static lab_status alloc_locked(request *wanted, struct stream *stream)
{
    if (wanted->owner->ended) return pool_ended(wanted->call);
    if (wanted->asked > SIZE_MAX - (POOL_UNIT - 1)) return out_of_memory(wanted);
    wanted->bytes = (wanted->asked + (POOL_UNIT - 1)) / POOL_UNIT * POOL_UNIT;
    wanted->stream = pool_stream_of(&wanted->owner->streams, stream);
    if (!wanted->stream) return pool_stream_refused(stream, wanted->call);
    LAB_TRY(look_in_own_arena(wanted));
    if (!wanted->found) LAB_TRY(try_other_steps(wanted));
    if (!wanted->found) return out_of_memory(wanted);
    wanted->found->used = true;
    wanted->found->asked = wanted->asked;
    wanted->owner->used += wanted->found->bytes;
    wanted->owner->used_blocks++;
    return LAB_SUCCESS;
}

static __attribute__((cold, noinline)) lab_status other_context(const pool *owner, const struct stream *stream,
                                                                const char *call)
{
    char pool_context[CONTEXT_NAME_BYTES], stream_context[CONTEXT_NAME_BYTES];
    return lab_fail(LAB_ERROR_INVALID_CONTEXT, "%s: the pool belongs to %s, the stream to %s", call,
                    context_describe(pool_context, sizeof pool_context, owner->context),
                    context_describe(stream_context, sizeof stream_context, stream->context));
}

lab_status pool_alloc(uint64_t *address, pool *owner, size_t bytes, struct stream *stream, const char *call)
{
    if (stream->context != owner->context) return other_context(owner, stream, call);
    *address = 0;
    if (bytes == 0) return LAB_SUCCESS;
    record_entry *entry = stream_record_begin(LAB_OP_POOL_ALLOC, stream);
    request wanted = {.owner = owner, .asked = bytes, .call = call};
    pool_lock(owner);
    lab_status status = alloc_locked(&wanted, stream);
    if (status == LAB_SUCCESS) {
        *address = wanted.found->address;
        ledger_add(*address, bytes, owner->context->native);
        written_begin(*address, bytes);
    }
    pool_unlock(owner);
    if (status == LAB_SUCCESS) record_made(entry, *address, bytes);
    record_end(entry, status);
    return status;
}
