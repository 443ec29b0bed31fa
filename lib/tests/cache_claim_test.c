/* Who makes an entry of the cache: one thread of all processes, for which the others wait. */
#include "base/system/cache_folder.h"
#include "base/system/cache.h"
#include "test.h"
#include "test_folder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAKERS = 4, MAKING_US = 30000 };

static atomic_int *made; /* how often the entry was made; processes share it */

static void key_of(cache_key *key, const char *text)
{
    cr_assert(cache_key_make(key, &(cache_bytes){text, strlen(text)}, 1));
}

/* The folder of the cache, and the number that processes share. */
static test_folder begin(void)
{
    const test_folder folder = test_folder_make("unused");
    setenv("LAB_CACHE_DIR", folder.path, 1);
    made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(made, MAP_FAILED);
    return folder;
}

/* There is one file, the entry. */
static void end(const test_folder *folder)
{
    cr_assert_eq(lab_cache_clear(), LAB_SUCCESS);
    cr_assert_eq(test_folder_remove(folder), 0, "no claim is left");
}

/* Takes the entry, or makes it. */
static void *need(void *key)
{
    void *data = NULL;
    size_t size;
    int claim;
    if (!cache_read(&data, &size, &claim, key)) {
        atomic_fetch_add(made, 1);
        usleep(MAKING_US);
        cache_write(key, "made", 4);
    }
    cache_give_up(claim);
    free(data);
    return NULL;
}

Test(cache_claim, threads_wait_for_the_one_that_makes_the_entry)
{
    const test_folder folder = begin();
    cache_key key;
    pthread_t thread[MAKERS];
    key_of(&key, "of threads");
    for (int i = 0; i < MAKERS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, need, &key), 0);
    for (int i = 0; i < MAKERS; i++) pthread_join(thread[i], NULL);
    cr_assert_eq(atomic_load(made), 1);
    cache_key_free(&key);
    end(&folder);
}

Test(cache_claim, processes_wait_for_the_one_that_makes_the_entry)
{
    const test_folder folder = begin();
    cache_key key;
    key_of(&key, "of processes");
    fflush(NULL);
    for (int i = 0; i < MAKERS; i++)
        if (fork() == 0) {
            need(&key);
            _exit(0);
        }
    while (wait(NULL) > 0) continue;
    cr_assert_eq(atomic_load(made), 1);
    cache_key_free(&key);
    end(&folder);
}

Test(cache_claim, ends_with_the_process_that_has_it)
{
    const test_folder folder = begin();
    cache_key key;
    key_of(&key, "of a process that ends");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        void *data;
        size_t size;
        int claim;
        _exit(cache_read(&data, &size, &claim, &key) || claim < 0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    need(&key);
    cr_assert_eq(atomic_load(made), 1);
    cache_key_free(&key);
    end(&folder);
}

Test(cache_claim, one_entry_does_not_wait_for_another)
{
    const test_folder folder = begin();
    bool waited[2];
    const digest key[] = {digest_of("one", 3), digest_of("two", 3)};
    const int first = cache_folder_claim(&waited[0], folder.path, &key[0]),
              second = cache_folder_claim(&waited[1], folder.path, &key[1]);
    cr_assert(first >= 0 && second >= 0);
    cr_assert(!waited[0] && !waited[1]);
    cache_give_up(first);
    cache_give_up(second);
    cr_assert_eq(test_folder_remove(&folder), 0);
}
