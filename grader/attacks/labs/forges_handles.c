/* Tries every kind of handle with the numbers of all slots and generations that can be in use, and destroys what it
 * finds. Gains objects that were never given to it: the streams and arrays of the program around it. */
#include <stdint.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    for (uint64_t generation = 0; generation < 4; generation++) {
        for (uint64_t slot = 0; slot < 300; slot++) {
            for (uint64_t kind = 1; kind <= 13; kind++) {
                void *handle = (void *)(uintptr_t)(kind << 56 | generation << 32 | slot);
                switch (kind) {
                case 1: lab_stream_destroy(handle); break;
                case 2: lab_event_destroy(handle); break;
                case 3: lab_array_destroy(handle); break;
                case 4: lab_module_unload(handle); break;
                case 6: lab_context_destroy(handle); break;
                case 10: lab_mempool_destroy(handle); break;
                case 11: lab_pinned_mempool_destroy(handle); break;
                case 12: lab_graph_destroy(handle); break;
                case 13: lab_graph_exec_destroy(handle); break;
                default: break;
                }
            }
        }
    }
    return LAB_SUCCESS;
}
