/* Lab 08, overheads. The lesson is in README.md, the contract in lab08.h. */
#include "lab08.h"

#include <string.h>

/* Given: launches a kernel without arguments and waits until it has run. */
static lab_status run(lab_function kernel)
{
    LAB_TRY(lab_launch(kernel, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
    return lab_stream_synchronize(NULL);
}

/* All costs behind the first one. The modules end with their context. */
static lab_status measure_in_context(const char *source)
{
    /* Task 1: the four other costs, each with its lap. */
    lab_module *compiled, *loaded;
    lab_function nothing;
    LAB_TRY(lab_module_load_source(&compiled, source, "lab08"));
    lab08_lap(LAB08_COMPILE);
    LAB_TRY(lab_module_load_source(&loaded, source, "lab08"));
    lab08_lap(LAB08_LOAD);
    LAB_TRY(lab_module_get_function(&nothing, loaded, "nothing"));
    LAB_TRY(run(nothing));
    lab08_lap(LAB08_FIRST);
    LAB_TRY(run(nothing));
    lab08_lap(LAB08_NEXT);
    return LAB_SUCCESS;
}

lab_status lab08_measure(const char *source)
{
    /* Task 1: a context and its lap; release it whether or not the rest succeeds. */
    lab_context *context;
    LAB_TRY(lab_context_create(&context, 0));
    lab08_lap(LAB08_CONTEXT);
    lab_status status = measure_in_context(source);
    lab_context_destroy(context);
    return status;
}

/* Task 1: your prediction. The columns: first run, next run, second call in one process. */
const int lab08_paid[LAB08_FIRST][LAB08_RUNS] = {
    [LAB08_CONTEXT] = {1, 1, 0}, /* Task 1 */
    [LAB08_COMPILE] = {1, 0, 0}, /* Task 1 */
    [LAB08_LOAD] = {1, 1, 0},    /* Task 1 */
};

/* Given: goes on with a text and its final 0. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return lab08_hash(hash, text, strlen(text) + 1);
}

uint64_t lab08_key(const lab08_request *request)
{
    uint64_t hash = LAB08_HASH;
    /* Task 2: everything that the code is made from. */
    hash = hash_text(hash, request->source);
    hash = hash_text(hash, request->header);
    hash = hash_text(hash, request->options);
    hash = lab08_hash(hash, &request->architecture, sizeof request->architecture);
    hash = lab08_hash(hash, &request->compiler, sizeof request->compiler);
    return hash;
}

lab_status lab08_get(lab_function *kernel, lab08_table *table, const lab08_request *request)
{
    /* Task 2: look for key and context in the table; otherwise load and add. */
    lab_context_info here;
    lab_module *module;
    const uint64_t key = lab08_key(request);
    LAB_TRY(lab_context_get_info(&here, NULL));
    for (int i = 0; i < table->count; i++) {
        if (table->entry[i].key != key || table->entry[i].context != here.id) continue;
        *kernel = table->entry[i].kernel;
        return LAB_SUCCESS;
    }
    LAB_TRY(lab08_load(&module, request));
    lab_status status = lab_module_get_function(kernel, module, "answer");
    if (status == LAB_SUCCESS)
        table->entry[table->count++] = (lab08_entry){key, here.id, module, *kernel};
    else
        lab_module_unload(module);
    return status;
}

/* Whether the first `count` bytes of the file are there, and are what a run has written. */
static bool is_sound(const lab08_file *file, size_t count, uint64_t key)
{
    /* Task 3: format, key, length, hash. */
    const lab08_header *header = &file->header;
    return count >= sizeof *header && header->format == LAB08_FORMAT && header->key == key &&
           header->bytes == count - sizeof *header &&
           header->hash == lab08_hash(LAB08_HASH, file->code, header->bytes);
}

lab_status lab08_load(lab_module **module, const lab08_request *request)
{
    lab08_file file = {0};
    /* Task 3: if the disk has a sound file under this key, load its code. */
    const uint64_t key = lab08_key(request);
    if (is_sound(&file, lab08_disk_read(&file, sizeof file, key), key))
        return lab_module_load_source(module, file.code, request->label);
    LAB_TRY(lab08_compile(file.code, request));
    LAB_TRY(lab_module_load_source(module, file.code, request->label));
    /* Task 3: write the code with its header. */
    const size_t bytes = strlen(file.code) + 1;
    const uint64_t hash = lab08_hash(LAB08_HASH, file.code, bytes);
    file.header = (lab08_header){LAB08_FORMAT, key, bytes, hash};
    lab08_disk_write(key, &file, sizeof file.header + bytes);
    return LAB_SUCCESS;
}
