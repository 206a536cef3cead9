/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a target as a table (machines.def), for code that handles all fields alike: check, compare, hash, text.
 */
#ifndef TARGET_MACHINE_H
#define TARGET_MACHINE_H

#include <poplar/target.h>

enum machine {
    MACHINE_IPU1,
    MACHINE_IPU2,
    MACHINE_BOW,
    MACHINE_IPU21,
    MACHINE_CPU,
    MACHINES,
    MACHINE_IPUS = MACHINE_CPU /* those before it are IPUs */
};
extern const char *const machine_names[MACHINES];
/* One chip of the machine. */
pop_target machine_target(enum machine machine);
/* The machine with the given name, or MACHINES. */
enum machine machine_by_name(const char *name, enum machine end);
/* The machine whose fields a target began with: by the name of its system, then of its architecture; else ipu2. */
enum machine machine_of_target(const pop_target *target);
/* " (did you mean 'ipu2'?), it can be ipu1, ipu2, bow or ipu21" among the first end machines. */
void machine_hint(char *buffer, size_t size, const char *name, enum machine end);

struct machine_field {
    const char *name, *member;
    enum { FIELD_CHOICE, FIELD_TEXT, FIELD_COUNT, FIELD_REAL, FIELD_FLAG, FIELD_LIMITS } kind;
    size_t offset, size;
    double min, max;
    const char *choices; /* "a|b|c" */
};
extern const struct machine_field machine_fields[];
extern const size_t machine_field_count;
static inline const void *machine_value(const pop_target *target, const struct machine_field *field)
{
    return (const char *)target + field->offset;
}
unsigned machine_count(const pop_target *target, const struct machine_field *field); /* of a choice or a count */
/* Text of a field's choice by number; NULL past the last.  *length receives its length. */
const char *machine_choice(const struct machine_field *field, unsigned number, size_t *length);
/* Order and hash of a field of two targets; unused bytes (after a name, unused limits) are
 * ignored. */
int machine_compare(const pop_target *a, const pop_target *b, const struct machine_field *field);
uint64_t machine_hash(const pop_target *target, const struct machine_field *field, uint64_t seed);

/* Memory elements in bytes_per_tile; the last may be partial. */
unsigned machine_elements(const pop_target *target);
/* If the memory was made smaller and the interleaved region was not set, limits the region to the memory. */
void machine_fit_interleaving(pop_target *target);

#endif
