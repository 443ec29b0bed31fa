/* The cache on disk: what it finds again, and what it does not. */
#include "base/system/cache.h"
#include "base/system/cache_folder.h"
#include "test_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static const char text[] = "bytes of a compiled kernel";

/* Keys live until the test's process ends. */
static const cache_key *key_of(const char *one, const char *two)
{
    static cache_key key[64];
    static int keys;
    const cache_bytes part[] = {{one, strlen(one)}, {two, strlen(two)}};
    cr_assert(cache_key_make(&key[keys % 64], part, 2));
    return &key[keys++ % 64];
}

static test_folder use_folder(void)
{
    const test_folder folder = test_folder_make("unused");
    setenv("LAB_CACHE_DIR", folder.path, 1);
    return folder;
}

/* Whether the cache gives the text for the key. */
static bool finds_text(const cache_key *key)
{
    void *data = NULL;
    size_t size = 0;
    if (!cache_read(&data, &size, NULL, key)) return false;
    cr_assert_eq(size, sizeof text);
    cr_assert_arr_eq(data, text, sizeof text);
    free(data);
    return true;
}

/* The path of the only entry. */
static void find_entry(char path[1024], const test_folder *folder)
{
    DIR *list = opendir(folder->path);
    *path = '\0';
    for (struct dirent *entry; (entry = readdir(list));)
        if (*entry->d_name != '.') snprintf(path, 1024, "%s/%s", folder->path, entry->d_name);
    closedir(list);
    cr_assert(*path, "an entry");
}

