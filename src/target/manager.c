/* SPDX-License-Identifier: Apache-2.0 */
/* The device manager: which modelled devices it offers (TREMULA_IPU) and which of them are in use. */
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "target/device.h"
#include "target/machine.h"
#include "target/target.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

struct pop_device_manager {
    struct fleet *fleet;
};

static const char api[] = "pop_device_manager_create";

/* Cuts the last word off text when it is xN and returns N; 1 when there is none, 0 when N is too large. */
static unsigned take_count(char *text)
{
    uint64_t count;
    size_t end = strlen(text);
    while (end && strchr(" \t\r\n", text[end - 1]))
        text[--end] = 0;
    size_t begin = end;
    while (begin && !strchr(" \t\r\n", text[begin - 1]))
        --begin;
    if (text[begin] != 'x' || !text[begin + 1] || text[begin + 1 + strspn(text + begin + 1, "0123456789")])
        return 1;
    if (!str_integer(text + begin + 1, UINT_MAX, &count))
        count = 0;
    text[begin] = 0;
    return (unsigned)count;
}

/* Parses "off", or a target text with an optional xN: *target becomes one chip, *ipus their number. */
static pop_status read_model(const char *source, const char *text, pop_target *target, unsigned *ipus, pop_error *error)
{
    char *words = mem_string(text);
    pop_error inner = { 0 };
    pop_status status = POP_OK;
    *ipus = 0;
    if (strcmp(words, "off") != 0) {
        unsigned count = take_count(words);
        status = pop_target_from_text(words, target, &inner);
        if (status == POP_OK && target->type == POP_TARGET_CPU)
            status = error_set(&inner, POP_INVALID_MACHINE_MODEL, NO_WHERE, api,
                               "a CPU cannot be offered as IPU, it must be ipu1, ipu2, bow or ipu21");
        uint64_t total = status == POP_OK ? (uint64_t)count * target->num_ipus : 0;
        if (status == POP_OK && (!total || total * target->tiles_per_ipu > 1 << 20))
            status = error_set(&inner, POP_INVALID_MACHINE_MODEL, NO_WHERE, api,
                               "the number of IPUs must be at least 1, and all IPUs together may have 2^20 tiles");
        *ipus = (unsigned)total;
        target->num_ipus = 1;
    }
    if (status != POP_OK)
        error_set(error, status, NO_WHERE, api, "%s: %s", source, inner.text);
    free(words);
    return status;
}

static void add_entry(struct fleet *fleet, const pop_target *target, unsigned ipus, unsigned first_slot)
{
    struct fleet_entry *entry = vec_push(&fleet->entries);
    *entry = (struct fleet_entry){ .target = *target, .first_slot = first_slot, .slots = ipus };
    entry->target.num_ipus = ipus;
}

static unsigned add_slots(struct fleet *fleet, unsigned count)
{
    unsigned first = (unsigned)fleet->holders.count;
    for (unsigned i = 0; i < count; ++i)
        *vec_push(&fleet->holders) = NULL;
    return first;
}

/* As on a real system: each IPU, then aligned groups of 2, 4, 8 ... of them. */
static void add_ipus(struct fleet *fleet, pop_target target, unsigned ipus)
{
    target.type = POP_TARGET_IPU;
    unsigned first = add_slots(fleet, ipus);
    for (unsigned group = 1; group && group <= ipus; group *= 2)
        for (unsigned at = 0; at + group <= ipus; at += group)
            add_entry(fleet, &target, group, first + at);
}

static void add_models_and_cpu(struct fleet *fleet, pop_target model)
{
    enum { LARGEST_MODEL = 16 };
    model.type = POP_TARGET_IPU_MODEL;
    for (unsigned ipus = 1; ipus <= LARGEST_MODEL; ipus *= 2) {
        pop_target several = model;
        several.num_ipus = ipus;
        if (pop_target_check(&several, NULL) != POP_OK)
            break;
        /* A model is only memory of this process, so its chips are its own: one slot. */
        add_entry(fleet, &several, 1, add_slots(fleet, 1));
        fleet->entries.data[fleet->entries.count - 1].target.num_ipus = ipus;
    }
    pop_target cpu = pop_target_create_cpu(false, 1);
    add_entry(fleet, &cpu, 1, add_slots(fleet, 1));
}

