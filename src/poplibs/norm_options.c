/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/norm_options.h"

bool call_takes_plain_norm_options(const struct call *call)
{
    struct none {
        bool strided;
    } none = { 0 };
    static const struct poplibs_option table[] = {
#define PLAIN_NORM_OPTION(...) POPLIBS_ROW(struct none, __VA_ARGS__)
#include "poplibs/options.def"
    };
    return call_ready(call) && call_read_options(call, call->options, table, sizeof(table) / sizeof(table[0]), &none);
}