static size_t read_file(char *out, size_t capacity, const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    const size_t size = fread(out, 1, capacity, file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const char *contents, size_t size)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fwrite(contents, 1, size, file);
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
    const cache_key *const key = key_of("source", "options");
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
    const cache_key *const key = key_of("source", "options");
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
    cr_assert_eq(made.st_mode & 0777, 0700u, "only the owner reads or writes it");
    unsetenv("LAB_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder.path, 1);
    cr_assert_not(finds_text(key_of("a", "b")), "another folder, another cache");
    cache_write(key_of("a", "b"), text, sizeof text);
    snprintf(deep, sizeof deep, "%s/lab", folder.path);
    cr_assert_eq(access(deep, W_OK), 0);
    snprintf(deep, sizeof deep, "rm -rf '%s'", folder.path);
    cr_assert_eq(system(deep), 0);
}

/* Without a cache folder and a home, the fallback has a guessable name in a shared folder: nobody must be able to
 * prepare it as a trap. */
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

/* ---- other things in place of an entry ---- */

static lab_cache_info info(void)
{
    static lab_cache_info now;
    cr_assert_eq(lab_cache_get_info(&now), LAB_SUCCESS);
    return now;
}

/* Something else under an entry's name is not used, and is replaced by a new entry. */
static void check_is_replaced(void (*put)(const char *path))
{
    const test_folder folder = use_folder();
    const cache_key *const key = key_of("source", "options");
    const uint64_t before = info().replaced;
    char path[1024];
    cache_write(key, text, sizeof text);
    find_entry(path, &folder);
    put(path);
    cr_assert_not(finds_text(key));
    cr_assert_eq(info().replaced, before + 1);
    cache_write(key, text, sizeof text);
    cr_assert(finds_text(key));
    cr_assert_eq(info().replaced, before + 1);
    test_folder_remove(&folder);
}

static void put_nothing(const char *path) { write_file(path, "", 0); }

static void put_earlier_format(const char *path)
{
    char bytes[256];
    const size_t size = read_file(bytes, sizeof bytes, path);
    bytes[7]--; /* the version is the last byte of the eight that each entry begins with */
    write_file(path, bytes, size);
}

static void put_more(const char *path)
{
    FILE *file = fopen(path, "a");
    fputs("more", file);
    fclose(file);
}

static void put_link(const char *path)
{
    char elsewhere[1100];
    snprintf(elsewhere, sizeof elsewhere, "%s.moved", path);
    cr_assert_eq(rename(path, elsewhere), 0);
    cr_assert_eq(symlink(elsewhere, path), 0);
}

static void put_pipe(const char *path)
{
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
}

Test(cache, an_entry_without_bytes_is_replaced) { check_is_replaced(put_nothing); }
Test(cache, an_entry_of_an_earlier_format_is_replaced) { check_is_replaced(put_earlier_format); }
Test(cache, an_entry_with_bytes_after_its_end_is_replaced) { check_is_replaced(put_more); }
Test(cache, a_link_is_replaced_even_if_it_leads_to_an_entry) { check_is_replaced(put_link); }
Test(cache, a_pipe_is_replaced_and_not_waited_for) { check_is_replaced(put_pipe); }

/* ---- statistics and size ---- */

/* Keys have two parts, of which one is a letter and the other nothing. */
enum { HEADER_BYTES = 32, KEY_BYTES = 2 * 8 + 1, ENTRY_BYTES = HEADER_BYTES + KEY_BYTES + sizeof text };

static void set_size(const char *value) { setenv("LAB_CACHE_SIZE", value, 1); }

static void set_size_in_entries(int entries)
{
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%d", entries * (int)ENTRY_BYTES);
    set_size(bytes);
}

/* Makes everything in the folder look last used this long ago. */
static void let_pass(const test_folder *folder, int seconds)
{
    DIR *list = opendir(folder->path);
    for (struct dirent *entry; (entry = readdir(list));) {
        struct stat file;
        if (fstatat(dirfd(list), entry->d_name, &file, 0) != 0 || !S_ISREG(file.st_mode)) continue;
        const struct timespec times[] = {file.st_atim, {file.st_mtim.tv_sec - seconds, 0}};
        cr_assert_eq(utimensat(dirfd(list), entry->d_name, times, 0), 0);
    }
    closedir(list);
}

Test(cache, says_what_it_holds_and_what_happened)
{
    const test_folder folder = use_folder();
    const lab_cache_info before = info();
    cr_assert_str_eq(before.folder, folder.path);
    cr_assert_eq(before.entries, 0u);
    cr_assert_eq(before.limit, UINT64_C(256) << 20);
    cr_assert_not(finds_text(key_of("a", "")));
    cache_write(key_of("a", ""), text, sizeof text);
    cache_write(key_of("b", ""), text, sizeof text);
    for (int i = 0; i < 3; i++) cr_assert(finds_text(key_of("a", "")));
    const lab_cache_info after = info();
    cr_assert_eq(after.entries, 2u);
    cr_assert_eq(after.bytes, (uint64_t)2 * ENTRY_BYTES);
    cr_assert_eq(after.hits - before.hits, 3u);
    cr_assert_eq(after.misses - before.misses, 1u);
    cr_assert_eq(after.evicted - before.evicted, 0u);
    cr_assert_str_eq(after.problem, "");
    cr_assert_eq(lab_cache_get_info(NULL), LAB_ERROR_INVALID_VALUE);
    test_folder_remove(&folder);
}

Test(cache, what_was_used_longest_ago_goes_when_there_is_too_much)
{
    const test_folder folder = use_folder();
    set_size_in_entries(3);
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        cache_write(key_of(names[i], ""), text, sizeof text);
        let_pass(&folder, 60);
    }
    cr_assert(finds_text(key_of("a", "")), "which is used now");
    cache_write(key_of("d", ""), text, sizeof text);
    cr_assert(finds_text(key_of("a", "")));
    cr_assert_not(finds_text(key_of("b", "")));
    cr_assert(finds_text(key_of("c", "")));
    cr_assert(finds_text(key_of("d", "")));
    cr_assert_eq(info().evicted, 1u);
    cr_assert_eq(info().entries, 3u);
    test_folder_remove(&folder);
}

