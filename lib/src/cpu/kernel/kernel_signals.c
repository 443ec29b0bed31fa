/* A signal is the kernel's if it struck in its module's code, or in a function without calls of its own that this code
 * called, such as memset. Anything else might hold a lock of the C library. It is a copy's if it is about one of the
 * copy's bytes. */
#include "kernel_signals.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK_BYTES = 64 * 1024, NEAR_STACK_BYTES = 64 * 1024, SIGNALS = 2 };

static const int signal_number[SIGNALS] = {SIGSEGV, SIGBUS};
static struct sigaction others[SIGNALS]; /* the handlers before these */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Code that leaves a kernel's stack for good, where the sanitizers must not look: see fiber.c. */
#define ON_FIBER __attribute__((no_sanitize("address", "thread")))

typedef struct scope {
    const cpu_kernel *kernel;
    const cpu_launch *launch; /* NULL outside of kernels */
    bool ready;               /* the thread has a stack for handlers, and receives the signals */
    bool inside;              /* another handler runs: a signal now is not the kernel's */
    uintptr_t address, stack; /* of the signal that ended the kernel: the address it is about, and the stack pointer */
    const cpu_moved *moved;   /* by the copy that runs; NULL outside of copies */
    sigjmp_buf *left;         /* where it is left to */
} scope;

static _Thread_local volatile scope own;

/* Where the signal struck. */
typedef struct place {
    uintptr_t code, stack, caller; /* caller: where a function without calls of its own would return to */
} place;

static place find_place(const ucontext_t *context)
{
#if defined(__x86_64__)
    const uintptr_t stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    return (place){(uintptr_t)context->uc_mcontext.gregs[REG_RIP], stack, 0};
#elif defined(__aarch64__)
    return (place){context->uc_mcontext.pc, context->uc_mcontext.sp, context->uc_mcontext.regs[30]};
#endif
}

static bool is_in_module(uintptr_t address) { return address - (uintptr_t)own.kernel->code < own.kernel->code_bytes; }

static bool is_near(uintptr_t address, uintptr_t stack)
{
    return address - (stack - NEAR_STACK_BYTES) < 2 * NEAR_STACK_BYTES;
}

static bool is_kernels(place struck, uintptr_t address)
{
    if (own.inside || !own.launch || !own.launch->failed) return false;
    if (is_in_module(struck.code)) return true;
    if (is_near(address, struck.stack)) return false; /* the stack is used up, and cannot be read */
#if defined(__x86_64__)
    struck.caller = *(const uintptr_t *)struck.stack;
#endif
    return is_in_module(struck.caller);
}

static const char *describe(char *text, size_t capacity)
{
    const char *hint =
        own.kernel->variables ? "" : "; LAB_MEMCHECK=1 in the environment makes it name the thread and the line";
    if (is_near(own.address, own.stack))
        snprintf(text, capacity,
                 "a thread used up its stack: a recursion without end, or local arrays that are too large");
    else if (own.address == 0)
        snprintf(text, capacity, "a thread used memory that is not there%s", hint);
    else
        snprintf(text, capacity, "a thread used memory at 0x%lx, where there is none%s", (unsigned long)own.address,
                 hint);
    return text;
}

/* The end of the kernel, on its own stack or, if that is used up, on the handler's. */
static ON_FIBER void stop_kernel(void)
{
    char what[256];
    const cpu_failure failure = {.kind = CPU_FAILURE_ADDRESS, .what = describe(what, sizeof what)};
    const cpu_launch *launch = own.launch;
    own.launch = NULL;
    launch->failed(launch, &failure);
}

/* Makes the kernel go on in stop_kernel when the handler has returned. */
static void redirect(ucontext_t *context)
{
#if defined(__x86_64__)
    enum { RED_ZONE = 128 };
    const uintptr_t stack = (own.stack - RED_ZONE) / 16 * 16 - sizeof(uintptr_t); /* as a call leaves it */
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)stack;
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)stop_kernel;
#elif defined(__aarch64__)
    context->uc_mcontext.sp = own.stack / 16 * 16;
    context->uc_mcontext.pc = (uintptr_t)stop_kernel;
