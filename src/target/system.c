/* SPDX-License-Identifier: Apache-2.0 */
#include "target/machine.h"
#include "target/target.h"

#include "base/error.h"
#include "base/str.h"

#include <string.h>

struct system {
    const char *name;
    enum machine machine;
    unsigned ipus, linked; /* of the whole, and those that links join; 0: as many as are asked for */
};

static const struct system systems[] = {
#define SYSTEM(name, machine, ipus, linked) { name, machine, ipus, linked },
#include "target/systems.def"
#undef SYSTEM
};
enum { SYSTEMS = sizeof(systems) / sizeof(systems[0]) };

static char plain(char c)
{
    return c == '_' ? '-' : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && plain(*a) == plain(*b))
        ++a, ++b;
    return !*a && !*b;
}

static pop_status refuse(const char *name, const char *api, pop_error *error)
{
    const char *names[MACHINE_IPUS + SYSTEMS];
    char hint[160], nearest[96];
    struct str all = { 0 };
    machine_hint(hint, sizeof(hint), name, MACHINE_IPUS);
    for (int i = 0; i < MACHINE_IPUS; ++i)
        names[i] = machine_names[i];
    for (int i = 0; i < SYSTEMS; ++i) {
        names[MACHINE_IPUS + i] = systems[i].name;
        str_format(&all, "%s%s", i ? ", " : "", systems[i].name);
    }
    error_hint(nearest, sizeof(nearest), name, names, MACHINE_IPUS + SYSTEMS);
    const char *chips = strstr(hint, ", it can be"); /* after the nearest of the chips alone */
    pop_status status =
        error_set(error, POP_INVALID_MACHINE_MODEL, NO_WHERE, api,
                  "unknown system '%s'%s%s, or a system of several: %s", name, nearest, chips ? chips : "", all.text);
    str_free(&all);
    return status;
}

/* A chip ("ipu2"; also for an empty name) or a system ("IPU-POD16").  invalid_machine_model names what there is. */
static pop_status system_find(const char *name, struct system *found, const char *api, pop_error *error)
{
    if (!name)
        return error_set(error, POP_INVALID_MACHINE_MODEL, NO_WHERE, api, "the name of the system is NULL");
    enum machine machine = machine_by_name(*name ? name : "ipu2", MACHINE_IPUS);
    if (machine != MACHINES) {
        *found = (struct system){ machine_names[machine], machine, 0, 0 };
        return POP_OK;
    }
    for (int i = 0; i < SYSTEMS; ++i) {
        bool ipu = strncmp(systems[i].name, "IPU-", 4) == 0;
        if (same_name(systems[i].name, name) || (ipu && same_name(systems[i].name + 4, name))) {
            *found = systems[i];
            return POP_OK;
        }
    }
    return refuse(name, api, error);
}

/* All IPUs of the system when num_ipus is 0 and `whole` is set. */
static pop_status create(unsigned num_ipus, bool whole, const char *name, pop_target *target, const char *api,
                         pop_error *error)
{
    struct system system = { 0 };
    pop_status status = system_find(name, &system, api, error);
    if (status != POP_OK)
        return status;
    if (system.ipus && num_ipus > system.ipus)
        return error_set(error, POP_INVALID_MACHINE_MODEL, NO_WHERE, api, "%s has %u IPUs, and %u were asked for",
                         system.name, system.ipus, num_ipus);
    pop_target made = machine_target(system.machine);
    made.num_ipus = num_ipus || !whole ? num_ipus : system.ipus ? system.ipus : 1;
    if (system.linked && made.num_ipus > system.linked)
        made.ipu_link_domain_size = system.linked;
    status = pop_target_check(&made, error);
    if (status == POP_OK)
        *target = made;
    else if (error)
        memcpy(error->api, api, strlen(api) + 1);
    return status;
}

pop_status pop_target_create_ipu(unsigned num_ipus, const char *system, pop_target *target, pop_error *error)
{
    return create(num_ipus, false, system, target, "pop_target_create_ipu", error);
}

pop_status target_create_whole(unsigned num_ipus, const char *system, pop_target *target, pop_error *error)
{
    return create(num_ipus, true, system, target, "pop_target_create_ipu_options", error);
}