Test(cache, what_was_just_written_stays_whatever_its_age)
{
    const test_folder folder = use_folder();
    set_size_in_entries(1);
    cache_write(key_of("a", ""), text, sizeof text);
    let_pass(&folder, -1000); /* as if the clock was set back */
    cache_write(key_of("b", ""), text, sizeof text);
    cr_assert(finds_text(key_of("b", "")));
    cr_assert_not(finds_text(key_of("a", "")));
    test_folder_remove(&folder);
}

Test(cache, an_entry_larger_than_the_whole_is_not_kept)
{
    const test_folder folder = use_folder();
    set_size_in_entries(1);
    cache_write(key_of("s", ""), text, sizeof text);
    static const char large[2 * sizeof text];
    cache_write(key_of("l", ""), large, sizeof large);
    cr_assert(finds_text(key_of("s", "")), "and drives nothing out");
    cr_assert_eq(info().not_kept, 1u);
    cr_assert_not_null(strstr(info().problem, folder.path), "%s", info().problem);
    test_folder_remove(&folder);
}

Test(cache, a_size_of_0_turns_it_off)
{
    const test_folder folder = use_folder();
    cache_write(key_of("a", ""), text, sizeof text);
    set_size("0");
    cr_assert_not(finds_text(key_of("a", "")));
    cache_write(key_of("b", ""), text, sizeof text);
    cr_assert_eq(info().entries, 1u);
    cr_assert_eq(info().not_kept, 0u);
    cr_assert_eq(strlen(info().problem), 0u, "%s", info().problem);
    test_folder_remove(&folder);
}

