/* SPDX-License-Identifier: Apache-2.0 */
/* Target options: the description of the pod that a target's IPUs are in. */
#ifndef TARGET_POD_H
#define TARGET_POD_H

#include "base/options.h"

#include <poplar/target.h>

/* Applies options to the fields of a target; invalid_option if a value does not fit in its field. */
pop_status pod_apply(pop_target *target, const struct option_set *set, const char *api, pop_error *error);
/* Checks options of group "target", and applies them and then the environment's. */
pop_status pod_apply_options(pop_target *target, pop_options options, const char *api, pop_error *error);

#endif
