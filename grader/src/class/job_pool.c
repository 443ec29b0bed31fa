/* Jobs in processes of their own; see job_pool.h. */
#include "job_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/process_tree.h"
#include "base/system/write_all.h"
#include "base/text.h"
#include "sandbox/device_lock.h"

enum { MOST_BYTES = 256 << 20 };

typedef struct pool_worker {
    pid_t pid; /* 0 for a free place */
    int64_t ticket;
    int result; /* the pipe that its result comes through */
    text_buffer json;
    char *folder; /* for its temporary files */
} pool_worker;

struct job_pool {
    size_t workers, busy;
    pool_worker *worker;
};

bool job_pool_create(job_pool **out, size_t workers, grader_fault *fault)
{
    FAULT_TRY(process_tree_adopt(fault));
    job_pool *pool = calloc(1, sizeof *pool);
    pool_worker *places = calloc(workers, sizeof *places);
    if (!pool || !places) {
        free(pool);
        free(places);
        return fault_memory(fault, "the jobs");
    }
    *pool = (job_pool){.workers = workers, .worker = places};
    *out = pool;
    return true;
}

size_t job_pool_busy(const job_pool *pool) { return pool->busy; }

bool job_pool_is_full(const job_pool *pool) { return pool->busy == pool->workers; }

/* ---- in the job's process -------------------------------------------------------------------------------------- */

static void say_waiting(const char *sentence) { fprintf(stderr, "labgrade: %s\n", sentence); }

static _Noreturn void work(const grading_job *job, const char *folder, pid_t parent, int out)
{
    grading_job own = *job;
    device_lock lock;
    grading_result result = {0};
    grader_fault fault = {0};
    process_tree_forget();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool ok = getppid() == parent && setenv("TMPDIR", folder, 1) == 0 && process_tree_adopt(&fault);
    if (ok && device_lock_open(&lock, &job->parts->device, &fault)) {
        lock.waits = say_waiting;
        own.device_lock = &lock;
        own.repeats_unstable = true;
        job_run(&result, &own);
        json_t *json = result_json(&result);
        char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
        ok = text && write_all(out, text, strlen(text));
    } else if (*fault.text) {
        fprintf(stderr, "labgrade: %s\n", fault.text);
        ok = false;
    }
    _exit(ok ? 0 : 1);
}

/* ---- in the grader ----------------------------------------------------------------------------------------------- */

static void clear(job_pool *pool, pool_worker *worker)
{
    if (worker->result >= 0) close(worker->result);
    if (worker->folder) folder_remove(worker->folder);
    free(worker->folder);
    free(worker->json.text);
    *worker = (pool_worker){0};
    pool->busy--;
}

static bool start_worker(pool_worker *worker, const grading_job *job, grader_fault *fault)
{
    int ends[2];
    pid_t parent = getpid();
    FAULT_TRY(folder_make_private(&worker->folder, "job", fault));
    if (pipe2(ends, O_CLOEXEC) < 0) return fault_errno(fault, "cannot create a pipe");
    worker->result = ends[0];
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid == 0) work(job, worker->folder, parent, ends[1]);
    bool ok = worker->pid > 0 || fault_errno(fault, "cannot start a process for a job");
    close(ends[1]);
    if (!ok || process_tree_own(worker->pid, fault)) return ok;
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    return false;
}

bool job_pool_start(job_pool *pool, const grading_job *job, int64_t ticket, grader_fault *fault)
{
    pool_worker *worker = pool->worker;
    while (worker->pid) worker++;
    *worker = (pool_worker){.ticket = ticket, .result = -1};
    pool->busy++;
    if (start_worker(worker, job, fault)) return true;
    clear(pool, worker);
    return false;
}

/* Takes what can be read; false at the end. */
static bool read_some(pool_worker *worker)
{
    char bytes[65536];
    ssize_t count = read(worker->result, bytes, sizeof bytes);
    if (count < 0) return errno == EINTR;
    if (count > 0) text_append(&worker->json, bytes, (size_t)count);
    return count > 0 && worker->json.length <= MOST_BYTES;
}

/* Ends a worker and everything that its submission left behind, and takes over its result. */
static bool end_worker(job_pool *pool, pool_worker *worker, job_pool_end *out, grader_fault *fault)
{
    int status = 0;
    siginfo_t ended;
    waitid(P_PID, (id_t)worker->pid, &ended, WEXITED | WNOWAIT);
    bool ok = process_tree_kill(worker->pid, fault);
    waitpid(worker->pid, &status, 0);
    process_tree_disown(worker->pid);
    *out = (job_pool_end){.ticket = worker->ticket};
    if (WIFSIGNALED(status))
        fault_set(&out->why, "the grader's process for it was ended by the signal SIG%s",
                  sigabbrev_np(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 || worker->json.failed || !worker->json.text)
        fault_set(&out->why, "the grader's process for it left no result");
    else
        out->json = worker->json.text;
    if (out->json) worker->json = (text_buffer){0};
    clear(pool, worker);
    return ok;
}

bool job_pool_wait(job_pool *pool, job_pool_end *out, grader_fault *fault)
{
    struct pollfd *watched = calloc(pool->workers, sizeof *watched);
    if (!watched) return fault_memory(fault, "waiting for jobs");
    pool_worker *ended = NULL;
    while (!ended) {
        for (size_t i = 0; i < pool->workers; i++) {
            const pool_worker *worker = &pool->worker[i];
            watched[i] = (struct pollfd){.fd = worker->pid ? worker->result : -1, .events = POLLIN};
        }
        if (poll(watched, pool->workers, -1) < 0 && errno != EINTR) break;
        for (size_t i = 0; i < pool->workers && !ended; i++) {
            if (watched[i].revents && !read_some(&pool->worker[i])) ended = &pool->worker[i];
        }
    }
    free(watched);
    if (!ended) return fault_errno(fault, "cannot wait for jobs");
    return end_worker(pool, ended, out, fault);
}

void job_pool_free(job_pool *pool)
{
    if (!pool) return;
    for (size_t i = 0; i < pool->workers; i++) {
        pool_worker *worker = &pool->worker[i];
        grader_fault fault;
        if (!worker->pid) continue;
        kill(worker->pid, SIGKILL);
        process_tree_kill(worker->pid, &fault);
        waitpid(worker->pid, NULL, 0);
        process_tree_disown(worker->pid);
        clear(pool, worker);
    }
    free(pool->worker);
    free(pool);
}
