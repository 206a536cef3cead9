/* SPDX-License-Identifier: Apache-2.0 */
/* The active seeded fault (tests/mutants/mutate.py): TREMULA_MUTANT is its number, 0 or unset is none.
 * TREMULA_MUTANTS_SEEN names a file of one byte for each fault: a function that has fault N sets byte N when it is
 * called. */
#ifndef MUTANTS_SWITCH_H
#define MUTANTS_SWITCH_H

__attribute__((visibility("default"))) extern unsigned mutants_on;
__attribute__((visibility("default"))) extern unsigned char *mutants_seen;

static inline int mutant(unsigned number)
{
    if (__builtin_expect(mutants_seen != 0, 0))
        mutants_seen[number] = 1;
    return __builtin_expect(mutants_on == number, 0);
}

#endif
