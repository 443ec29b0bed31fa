/* The setting changes before there are operations, so that it is read without the engine's lock. */
#include "schedule_setting.h"

#include "base/shuffle.h"
#include "engine_lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static cpu_schedule schedule;
static uint64_t seed, random_state;

cpu_schedule cpu_schedule_now(void) { return schedule; }

bool cpu_schedule_is_on(void) { return schedule != CPU_SCHEDULE_CONCURRENT; }

bool cpu_schedule_is_adversarial(void) { return schedule == CPU_SCHEDULE_ADVERSARIAL; }

bool cpu_schedule_shuffles_threads(void) { return schedule >= CPU_SCHEDULE_RANDOM; }

uint64_t cpu_schedule_seed(void) { return seed; }

uint64_t cpu_schedule_random(uint64_t limit)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    return shuffle_mix(random_state) % limit;
}

/* The rest of the text if it begins with the word; else NULL. */
static const char *text_after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

static bool read_seed(uint64_t *number, const char *text)
{
    if (text[0] < '0' || text[0] > '9') return false;
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static void begin(cpu_schedule wanted, uint64_t number)
{
    cpu_engine_lock();
    if (schedule != wanted) schedule = wanted;
    seed = random_state = number;
    cpu_engine_unlock();
}

lab_status cpu_schedule_open(void)
{
    static const char *const word[] = {
        [CPU_SCHEDULE_CONCURRENT] = "concurrent",
        [CPU_SCHEDULE_FIFO] = "fifo",
        [CPU_SCHEDULE_RANDOM] = "random:",
        [CPU_SCHEDULE_ADVERSARIAL] = "adversarial:",
    };
    const char *wish = getenv("LAB_SCHEDULE");
    if (!wish || !*wish) wish = word[CPU_SCHEDULE_CONCURRENT];
    for (cpu_schedule each = CPU_SCHEDULE_CONCURRENT; each <= CPU_SCHEDULE_ADVERSARIAL; each++) {
        const char *rest = text_after(wish, word[each]);
        uint64_t number = 0;
        if (!rest || (each >= CPU_SCHEDULE_RANDOM ? !read_seed(&number, rest) : *rest != '\0')) continue;
        begin(each, number);
        return LAB_SUCCESS;
    }
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "LAB_SCHEDULE=%s is no schedule; use concurrent, fifo, random:SEED or adversarial:SEED, where SEED "
                    "is a number such as 1",
                    wish);
}
