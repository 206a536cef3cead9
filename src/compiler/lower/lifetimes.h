/* SPDX-License-Identifier: Apache-2.0 */
/* Variables whose values are dead between uses: others may have their place in the host's storage at other times. */
#ifndef COMPILER_LOWER_LIFETIMES_H
#define COMPILER_LOWER_LIFETIMES_H

#include "compiler/common/compiler.h"

/* First and last: places in the order in which programs execute, all of one body (a control program, a function, or a
 * program that is in several places).  Variables of a body whose lifetimes are apart are never needed together; those
 * of two bodies may be. */
struct lifetime {
    uint32_t variable, body, first, last;
};
typedef VEC(struct lifetime) lifetime_list;
/* In the order of variables.  A variable is listed if only vertices and Copies of one body use it, the first of them
 * writes all of it, and so does whatever is first in each round of a loop; if the host neither reads nor writes it and
 * it has no initial value. sets: of the pass sets. */
void lifetimes_find(struct compiler *c, const struct use_result *use, const struct check_result *check,
                    const struct order_result *sets, lifetime_list *lifetimes);

#endif
