/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit floats on devices: casts of every code and of every half, metadata that is shared, computed or written,
 * constants, printing, and the calls that refuse them. */
#include "poplibs/numeric.h"

#include <popops/cast.h>
#include <popops/codelets.h>
#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>
#include <popops/fill.h>
#include <popops/gather.h>
#include <popops/quarter_metadata.h>
#include <popops/rearrange.h>
#include <popops/sequence_slice.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>

static const uint8_t metadatas[] = { 0x80, 0x00, 0xbf, 0x85, 0x1f, 0x21, 0x9f, 0xa1, 0x03 };
enum { METADATAS = sizeof(metadatas) / sizeof(metadatas[0]) };

static pop_engine *start(struct fixture *fixture)
{
    pop_error error;
    assert_built(fixture->graph);
    fixture->engine = pop_engine_create(fixture->graph, POP_PROGRAMS(fixture->program), POP_NO_OPTIONS, &error);
    if (!fixture->engine || pop_engine_load(fixture->engine, fixture->device, &error) != POP_OK)
        fail_msg("%s", error.text);
    return fixture->engine;
}
static void run(struct fixture *fixture)
{
    pop_error error;
    if (pop_engine_run(fixture->engine, 0, &error) != POP_OK)
        fail_msg("%s", error.text);
}
static void write_bytes(struct fixture *fixture, const char *handle, uint8_t metadata, const void *data)
{
    pop_error error;
    if (pop_engine_write_quarter(fixture->engine, handle, metadata, data, POP_WHOLE, &error) != POP_OK)
        fail_msg("%s", error.text);
}
static void read_tensor(struct fixture *fixture, const char *handle, void *data)
{
    pop_error error;
    if (pop_engine_read_tensor(fixture->engine, handle, data, POP_WHOLE, &error) != POP_OK)
        fail_msg("%s", error.text);
}

static void test_every_code_to_every_type(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_CHAR, POP_SIGNED_CHAR, POP_UNSIGNED_CHAR };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
        pop_tensor in = pop_graph_add_variable(fixture.graph, POP_QUARTER, POP_SHAPE(16, 16), "in");
        fixture_map(&fixture, in, FIXTURE_SCATTERED);
        pop_graph_create_host_write(fixture.graph, "in", in);
        for (size_t t = 0; t < 5; ++t) {
            pop_tensor out = popops_cast(fixture.graph, pop_tensor_transpose(in), types[t], fixture.program, "cast");
            pop_graph_create_host_read(fixture.graph, pop_type_name(types[t]), pop_tensor_transpose(out));
        }
        start(&fixture);
        uint8_t codes[256];
        for (unsigned i = 0; i < 256; ++i)
            codes[i] = (uint8_t)i;
        for (size_t m = 0; m < METADATAS; ++m) { /* the metadata changes between runs of one program */
            write_bytes(&fixture, "in", metadatas[m], codes);
            run(&fixture);
            for (size_t t = 0; t < 5; ++t) {
                unsigned char got[256 * 4], wanted[256 * 4];
                double a[256], b[256];
                read_tensor(&fixture, pop_type_name(types[t]), got);
                pop_convert_from_quarter(metadatas[m], codes, types[t], wanted, 256);
                pop_convert(types[t], got, POP_DOUBLE, a, 256);
                pop_convert(types[t], wanted, POP_DOUBLE, b, 256);
                fixture_check(a, b, 256, 0, 0);
            }
        }
        fixture_close(&fixture);
    }
}

