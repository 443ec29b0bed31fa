/*
 * The library that makes a program a fork server: it puts itself in the place of the function with which the C library
 * starts main. Descriptor 0 of the program is the connection. A script's program is its interpreter: the words that the
 * system puts before the arguments stay there.
 */
#include "../fork_request.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int count, char **arguments, char **environment);
typedef int start_function(main_function *main, int count, char **arguments, void (*begin)(void), void (*end)(void),
                           void (*unload)(void), void *stack);

start_function __libc_start_main;

static main_function *program_main;

/* What a run needs, in memory of its own. */
typedef struct run {
    char *text;  /* all strings */
    char **list; /* arguments, NULL, variables of the environment, NULL */
    char **environment;
    int arguments;
} run;

static bool take(void *bytes, size_t size) { return recv(0, bytes, size, MSG_WAITALL) == (ssize_t)size; }

static void give(const void *bytes, size_t size) { send(0, bytes, size, MSG_NOSIGNAL); }

/* A request and its descriptors. False at the end of the connection. */
static bool take_request(fork_request *request, int descriptors[3])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(3 * sizeof(int))];
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(0, &message, MSG_WAITALL) != sizeof *request) return false;
    const struct cmsghdr *sent = CMSG_FIRSTHDR(&message);
    if (!sent || sent->cmsg_len != CMSG_LEN(3 * sizeof(int))) return false;
    memcpy(descriptors, CMSG_DATA(sent), 3 * sizeof(int));
    return true;
}

static void point_to(char **list, int count, const char **text)
{
    for (int i = 0; i < count; i++, *text += strlen(*text) + 1) list[i] = (char *)*text;
    list[count] = NULL;
}

/* The strings of a request, behind the words of this program's own. */
static bool take_run(run *r, const fork_request *request, int own, char **words)
{
    const int count = own + request->arguments + 1;
    r->text = malloc((size_t)request->bytes + 1);
    r->list = malloc((size_t)(count + request->variables + 1) * sizeof *r->list);
    if (!r->text || !r->list || !take(r->text, (size_t)request->bytes)) return false;
    const char *text = r->text;
    memcpy(r->list, words, (size_t)own * sizeof *words);
    point_to(r->list + own, request->arguments, &text);
    r->environment = r->list + count;
    point_to(r->environment, request->variables, &text);
    r->arguments = count - 1;
    return true;
}

static void use(const int descriptors[3])
{
    for (int i = 0; i < 3; i++) {
        dup2(descriptors[i], i);
        close(descriptors[i]);
    }
}

static int wait_for(pid_t copy)
{
    int status = 0;
    while (waitpid(copy, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

/* Returns in the copies only. */
static int serve(int count, char **arguments, char **environment)
{
    (void)environment;
    fork_request request;
    int descriptors[3];
    char word = 0;
    give(&word, 1);
    while (take_request(&request, descriptors)) {
        run r;
        if (!take_run(&r, &request, count, arguments)) break;
        const pid_t copy = fork();
        if (copy == 0) {
            use(descriptors);
            environ = r.environment;
            return program_main(r.arguments, r.list, r.environment);
        }
        for (int i = 0; i < 3; i++) close(descriptors[i]);
        free(r.text);
        free(r.list);
        give(&copy, sizeof copy);
        if (copy < 0) continue;
        if (!take(&word, 1)) break;
        const int status = wait_for(copy);
        give(&status, sizeof status);
    }
    _exit(0);
}

int __libc_start_main(main_function *main, int count, char **arguments, void (*begin)(void), void (*end)(void),
                      void (*unload)(void), void *stack)
{
    start_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return next(serve, count, arguments, begin, end, unload, stack);
}
