/* Joins guarded memory, the order checker that closes its pages, and the record of what the host accesses. */
#include "host_pages.h"

#include "base/call_site.h"
#include "base/program/host_function.h"
#include "base/program/host_memory.h"
#include "base/status.h"
#include "base/system/guarded_memory.h"
#include "base/system/kernels_apart.h"
#include "cpu/apart/apart.h"
#include "order/order.h"
#include "record/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There is no call that could fail, so with LAB_ORDER=error the finding is printed. */
static void met(uint64_t address, bool writes, const char *place)
{
    if (order_is_entered() || host_function_runs || !order_is_on()) return;
    call_site_begin((call_site){place, 0, 0});
    const lab_status status = record_host_access(writes ? LAB_OP_HOST_WRITE : LAB_OP_HOST_READ, address, 1);
    lab_here_ends(status);
    order_pages_told(address);
    if (status != LAB_SUCCESS) fprintf(stderr, "LAB_ORDER: %s\n", lab_error_message());
}

lab_status host_pages_open(bool on_cpu)
{
    static const order_page_guard guard = {guarded_memory_holds, guarded_memory_refuse};
    static bool begun;
    const char *setting = getenv("LAB_ORDER_HOST");
    if (begun || !setting || !*setting || strcmp(setting, "declared") == 0) return LAB_SUCCESS;
    if (strcmp(setting, "pages") != 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "LAB_ORDER_HOST=%s is not a way; use declared or pages", setting);
    if (!on_cpu)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "LAB_ORDER_HOST=pages: a GPU uses the program's pages themselves; use LAB_DEVICE=cpu");
    if (!host_memory_is_direct())
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "LAB_ORDER_HOST=pages: the program runs in another process than the device; leave it out, and "
                        "declare its accesses with lab_host_reads and lab_host_writes");
    if (!KERNELS_CAN_BE_APART)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "LAB_ORDER_HOST=pages needs kernels in a process of their own, which this processor cannot "
                        "have; leave it out");
    apart_require();
    if (!guarded_memory_begin(met))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "LAB_ORDER_HOST=pages: no address space for pinned memory");
    order_guard_pages(&guard);
    begun = true;
    return LAB_SUCCESS;
}
