/* SPDX-License-Identifier: Apache-2.0 */
/* Regions divided into shares, against the rules of the result; indices and even parts. */
#include "poplibs/fixture.h"
#include "rounds.h"

#include <poputil/poputil.h>

static void merging_sorts_joins_and_drops(void **state)
{
    (void)state;
    pop_interval list[] = { { 7, 9 }, { 0, 2 }, { 4, 4 }, { 2, 3 }, { 9, 9 }, { 8, 12 }, { 5, 6 } };
    assert_int_equal(poputil_merge_adjacent_regions(list, 7), 3);
    const pop_interval expected[] = { { 0, 3 }, { 5, 6 }, { 7, 12 } };
    assert_memory_equal(list, expected, sizeof(expected));
    assert_int_equal(poputil_merge_adjacent_regions(list, 0), 0);

    pop_interval_lists lists = { 3, (size_t[]){ 0, 2, 2, 5 },
                                 (pop_interval[]){ { 1, 2 }, { 0, 1 }, { 3, 3 }, { 6, 7 }, { 4, 5 } } };
    poputil_merge_adjacent_regions_lists(&lists);
    assert_int_equal(lists.first[1], 1);
    assert_int_equal(lists.first[2], 1);
    assert_int_equal(lists.first[3], 3);
    assert_int_equal(lists.intervals[0].end, 2);
    assert_int_equal(lists.intervals[1].begin, 4);
    assert_int_equal(lists.intervals[2].begin, 6);
}

