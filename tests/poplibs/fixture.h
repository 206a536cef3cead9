/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by tests of the operation libraries: a graph on a machine with some tiles, and checks of errors and mappings.
 */
#ifndef TESTS_POPLIBS_FIXTURE_H
#define TESTS_POPLIBS_FIXTURE_H

#include <poplar/poplar.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline pop_graph *graph_of(unsigned ipus, unsigned tiles_per_ipu)
{
    pop_target target;
    pop_error error;
    if (pop_target_create_ipu_options(ipus, tiles_per_ipu, "ipu2", POP_NO_OPTIONS, &target, &error) != POP_OK)
        fail_msg("%s", error.text);
    return pop_graph_create(&target);
}

/* The graph has no error; fails with its text otherwise. */
static inline void assert_built(pop_graph *graph)
{
    const pop_error *error = pop_graph_error(graph);
    if (error)
        fail_msg("%s: %s", error->api, error->text);
}
/* The graph has this error, of this call, with these words; clears it. */
static inline void assert_error(pop_graph *graph, pop_status status, const char *api, const char *words)
{
    pop_error error;
    assert_int_equal(pop_graph_take_error(graph, &error), status);
    assert_string_equal(error.api, api);
    if (!strstr(error.text, words))
        fail_msg("'%s' not in '%s'", words, error.text);
    assert_non_null(error.where.file);
}

static inline unsigned next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33);
}

/* The tile of each element of a mapping: -1 if it is not mapped, -2 if it is mapped to several. */
static inline int *tiles_of(const pop_interval_lists *mapping, size_t elements)
{
    int *tiles = malloc(elements * sizeof(int) + 1);
    for (size_t i = 0; i < elements; ++i)
        tiles[i] = -1;
    for (size_t tile = 0; tile < mapping->count; ++tile)
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i)
            for (size_t k = mapping->intervals[i].begin; k < mapping->intervals[i].end; ++k) {
                assert_true(k < elements);
                tiles[k] = tiles[k] == -1 ? (int)tile : -2;
            }
    return tiles;
}
static inline int *tiles_of_tensor(pop_graph *graph, pop_tensor t)
{
    pop_interval_lists mapping;
    bool complete;
    assert_true(pop_graph_get_tile_mapping(graph, t, &complete, &mapping));
    int *tiles = tiles_of(&mapping, pop_tensor_num_elements(t));
    pop_interval_lists_free(&mapping);
    return tiles;
}

#endif
