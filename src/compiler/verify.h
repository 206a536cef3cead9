/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold after a pass, checked in debug builds: each function ends the process with an assertion that failed.
 */
#ifndef COMPILER_VERIFY_H
#define COMPILER_VERIFY_H

#include "compiler/common/passes.h"

typedef void pass_verify(const struct compiler *c, const struct pass_results *r);
pass_verify verify_sets, verify_bits, verify_order, verify_storage, verify_outline, verify_lower, verify_vertices,
    verify_schedule, verify_exchange, verify_steps, verify_live, verify_place;
#ifdef NDEBUG
#define VERIFY(function) NULL
#else
#define VERIFY(function) function
#endif

#endif
