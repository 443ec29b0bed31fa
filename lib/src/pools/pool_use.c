/* Blocks in use: noting which streams use a block, freeing it, and explaining why an address is not one. */
#include "pool_arena.h"

#include "base/handle.h"
#include "objects/contexts/stream_record.h"
#include "seam/ledger.h"

/* The block of the chunk that contains the address. */
static pool_block *block_around(const pool_chunk *chunk, uint64_t address)
{
    pool_block *block = chunk->first;
    while (address - block->address >= block->bytes) block = block->next;
    return block;
}

/* Fails with the reason why no used block begins at the address. */
static lab_status explain(const pool *owner, uint64_t address, const char *call)
{
    unsigned long long shown = address;
    const pool_chunk *chunk = owner->chunks;
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

static inline lab_status find_used(pool_block **out, const pool *owner, uint64_t address, const char *call)
{
    *out = owner->ended ? NULL : number_map_get(&owner->blocks, address);
    if (*out && (*out)->used) return LAB_SUCCESS;
    return owner->ended ? pool_ended(call) : explain(owner, address, call);
}

/* Notes a use by the block's home stream, which runs in order: only its last operation needs to be known. */
static bool note_own_use(pool_block *block, struct stream *user)
{
    if (block->borrower || block->chunk->home->id != user->identity.id) return false;
    block->last = atomic_load(&user->begun);
    return true;
}

/* Makes a new user wait for the stream that has the block, unless that stream's earlier work on the block is known to
 * be done. The stream that has the block has already waited for those that had it before. */
static lab_status wait_for_owner(const pool_block *block, pool_stream *user)
{
    pool_stream *holder = block->borrower ? block->borrower : block->chunk->home;
    bool known_done =
        block->before == 0 || (holder->object && block->before <= atomic_load(&holder->object->known_done));
    return known_done && !block->borrower ? LAB_SUCCESS : pool_stream_wait(user, holder);
}

static lab_status note_use(pool *owner, pool_block *block, struct stream *user, const char *call)
{
    if (note_own_use(block, user)) return LAB_SUCCESS;
    pool_stream *known = pool_stream_of(&owner->streams, user);
    if (!known) return pool_stream_refused(user, call);
    if (pool_uses_know(block->uses, known)) return LAB_SUCCESS;
    LAB_TRY(wait_for_owner(block, known));
    return pool_uses_note(&block->uses, known) ? LAB_SUCCESS : pool_no_host_memory(call);
}

/* Freeing the block on a stream is a use of it, but does not need to wait. */
static lab_status note_free(pool *owner, pool_block *block, struct stream *stream, const char *call)
{
    if (note_own_use(block, stream)) return LAB_SUCCESS;
    pool_stream *known = pool_stream_of(&owner->streams, stream);
    return known && pool_uses_note(&block->uses, known) ? LAB_SUCCESS : pool_stream_refused(stream, call);
}

/* Merges the following block into the first. Both are free and in no tree. */
static void merge(pool *owner, pool_block *block, pool_block *following)
{
    number_map_remove(&owner->blocks, following->address);
    pool_uses_join(&owner->streams, &block->uses, &following->uses);
    pool_block_absorb(block, following);
    pool_keep_spare(owner, following);
}

/* Puts the block into its arena, merged with free neighbours. */
static void put_back(pool *owner, pool_block *block)
{
    pool_block *previous = block->previous, *next = block->next;
    block->used = false;
    block->borrower = NULL;
    if (next && !next->used) {
        pool_remove_free(owner, next);
        merge(owner, block, next);
    }
    if (previous && !previous->used) {
        pool_remove_free(owner, previous);
        merge(owner, previous, block);
        block = previous;
    }
    pool_add_free(owner, block);
}

/* Tells the device that the content of the block is not needed after the work enqueued on its stream so far. Not while
 * other streams may use the block, since their work ends elsewhere. */
static void leave_memory(const pool *owner, pool_block *block)
{
    pool_stream *holder = block->borrower ? block->borrower : block->chunk->home;
    if (!holder->object || owner->source.alloc) return;
    for (const pool_use *use = block->uses; use; use = use->next)
        if (use->user != holder) return;
    if (!runtime_backend()->memory_left(holder->object->native, block->address, block->bytes)) return;
    const uint64_t work = stream_begin_work(holder->object);
    stream_end_work(holder->object);
    if (!block->borrower) block->last = work;
}

static lab_status free_locked(record_entry *entry, pool *owner, uint64_t address, struct stream *stream,
                              const char *call)
{
    pool_block *block;
    LAB_TRY(find_used(&block, owner, address, call));
    LAB_TRY(record_gives_back(entry, address, block->asked));
    if (stream) LAB_TRY(note_free(owner, block, stream, call));
    leave_memory(owner, block);
    if (block->uses) pool_uses_mark(&owner->streams, block->uses);
    ledger_remove(address, block->asked);
    owner->used -= block->bytes;
    owner->used_blocks--;
    put_back(owner, block);
    return LAB_SUCCESS;
}

lab_status pool_free(pool *owner, uint64_t address, struct stream *stream, const char *call)
{
    record_entry *entry = record_begin(LAB_OP_POOL_FREE, owner->context->device);
    if (entry && stream) record_on_stream(entry, &stream->identity, 0);
    pool_lock(owner);
    lab_status status = free_locked(entry, owner, address, stream, call);
    pool_unlock(owner);
    record_end(entry, status);
    return status;
}

lab_status pool_record_stream(pool *owner, uint64_t address, struct stream *user, const char *call)
{
    pool_block *block;
    pool_lock(owner);
    lab_status status = find_used(&block, owner, address, call);
    if (status == LAB_SUCCESS) status = note_use(owner, block, user, call);
    pool_unlock(owner);
    return status;
}

static bool narrow(range *found, uint64_t address)
{
    pool *owner = handle_get(HANDLE_MEMPOOL, found->pool);
    if (!owner) return false;
    pool_lock(owner);
    const pool_block *block = number_map_get(&owner->blocks, address);
    if (!block && (block = number_map_get(&owner->blocks, found->address))) block = block_around(block->chunk, address);
    bool in_use = block && block->used && address - block->address < block->asked;
    if (in_use) {
        found->address = block->address;
        found->bytes = block->asked;
    }
    pool_unlock(owner);
    return in_use;
}

static lab_status note_use_in(const range *found, struct stream *user, const char *call)
{
    pool *owner = handle_get(HANDLE_MEMPOOL, found->pool);
    return owner ? pool_record_stream(owner, found->address, user, call) : LAB_SUCCESS;
}

const range_cutter pool_cutter = {narrow, note_use_in};