static void test_every_half_and_floats_between(void **state)
{
    (void)state;
    enum { HALVES = 1 << 16 };
    uint16_t *halves = malloc(HALVES * sizeof(*halves));
    float *floats = malloc(HALVES * sizeof(*floats));
    uint8_t *got = malloc(HALVES), *wanted = malloc(HALVES);
    for (unsigned i = 0; i < HALVES; ++i) {
        halves[i] = (uint16_t)i;
        floats[i] = pop_half_to_float((uint16_t)i) * (i % 3 == 1 ? 1.0001f : i % 3 ? 0.9999f : 1);
    }
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 2, popops_add_codelets_at);
        pop_tensor half = pop_graph_add_variable(fixture.graph, POP_HALF, POP_SHAPE(HALVES), "half"),
                   real = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(HALVES), "float"),
                   metadata = pop_create_variable_metadata_tensor(fixture.graph, POP_QUARTER_F143, 0, "metadata");
        fixture_map(&fixture, half, FIXTURE_LINEAR);
        fixture_map(&fixture, real, FIXTURE_LINEAR);
        pop_graph_create_host_write(fixture.graph, "half", half);
        pop_graph_create_host_write(fixture.graph, "float", real);
        pop_tensor a = popops_cast_with_metadata(fixture.graph, half, POP_QUARTER, metadata, fixture.program, "a"),
                   b = popops_cast_with_metadata(fixture.graph, real, POP_QUARTER, metadata, fixture.program, "b");
        assert_true(pop_tensor_equal(pop_tensor_get_metadata(a), metadata) &&
                    pop_tensor_equal(pop_tensor_get_metadata(pop_tensor_slice(b, 3, 9, 0)), metadata));
        pop_graph_create_host_read(fixture.graph, "a", a);
        pop_graph_create_host_read(fixture.graph, "b", b);
        pop_graph_create_host_write(fixture.graph, "metadata", metadata);
        start(&fixture);
        pop_error error;
        assert_int_equal(pop_engine_write_tensor(fixture.engine, "half", halves, POP_WHOLE, &error), POP_OK);
        assert_int_equal(pop_engine_write_tensor(fixture.engine, "float", floats, POP_WHOLE, &error), POP_OK);
        for (size_t m = 0; m < METADATAS; ++m) {
            uint8_t read;
            if (m)
                assert_int_equal(pop_engine_write_tensor(fixture.engine, "metadata", &metadatas[m], 1, &error), POP_OK);
            run(&fixture);
            assert_int_equal(pop_engine_read_quarter(fixture.engine, "a", &read, got, POP_WHOLE, &error), POP_OK);
            assert_int_equal(read, metadatas[m]); /* in the first run the initial value */
            pop_convert_to_quarter(metadatas[m], POP_HALF, halves, wanted, HALVES, true);
            assert_memory_equal(got, wanted, HALVES);
            read_tensor(&fixture, "b", got);
            pop_convert_to_quarter(metadatas[m], POP_FLOAT, floats, wanted, HALVES, true);
            assert_memory_equal(got, wanted, HALVES);
        }
        fixture_close(&fixture);
    }
    free(halves);
    free(floats);
    free(got);
    free(wanted);
}

/* A copy and a duplicate have values of their own, of whatever metadata the original has when they are made. */
static void test_copies_have_the_metadata(void **state)
{
    (void)state;
    static const float values[] = { 0.5f, -1.25f, 240, 3, 0.0625f };
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor real = pop_graph_add_constant(fixture.graph, POP_FLOAT, POP_SHAPE(5), POP_FLOAT, values, "values"),
               metadata = pop_create_variable_metadata_tensor(fixture.graph, POP_QUARTER_F143, 1, "metadata");
    fixture_map(&fixture, real, FIXTURE_LINEAR);
    pop_tensor t = popops_cast_with_metadata(fixture.graph, real, POP_QUARTER, metadata, fixture.program, "t");
    pop_tensor copies[] = {
        poputil_copy_to_ipu(fixture.graph, t, fixture.program, 0, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "copy"),
        poputil_duplicate(fixture.graph, t, fixture.program, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "duplicate"),
    };
    for (size_t i = 0; i < 2; ++i)
        copies[i] = popops_cast(fixture.graph, copies[i], POP_FLOAT, fixture.program, "back");
    assert_built(fixture.graph);
    const double *got = fixture_run(&fixture, pop_tensor_concat((pop_tensors){ 2, copies }, 0));
    for (size_t i = 0; i < 10; ++i)
        assert_float_equal(got[i], values[i % 5], 0);
    fixture_close(&fixture);
}

