/* SPDX-License-Identifier: Apache-2.0 */
#include "target/machine.h"

#include "base/error.h"
#include "target/target.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *const machine_names[MACHINES] = { "ipu1", "ipu2", "bow", "ipu21", "cpu" };

/* Choices are read and written as unsigned. */
_Static_assert(sizeof(pop_target_type) == sizeof(unsigned) && sizeof(pop_sync_delay) == sizeof(unsigned) &&
                   sizeof(pop_global_exchange) == sizeof(unsigned) && sizeof(pop_poplibs_release) == sizeof(unsigned),
               "enums are as wide as unsigned");

#define PLACE(member) offsetof(pop_target, member), sizeof(((pop_target *)0)->member)
const struct machine_field machine_fields[] = {
#define MACHINE_CHOICE(name, member, choices, ...) { name, #member, FIELD_CHOICE, PLACE(member), 0, 0, choices },
#define MACHINE_TEXT(name, member, ...)            { name, #member, FIELD_TEXT, PLACE(member), 0, 0, NULL },
#define MACHINE_COUNT(name, member, min, max, ...) { name, #member, FIELD_COUNT, PLACE(member), min, max, NULL },
#define MACHINE_REAL(name, member, min, max, ...)  { name, #member, FIELD_REAL, PLACE(member), min, max, NULL },
#define MACHINE_FLAG(name, member, ...)            { name, #member, FIELD_FLAG, PLACE(member), 0, 0, NULL },
#define MACHINE_LIMITS(name, member)               { name, #member, FIELD_LIMITS, PLACE(member), 0, 0, NULL },
#include "target/machines.def"
#undef MACHINE_CHOICE
#undef MACHINE_TEXT
#undef MACHINE_COUNT
#undef MACHINE_REAL
#undef MACHINE_FLAG
#undef MACHINE_LIMITS
};
const size_t machine_field_count = sizeof(machine_fields) / sizeof(machine_fields[0]);

pop_target machine_target(enum machine machine)
{
    pop_target target;
    memset(&target, 0, sizeof(target));
#define ASSIGN(T, member, ...)                                                                                         \
    do {                                                                                                               \
        static const T values[MACHINES] = { __VA_ARGS__ };                                                             \
        target.member = values[machine];                                                                               \
    } while (0);
#define MACHINE_CHOICE(name, member, choices, ...) ASSIGN(unsigned, member, __VA_ARGS__)
#define MACHINE_COUNT(name, member, min, max, ...) ASSIGN(unsigned, member, __VA_ARGS__)
#define MACHINE_REAL(name, member, min, max, ...)  ASSIGN(double, member, __VA_ARGS__)
#define MACHINE_FLAG(name, member, ...)            ASSIGN(bool, member, __VA_ARGS__)
#define MACHINE_LIMITS(name, member)               /* none */
#define MACHINE_TEXT(name, member, ...)                                                                                \
    do {                                                                                                               \
        static const char *const values[MACHINES] = { __VA_ARGS__ };                                                   \
        memcpy(target.member, values[machine], strlen(values[machine]) + 1);                                           \
    } while (0);
#include "target/machines.def"
#undef MACHINE_CHOICE
#undef MACHINE_TEXT
#undef MACHINE_COUNT
#undef MACHINE_REAL
#undef MACHINE_FLAG
#undef MACHINE_LIMITS
    return target;
}

enum machine machine_by_name(const char *name, enum machine end)
{
    for (int i = 0; i < (int)end; ++i)
        if (strcmp(name, machine_names[i]) == 0)
            return (enum machine)i;
    return MACHINES;
}

enum machine machine_of_target(const pop_target *target)
{
    char name[sizeof(target->system) + 1] = "";
    memcpy(name, target->system, sizeof(target->system));
    enum machine machine = machine_by_name(name, MACHINES);
    if (machine == MACHINES) {
        memset(name, 0, sizeof(name));
        memcpy(name, target->arch, sizeof(target->arch));
        machine = machine_by_name(name, MACHINES);
    }
    return machine == MACHINES ? MACHINE_IPU2 : machine;
}

void machine_hint(char *buffer, size_t size, const char *name, enum machine end)
{
    error_hint(buffer, size, name, machine_names, end);
    for (int i = 0; i < (int)end; ++i) {
        size_t length = strlen(buffer);
        snprintf(buffer + length, size - length, "%s%s",
                 i == 0             ? ", it can be "
                 : i + 1 < (int)end ? ", "
                                    : " or ",
                 machine_names[i]);
    }
}

unsigned machine_count(const pop_target *target, const struct machine_field *field)
{
    unsigned value;
    memcpy(&value, machine_value(target, field), sizeof(value));
    return value;
}

const char *machine_choice(const struct machine_field *field, unsigned number, size_t *length)
{
    const char *choice = field->choices;
    for (; number; --number) {
        choice = strchr(choice, '|');
        if (!choice)
            return NULL;
        ++choice;
    }
    *length = strcspn(choice, "|");
    return choice;
}

/* The used bytes of a field that is not a list of limits. */
static size_t used_bytes(const void *value, const struct machine_field *field)
{
    return field->kind == FIELD_TEXT ? strnlen(value, field->size) : field->size;
}

int machine_compare(const pop_target *a, const pop_target *b, const struct machine_field *field)
{
    if (field->kind == FIELD_COUNT || field->kind == FIELD_CHOICE) {
        unsigned x = machine_count(a, field), y = machine_count(b, field);
        return (x > y) - (x < y);
    }
    if (field->kind == FIELD_REAL) {
        double x = *(const double *)machine_value(a, field), y = *(const double *)machine_value(b, field);
        if (x != y && x == x && y == y)
            return x < y ? -1 : 1;
    }
    const void *x = machine_value(a, field), *y = machine_value(b, field);
    if (field->kind == FIELD_LIMITS)
        return exchange_limits_compare(x, y);
    size_t length_a = used_bytes(x, field), length_b = used_bytes(y, field);
    int order = memcmp(x, y, length_a < length_b ? length_a : length_b);
    return order ? order : (length_a > length_b) - (length_a < length_b);
}

uint64_t machine_hash(const pop_target *target, const struct machine_field *field, uint64_t seed)
{
    const void *value = machine_value(target, field);
    return field->kind == FIELD_LIMITS ? exchange_limits_hash(value, seed)
                                       : XXH3_64bits_withSeed(value, used_bytes(value, field), seed);
}

unsigned machine_elements(const pop_target *target)
{
    return target->bytes_per_tile / target->memory_element_bytes +
           (target->bytes_per_tile % target->memory_element_bytes != 0);
}

void machine_fit_interleaving(pop_target *target)
{
    if (target->memory_element_bytes && target->interleaved_memory_element_index > machine_elements(target))
        target->interleaved_memory_element_index = machine_elements(target);
}
