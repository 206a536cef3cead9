/* SPDX-License-Identifier: Apache-2.0 */
/* Options of norm calls that have no groups: programs give all calls of a norm the same options. */
#ifndef POPLIBS_NORM_OPTIONS_H
#define POPLIBS_NORM_OPTIONS_H

#include "poplibs/options.h"

bool call_takes_plain_norm_options(const struct call *call);
#endif