static void test_bytes_and_other_metadata(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
        pop_tensor in = pop_graph_add_variable(fixture.graph, POP_SIGNED_CHAR, POP_SHAPE(256), "in"),
                   narrow = pop_create_constant_metadata_tensor(fixture.graph, POP_QUARTER_F152, 1, NULL),
                   scale = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(), "scale"), other;
        fixture_map(&fixture, in, FIXTURE_SCATTERED);
        pop_graph_set_tile_mapping(fixture.graph, scale, 0);
        pop_graph_create_host_write(fixture.graph, "in", in);
        pop_graph_create_host_write(fixture.graph, "scale", scale);
        other = popops_create_metadata_tensor(fixture.graph, POP_QUARTER_F143, scale, fixture.program, "computed");
        pop_tensor first = popops_cast_with_metadata(fixture.graph, in, POP_QUARTER, narrow, fixture.program, "first"),
                   second =
                       popops_cast_with_metadata(fixture.graph, first, POP_QUARTER, other, fixture.program, "second"),
                   bytes = popops_cast_with_metadata(fixture.graph, pop_tensor_reinterpret(in, POP_UNSIGNED_CHAR),
                                                     POP_QUARTER, narrow, fixture.program, "u");
        pop_graph_create_host_read(fixture.graph, "first", first);
        pop_graph_create_host_read(fixture.graph, "second", second);
        pop_graph_create_host_read(fixture.graph, "bytes", bytes);
        start(&fixture);
        signed char values[256];
        uint8_t got[256], wanted[256], metadata;
        float floats[256];
        pop_error error;
        for (int i = 0; i < 256; ++i)
            values[i] = (signed char)(i - 128);
        assert_int_equal(pop_engine_write_tensor(fixture.engine, "in", values, POP_WHOLE, &error), POP_OK);
        for (int power = -31; power <= 31; power += 31) {
            assert_int_equal(pop_engine_write_tensor(fixture.engine, "scale", &power, POP_WHOLE, &error), POP_OK);
            run(&fixture);
            read_tensor(&fixture, "first", got);
            pop_convert_to_quarter(0x01, POP_SIGNED_CHAR, values, wanted, 256, true);
            assert_memory_equal(got, wanted, 256);
            pop_convert_from_quarter(0x01, wanted, POP_FLOAT, floats, 256);
            pop_convert_to_quarter(pop_quarter_metadata(POP_QUARTER_F143, power), POP_FLOAT, floats, wanted, 256, true);
            assert_int_equal(pop_engine_read_quarter(fixture.engine, "second", &metadata, got, POP_WHOLE, &error),
                             POP_OK);
            assert_int_equal(metadata, pop_quarter_metadata(POP_QUARTER_F143, power));
            assert_memory_equal(got, wanted, 256);
            read_tensor(&fixture, "bytes", got);
            pop_convert_to_quarter(0x01, POP_UNSIGNED_CHAR, values, wanted, 256, true);
            assert_memory_equal(got, wanted, 256);
        }
        fixture_close(&fixture);
    }
}

/* Constants are converted by their metadata, initial values too; views keep the metadata, clones have their own. */
static void test_constants_and_views(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_graph *graph = fixture.graph;
    static const float values[] = { 0.75f, -3, 1000, 0, 1e-9f, NAN };
    pop_tensor metadata = pop_create_constant_metadata_tensor(graph, POP_QUARTER_F143, 1, NULL),
               constant =
                   pop_graph_add_constant_with_metadata(graph, metadata, POP_SHAPE(2, 3), POP_FLOAT, values, "c"),
               same = pop_graph_add_constant_fill_with_metadata(graph, metadata, POP_SHAPE(3), POP_FLOAT, values, "s"),
               initial = pop_graph_add_variable_with_metadata(graph, metadata, POP_SHAPE(6), POP_MAPPING_LINEAR, "i"),
               clone = pop_graph_clone(graph, POP_TYPE_NULL, initial, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "k"),
               shared = pop_graph_clone_with_metadata(graph, metadata, initial, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                                      "l");
    pop_graph_set_tile_mapping(graph, constant, 1);
    pop_graph_set_tile_mapping(graph, same, 2);
    pop_graph_set_initial_value(graph, initial, POP_FLOAT, values);
    pop_sequence_add(fixture.program, pop_copy(initial, clone, false, NULL));
    pop_sequence_add(fixture.program, pop_copy(initial, shared, false, NULL));
    assert_true(pop_tensor_equal(pop_tensor_get_metadata(pop_tensor_transpose(constant)), metadata));
    assert_true(pop_tensor_equal(pop_tensor_get_metadata(shared), metadata));
    assert_false(pop_tensor_equal(pop_tensor_get_metadata(clone), metadata));
    assert_int_equal(pop_tensor_rank(pop_tensor_get_metadata(clone)), 0);
    pop_tensor empty = pop_graph_add_variable_with_metadata(graph, metadata, POP_SHAPE(0), POP_MAPPING_NONE, "e");
    assert_true(pop_tensor_equal(pop_tensor_get_metadata(empty), metadata));
    pop_tensor out = popops_cast(graph, pop_tensor_concat(POP_TENSORS(pop_tensor_flatten(constant), same), 0),
                                 POP_FLOAT, fixture.program, "cast");
    pop_sequence_add(fixture.program, pop_print_tensor("quarters", initial, NULL));
    pop_graph_create_host_read(graph, "out", out);
    pop_graph_create_host_read(graph, "clone", clone);
    pop_graph_create_host_read(graph, "shared", shared);
    assert_built(graph);
    pop_tensor_associate_metadata(clone, metadata);
    assert_true(pop_tensor_equal(pop_tensor_get_metadata(clone), metadata));
    start(&fixture);
    FILE *file = tmpfile();
    pop_engine_set_print_stream(fixture.engine, file);
    run(&fixture);
    float got[9];
    uint8_t codes[6], wanted[6];
    read_tensor(&fixture, "out", got);
    pop_convert_to_quarter(0x81, POP_FLOAT, values, wanted, 6, true);
    for (size_t i = 0; i < 9; ++i) {
        float value = pop_quarter_to_float(wanted[i < 6 ? i : 0], 0x81);
        assert_true(got[i] == value || (isnan(got[i]) && isnan(value)));
    }
    read_tensor(&fixture, "clone", codes);
    assert_memory_equal(codes, wanted, 6);
    read_tensor(&fixture, "shared", codes);
    assert_memory_equal(codes, wanted, 6);
    char text[200] = "";
    rewind(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "quarters: [ 0.7500000 -3.0000000        nan  0.0000000  0.0000000 \n"
                              "        nan]\n");
    fixture_close(&fixture);
}

