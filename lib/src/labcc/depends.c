/* The prelude of a CUDA file is gone when make reads the depend file, and make would stop for want of it. */
#include "depends.h"

#include "base/system/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *labcc_base_name(const char *file, const char *ending)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    return arguments_text("%.*s%s", dot ? (int)(dot - name) : (int)strlen(name), name, ending);
}

/* Whether -o names what is made of this source, and not of several. */
static bool has_output(const labcc_options *options)
{
    return options->output && options->sources == 1 && options->action != LABCC_DEPENDENCIES;
}

/* Where the depend file belongs, as nvcc has it; NULL is standard output. */
static const char *place_of(const labcc_options *options, const char *source)
{
    if (options->depends.file) return options->depends.file;
    if (options->action == LABCC_DEPENDENCIES) return options->output;
    if (!has_output(options)) return labcc_base_name(source, ".d");
    const char *slash = strrchr(options->output, '/');
    const int folder = slash ? (int)(slash + 1 - options->output) : 0;
    return arguments_text("%.*s%s", folder, options->output, labcc_base_name(options->output, ".d"));
}

void labcc_depends_ask(arguments *command, const labcc_options *options, const char *folder, const char *source)
{
    const labcc_depends *depends = &options->depends;
    if (!depends->option) return;
    arguments_add(command, depends->option, "-MF", arguments_text("%s/depends", folder), NULL);
    arguments_add_all(command, &depends->more);
    if (!depends->names_target)
        arguments_add(command, "-MQ", has_output(options) ? options->output : labcc_base_name(source, ".o"), NULL);
}

/* Writes the text without the names of the prelude, and without the empty rules for it that -MP makes. */
static void write_without_prelude(FILE *out, const char *text, const char *folder)
{
    const char *last = strrchr(folder, '/');
    const char *prelude = arguments_text("%s/" DEPENDS_PRELUDE, last ? last : folder);
    for (const char *name; (name = strstr(text, prelude));) {
        const char *after = name + strlen(prelude);
        while (name > text && (!isspace((unsigned char)name[-1]) || (name > text + 1 && name[-2] == '\\'))) name--;
        fwrite(text, 1, (size_t)(name - text), out);
        text = *after == ':' ? after + 1 : after;
    }
    fputs(text, out);
}

int labcc_depends_write(const labcc_options *options, const char *folder, const char *source)
{
    char *text;
    if (!options->depends.option) return 0;
    if (text_file_read(&text, arguments_text("%s/depends", folder)) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return EXIT_FAILURE;
    }
    const char *place = place_of(options, source);
    FILE *out = place ? fopen(place, "w") : stdout;
    if (out) write_without_prelude(out, text, folder);
    free(text);
    if (out && (place ? fclose(out) : fflush(out)) == 0) return 0;
    fprintf(stderr, "labcc: %s cannot be written: %s\n", place ? place : "standard output", strerror(errno));
    return EXIT_FAILURE;
}
