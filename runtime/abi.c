/* abi.c -- checks that the calling code was made for this run-time library. The file stands alone,
 * so its number is the library's own. */
#include "runtime/hlc_runtime.h"

int hlc_check_abi(hlc_report *report, int32_t number) {
    int64_t numbers[] = {number, HLC_ABI};
    return number == HLC_ABI ? 0 : hlc_fail(report, HLC_ERROR_ABI_MISMATCH, "", numbers, 2);
}