#define REFUSED(graph, status, wanted, call)                                                                           \
    do {                                                                                                               \
        pop_error error;                                                                                               \
        (void)(call);                                                                                                  \
        assert_int_equal(pop_graph_take_error(graph, &error), status);                                                 \
        if (!strstr(error.text, wanted))                                                                               \
            fail_msg("%s", error.text);                                                                                \
    } while (0)

/* Zeros have the code 0 in every format; other values are refused. */
static void test_zero(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = pop_graph_add_variable(fixture.graph, POP_QUARTER, POP_SHAPE(5, 7), "t");
    fixture_map(&fixture, t, FIXTURE_SCATTERED);
    pop_graph_create_host_write(fixture.graph, "t", t);
    pop_graph_create_host_read(fixture.graph, "t", t);
    popops_zero(fixture.graph, pop_tensor_slice(t, 1, 4, 1), fixture.program, "z");
    start(&fixture);
    uint8_t codes[35], metadata;
    pop_error error;
    memset(codes, 0x5a, sizeof(codes));
    write_bytes(&fixture, "t", 0x12, codes);
    run(&fixture);
    assert_int_equal(pop_engine_read_quarter(fixture.engine, "t", &metadata, codes, POP_WHOLE, &error), POP_OK);
    assert_int_equal(metadata, 0x12);
    for (size_t i = 0; i < 35; ++i)
        assert_int_equal(codes[i], i % 7 >= 1 && i % 7 < 4 ? 0 : 0x5a);
    fixture_close(&fixture);
}
static void refused_fill(struct fixture *fixture, pop_tensor t)
{
    popops_fill_in(fixture->graph, t, pop_graph_add_compute_set(fixture->graph, "f"), 1);
}

