/* What all listings share: lines that are counted, sizes, and what the kernels compute. */
#include "listing_writer.h"

#include <stdarg.h>

void listing_put(listing_writer *writer, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *at = text; *at; at++) writer->line += *at == '\n';
    fputs(text, writer->out);
}

const char *listing_bytes(char text[LISTING_BYTES_WORDS], size_t bytes)
{
    if (bytes % (1 << 20) == 0)
        snprintf(text, LISTING_BYTES_WORDS, "%zu << 20", bytes >> 20);
    else if (bytes % (1 << 10) == 0)
        snprintf(text, LISTING_BYTES_WORDS, "%zu << 10", bytes >> 10);
    else
        snprintf(text, LISTING_BYTES_WORDS, "%zu", bytes);
    return text;
}

const char *listing_stream(const listing_writer *writer, const play_statement *each)
{
    return each->stream == PLAY_NULL ? writer->null_stream : play_name_of(writer->program, each->stream);
}

const char *listing_event(const listing_writer *writer, const play_statement *each)
{
    return each->event >= 0 ? play_name_of(writer->program, each->event) : "";
}

const char *listing_graph(const listing_writer *writer, const play_statement *each)
{
    return each->graph >= 0 ? play_name_of(writer->program, each->graph) : "";
}

const char *listing_memory(const listing_writer *writer, const play_statement *each)
{
    return each->uses ? play_name_of(writer->program, each->use[0].memory) : "";
}

const char *listing_size(char text[LISTING_BYTES_WORDS], const listing_writer *writer, const play_statement *each)
{
    return listing_bytes(text, each->uses ? play_bytes_of(writer->program, each) : each->bytes);
}

bool listing_next_code(const listing_writer *writer, int *number, play_kind kind)
{
    while (++*number < writer->program->statements)
        if (writer->program->statement[*number].kind == kind && play_first_of_name(writer->program, *number) == *number)
            return true;
    return false;
}

void listing_put_parameters(listing_writer *writer, const play_statement *kernel)
{
    for (int i = 0; i < kernel->uses; i++)
        listing_put(writer, "%sfloat *%s, ", kernel->use[i].writes ? "" : "const ",
                    play_name_of(writer->program, kernel->use[i].memory));
    listing_put(writer, "int n");
}

void listing_put_body(listing_writer *writer, const play_statement *kernel)
{
    const char *between = "";
    for (int i = 0; i < kernel->uses && kernel->use[i].writes; i++) {
        listing_put(writer, "%s%s[i] = ", between, play_name_of(writer->program, kernel->use[i].memory));
        between = " ";
        for (int k = 0; k < kernel->uses; k++)
            if (kernel->use[k].reads && (k == i || !kernel->use[k].writes))
                listing_put(writer, "%s[i] + ", play_name_of(writer->program, kernel->use[k].memory));
        listing_put(writer, "1;");
    }
    if (!kernel->use[0].writes)
        listing_put(writer, "if (%s[i] < 0) __trap();", play_name_of(writer->program, kernel->use[0].memory));
}

void listing_put_kernel(listing_writer *writer, const play_statement *kernel)
{
    listing_put(writer, "__global__ void %s(", kernel->name);
    listing_put_parameters(writer, kernel);
    listing_put(writer,
                ")\n{\n    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n"
                "        ");
    listing_put_body(writer, kernel);
    listing_put(writer, "\n    }\n}\n");
}

void listing_put_arguments(listing_writer *writer, const play_statement *launch, const char *before, const char *after)
{
    for (int i = 0; i < launch->uses; i++)
        listing_put(writer, "%s, ", play_name_of(writer->program, launch->use[i].memory));
    listing_put(writer, "%s%zu%s", before, play_bytes_of(writer->program, launch) / sizeof(float), after);
}

bool listing_has(const listing_writer *writer, play_kind kind)
{
    for (int i = 0; i < writer->program->statements; i++)
        if (writer->program->statement[i].kind == kind) return true;
    return false;
}

void listing_mark(listing_writer *writer, int statement) { writer->listing->line[statement] = writer->line; }