pop_device_manager *pop_device_manager_create(pop_options options, pop_error *error)
{
    struct option_set set = { 0 };
    if (options_apply(&set, "target", options, "POPLAR_TARGET_OPTIONS", NO_WHERE, api, error) != POP_OK) {
        options_free(&set);
        return NULL;
    }
    const char *source = "TREMULA_IPU", *text = getenv(source);
    if (!text || !*text) {
        source = "option ipuModel";
        text = options_get(&set, "target", "ipuModel");
    }
    pop_target target = machine_target(MACHINE_IPU2);
    unsigned ipus = 0;
    pop_status status = *text ? read_model(source, text, &target, &ipus, error) : POP_OK;
    if (status == POP_OK)
        status = pod_apply(&target, &set, api, error);
    options_free(&set);
    if (status != POP_OK)
        return NULL;
    struct fleet *fleet = MEM_NEW(struct fleet);
    pthread_mutex_init(&fleet->lock, NULL);
    fleet->references = 1;
    add_ipus(fleet, target, ipus);
    add_models_and_cpu(fleet, target);
    LOG(TARGET, INFO, "device manager: %zu devices, %u modelled IPUs of type IPU", fleet->entries.count, ipus);
    pop_device_manager *manager = MEM_NEW(pop_device_manager);
    manager->fleet = fleet;
    return manager;
}

void pop_device_manager_destroy(pop_device_manager *manager)
{
    if (!manager)
        return;
    fleet_release(manager->fleet);
    free(manager);
}

size_t pop_device_manager_num_devices(const pop_device_manager *manager)
{
    return manager ? manager->fleet->entries.count : 0;
}

/* Programs for hardware end here if no IPU is modelled: the message names the variable to set. */
static void warn_about_model(unsigned num_ipus)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    char more[16] = "";
    if (atomic_flag_test_and_set(&warned))
        return;
    if (num_ipus > 1)
        snprintf(more, sizeof(more), " x%u", num_ipus);
    LOG(TARGET, WARN,
        "no device of type IPU for %u IPU%s is modelled: set the environment variable TREMULA_IPU, for instance to "
        "'ipu2%s'",
        num_ipus ? num_ipus : 1, num_ipus > 1 ? "s" : "", more);
}

/* Handles of the entries of a type and size, with the options that are set over their targets. */
static size_t open_devices(const pop_device_manager *manager, pop_target_type type, unsigned num_ipus,
                           const struct option_set *set, pop_device **devices, size_t capacity)
{
    size_t found = 0;
    for (size_t id = 0; manager && id < manager->fleet->entries.count; ++id) {
        pop_target target = manager->fleet->entries.data[id].target;
        if (target.type != type || (num_ipus && target.num_ipus != num_ipus))
            continue;
        if (found < capacity) {
            pod_apply(&target, set, "", NULL);
            devices[found] = device_of_fleet(manager->fleet, (unsigned)id, &target);
        }
        ++found;
    }
    if (manager && type == POP_TARGET_IPU && !found)
        warn_about_model(num_ipus);
    return found;
}

size_t pop_device_manager_devices(const pop_device_manager *manager, pop_target_type type, unsigned num_ipus,
                                  pop_device **devices, size_t capacity)
{
    return open_devices(manager, type, num_ipus, &(struct option_set){ 0 }, devices, capacity);
}

size_t pop_device_manager_devices_options(const pop_device_manager *manager, pop_target_type type, unsigned num_ipus,
                                          pop_options options, pop_device **devices, size_t capacity, pop_error *error)
{
    const char *call = "pop_device_manager_devices_options";
    struct option_set set = { 0 };
    pop_target any = machine_target(MACHINE_IPU2); /* whether the options fit does not depend on the target */
    pop_status status = options_apply(&set, "target", options, "POPLAR_TARGET_OPTIONS", NO_WHERE, call, error);
    if (status == POP_OK)
        status = pod_apply(&any, &set, call, error);
    size_t found = status == POP_OK ? open_devices(manager, type, num_ipus, &set, devices, capacity) : 0;
    options_free(&set);
    return found;
}

size_t pop_device_manager_child_ids(const pop_device_manager *manager, unsigned id, unsigned num_ipus, unsigned *ids,
                                    size_t capacity)
{
    size_t found = 0;
    if (id >= pop_device_manager_num_devices(manager))
        return 0;
    const struct fleet_entry *entries = manager->fleet->entries.data, *parent = &entries[id];
    for (size_t child = 0; child < manager->fleet->entries.count; ++child) {
        const struct fleet_entry *entry = &entries[child];
        bool inside = entry->first_slot >= parent->first_slot &&
                      entry->first_slot + entry->slots <= parent->first_slot + parent->slots;
        if (child == id || !inside || entry->slots != (num_ipus ? num_ipus : 1))
            continue;
        if (found < capacity)
            ids[found] = (unsigned)child;
        ++found;
    }
    return found;
}

pop_device *pop_device_manager_device(const pop_device_manager *manager, unsigned id, pop_error *error)
{
    size_t count = pop_device_manager_num_devices(manager);
    if (id < count)
        return device_of_fleet(manager->fleet, id, &manager->fleet->entries.data[id].target);
    if (count)
        error_set(error, POP_INDEX_ERROR, NO_WHERE, "pop_device_manager_device",
                  "there is no device %u, ids go from 0 to %zu", id, count - 1);
    else
        error_set(error, POP_INDEX_ERROR, NO_WHERE, "pop_device_manager_device",
                  "there is no device %u: there is no device manager", id);
    return NULL;
}
