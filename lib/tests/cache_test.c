/* The cache on disk: what is found again, and what is not. */
#include "cache.h"
#include "test_folder.h"

#include <sys/stat.h>

static const char text[] = "bytes of a compiled kernel";

static cache_key key_of(const char *one, const char *two)
{
    const cache_bytes part[] = {{one, strlen(one)}, {two, strlen(two)}};
    return cache_key_of(part, 2);
}

static test_folder use_folder(void)
{
    const test_folder folder = test_folder_make("unused");
    setenv("LAB_CACHE_DIR", folder.path, 1);
    return folder;
}

/* Whether the cache gives the text for the key. */
static bool finds_text(cache_key key)
{
    void *data = NULL;
    size_t size = 0;
    if (!cache_read(&data, &size, key)) return false;
    cr_assert_eq(size, sizeof text);
    cr_assert_arr_eq(data, text, sizeof text);
    free(data);
    return true;
}

/* The path of the only entry there is. */
static void find_entry(char path[1024], const test_folder *folder)
{
    DIR *list = opendir(folder->path);
    *path = '\0';
    for (struct dirent *entry; (entry = readdir(list));)
        if (*entry->d_name != '.') snprintf(path, 1024, "%s/%s", folder->path, entry->d_name);
    closedir(list);
    cr_assert(*path, "an entry");
}

static size_t read_file(char *into, size_t capacity, const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    const size_t size = fread(into, 1, capacity, file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const char *from, size_t size)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fwrite(from, 1, size, file);
    fclose(file);
}

Test(cache, an_entry_is_found_by_its_key_alone)
{
    const test_folder folder = use_folder();
    cr_assert_not(finds_text(key_of("source", "options")));
    cache_write(key_of("source", "options"), text, sizeof text);
    cr_assert(finds_text(key_of("source", "options")));
    cr_assert_not(finds_text(key_of("source", "option")));
    cr_assert_not(finds_text(key_of("sourceo", "ptions")), "a byte moved from one part to the other");
    cr_assert_eq(test_folder_remove(&folder), 1);
}

Test(cache, an_entry_cut_at_any_length_is_thrown_away)
{
    const test_folder folder = use_folder();
    const cache_key key = key_of("source", "options");
    cache_write(key, text, sizeof text);
    char path[1024], whole[256];
    find_entry(path, &folder);
    const size_t size = read_file(whole, sizeof whole, path);
    for (size_t length = 0; length < size; length++) {
        write_file(path, whole, length);
        cr_assert_not(finds_text(key), "the first %zu of %zu bytes", length, size);
        cr_assert_neq(access(path, F_OK), 0, "it is deleted");
    }
    write_file(path, whole, size);
    cr_assert(finds_text(key));
    test_folder_remove(&folder);
}

Test(cache, an_entry_with_any_byte_changed_is_thrown_away)
{
    const test_folder folder = use_folder();
    const cache_key key = key_of("source", "options");
    cache_write(key, text, sizeof text);
    char path[1024], bytes[256];
    find_entry(path, &folder);
    const size_t size = read_file(bytes, sizeof bytes, path);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        write_file(path, bytes, size);
        cr_assert_not(finds_text(key), "byte %zu", i);
        bytes[i] ^= 0x10;
    }
    cache_write(key, text, sizeof text);
    cr_assert(finds_text(key), "a new entry takes its place");
    test_folder_remove(&folder);
}

Test(cache, a_folder_that_is_not_there_is_made)
{
    const test_folder folder = test_folder_make("unused");
    char deep[700];
    snprintf(deep, sizeof deep, "%s/a/b", folder.path);
    setenv("LAB_CACHE_DIR", deep, 1);
    cache_write(key_of("a", "b"), text, sizeof text);
    cr_assert(finds_text(key_of("a", "b")));
    struct stat made;
    cr_assert_eq(stat(deep, &made), 0);
    cr_assert_eq(made.st_mode & 0777, 0700u, "nobody else reads or writes it");
    unsetenv("LAB_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder.path, 1);
    cr_assert_not(finds_text(key_of("a", "b")), "another folder, another cache");
    cache_write(key_of("a", "b"), text, sizeof text);
    snprintf(deep, sizeof deep, "%s/lab", folder.path);
    cr_assert_eq(access(deep, W_OK), 0);
    snprintf(deep, sizeof deep, "rm -rf '%s'", folder.path);
    cr_assert_eq(system(deep), 0);
}

/* Where neither a cache nor a home can be had, a guessable name in a folder for all must not be somebody's trap. */
Test(cache, a_folder_of_last_resort_that_others_can_write_is_not_used)
{
    const test_folder folder = test_folder_make("unused");
    char own[700];
    unsetenv("LAB_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    setenv("TMPDIR", folder.path, 1);
    snprintf(own, sizeof own, "%s/lab-%u", folder.path, (unsigned)geteuid());
    cache_write(key_of("a", "b"), text, sizeof text);
    cr_assert(finds_text(key_of("a", "b")));
    chmod(own, 0777);
    cr_assert_not(finds_text(key_of("a", "b")));
    snprintf(own, sizeof own, "rm -rf '%s'", folder.path);
    cr_assert_eq(system(own), 0);
}
