/* LAB_ORDER in the environment: starts the checker, and ends a report when the process exits. */
#include "order_state.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set when the checker starts, read when the process exits. */
static struct at_exit {
    pid_t process; /* not one that this one forked */
    int status;
} at_exit;

/* Runs behind the functions of atexit, so the status replaces the program's own once these are done. */
__attribute__((destructor)) static void end_report(void)
{
    if (at_exit.process != getpid()) return;
    if (order_host_call_now()) { /* on a device's thread, which must not call order_enter */
        order_print_count_in_host_function(order_report_count());
    } else {
        const lab_order_counts counts = lab_order_get_counts();
        order_print_count(&counts, order_report_causes());
    }
    if (!order_report_count() || !at_exit.status) return;
    fflush(NULL);
    _exit(at_exit.status);
}

static pthread_once_t environment_read = PTHREAD_ONCE_INIT;
static lab_status environment_status;

/* The status after "report:", from 1 to 255; -1 if it is another text. */
static int read_status(const char *text)
{
    char *end;
    const long status = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && status > 0 && status <= 255 ? (int)status : -1;
}

static void read_environment(void)
{
    static const char report[] = "report";
    const char *setting = getenv("LAB_ORDER");
    if (!setting || !*setting || strcmp(setting, "off") == 0) return;
    const bool reports = strncmp(setting, report, sizeof report - 1) == 0;
    const char *rest = reports ? setting + sizeof report - 1 : "";
    const int status = *rest == ':' ? read_status(rest + 1) : *rest ? -1 : 0;
    if (reports && status >= 0) {
        environment_status = lab_order_start(LAB_ORDER_REPORT);
        at_exit = (struct at_exit){getpid(), status};
    } else if (strcmp(setting, "error") == 0) {
        environment_status = lab_order_start(LAB_ORDER_ERROR);
    } else {
        environment_status = lab_fail(LAB_ERROR_INVALID_VALUE,
                                      "LAB_ORDER=%s is not a mode; use off, report, report:STATUS or error", setting);
    }
}

lab_status order_start_from_environment(void)
{
    pthread_once(&environment_read, read_environment);
    return environment_status;
}