#endif
}

/* Does what would have happened without these handlers. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (signal_number[i] != number) i++;
    const struct sigaction *other = &others[i];
    if (own.inside ||
        (!(other->sa_flags & SA_SIGINFO) && (other->sa_handler == SIG_DFL || other->sa_handler == SIG_IGN))) {
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number); /* sent by a process; otherwise the instruction raises it again */
        return;
    }
    own.inside = true;
    if (other->sa_flags & SA_SIGINFO)
        other->sa_sigaction(number, info, context);
    else
        other->sa_handler(number);
    own.inside = false;
}

static bool is_moved(uintptr_t address)
{
    const cpu_moved *moved = own.moved;
    return !own.inside && moved &&
           (address - moved->address[0] < moved->bytes || address - moved->address[1] < moved->bytes);
}

static void handle(int number, siginfo_t *info, void *context)
{
    const place struck = find_place(context);
    const uintptr_t address = (uintptr_t)info->si_addr;
    if (info->si_code > 0 && is_moved(address)) {
        own.address = address;
        siglongjmp(*own.left, 1);
    }
    if (info->si_code <= 0 || !is_kernels(struck, address)) {
        pass_on(number, info, context);
        return;
    }
    own.address = address;
    own.stack = struck.stack;
    if (is_near(address, struck.stack))
        stop_kernel();
    else
        redirect(context);
}

void cpu_kernel_signals_prepare(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction before, mine = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        sigemptyset(&mine.sa_mask);
        if (sigaction(signal_number[i], NULL, &before) != 0) continue;
        if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction == handle) continue;
        others[i] = before;
        sigaction(signal_number[i], &mine, NULL);
    }
    pthread_mutex_unlock(&lock);
}

static pthread_key_t stack_of_thread; /* gives the handlers' stack back when its thread ends */
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void give_stack_back(void *stack)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(stack);
}

static void make_key(void) { has_key = pthread_key_create(&stack_of_thread, give_stack_back) == 0; }

/* A handler cannot run on a stack that is used up, so the thread gets another one for it. */
static void make_stack(void)
{
    stack_t before, made = {.ss_size = STACK_BYTES};
    pthread_once(&key_once, make_key);
    if (!has_key || sigaltstack(NULL, &before) != 0 || !(before.ss_flags & SS_DISABLE)) return;
    made.ss_sp = malloc(STACK_BYTES);
    if (!made.ss_sp) return;
    if (pthread_setspecific(stack_of_thread, made.ss_sp) == 0 && sigaltstack(&made, NULL) == 0) return;
    pthread_setspecific(stack_of_thread, NULL);
    free(made.ss_sp);
}

static void make_ready(void)
{
    own.ready = true;
    make_stack();
    sigset_t signals;
    sigemptyset(&signals);
    for (int i = 0; i < SIGNALS; i++) sigaddset(&signals, signal_number[i]);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

bool cpu_signals_move(uint64_t *missing, const cpu_moved *moved, void (*work)(void *user), void *user)
{
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;
    sigjmp_buf left;
    pthread_once(&prepared, cpu_kernel_signals_prepare);
    if (!own.ready) make_ready();
    own.left = &left;
    const bool whole = sigsetjmp(left, 0) == 0;
    if (whole) {
        own.moved = moved;
        work(user);
    }
    own.moved = NULL;
    *missing = own.address;
    return whole;
}

void cpu_kernel_signals_enter(const cpu_kernel *kernel, const cpu_launch *launch)
{
    if (!own.ready) make_ready();
    own.kernel = kernel;
    own.launch = launch;
}

void cpu_kernel_signals_leave(void) { own.launch = NULL; }