/* Operations that move codes: the result has the values, and so the metadata, of what it was made from. */
enum { ROWS = 6, COLUMNS = 8, CELLS = ROWS * COLUMNS, RESULTS = 10 };
struct moved {
    pop_tensor t;
    size_t count;
    int from[CELLS]; /* for each element of t that of the base; -1: 0, -2: 1.5 */
};
static pop_tensor index_of(struct fixture *fixture, pop_shape shape, const unsigned *values)
{
    pop_tensor t = pop_graph_add_constant(fixture->graph, POP_UNSIGNED_INT, shape, POP_UNSIGNED_INT, values, "index");
    pop_graph_set_tile_mapping(fixture->graph, t, 0);
    return t;
}
/* Element i of result k is that of row rows[i / COLUMNS] of the base. */
static void rows_of(struct moved *result, pop_tensor t, const int *rows, size_t count)
{
    result->t = t;
    result->count = count * COLUMNS;
    for (size_t i = 0; i < count * COLUMNS; ++i)
        result->from[i] = rows[i / COLUMNS] < 0 ? rows[i / COLUMNS] : rows[i / COLUMNS] * COLUMNS + (int)(i % COLUMNS);
}
static void move(struct fixture *fixture, pop_tensor base, struct moved *r)
{
    pop_graph *g = fixture->graph;
    pop_program p = fixture->program;
    pop_tensor two = index_of(fixture, POP_SHAPE(1), (unsigned[]){ 2 }),
               some = index_of(fixture, POP_SHAPE(3, 1), (unsigned[]){ 4, 6, 0 }),
               one = index_of(fixture, POP_SHAPE(1), (unsigned[]){ 1 }), grouped = pop_tensor_expand(base, POP_DIMS(0));
    pop_options padding = POP_OPTIONS({ "paddingIndexUsed", "true" });
    rows_of(&r[0], popops_dynamic_slice(g, base, two, POP_DIMS(0), POP_SHAPE(2), p, "s"), (int[]){ 2, 3 }, 2);
    rows_of(&r[1], popops_multi_slice(g, base, some, POP_DIMS(0), POP_SHAPE(1), p, NULL, "m", padding),
            (int[]){ 4, -1, 0 }, 3);
    rows_of(&r[2], popops_multi_slice_static(g, base, (pop_dims){ 2, (unsigned[]){ 6, 5 } }, 0, p, "static", padding),
            (int[]){ -1, 5 }, 2);
    rows_of(&r[3],
            popops_grouped_multi_slice(g, grouped, pop_tensor_expand(some, POP_DIMS(0)), POP_DIMS(0), POP_SHAPE(1), p,
                                       NULL, "g", POP_NO_OPTIONS),
            (int[]){ 4, 0, 0 }, 3);
    rows_of(&r[4], popops_gather_axis(g, base, two, 0, p, (popops_gather_params){ 0 }, "axis", POP_NO_OPTIONS),
            (int[]){ 2 }, 1);
    pop_tensor like = pop_graph_clone(g, POP_TYPE_NULL, base, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "like");
    popops_fill(g, like, p, 1.5, "fill");
    pop_sequence_add(p, pop_copy(pop_tensor_get_metadata(base), pop_tensor_get_metadata(like), false, "metadata"));
    popops_fill(g, like, p, 1.5, "fill");
    popops_sequence_slice(g, base, like, one, two, one, false, p, "sequence");
    popops_dynamic_update(g, like, pop_tensor_slice(base, 5, 6, 0), two, POP_DIMS(0), POP_SHAPE(1), p, "u");
    popops_multi_update(g, like, pop_tensor_expand(pop_tensor_slice(base, 4, 5, 0), POP_DIMS(0)),
                        index_of(fixture, POP_SHAPE(1, 1), (unsigned[]){ 5 }), POP_DIMS(0), POP_SHAPE(1), p, NULL, "mu",
                        POP_NO_OPTIONS);
    rows_of(&r[5], like, (int[]){ -2, 2, 5, -2, -2, 4 }, 6);
    pop_compute_set set = pop_graph_add_compute_set(g, "turn");
    rows_of(&r[6], pop_tensor_transpose(popops_partial_transpose(g, base, set, "t")), (int[]){ 0, 1, 2, 3, 4, 5 }, 6);
    pop_tensor regrouped = popops_regroup_tensor(g, base, p, set, (poputil_dim_grouping){ 1, 8 },
                                                 (poputil_dim_grouping){ 0, 2 }, "regroup");
    rows_of(&r[7], regrouped, (int[]){ 0, 1, 2, 3, 4, 5 }, 6);
    pop_sequence_add(p, pop_execute(set, "turn"));
    pop_tensor sliced = popops_create_grouped_sliceable_tensor(g, POP_QUARTER, 2, POP_SHAPE(3, COLUMNS), POP_DIMS(0),
                                                               POP_SHAPE(1), NULL, "made", POP_NO_OPTIONS);
    pop_sequence_add(p, pop_copy(pop_tensor_get_metadata(base), pop_tensor_get_metadata(sliced), false, "metadata"));
    pop_sequence_add(p, pop_copy(base, pop_tensor_reshape(sliced, POP_SHAPE(ROWS, COLUMNS)), false, "data"));
    rows_of(&r[8], pop_tensor_at(sliced, 1), (int[]){ 3, 4, 5 }, 3);
    rows_of(&r[9],
            popops_dynamic_slice(g, base, index_of(fixture, POP_SHAPE(), (unsigned[]){ 0 }), (pop_dims){ 0 },
                                 POP_SHAPE(), p, "all"),
            (int[]){ 0, 1, 2, 3, 4, 5 }, 6);
}
static void test_codes_that_move(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 4, popops_add_codelets_at);
        struct moved results[RESULTS];
        pop_tensor base = pop_graph_add_variable(fixture.graph, POP_QUARTER, POP_SHAPE(ROWS, COLUMNS), "base");
        fixture_map(&fixture, base, FIXTURE_SCATTERED);
        pop_graph_create_host_write(fixture.graph, "base", base);
        move(&fixture, base, results);
        for (size_t k = 0; k < RESULTS; ++k) {
            char handle[8];
            snprintf(handle, sizeof(handle), "%zu", k);
            pop_graph_create_host_read(fixture.graph, handle,
                                       popops_cast(fixture.graph, results[k].t, POP_FLOAT, fixture.program, "values"));
        }
        start(&fixture);
        uint8_t codes[CELLS];
        for (unsigned i = 0; i < CELLS; ++i)
            codes[i] = (uint8_t)(i * 5 + 1);
        for (size_t m = 0; m < 4; ++m) {
            write_bytes(&fixture, "base", metadatas[m], codes);
            run(&fixture);
            for (size_t k = 0; k < RESULTS; ++k) {
                char handle[8];
                float got[CELLS];
                uint8_t filled = pop_quarter_from_float(1.5F, metadatas[m], true);
                snprintf(handle, sizeof(handle), "%zu", k);
                read_tensor(&fixture, handle, got);
                assert_int_equal(pop_tensor_num_elements(results[k].t), results[k].count);
                for (size_t i = 0; i < results[k].count; ++i) {
                    int from = results[k].from[i];
                    double wanted = (double)pop_quarter_to_float(from == -1   ? 0
                                                                 : from == -2 ? filled
                                                                              : codes[from],
                                                                 metadatas[m]);
                    if ((double)got[i] != wanted)
                        fail_msg("result %zu, element %zu: %g and not %g", k, i, (double)got[i], wanted);
                }
            }
        }
        fixture_close(&fixture);
    }
}