Test(cache, sizes_have_units_and_invalid_ones_are_named)
{
    const test_folder folder = use_folder();
    static const struct {
        const char *text;
        uint64_t bytes; /* 0 if the text is not a size */
    } sizes[] = {{"4096", 4096},
                 {"3K", 3072},
                 {"2M", UINT64_C(2) << 20},
                 {"5G", UINT64_C(5) << 30},
                 {"M", 0},
                 {"-1", 0},
                 {"1T", 0},
                 {"1MB", 0},
                 {" 1", 0},
                 {"1.5G", 0},
                 {"99999999999999999999", 0},
                 {"99999999999999G", 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        set_size(sizes[i].text);
        cr_assert_eq(info().limit, sizes[i].bytes ? sizes[i].bytes : UINT64_C(256) << 20, "%s", sizes[i].text);
        cr_assert_eq(strstr(info().problem, sizes[i].text) != NULL, sizes[i].bytes == 0, "%s", info().problem);
    }
    test_folder_remove(&folder);
}

/* Begins an entry, tells that it has, and waits to be killed. */
static pid_t start_writer(const test_folder *folder)
{
    int begun[2];
    char byte;
    cr_assert_eq(pipe(begun), 0);
    const pid_t child = fork();
    if (child == 0) {
        char path[600];
        snprintf(path, sizeof path, "%s/new-XXXXXX", folder->path);
        const int descriptor = cache_folder_new_file(path);
        if (descriptor < 0 || ftruncate(descriptor, 3 * ENTRY_BYTES) != 0 || write(begun[1], "b", 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(begun[1]);
    cr_assert_eq(read(begun[0], &byte, 1), 1, "the child writes");
    close(begun[0]);
    return child;
}

static void end_writer(pid_t child)
{
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, NULL, 0), child);
}

/* A program that is ended while its kernels are compiled, again and again, must not fill the disk. */
Test(cache, what_a_dead_process_left_half_written_goes_with_the_next_entry)
{
    const test_folder folder = use_folder();
    end_writer(start_writer(&folder));
    const pid_t writer = start_writer(&folder);
    cache_write(key_of("a", ""), text, sizeof text);
    end_writer(writer);
    cr_assert_eq(test_folder_remove(&folder), 2, "the entry, and the file whose writer lived");
}

Test(cache, what_is_being_written_counts_for_the_limit)
{
    const test_folder folder = use_folder();
    set_size_in_entries(5);
    const pid_t writer = start_writer(&folder);
    cache_write(key_of("a", ""), text, sizeof text);
    let_pass(&folder, 60);
    cache_write(key_of("b", ""), text, sizeof text);
    cr_assert_eq(info().evicted, 0u, "three entries' worth is being written");
    cache_write(key_of("c", ""), text, sizeof text);
    end_writer(writer);
    cr_assert_eq(info().evicted, 1u);
    cr_assert_not(finds_text(key_of("a", "")));
    cr_assert(finds_text(key_of("b", "")));
    test_folder_remove(&folder);
}

Test(cache, clearing_removes_entries_and_nothing_else)
{
    const test_folder folder = use_folder();
    cache_write(key_of("a", ""), text, sizeof text);
    cache_write(key_of("b", ""), text, sizeof text);
    write_file(folder.file, "mine", 4);
    cr_assert_eq(lab_cache_clear(), LAB_SUCCESS);
    cr_assert_eq(info().entries, 0u);
    cr_assert_eq(access(folder.file, F_OK), 0);
    cr_assert_not(finds_text(key_of("a", "")));
    test_folder_remove(&folder);
    setenv("LAB_CACHE_DIR", "/dev/null/cache", 1);
    cr_assert_eq(lab_cache_clear(), LAB_ERROR_IO);
}

/* ---- entries that are not what their name says ---- */

/* Whoever finds two keys with one digest, or may write to the folder, gets no other kernel loaded than the key's. */
Test(cache, an_entry_with_the_name_of_another_key_is_not_used)
{
    const test_folder folder = use_folder();
    const cache_key *const mine = key_of("mine", ""), *const other = key_of("other", "");
    const cache_key poison = {other->text, other->size, mine->digest};
    cache_write(&poison, text, sizeof text);
    cr_assert(finds_text(&poison), "it is found under the other text");
    cr_assert_not(finds_text(mine));
    test_folder_remove(&folder);
}

/* ---- a cache over another ---- */

static void cover(const test_folder *below)
{
    setenv("LAB_CACHE_BASE", below->path, 1);
    setenv("LAB_CACHE_DIR", below->path, 1);
    cache_write(key_of("w", ""), text, sizeof text);
}

Test(cache, what_lies_below_is_found_and_not_counted)
{
    const test_folder below = test_folder_make("unused");
    cover(&below);
    const test_folder folder = use_folder();
    cr_assert(finds_text(key_of("w", "")));
    cr_assert_eq(info().entries, 0u);
    cache_write(key_of("v", ""), text, sizeof text);
    cr_assert(finds_text(key_of("v", "")));
    cr_assert_eq(info().entries, 1u);
    cr_assert_eq(test_folder_remove(&folder), 1);
    cr_assert_not(finds_text(key_of("v", "")), "it went with its own cache");
    cr_assert_eq(test_folder_remove(&below), 1);
}

Test(cache, nothing_changes_what_lies_below)
{
    const test_folder below = test_folder_make("unused");
    cover(&below);
    char path[1024], bytes[256];
    find_entry(path, &below);
    const size_t size = read_file(bytes, sizeof bytes, path);
    const test_folder folder = use_folder();
    set_size_in_entries(1);
    cache_write(key_of("a", ""), text, sizeof text);
    cache_write(key_of("b", ""), text, sizeof text);
    cr_assert_eq(lab_cache_clear(), LAB_SUCCESS);
    cr_assert(finds_text(key_of("w", "")), "neither filled nor cleared");
    write_file(path, bytes, size - 1);
    cr_assert_not(finds_text(key_of("w", "")));
    cr_assert_eq(access(path, F_OK), 0, "a damaged entry stays for those who may write there");
    cache_write(key_of("w", ""), text, sizeof text);
    cr_assert(finds_text(key_of("w", "")), "from its own cache");
    test_folder_remove(&folder);
    test_folder_remove(&below);
}

/* ---- where nothing can be kept ---- */

/* A program that a check runs could take the compiled kernels of all others away. */
Test(cache, a_strangers_program_does_not_clear_it)
{
    const test_folder folder = use_folder();
    cache_write(key_of("a", "b"), text, sizeof text);
    cache_serve_untrusted();
    cr_assert_eq(lab_cache_clear(), LAB_ERROR_NOT_PERMITTED);
    cr_assert(finds_text(key_of("a", "b")));
    cr_assert_str_eq(info().folder, "", "it is told no path either");
    setenv("LAB_CACHE_DIR", "/dev/null/cache", 1);
    cr_assert_str_eq(info().problem, "the cache: Not a directory");
    test_folder_remove(&folder);
}

Test(cache, in_a_folder_that_takes_no_files_nothing_is_kept_and_the_first_reason_is_told)
{
    setenv("LAB_CACHE_DIR", "/proc/self", 1);
    cr_assert_not(finds_text(key_of("a", "")));
    cache_write(key_of("a", ""), text, sizeof text);
    cr_assert_eq(strncmp(info().problem, "/proc/self: ", 12), 0, "%s", info().problem);
    setenv("LAB_CACHE_DIR", "/dev/null", 1);
    cache_write(key_of("a", ""), text, sizeof text);
    cr_assert_eq(info().not_kept, 2u);
    cr_assert_eq(strncmp(info().problem, "/proc/self: ", 12), 0, "%s", info().problem);
}

static void write_where_files_are_short(void *unused)
{
    (void)unused;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){HEADER_BYTES + 3, HEADER_BYTES + 3});
    cache_write(key_of("a", ""), text, sizeof text);
    lab_cache_info now;
    lab_cache_get_info(&now);
    printf("%d not kept, %d entries", (int)now.not_kept, (int)now.entries);
}

