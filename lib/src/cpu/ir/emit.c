/* Every piece goes straight into the stream. */
#include "emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void write_symbol(FILE *out, const ir_piece *piece)
{
    const char *quote = ir_is_plain_name(piece->name) ? "" : "\"";
    fprintf(out, "@%s%s%.*s%s", quote, piece->prefix, (int)piece->name.length, piece->name.start, quote);
}

static void write_pointer(const ir_emitter *e, span type)
{
    if (e->typed_pointers)
        fprintf(e->out, "%.*s*", (int)type.length, type.start);
    else
        fputs("ptr", e->out);
}

static void write_local(FILE *out, const ir_piece *piece)
{
    fprintf(out, "%%%s%lld", piece->prefix, piece->number);
    if (piece->second >= 0) fprintf(out, ".%d", piece->second);
}

static void write_size(const ir_emitter *e, span type)
{
    ir_emit(e, "ptrtoint ($ getelementptr ($, $ null, i32 1) to i64)", as_pointer(type), as_text(type),
            as_pointer(type));
}

static void write_address(const ir_emitter *e, const ir_piece *piece)
{
    if (e->typed_pointers)
        ir_emit(e, "i8* bitcast ($* $ to i8*)", as_text(piece->text), as_symbol(piece->prefix, piece->name));
    else
        ir_emit(e, "ptr $", as_symbol(piece->prefix, piece->name));
}

static void write_piece(const ir_emitter *e, const ir_piece *piece)
{
    switch (piece->form) {
    case IR_TEXT: ir_emit_span(e->out, piece->text); return;
    case IR_NUMBER: fprintf(e->out, "%lld", piece->number); return;
    case IR_LOCAL: write_local(e->out, piece); return;
    case IR_SYMBOL: write_symbol(e->out, piece); return;
    case IR_POINTER: write_pointer(e, piece->text); return;
    case IR_SIZE: write_size(e, piece->text); return;
    case IR_ADDRESS: write_address(e, piece); return;
    }
}

void ir_emit_pieces(const ir_emitter *e, const char *template, const ir_piece *piece, size_t count)
{
    for (size_t length; *template; template += length) {
        length = strcspn(template, "$");
        fwrite(template, 1, length, e->out);
        if (!template[length]) continue;
        assert(count > 0);
        write_piece(e, piece++);
        --count;
        ++length;
    }
    assert(count == 0);
}

bool ir_emit_end(FILE *file, cpu_text *text)
{
    if (fclose(file) == 0) return true;
    free(text->data);
    *text = (cpu_text){0};
    return false;
}
