/* SPDX-License-Identifier: Apache-2.0 */
/* Targets of systems by name: chips, and what is made of several. */
#ifndef TARGET_SYSTEM_H
#define TARGET_SYSTEM_H

#include <poplar/target.h>

/* Like pop_target_create_ipu; num_ipus 0: all of the system, and one of a chip. */
pop_status target_create_whole(unsigned num_ipus, const char *system, pop_target *target, pop_error *error);

#endif
