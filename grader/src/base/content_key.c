/* Keys of content; see content_key.h. */
#include "content_key.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "folder.h"
#include "text.h"

content_key content_key_of(const void *bytes, size_t count)
{
    XXH128_canonical_t canonical;
    content_key key;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
    memcpy(key.byte, canonical.digest, sizeof key.byte);
    return key;
}

void content_key_add(content_key *key, const void *bytes, size_t count)
{
    content_key both[2] = {*key, content_key_of(bytes, count)};
    *key = content_key_of(both, sizeof both);
}

static void add_text(content_key *key, const char *text) { content_key_add(key, text, strlen(text) + 1); }

static bool add_file(content_key *key, const char *path, grader_fault *fault)
{
    XXH3_state_t *state = XXH3_createState();
    FILE *file = state ? fopen(path, "re") : NULL;
    bool ok = file && XXH3_128bits_reset(state) == XXH_OK;
    if (!ok) fault_errno(fault, "cannot read %s", path);
    static char bytes[65536];
    size_t count;
    while (ok && (count = fread(bytes, 1, sizeof bytes, file)) > 0) XXH3_128bits_update(state, bytes, count);
    if (ok && ferror(file)) ok = fault_errno(fault, "cannot read %s", path);
    if (ok) {
        XXH128_canonical_t canonical;
        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
        content_key_add(key, canonical.digest, sizeof canonical.digest);
    }
    if (file) fclose(file);
    XXH3_freeState(state);
    return ok;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* The regular files of a folder, with their names, in order. */
static bool add_folder(content_key *key, const char *folder, grader_fault *fault)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_visible, alphasort);
    bool ok = count >= 0 || fault_errno(fault, "cannot list the folder %s", folder);
    for (int i = 0; i < count; i++) {
        struct stat status;
        char *path = ok ? folder_path(folder, entry[i]->d_name) : NULL;
        if (ok && !path) ok = fault_set(fault, "not enough memory for a path");
        if (ok && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
            add_text(key, entry[i]->d_name);
            ok = add_file(key, path, fault);
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    return ok;
}

/* Options as they stand; of paths the content: the workbook may have been moved. */
static bool add_link(content_key *key, char *const *link, grader_fault *fault)
{
    bool ok = true;
    for (; ok && *link; link++) {
        if ((*link)[0] == '/')
            ok = add_file(key, *link, fault);
        else
            add_text(key, *link);
    }
    return ok;
}

bool content_key_of_lab(content_key *out, const lab_parts *kit, grader_fault *fault)
{
    *out = content_key_of("labgrade", 8);
    char *device = device_format(&kit->device);
    if (!device) return fault_set(fault, "not enough memory for the device's name");
    add_text(out, kit->name);
    add_text(out, kit->compiler);
    add_text(out, device);
    free(device);
    return add_file(out, "/proc/self/exe", fault) && add_file(out, kit->compiler, fault) &&
           add_file(out, kit->checks, fault) && add_file(out, kit->reference, fault) &&
           add_link(out, kit->link, fault) && add_folder(out, kit->folder, fault) &&
           add_folder(out, kit->include, fault);
}