static void an_example_of_splitting(void **state)
{
    (void)state;
    pop_interval_lists parts;
    poputil_split_regions(POP_INTERVALS({ 0, 5 }, { 10, 17 }), 2, 3, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    assert_int_equal(parts.count, 3);
    const pop_interval expected[] = { { 0, 4 }, { 4, 5 }, { 10, 13 }, { 13, 17 } };
    const size_t first[] = { 0, 1, 3, 4 };
    assert_memory_equal(parts.intervals, expected, sizeof(expected));
    assert_memory_equal(parts.first, first, sizeof(first));
    pop_interval_lists_free(&parts);

    poputil_split_regions(POP_INTERVALS({ 0, 7 }), 1, 3, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    const pop_interval uneven[] = { { 0, 2 }, { 2, 4 }, { 4, 7 } };
    assert_memory_equal(parts.intervals, uneven, sizeof(uneven));
    pop_interval_lists_free(&parts);

    poputil_split_regions((pop_interval_list){ 0, NULL }, 2, 3, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    assert_int_equal(parts.count, 0);
    pop_interval_lists_free(&parts);
    poputil_split_regions(POP_INTERVALS({ 3, 3 }), 0, 0, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    assert_int_equal(parts.count, 0);
    pop_interval_lists_free(&parts);
    poputil_split_regions(POP_INTERVALS({ 0, 100 }), 1, 10, 30, POPUTIL_NO_LIMIT, 7,
                          &parts); /* few partitions, short pieces */
    assert_int_equal(parts.count, 3);
    for (size_t i = 0; i < parts.first[3]; ++i)
        assert_true(parts.intervals[i].end - parts.intervals[i].begin <= 7);
    pop_interval_lists_free(&parts);
}

static void each_worker_has_a_share(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 2);
    const pop_target *target = pop_graph_target(graph);
    pop_interval_lists parts;
    poputil_split_regions_between_workers(target, POP_INTERVALS({ 0, 600 }), 4, 8, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                                          &parts);
    assert_int_equal(parts.count, 6);
    pop_interval_lists_free(&parts);
    poputil_split_regions_between_workers(target, POP_INTERVALS({ 0, 600 }), 4, 8, 50, POPUTIL_NO_LIMIT, &parts);
    assert_int_equal(parts.count, 18); /* 13 would do, but work is for six workers at a time */
    pop_interval_lists_free(&parts);
    poputil_split_regions_between_workers(target, POP_INTERVALS({ 0, 5 }), 4, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                                          &parts);
    assert_int_equal(parts.count, 2);
    pop_interval_lists_free(&parts);
    pop_interval_lists regions = { 2, (size_t[]){ 0, 2, 3 }, (pop_interval[]){ { 8, 10 }, { 0, 2 }, { 20, 28 } } };
    poputil_partitions nested;
    poputil_split_regions_lists_between_workers(target, &regions, 1, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &nested);
    assert_int_equal(nested.count, 6);
    poputil_partitions_free(&nested);
    poputil_partitions_free(&nested);
    poputil_partitions_free(NULL);
    pop_graph_destroy(graph);
}

static size_t size_of(pop_interval interval)
{
    return interval.end - interval.begin;
}

/* The documented rules hold for random regions and limits. */
static void splitting_follows_its_rules(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (unsigned round = rounds(3000); round-- > 0;) {
        pop_interval list[9];
        size_t first[5] = { 0 }, lists = 1 + next_random(&random) % 4, at = 0, total = 0;
        for (size_t l = 0; l < lists; ++l) {
            first[l + 1] = first[l] + next_random(&random) % 3;
            for (size_t i = first[l]; i < first[l + 1]; ++i) {
                at += next_random(&random) % 5;
                list[i] = (pop_interval){ at, at + next_random(&random) % 40 };
                at = list[i].end;
                total += size_of(list[i]);
            }
        }
        unsigned grain = 1 + next_random(&random) % 5, partitions = 1 + next_random(&random) % 9,
                 min = next_random(&random) % 12;
        unsigned max = next_random(&random) % 2 ? POPUTIL_NO_LIMIT : grain + next_random(&random) % 20;
        unsigned region = next_random(&random) % 2 ? POPUTIL_NO_LIMIT : 1 + next_random(&random) % 20;
        pop_interval_lists regions = { lists, first, list };
        poputil_partitions parts;
        poputil_split_regions_lists(&regions, grain, partitions, min, max, region, &parts);

        size_t covered = 0, source = 0, offset = 0, smallest = SIZE_MAX, largest = 0;
        for (size_t p = 0; p < parts.count; ++p) {
            size_t elements = 0;
            for (size_t l = parts.first[p]; l < parts.first[p + 1]; ++l) {
                size_t length = 0, owner = SIZE_MAX;
                assert_true(parts.regions.first[l] < parts.regions.first[l + 1]);
                for (size_t i = parts.regions.first[l]; i < parts.regions.first[l + 1]; ++i) {
                    while (source < first[lists] && offset == size_of(list[source]))
                        ++source, offset = 0;
                    assert_int_equal(parts.regions.intervals[i].begin, list[source].begin + offset);
                    offset += size_of(parts.regions.intervals[i]);
                    assert_true(offset <= size_of(list[source]));
                    length += size_of(parts.regions.intervals[i]);
                    size_t in = 0;
                    while (first[in + 1] <= source)
                        ++in;
                    assert_true(owner == SIZE_MAX || owner == in); /* one list within another */
                    owner = in;
                }
                assert_true(length && length <= region);
                elements += length;
            }
            covered += elements;
            assert_true(elements && (covered == total || elements % grain == 0));
            assert_true(max == POPUTIL_NO_LIMIT || elements <= max);
            size_t grains = (elements + grain - 1) / grain;
            smallest = grains < smallest ? grains : smallest;
            largest = grains > largest ? grains : largest;
        }
        assert_int_equal(covered, total);
        assert_true(parts.count == 0 || largest - smallest <= 1);
        if (max == POPUTIL_NO_LIMIT) {
            assert_true(parts.count <= partitions);
            assert_true(parts.count <= 1 || smallest * grain >= min);
        }
        poputil_partitions_free(&parts);
    }
}

static void indices_convert_both_ways(void **state)
{
    (void)state;
    size_t indices[3];
    for (size_t i = 0; i < 2 * 3 * 7; ++i) {
        poputil_unflatten_index(POP_SHAPE(2, 3, 7), i, indices);
        assert_int_equal(indices[0] * 21 + indices[1] * 7 + indices[2], i);
        assert_int_equal(poputil_flatten_index(POP_SHAPE(2, 3, 7), (pop_shape){ 3, indices }), i);
    }
    assert_int_equal(poputil_flatten_index(POP_SHAPE(), POP_SHAPE()), 0);
    poputil_unflatten_index(POP_SHAPE(), 0, indices);
    poputil_unflatten_index(POP_SHAPE(0, 2), 0, indices);
}

static void sums_and_even_parts(void **state)
{
    (void)state;
    assert_int_equal(poputil_interval_sequence_num_elements(POP_INTERVALS({ 1, 4 }, { 9, 9 }, { 20, 25 })), 8);
    assert_int_equal(poputil_interval_sequence_num_elements_lists(&(pop_interval_lists){ 0 }), 0);
    assert_int_equal(poputil_interval_sequence_num_elements_lists(
                         &(pop_interval_lists){ 2, (size_t[]){ 0, 1, 2 }, (pop_interval[]){ { 1, 4 }, { 5, 6 } } }),
                     4);
    size_t sizes[4];
    poputil_balanced_partition(11, 4, sizes);
    const size_t expected[] = { 3, 3, 3, 2 };
    assert_memory_equal(sizes, expected, sizeof(expected));
    poputil_balanced_partition(0, 4, sizes);
    assert_int_equal(sizes[0] + sizes[3], 0);
    poputil_balanced_partition(5, 0, sizes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_sorts_joins_and_drops), cmocka_unit_test(an_example_of_splitting),
        cmocka_unit_test(each_worker_has_a_share),       cmocka_unit_test(splitting_follows_its_rules),
        cmocka_unit_test(indices_convert_both_ways),     cmocka_unit_test(sums_and_even_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