Test(cache, an_entry_without_room_leaves_nothing)
{
    const test_folder folder = use_folder();
    char output[256];
    cr_assert_eq(test_in_child(write_where_files_are_short, NULL, output, sizeof output), 0);
    cr_assert_str_eq(output, "1 not kept, 0 entries");
    cr_assert_eq(test_folder_remove(&folder), 0, "no half written file either");
}

/* ---- several processes ---- */

enum { PROCESSES = 3, ROUNDS = 300, KEYS = 8 };

/* Writes and reads entries, each made of its key, in a folder with room for a few of them. */
static void use_often(unsigned seed)
{
    char bytes[600];
    for (int round = 0; round < ROUNDS; round++) {
        seed = seed * 1103515245 + 12345;
        const int which = (int)(seed >> 16) % KEYS;
        cache_key key;
        if (!cache_key_make(&key, &(cache_bytes){&which, sizeof which}, 1)) _exit(4);
        memset(bytes, 'a' + which, sizeof bytes);
        void *data;
        size_t size;
        const bool found = cache_read(&data, &size, NULL, &key);
        if (!found) cache_write(&key, bytes, sizeof bytes);
        if (found && (size != sizeof bytes || memcmp(data, bytes, size) != 0)) _exit(2);
        if (found) free(data);
        cache_key_free(&key);
    }
    lab_cache_info now;
    lab_cache_get_info(&now);
    _exit(now.not_kept || now.replaced ? 3 : 0);
}

Test(cache, processes_that_evict_each_others_entries_read_whole_ones)
{
    const test_folder folder = use_folder();
    set_size("2K");
    pid_t child[PROCESSES];
    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0) use_often((unsigned)i);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
        cr_assert_eq(WEXITSTATUS(status), 0, "2: an entry was not whole; 3: one was damaged or could not be written");
    }
    cr_assert_leq(info().bytes, 2048u);
    cr_assert_gt(info().entries, 0u);
    test_folder_remove(&folder);
}