static void test_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_graph *graph = fixture.graph;
    pop_tensor q = pop_graph_add_variable(graph, POP_QUARTER, POP_SHAPE(4), "q"),
               ints = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(4), "ints"),
               bytes = pop_graph_add_variable(graph, POP_UNSIGNED_CHAR, POP_SHAPE(4), "bytes"),
               metadata = pop_create_constant_metadata_tensor(graph, POP_QUARTER_F143, 0, NULL);
    fixture_map(&fixture, q, FIXTURE_ONE_TILE);
    fixture_map(&fixture, ints, FIXTURE_ONE_TILE);
    fixture_map(&fixture, bytes, FIXTURE_ONE_TILE);
    REFUSED(graph, POP_TYPE_ERROR, "casting from quarter to int is not supported",
            popops_cast(graph, q, POP_INT, fixture.program, NULL));
    REFUSED(graph, POP_TYPE_ERROR, "casting from int to quarter is not supported",
            popops_cast_with_metadata(graph, ints, POP_QUARTER, metadata, fixture.program, NULL));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "a cast to quarter without metadata",
            popops_cast(graph, bytes, POP_QUARTER, fixture.program, NULL));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "only quarter has some",
            popops_cast_with_metadata(graph, bytes, POP_HALF, metadata, fixture.program, NULL));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "as quarter have no metadata",
            pop_tensor_reinterpret(bytes, POP_QUARTER));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "a tensor of type int has no metadata", pop_tensor_get_metadata(ints));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "one element of quarter_metadata",
            pop_graph_add_variable_with_metadata(graph, bytes, POP_SHAPE(4), POP_MAPPING_NONE, NULL));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "no value before the program runs",
            pop_graph_add_constant_float(graph, POP_QUARTER, POP_SHAPE(), 1, "x"));
    REFUSED(graph, POP_TENSOR_METADATA_ERROR, "-32 to 31",
            pop_create_constant_metadata_tensor(graph, POP_QUARTER_F143, 32, NULL));
    REFUSED(graph, POP_TYPE_ERROR, "filled with 0 alone", (refused_fill(&fixture, q), 0));
    REFUSED(graph, POP_TYPE_ERROR, "quarter", popops_add(graph, q, q, fixture.program, NULL));
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_to_every_type), cmocka_unit_test(test_every_half_and_floats_between),
        cmocka_unit_test(test_copies_have_the_metadata), cmocka_unit_test(test_bytes_and_other_metadata),
        cmocka_unit_test(test_constants_and_views),      cmocka_unit_test(test_zero),
        cmocka_unit_test(test_codes_that_move),          cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
