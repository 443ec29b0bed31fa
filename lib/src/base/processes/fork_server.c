/* The library is a part of this one, and a file in memory for the program, which gets it as its descriptor 1. */
#include "fork_server.h"
#include "fork_request.h"
#include "spawn.h"
#include "base/system/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOADING_MS = 60000, MOST_VARIABLES = 16 };

/* clang-format off */
__asm__(".pushsection .rodata\n"
        "library:\n"
        ".incbin \"" FORK_SERVER_LIBRARY "\"\n"
        "library_end:\n"
        ".popsection\n");
/* clang-format on */
extern const char library[], library_end[];

static int library_file(void)
{
    const int file = spawn_move_up(memfd_create("fork server", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file >= 0 && write_all(file, library, (size_t)(library_end - library)) &&
        fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        return file;
    if (file >= 0) close(file);
    return -1;
}

static bool take(const fork_server *server, void *bytes, size_t size)
{
    ssize_t count;
    while ((count = recv(server->connection, bytes, size, MSG_WAITALL)) < 0 && errno == EINTR) {}
    return count == (ssize_t)size;
}

static bool give(const fork_server *server, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t count = send(server->connection, bytes, size, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes += count, size -= (size_t)count;
    }
    return true;
}

static pid_t spawn(const char *program, const char *const *environment, int connection, int file)
{
    const char *variables[MOST_VARIABLES + 2] = {"LD_PRELOAD=/proc/self/fd/1"};
    const char *const arguments[] = {program, NULL};
    const int descriptors[] = {connection, file, file};
    pid_t child;
    for (int i = 0; environment[i]; i++) {
        if (i == MOST_VARIABLES) return -1;
        variables[i + 1] = environment[i];
    }
    return spawn_program(&child, program, arguments, variables, descriptors) == 0 ? child : -1;
}

/* The library says when the program is loaded; a program without it ends, since it has no arguments. */
static bool is_loaded(const fork_server *server)
{
    char word;
    struct pollfd ready = {.fd = server->connection, .events = POLLIN};
    int count;
    while ((count = poll(&ready, 1, LOADING_MS)) < 0 && errno == EINTR) {}
    return count > 0 && take(server, &word, 1);
}

bool fork_server_start(fork_server *server, const char *program, const char *const *environment)
{
    int pair[2];
    *server = FORK_SERVER_NONE;
    const int file = library_file();
    if (file >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
        const int theirs = spawn_move_up(pair[1]);
        server->connection = pair[0];
        if (theirs >= 0) {
            server->program = spawn(program, environment, theirs, file);
            close(theirs);
        }
    }
    if (file >= 0) close(file);
    if (server->program > 0 && is_loaded(server)) return true;
    fork_server_stop(server);
    return false;
}

/* Appends strings to a text that has memory for them. Returns how many. */
static int append(char **text, const char *const *strings)
{
    int count = 0;
    for (; strings[count]; count++) *text = stpcpy(*text, strings[count]) + 1;
    return count;
}

static size_t bytes_of(const char *const *strings)
{
    size_t bytes = 0;
    for (; *strings; strings++) bytes += strlen(*strings) + 1;
    return bytes;
}

static bool give_request(const fork_server *server, const fork_request *request, const int descriptors[3])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(3 * sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(3 * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)request, sizeof *request};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.header), descriptors, 3 * sizeof(int));
    ssize_t count;
    while ((count = sendmsg(server->connection, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {}
    return count == (ssize_t)sizeof *request;
}

pid_t fork_server_run(const fork_server *server, const char *const *arguments, const char *const *environment,
                      const int descriptors[3])
{
    const size_t bytes = bytes_of(arguments) + bytes_of(environment);
    char *text = malloc(bytes + 1), *end = text;
    if (!text) return -1;
    fork_request request = {.bytes = (int)bytes};
    request.arguments = append(&end, arguments);
    request.variables = append(&end, environment);
    pid_t copy = -1;
    if (!give_request(server, &request, descriptors) || !give(server, text, bytes) || !take(server, &copy, sizeof copy))
        copy = -1;
    free(text);
    return copy;
}

int fork_server_wait(const fork_server *server)
{
    int status;
    return give(server, "", 1) && take(server, &status, sizeof status) ? status : SIGKILL;
}

void fork_server_stop(fork_server *server)
{
    if (server->connection >= 0) close(server->connection);
    if (server->program > 0) {
        kill(server->program, SIGKILL);
        while (waitpid(server->program, NULL, 0) < 0 && errno == EINTR) {}
    }
    *server = FORK_SERVER_NONE;
}
