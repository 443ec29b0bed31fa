/* Keys of content; see content_key.h. */
#include "content_key.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"

_Static_assert(sizeof(content_key) == SHA256_DIGEST_LENGTH, "a key is one of SHA-256");

content_key content_key_of(const void *bytes, size_t count)
{
    content_key key;
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, bytes, count);
    SHA256Final(key.byte, &context);
    return key;
}

static void add_key(content_key *key, content_key added)
{
    content_key both[2] = {*key, added};
    *key = content_key_of(both, sizeof both);
}

void content_key_add(content_key *key, const void *bytes, size_t count) { add_key(key, content_key_of(bytes, count)); }

void content_key_add_text(content_key *key, const char *text) { content_key_add(key, text, strlen(text) + 1); }

static bool key_of_stream(content_key *out, FILE *file)
{
    static char bytes[65536];
    SHA2_CTX context;
    SHA256Init(&context);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        SHA256Update(&context, (const uint8_t *)bytes, count);
    SHA256Final(out->byte, &context);
    return !ferror(file);
}

bool content_key_add_file(content_key *key, const char *path, grader_fault *fault)
{
    content_key content;
    FILE *file = fopen(path, "re");
    bool read = file && key_of_stream(&content, file);
    if (!read) fault_errno(fault, "cannot read %s", path);
    if (file) fclose(file);
    if (read) add_key(key, content);
    return read;
}

static bool add_entry(content_key *key, const char *folder, const char *name, grader_fault *fault)
{
    struct stat status;
    char *path = folder_path(folder, name);
    if (!path) return fault_memory(fault, "a path");
    bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    if (is_file) content_key_add_text(key, name);
    bool added = !is_file || content_key_add_file(key, path, fault);
    free(path);
    return added;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

bool content_key_add_folder(content_key *key, const char *folder, grader_fault *fault)
{
    folder_names names;
    bool added = true;
    FAULT_TRY(folder_list(&names, folder, is_visible, fault));
    for (int i = 0; added && i < names.count; i++) added = add_entry(key, folder, names.entry[i]->d_name, fault);
    folder_names_free(&names);
    return added;
}
