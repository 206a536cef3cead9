/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, and the state that the devices of one manager share. */
#ifndef TARGET_DEVICE_H
#define TARGET_DEVICE_H

#include "base/vec.h"

#include <poplar/device.h>
#include <pthread.h>
#include <stdatomic.h>

/* A device that a manager offers: it occupies `slots` slots, so that four single IPUs and the pair made of two of them
 * exclude each other. */
struct fleet_entry {
    pop_target target;
    unsigned first_slot, slots;
};
/* State shared by a manager and its devices; reference-counted. */
struct fleet {
    pthread_mutex_t lock; /* of references and holders; entries never change */
    unsigned references;
    VEC(struct fleet_entry) entries; /* by id */
    VEC(const pop_device *) holders; /* by slot: the handle that is attached, or NULL */
};
struct pop_device {
    pop_target target;
    unsigned id;
    struct fleet *fleet;   /* NULL: a device of its own */
    _Atomic bool attached; /* without a fleet */
    char *text;            /* the target's */
};

void fleet_release(struct fleet *fleet);
/* A handle of entry id, with a target of its own. */
pop_device *device_of_fleet(struct fleet *fleet, unsigned id, const pop_target *target);

#endif
