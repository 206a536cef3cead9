/* SPDX-License-Identifier: Apache-2.0 */
#include "target/machine.h"
#include "target/target.h"

#include "base/error.h"
#include "base/str.h"

#include <stdio.h>

static const struct pod_option {
    const char *key;
    size_t offset;
    enum { POD_NAME, POD_COUNT, POD_FLAG, POD_RELEASE } kind;
} pod_options[] = {
    { "ipuLinkConfiguration", offsetof(pop_target, ipu_link_configuration), POD_NAME },
    { "ipuLinkTopology", offsetof(pop_target, ipu_link_topology), POD_NAME },
    { "ipuLinkDomainSize", offsetof(pop_target, ipu_link_domain_size), POD_COUNT },
    { "syncConfiguration", offsetof(pop_target, sync_configuration), POD_NAME },
    { "gatewayMode", offsetof(pop_target, gateway_mode), POD_FLAG },
    { "instanceSize", offsetof(pop_target, instance_size), POD_COUNT },
    { "poplibsRelease", offsetof(pop_target, poplibs_release), POD_RELEASE },
};
enum { POD_OPTIONS = sizeof(pod_options) / sizeof(pod_options[0]) };
enum { NAME_SIZE = sizeof(((pop_target *)0)->ipu_link_configuration) };

static pop_status apply_name(char *place, const char *key, const char *value, const char *api, pop_error *error)
{
    bool one_word = *value != 0;
    for (const char *c = value; *c; ++c)
        one_word &= *c > ' ' && *c != 127;
    if (!one_word || strlen(value) >= NAME_SIZE)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                         "the value of option '%s' is '%.60s', it must be one word of at most %d characters", key,
                         value, NAME_SIZE - 1);
    memset(place, 0, NAME_SIZE);
    memcpy(place, value, strlen(value) + 1);
    return POP_OK;
}

static pop_status apply_count(char *place, const char *key, int64_t value, const char *api, pop_error *error)
{
    enum { MAX = 65536 };
    unsigned count = (unsigned)value;
    if (value > MAX)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                         "the value of option '%s' is %lld, it must be from 0 (all IPUs) to %d", key, (long long)value,
                         MAX);
    memcpy(place, &count, sizeof(count));
    return POP_OK;
}

pop_status pod_apply(pop_target *target, const struct option_set *set, const char *api, pop_error *error)
{
    pop_target made = *target;
    for (size_t i = 0; i < POD_OPTIONS; ++i) {
        const struct pod_option *option = &pod_options[i];
        char *place = (char *)&made + option->offset;
        pop_status status = POP_OK;
        if (!options_is_set(set, option->key))
            continue;
        if (option->kind == POD_NAME)
            status = apply_name(place, option->key, options_get(set, "target", option->key), api, error);
        else if (option->kind == POD_COUNT)
            status = apply_count(place, option->key, options_int(set, "target", option->key), api, error);
        else if (option->kind == POD_RELEASE)
            made.poplibs_release =
                strcmp(options_get(set, "target", option->key), "2021") == 0 ? POP_POPLIBS_2021 : POP_POPLIBS_1_2;
        else
            *(bool *)place = options_bool(set, "target", option->key);
        if (status != POP_OK)
            return status;
    }
    *target = made;
    return POP_OK;
}

pop_status pod_apply_options(pop_target *target, pop_options options, const char *api, pop_error *error)
{
    struct option_set set = { 0 };
    pop_status status = options_apply(&set, "target", options, "POPLAR_TARGET_OPTIONS", NO_WHERE, api, error);
    if (status == POP_OK)
        status = pod_apply(target, &set, api, error);
    options_free(&set);
    return status;
}

pop_status pop_target_create_ipu_options(unsigned num_ipus, unsigned tiles_per_ipu, const char *system,
                                         pop_options options, pop_target *target, pop_error *error)
{
    const char *api = "pop_target_create_ipu_options";
    pop_target made = { 0 };
    pop_status status = target_create_whole(num_ipus, system, &made, error);
    if (status == POP_OK) {
        made.tiles_per_ipu = tiles_per_ipu ? tiles_per_ipu : made.tiles_per_ipu;
        status = pop_target_check(&made, error);
    }
    if (status == POP_OK)
        status = pod_apply_options(&made, options, api, error);
    if (status == POP_OK)
        *target = made;
    else if (error)
        snprintf(error->api, sizeof(error->api), "%s", api);
    return status;
}

unsigned pop_target_ipu_link_domain_size(const pop_target *target)
{
    return !target ? 0 : target->ipu_link_domain_size ? target->ipu_link_domain_size : target->num_ipus;
}

unsigned pop_target_instance_size(const pop_target *target)
{
    return !target ? 0 : target->instance_size ? target->instance_size : target->num_ipus;
}

/* Names have no blanks or control characters, so only these two need a mark before them. */
static void add_quoted(struct str *s, const char *name)
{
    str_add(s, "\"");
    for (size_t i = 0; i < NAME_SIZE && name[i]; ++i) {
        if (name[i] == '"' || name[i] == '\\')
            str_add(s, "\\");
        str_add_bytes(s, &name[i], 1);
    }
    str_add(s, "\"");
}

size_t pop_target_options(const pop_target *target, char *buffer, size_t size)
{
    struct str text = { 0 };
    str_add(&text, "{");
    for (size_t i = 0; target && i < POD_OPTIONS; ++i) {
        const struct pod_option *option = &pod_options[i];
        const char *place = (const char *)target + option->offset;
        unsigned count = 0;
        if (option->kind == POD_COUNT)
            memcpy(&count, place, sizeof(count));
        bool standard = option->kind == POD_NAME    ? strncmp(place, "default", NAME_SIZE) == 0
                        : option->kind == POD_COUNT ? count == 0
                        : option->kind == POD_RELEASE
                            ? target->poplibs_release == machine_target(machine_of_target(target)).poplibs_release
                            : !*(const bool *)place;
        if (standard)
            continue;
        str_format(&text, "%s\"%s\":", text.length > 1 ? "," : "", option->key);
        if (option->kind == POD_NAME)
            add_quoted(&text, place);
        else if (option->kind == POD_COUNT)
            str_format(&text, "\"%u\"", count);
        else if (option->kind == POD_RELEASE)
            str_add(&text, target->poplibs_release == POP_POPLIBS_2021 ? "\"2021\"" : "\"1.2\"");
        else
            str_add(&text, "\"true\"");
    }
    str_add(&text, "}");
    size_t length = text.length;
    if (size)
        snprintf(buffer, size, "%s", str_text(&text));
    str_free(&text);
    return length;
}

unsigned pop_target_make_fp_ictl_value(const pop_target *target, bool inv, bool div0, bool oflo, bool esr, bool nanoo)
{
    return target
               ? (unsigned)inv | (unsigned)div0 << 1 | (unsigned)oflo << 2 | (unsigned)esr << 3 | (unsigned)nanoo << 4
               : 0;
}
