/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: systems, options of pods, limits of the exchange, text, facts about devices. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/options.h"
#include "base/str.h"
#include "target/device.h"

#include <poplar/target.h>

/* pod.c: target options: the description of the pod that a target's IPUs are in. */

/* Applies options to the fields of a target; invalid_option if a value does not fit in its field. */
pop_status pod_apply(pop_target *target, const struct option_set *set, const char *api, pop_error *error);
/* Checks options of group "target", and applies them and then the environment's. */
pop_status pod_apply_options(pop_target *target, pop_options options, const char *api, pop_error *error);

/* text.c: a target as one line of text, of any length (pop_target_to_text). */
void target_add_text(const pop_target *target, struct str *text);

/* device_facts.c: facts about devices and the host. */

/* Numbers of a list as the kernel writes it, "0-2,5"; at most capacity are written, all are counted. */
size_t device_read_nodes(const char *list, int *nodes, size_t capacity);

/* exchange_limits.c: lists of exchange limits. A target is a value that is copied without a call, so that its list
 * is shared: each different list that a target was made with is stored once and stays for the life of the process. */

/* Replaces a list, which may be the caller's memory, by the stored one of the same contents. */
void exchange_limits_keep(pop_exchange_limits *limits);
int exchange_limits_compare(const pop_exchange_limits *a, const pop_exchange_limits *b);
uint64_t exchange_limits_hash(const pop_exchange_limits *limits, uint64_t seed);

/* system.c: targets of systems by name: chips, and what is made of several. */

/* Like pop_target_create_ipu; num_ipus 0: all of the system, and one of a chip. */
pop_status target_create_whole(unsigned num_ipus, const char *system, pop_target *target, pop_error *error);

#endif
