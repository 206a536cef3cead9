/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of tile memory: a program for each category that gives it bytes, sums, regions, and the error when memory is
 * exceeded. */
#include "compiler/pipeline.h"
#include "fixture.h"
#include "graph/graph.h"

#include "popc/module/device_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct scene {
    struct fixture f;
    pop_tensor a, b;
    pop_program all;
};

static struct module *map_module(const struct scene *s)
{
    return s->f.graph->store->types.data[store_find_type(s->f.graph->store, "Map")].codelet->module;
}

/* Codelets with sizes as if measured: there is no object code to estimate them from. */
static void give_code(struct scene *s)
{
    struct module *module = map_module(s);
    struct device_code *codes = arena_alloc(&module->arena, module->codelet_count * sizeof(*codes));
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        codes[i] = (struct device_code){ .bytes = 100 + i,
                                         .shared_bytes = 40,
                                         .data_bytes = 8,
                                         .stack_bytes = 60,
                                         .stack_measured = i == 1,
                                         .reason = "" };
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch)
        module->devices[arch] = codes;
}

static void begin_on(struct scene *s, const char *line)
{
    memset(s, 0, sizeof(*s));
    pop_target target;
    if (pop_target_from_text(line, &target, &s->f.error) != POP_OK)
        fail_msg("%s", s->f.error.text);
    s->f.graph = pop_graph_create(&target);
    assert_true(store_add_module(s->f.graph->store, POP_HERE, "test", make_module()));
    give_code(s);
    s->a = variable(&s->f, 10, 0, "a");
    s->b = variable(&s->f, 10, 1, "b");
    s->all = pop_sequence(s->f.graph, NULL);
}

static void set_option(struct scene *s, const char *key, const char *value)
{
    pop_option option = { key, value };
    if (options_apply(&s->f.options, "engine", (pop_options){ &option, 1 }, NULL, POP_HERE, "test", &s->f.error) !=
        POP_OK)
        fail_msg("%s", s->f.error.text);
}

static pop_compute_set set_named(struct scene *s, const char *name)
{
    pop_compute_set set = pop_graph_add_compute_set(s->f.graph, name);
    pop_sequence_add(s->all, pop_execute(set, NULL));
    return set;
}

/* Bytes of a category over all tiles and regions. */
static uint64_t bytes_of(const struct fixture *f, enum model_category category, enum model_overlap overlap)
{
    uint64_t sum = 0;
    const struct model *model = &f->image->model;
    for (size_t i = 0; i < model->uses.count; ++i)
        if (model->uses.data[i].category == category && model->uses.data[i].overlapped == overlap)
            sum += model->uses.data[i].bytes * model->uses.data[i].tiles;
    return sum;
}

static uint64_t raw_bytes(const struct fixture *f, enum model_category category)
{
    return bytes_of(f, category, MODEL_ALONE) + bytes_of(f, category, MODEL_OVERLAPPED);
}

static uint64_t highest(const struct fixture *f)
{
    uint64_t max = 0;
    for (size_t i = 0; i < f->image->model.tiles.count; ++i)
        max = f->image->model.tiles.data[i].total_with_gaps > max ? f->image->model.tiles.data[i].total_with_gaps : max;
    return max;
}

/* On each tile and in each region: addresses of one block and addresses shared by several add up to all bytes. */
static void sums_hold(const struct fixture *f)
{
    const struct model *model = &f->image->model;
    for (size_t t = 0; t < model->tiles.count; ++t) {
        const struct model_tile *tile = &model->tiles.data[t];
        uint64_t sum[MODEL_REGIONS] = { 0 };
        for (size_t i = 0; i < model->uses.count; ++i) {
            const struct model_use *use = &model->uses.data[i];
            if (use->tile <= t && t < use->tile + use->tiles && use->overlapped != MODEL_OVERLAPPED)
                sum[use->region] += use->bytes;
        }
        for (int r = 0; r < MODEL_REGIONS; ++r) {
            assert_int_equal(sum[r], tile->bytes[r]);
            assert_true(tile->bytes[r] <= tile->with_gaps[r]);
        }
        assert_true(tile->bytes[0] + tile->bytes[1] + tile->bytes[2] <= tile->total_with_gaps);
        assert_true(tile->always_live + tile->max_live <= tile->bytes[0] + tile->bytes[1] + tile->bytes[2]);
    }
}

static bool live_at(const struct placement *kept, uint32_t class, uint32_t ordinal)
{
    for (size_t i = kept->first_interval.data[class]; i < kept->first_interval.data[class + 1]; ++i)
        if (kept->intervals.data[i].first <= ordinal && ordinal < kept->intervals.data[i].end)
            return true;
    return false;
}

/* The bytes of the blocks that are live at a step are those of its list; no two blocks that are live together share an
 * address. */
static void placement_holds(const struct fixture *f)
{
    const struct model *model = &f->image->model;
    const struct placement *kept = f->image->placement;
    uint64_t always = 0;
    uint32_t ordinal = 0;
    for (size_t i = 0; i < kept->blocks.count; ++i)
        always += kept->blocks.data[i].class == PLACED_ALWAYS ? kept->blocks.data[i].bytes : 0;
    assert_int_equal(always, model->live_lists.data[0].bytes);
    for (size_t step = 0; step < model->steps.count; ++step) {
        uint64_t live = 0;
        if (!model->step_live.data[step])
            continue;
        for (size_t i = 0; i < kept->blocks.count; ++i)
            live += live_at(kept, kept->blocks.data[i].class, ordinal) ? kept->blocks.data[i].bytes : 0;
        assert_int_equal(live, model->live_lists.data[model->step_live.data[step]].bytes);
        ++ordinal;
    }
    for (uint32_t tile = 0; tile < kept->tiles; ++tile)
        for (size_t i = kept->first.data[tile]; i < kept->first.data[tile + 1]; ++i) {
            const struct placement_block *a = &kept->blocks.data[i];
            assert_int_equal(a->tile, tile);
            assert_int_equal(a->offset % a->alignment, 0);
            for (size_t k = i + 1; k < kept->first.data[tile + 1]; ++k) {
                const struct placement_block *b = &kept->blocks.data[k];
                bool together = (a->class == PLACED_ALWAYS && b->class) || (b->class == PLACED_ALWAYS && a->class);
                for (uint32_t s = 0; !together && s < ordinal; ++s)
                    together = live_at(kept, a->class, s) && live_at(kept, b->class, s);
                assert_true(!together || a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset);
            }
        }
}

static void compiled_scene(struct scene *s)
{
    compiled(&s->f, s->all);
    sums_hold(&s->f);
    placement_holds(&s->f);
}

/* A vertex that reads a on its tile and writes b on another. */
static void test_variables_and_messages(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    in_out(&s.f, set_named(&s, "there"), "Map", 1, s.a, s.b);
    in_out(&s.f, set_named(&s, "back"), "Map", 0, s.a, s.b);
    compiled_scene(&s);
    assert_int_equal(raw_bytes(&s.f, MODEL_VARIABLE_CATEGORY), 80);
    assert_int_equal(raw_bytes(&s.f, MODEL_MESSAGE_CATEGORY), 40);
    assert_int_equal(raw_bytes(&s.f, MODEL_OUTPUT_EDGE_CATEGORY), 40);
    assert_int_equal(raw_bytes(&s.f, MODEL_STACK_CATEGORY), 0); /* nor stacks */
    assert_int_equal(raw_bytes(&s.f, MODEL_VERTEX_INSTANCE_STATE_CATEGORY),
                     2 * 16); /* two pointers with sizes, of four bytes each */
    assert_int_equal(raw_bytes(&s.f, MODEL_INTERNAL_EXCHANGE_CODE_CATEGORY),
                     0); /* code is not counted without compileIPUCode */
    end(&s.f);
}

static void test_code(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model compile_ipu_code=true");
    pop_stream in =
        pop_graph_add_host_to_device_fifo(s.f.graph, "in", POP_FLOAT, 10, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_sequence_add(s.all, pop_copy_from_stream(in, s.a, false, NULL));
    in_out(&s.f, set_named(&s, "there"), "Map", 1, s.a, s.b);
    compiled_scene(&s);
    assert_true(raw_bytes(&s.f, MODEL_CONTROL_CODE_CATEGORY) > 0);
    assert_true(raw_bytes(&s.f, MODEL_INTERNAL_EXCHANGE_CODE_CATEGORY) > 0);
    assert_true(raw_bytes(&s.f, MODEL_HOST_EXCHANGE_CODE_CATEGORY) > 0);
    assert_true(raw_bytes(&s.f, MODEL_HOST_EXCHANGE_PACKET_HEADER_CATEGORY) > 0);
    assert_int_equal(raw_bytes(&s.f, MODEL_HOST_EXCHANGE_PACKET_HEADER_CATEGORY) % 8, 0);
    end(&s.f);
}

static uint64_t control_code_on(const struct scene *s, uint32_t tile)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->f.image->model.uses.count; ++i) {
        const struct model_use *use = &s->f.image->model.uses.data[i];
        if (use->category == MODEL_CONTROL_CODE_CATEGORY && tile >= use->tile && tile < use->tile + use->tiles)
            bytes += use->bytes;
    }
    return bytes;
}

/* Bytes of control code on tiles 0 and 1, which take part in a number of exchanges, 2, on which a vertex runs, and 3.
 */
static void control_code_of(const char *line, unsigned exchanges, uint64_t bytes[4])
{
    struct scene s;
    begin_on(&s, line);
    in_out(&s.f, set_named(&s, "aside"), "Map", 2, variable(&s.f, 10, 2, "c"), variable(&s.f, 10, 2, "d"));
    for (unsigned i = 0; i < exchanges; ++i)
        in_out(&s.f, set_named(&s, "there"), "Map", 1, s.a, s.b);
    compiled_scene(&s);
    for (uint32_t tile = 0; tile < 4; ++tile)
        bytes[tile] = control_code_on(&s, tile);
    end(&s.f);
}

/* Since 2020 tiles have code that does not depend on the steps, and acknowledge once that they take no part in
 * exchanges that follow each other; before, each exchange cost each tile an instruction. */
static void test_control_code(void **state)
{
    (void)state;
    enum { START = 4 * 144, SYNC = 4, EXCHANGE = 4 * 3, EXECUTE = 4 * 4 };
    uint64_t early[4], few[4], many[4];
    control_code_of("ipu1 type=ipu_model compile_ipu_code=true", 8, early);
    control_code_of("ipu1 type=ipu_model compile_ipu_code=true poplibs=2021", 4, few);
    control_code_of("ipu1 type=ipu_model compile_ipu_code=true poplibs=2021", 8, many);
    assert_int_equal(early[0], 8 * EXCHANGE);
    assert_int_equal(early[1], 8 * (EXCHANGE + EXECUTE));
    assert_int_equal(early[2], EXECUTE + 8 * SYNC);
    assert_int_equal(many[0], START + 8 * EXCHANGE);
    assert_int_equal(many[1], START + 8 * (EXCHANGE + EXECUTE));
    assert_int_equal(many[2], START + EXECUTE + 2 * SYNC);
    assert_int_equal(few[2], many[2]);
    assert_int_equal(early[3] + few[3] + many[3], 0);
}

/* Code, what an exchange sends and what it receives are in three memory elements: tile 1 sends and receives, 2
 * receives, 3 has a result that is sent. */
static void test_elements_of_exchanges(void **state)
{
    (void)state;
    enum { BYTES = 40, ELEMENT = 16384 };
    static const struct {
        const char *line;
        bool apart;
    } rows[] = { { "ipu1 type=ipu_model compile_ipu_code=true", false },
                 { "ipu1 type=ipu_model poplibs=2021", false },
                 { "ipu1 type=ipu_model compile_ipu_code=true poplibs=2021", true } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct scene s;
        begin_on(&s, rows[i].line);
        pop_tensor c = variable(&s.f, 10, 2, "c"), d = variable(&s.f, 10, 3, "d"), e = variable(&s.f, 10, 1, "e");
        pop_compute_set there = set_named(&s, "there");
        in_out(&s.f, there, "Map", 1, s.a, s.b);
        in_out(&s.f, there, "Map", 2, e, c);
        in_out(&s.f, set_named(&s, "back"), "Map", 3, d, s.a);
        compiled_scene(&s);
        const struct model_tile *tiles = s.f.image->model.tiles.data;
        assert_true(tiles[0].total_with_gaps < ELEMENT); /* what is sent from a variable stays where it is */
        if (rows[i].apart) {
            assert_int_equal(tiles[1].total_with_gaps, 2 * ELEMENT + BYTES);
            assert_int_equal(tiles[2].total_with_gaps, ELEMENT + BYTES);
            assert_int_equal(tiles[3].total_with_gaps, ELEMENT + BYTES);
        } else
            for (int tile = 1; tile < 4; ++tile)
                assert_true(tiles[tile].total_with_gaps < ELEMENT);
        end(&s.f);
    }
}

/* option: target.workerStackSizeInBytes, target.supervisorStackSizeInBytes */
static void test_stacks(void **state)
{
    (void)state;
    static const struct {
        const char *worker, *supervisor;
        bool unknown; /* Map's code was not measured */
        uint64_t workers_bytes, supervisor_bytes;
    } rows[] = { { NULL, NULL, false, 6 * 512, 96 },
                 { "64", NULL, false, 6 * 64, 96 },
                 { "0x1000", "512", false, 6 * 4096, 512 },
                 { "0", NULL, false, 6 * 64, 96 } /* 60 were measured */,
                 { "0", NULL, true, 6 * 512, 96 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct scene s;
        begin_on(&s, "ipu1 type=ipu_model compile_ipu_code=true");
        if (rows[i].unknown)
            map_module(&s)->devices[0][1].stack_measured = false;
        pop_options options = rows[i].supervisor
                                  ? POP_OPTIONS({ "target.workerStackSizeInBytes", rows[i].worker },
                                                { "target.supervisorStackSizeInBytes", rows[i].supervisor })
                                  : POP_OPTIONS({ "target.workerStackSizeInBytes", rows[i].worker });
        if (rows[i].worker)
            assert_int_equal(options_apply(&s.f.options, "engine", options, NULL, POP_HERE, "test", &s.f.error),
                             POP_OK);
        in_out(&s.f, set_named(&s, "there"), "Map", 1, s.a, s.b);
        compiled_scene(&s);
        assert_int_equal(raw_bytes(&s.f, MODEL_STACK_CATEGORY), rows[i].workers_bytes + 2 * rows[i].supervisor_bytes);
        /* tile 0 holds a variable, tile 1 runs the vertex; others have neither stacks nor code */
        const struct model_tile *tiles = s.f.image->model.tiles.data;
        assert_true(tiles[0].total_with_gaps > 0 && tiles[0].total_with_gaps < rows[i].supervisor_bytes + 1000);
        assert_true(tiles[1].total_with_gaps > rows[i].workers_bytes + rows[i].supervisor_bytes);
        assert_int_equal(tiles[9].total_with_gaps, 0);
        end(&s.f);
    }
}

/* Codelets with measured sizes: code on a tile counts once for each codelet, shared functions once for all of them. */
static void test_vertex_code(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model compile_ipu_code=true");
    pop_compute_set set = set_named(&s, "s");
    for (size_t i = 0; i < 3; ++i)
        in_out(&s.f, set, "Map", 0, pop_tensor_slice(s.a, i, i + 1, 0), pop_tensor_slice(s.a, 5 + i, 6 + i, 0));
    in_out(&s.f, set, "Sum", 0, s.b, pop_tensor_at(s.a, 9));
    in_out(&s.f, set, "Map", 1, pop_tensor_slice(s.b, 0, 1, 0), variable(&s.f, 1, 1, "c"));
    compiled_scene(&s);
    assert_int_equal(raw_bytes(&s.f, MODEL_VERTEX_CODE_CATEGORY), 100 + 101 + 101); /* Sum is codelet 0, Map 1 */
    assert_int_equal(raw_bytes(&s.f, MODEL_SHARED_CODE_STORAGE_CATEGORY), 2 * 40);
    assert_int_equal(raw_bytes(&s.f, MODEL_SHARED_DATA_STORAGE_CATEGORY), 2 * 8);
    end(&s.f);
}

/* Every second element of one variable is copied by the tile itself, by copy vertices with descriptors; rows of a list
 * have descriptors too. */
static void test_descriptors(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor wide = variable(&s.f, 64, 0, "wide");
    pop_sequence_add(s.all, pop_copy(pop_tensor_sub_sample(wide, 2, 0), variable(&s.f, 32, 0, "narrow"), false, NULL));
    struct codelet *rows =
        (struct codelet *)(uintptr_t)s.f.graph->store->types.data[store_find_type(s.f.graph->store, "Rows")].codelet;
    rows->fields[0].shape = SHAPE_VECTOR_LIST;
    rows->fields[0].inner_layout = LIST_COMPACT_DELTAN;
    pop_vertex v = vertex(&s.f, set_named(&s, "rows"), "Rows", 0, 10);
    size_t shape[] = { 2, 5 };
    pop_graph_connect(s.f.graph, v, "in", pop_tensor_reshape(s.a, (pop_shape){ 2, shape }));
    pop_graph_connect(s.f.graph, v, "out", pop_tensor_slice(variable(&s.f, 4, 0, "out"), 0, 4, 0));
    pop_graph_set_field_size(s.f.graph, v, "taps", 5);
    compiled_scene(&s);
    assert_true(raw_bytes(&s.f, MODEL_COPY_DESCRIPTOR_CATEGORY) > 0);
    assert_true(raw_bytes(&s.f, MODEL_VECTOR_LIST_DESCRIPTOR_CATEGORY) >= 2 * 4);
    end(&s.f);
}

static void test_constants(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor constant = pop_graph_add_constant_float(s.f.graph, POP_FLOAT, POP_SHAPE(6), 2, "two");
    pop_graph_set_tile_mapping(s.f.graph, constant, 0);
    pop_graph_connect(s.f.graph, vertex(&s.f, set_named(&s, "reads"), "Sink", 0, 10), "in", constant);
    compiled_scene(&s);
    assert_int_equal(bytes_of(&s.f, MODEL_CONSTANT_CATEGORY, MODEL_ALONE), 24);
    end(&s.f);
}

/* Rows of another variable are tables; state of a vertex with a size of its own is data; every second element is
 * rearranged. */
static void test_fields_and_rearrangement(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_compute_set set = set_named(&s, "rows");
    pop_vertex v = vertex(&s.f, set, "Rows", 0, 10);
    pop_tensor table = variable(&s.f, 12, 0, "table"), wide = variable(&s.f, 64, 0, "wide"),
               sum = variable(&s.f, 1, 0, "sum");
    size_t shape[] = { 2, 6 };
    pop_graph_connect(s.f.graph, v, "in", pop_tensor_reshape(table, (pop_shape){ 2, shape }));
    pop_graph_connect(s.f.graph, v, "out", pop_tensor_slice(s.a, 0, 4, 0));
    pop_graph_set_field_size(s.f.graph, v, "taps", 5);
    in_out(&s.f, set, "Sum", 0, pop_tensor_sub_sample(wide, 2, 0), sum);
    compiled_scene(&s);
    assert_true(raw_bytes(&s.f, MODEL_VERTEX_FIELD_DATA_CATEGORY) >= 2 * 4 + 5 * 4);
    assert_int_equal(raw_bytes(&s.f, MODEL_REARRANGEMENT_CATEGORY), 32 * 4);
    const struct model *model = &s.f.image->model;
    uint64_t pointers = 0, copies = 0;
    for (size_t i = 0; i < model->type_vertices.count; ++i) {
        pointers += model->type_vertices.data[i].edge_pointers;
        copies += model->type_vertices.data[i].copy_pointers;
    }
    assert_true(pointers > 0 && copies > 0);
    uint64_t of_sets = 0;
    for (size_t i = 0; i < model->set_vertices.count; ++i)
        of_sets += model->set_vertices.data[i].edge_pointers * model->set_vertices.data[i].tiles;
    assert_int_equal(of_sets, pointers);
    end(&s.f);
}

static void test_control_ids(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_program programs[2] = { s.all, pop_sequence(s.f.graph, NULL) };
    in_out(&s.f, set_named(&s, "there"), "Map", 0, pop_tensor_slice(s.a, 0, 5, 0), pop_tensor_slice(s.a, 5, 10, 0));
    assert_int_equal(compile_programs(&s.f, programs, 2), POP_OK);
    assert_int_equal(raw_bytes(&s.f, MODEL_CONTROL_ID_CATEGORY),
                     4 + 4860); /* the guide's programId and broadcastProgramId */
    end(&s.f);
}

/* A set with vertices on both tiles, and one with vertices on one tile. */
static void test_instrumentation(void **state)
{
    (void)state;
    static const struct {
        const char *level;
        uint64_t bytes;
    } levels[] = { { "tile", 12 }, { "vertex", 16 }, { "device", 8 }, { "ipu", 8 } };
    for (size_t i = 0; i < 4; ++i) {
        struct scene s;
        begin_on(&s, "ipu1 type=ipu_model");
        pop_compute_set both = set_named(&s, "both"), one = set_named(&s, "one");
        in_out(&s.f, both, "Map", 0, pop_tensor_slice(s.a, 0, 5, 0), pop_tensor_slice(s.a, 5, 10, 0));
        in_out(&s.f, both, "Map", 1, pop_tensor_slice(s.b, 0, 5, 0), pop_tensor_slice(s.b, 5, 10, 0));
        in_out(&s.f, one, "Map", 1, pop_tensor_slice(s.b, 0, 2, 0), pop_tensor_slice(s.b, 2, 4, 0));
        in_out(&s.f, one, "Map", 1, pop_tensor_slice(s.b, 4, 6, 0), pop_tensor_slice(s.b, 6, 8, 0));
        compiled_scene(&s);
        assert_int_equal(raw_bytes(&s.f, MODEL_INSTRUMENTATION_RESULTS_CATEGORY), 0);
        set_option(&s, "debug.instrumentCompute", "true");
        set_option(&s, "debug.computeInstrumentationLevel", levels[i].level);
        compiled_scene(&s);
        assert_int_equal(raw_bytes(&s.f, MODEL_INSTRUMENTATION_RESULTS_CATEGORY), levels[i].bytes);
        end(&s.f);
    }
}

/* Between IPUs: data that a set reads, message headers, and code if it is counted. */
static void test_two_ipus(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model ipus=2 compile_ipu_code=true");
    in_out(&s.f, set_named(&s, "there"), "Sum", 1300, s.a, pop_tensor_at(s.b, 0));
    compiled_scene(&s);
    assert_int_equal(raw_bytes(&s.f, MODEL_GLOBAL_MESSAGE_CATEGORY), 40);
    assert_true(raw_bytes(&s.f, MODEL_GLOBAL_EXCHANGE_PACKET_HEADER_CATEGORY) >= 8);
    assert_true(raw_bytes(&s.f, MODEL_GLOBAL_EXCHANGE_CODE_CATEGORY) > 0);
    end(&s.f);
}

/* Three bytes for the host are packed on their tile. */
static void test_host_messages(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor bytes = pop_graph_add_variable(s.f.graph, POP_UNSIGNED_CHAR, POP_SHAPE(3), "bytes");
    pop_graph_set_tile_mapping(s.f.graph, bytes, 0);
    pop_stream out = pop_graph_add_device_to_host_fifo(s.f.graph, "out", POP_UNSIGNED_CHAR, 3, POP_NO_OPTIONS);
    pop_sequence_add(s.all, pop_copy_to_stream(bytes, out, false, NULL));
    compiled_scene(&s);
    assert_int_equal(raw_bytes(&s.f, MODEL_HOST_MESSAGE_CATEGORY), 4);
    end(&s.f);
}

/* If the host does not rearrange, each tile receives a part of a scattered tensor; the tensor is dead until the tiles
 * have rearranged it. */
static void test_relayed_stream(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu2 type=ipu_model");
    pop_tensor scattered = pop_graph_add_variable(s.f.graph, POP_FLOAT, POP_SHAPE(4096), "scattered");
    for (unsigned i = 0; i < 64; ++i)
        pop_graph_set_tile_mapping(s.f.graph, pop_tensor_slice(scattered, 64 * i, 64 * i + 64, 0), i % 4);
    pop_stream in =
        pop_graph_add_host_to_device_fifo(s.f.graph, "in", POP_FLOAT, 4096, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_sequence_add(s.all, pop_copy_from_stream(in, scattered, false, NULL));
    compiled_scene(&s);
    if (s.f.image->model.exchanges.count)
        assert_int_equal(raw_bytes(&s.f, MODEL_HOST_MESSAGE_CATEGORY), 4096 * 4);
    end(&s.f);
}

static uint64_t packets_in(const struct scene *s)
{
    uint64_t packets = 0;
    for (size_t i = 0; i < s->f.image->model.flows.count; ++i)
        packets += (uint64_t)s->f.image->model.flows.data[i].packets * s->f.image->model.flows.data[i].tiles;
    return packets;
}

/* Bytes of the buffers in which tiles rearrange what the host sends, and total cycles, of a copy of a scattered tensor;
 * kind: 0 a stream, 1 the same with optimise memory, 2 a remote buffer, 3 the same with rearrange on host, 4 with
 * optimise memory. */
static uint64_t arranged(int kind, uint64_t *packets)
{
    struct scene s;
    begin_on(&s, "ipu2 type=ipu_model");
    pop_graph *graph = s.f.graph;
    pop_tensor scattered = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4096), "scattered");
    for (unsigned i = 0; i < 64; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_slice(scattered, 64 * i, 64 * i + 64, 0), i % 4);
    if (kind < 2) {
        pop_stream in =
            pop_graph_add_host_to_device_fifo(graph, "in", POP_FLOAT, 4096, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
        pop_sequence_add(s.all, pop_copy_from_stream(in, scattered, kind == 1, NULL));
    } else {
        pop_remote_buffer buffer = pop_graph_add_remote_buffer(graph, "b", POP_FLOAT, 4096, 1, kind == 3, kind == 4);
        pop_sequence_add(s.all, pop_copy_from_remote(buffer, scattered, (pop_tensor){ 0 }, NULL));
    }
    compiled_scene(&s);
    *packets = packets_in(&s);
    uint64_t bytes = raw_bytes(&s.f, MODEL_HOST_MESSAGE_CATEGORY);
    end(&s.f);
    return bytes;
}
/* option: optimiseMemory, rearrangeOnHost */
static void test_the_host_arranges(void **state)
{
    (void)state;
    uint64_t sorted, direct;
    for (int plain = 0; plain < 3; plain += 2) {
        assert_int_equal(arranged(plain, &sorted), 4096 * 4);
        for (int asked = plain + 1; asked < (plain ? 5 : 2); ++asked) {
            assert_int_equal(arranged(asked, &direct), 0);
            assert_true(direct <= sorted); /* a tile's part is one piece */
        }
    }
}

/* Values that are live one after the other share addresses, also of different categories. */
static void test_sharing(void **state)
{
    (void)state;
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor first = variable(&s.f, 1000, 2, "first"), second = variable(&s.f, 1000, 2, "second"),
               far = variable(&s.f, 100, 0, "far");
    pop_compute_set sets[5];
    for (int i = 0; i < 5; ++i)
        sets[i] = set_named(&s, "s");
    for (size_t i = 0; i < 2; ++i) {
        pop_tensor t = i ? second : first;
        for (size_t k = 0; k < 2; ++k)
            pop_graph_connect(s.f.graph, vertex(&s.f, sets[2 * i], "Fill", 2, 10), "out",
                              pop_tensor_slice(t, 500 * k, 500 * k + 500, 0));
        pop_graph_connect(s.f.graph, vertex(&s.f, sets[2 * i + 1], "Sink", 2, 10), "in", t);
    }
    pop_graph_connect(s.f.graph, vertex(&s.f, sets[4], "Sink", 2, 10), "in", far);
    compiled_scene(&s);
    assert_int_equal(bytes_of(&s.f, MODEL_VARIABLE_CATEGORY, MODEL_OVERLAPPED), 8000);
    assert_int_equal(bytes_of(&s.f, MODEL_VARIABLE_CATEGORY, MODEL_SHARED), 3600);
    assert_int_equal(bytes_of(&s.f, MODEL_MULTIPLE_CATEGORY, MODEL_SHARED), 400); /* the message shares them too */
    const struct model *model = &s.f.image->model;
    assert_int_equal(model->tiles.data[2].max_live, 4000);
    end(&s.f);
}

/* A program that uses an interleaved variable uses memory up to its region: 131,072 and 212,992 bytes. */
static void test_interleaved_floors(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint64_t floor;
    } machines[] = { { "ipu1 type=ipu_model", 131072 },
                     { "ipu2 type=ipu_model", 212992 },
                     { "bow type=ipu_model", 212992 },
                     { "ipu21 type=ipu_model", 212992 } };
    for (size_t i = 0; i < 4; ++i) {
        struct scene s;
        begin_on(&s, machines[i].line);
        in_out(&s.f, set_named(&s, "s"), "Wide", 0, s.a, variable(&s.f, 1, 0, "sum"));
        compiled_scene(&s);
        assert_true(highest(&s.f) < machines[i].floor);
        struct codelet *wide =
            (struct codelet *)(uintptr_t)s.f.graph->store->types.data[store_find_type(s.f.graph->store, "Wide")]
                .codelet;
        wide->fields[0].interleaved = true;
        compiled_scene(&s);
        assert_int_equal(highest(&s.f), machines[i].floor + 40);
        assert_int_equal(s.f.image->model.tiles.data[0].bytes[MODEL_INTERLEAVED], 40);
        end(&s.f);
    }
}

static struct codelet *constrain(struct scene *s, const char *type, const char **constraint)
{
    struct codelet *codelet =
        (struct codelet *)(uintptr_t)s->f.graph->store->types.data[store_find_type(s->f.graph->store, type)].codelet;
    codelet->constraints = constraint;
    codelet->constraint_count = 1;
    return codelet;
}

static struct codelet *constrained(struct scene *s, const char **constraint)
{
    return constrain(s, "Map", constraint);
}

static void test_element_constraints(void **state)
{
    (void)state;
    struct scene s;
    const char *constraint = "elem(*in) != elem(*out)";
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor c = variable(&s.f, 10, 0, "c");
    in_out(&s.f, set_named(&s, "s"), "Map", 0, s.a, c);
    constrained(&s, &constraint);
    compiled_scene(&s);
    assert_int_equal(highest(&s.f), 16384 + 40);
    end(&s.f);
    /* Data that is received from another tile, or sent there, is in separate elements as well. */
    for (unsigned tile = 0; tile < 2; ++tile) {
        begin_on(&s, "ipu1 type=ipu_model");
        in_out(&s.f, set_named(&s, "s"), "Map", tile, s.a, s.b);
        constrained(&s, &constraint);
        compiled_scene(&s);
        assert_int_equal(highest(&s.f), 16384 + 40);
        end(&s.f);
    }
    begin_on(&s, "ipu1 type=ipu_model memory=8192 memory_element=8192");
    c = variable(&s.f, 10, 0, "c");
    in_out(&s.f, set_named(&s, "s"), "Map", 0, s.a, c);
    constrained(&s, &constraint);
    refused(&s.f, s.all, POP_GRAPH_MEMORY_ALLOCATION_ERROR,
            "Map: constraint 'elem(*in) != elem(*out)' cannot be met on tile 0: 'a' (40 bytes) and 'c' (40 bytes)");
    end(&s.f);
}

/* So is what both fields receive from other tiles: of 40 and 20 elements, in one message. */
static void test_fields_of_one_message(void **state)
{
    (void)state;
    const char *constraint = "elem(*in) != elem(*other)";
    for (int together = 0; together < 2; ++together) {
        struct scene s;
        begin_on(&s, "ipu1 type=ipu_model");
        pop_vertex v = in_out(&s.f, set_named(&s, "s"), "Join", 1, variable(&s.f, 40, 0, "in"), s.b);
        pop_graph_connect(s.f.graph, v, "other", variable(&s.f, 20, 2, "other"));
        if (!together)
            constrain(&s, "Join", &constraint);
        compiled_scene(&s);
        assert_int_equal(raw_bytes(&s.f, MODEL_MESSAGE_CATEGORY), 240);
        assert_int_equal(highest(&s.f) > 16384, !together);
        assert_true(together || highest(&s.f) == 16384 + 80);
        end(&s.f);
    }
}

/* Tile 0 receives nine rows of 16,000 bytes, in fields of nine vertices or of one: rows fill free memory, also around
 * interleaved variables. */
static uint64_t highest_with_rows(uint64_t rows, const char **constraint)
{
    struct scene s;
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor far = variable(&s.f, 36000, 1, "far"), out = variable(&s.f, 9, 0, "out");
    pop_compute_set set = set_named(&s, "s");
    in_out(&s.f, set, "Wide", 0, s.a, variable(&s.f, 1, 0, "sum"));
    for (uint64_t i = 0; i < rows; ++i)
        in_out(&s.f, set, "Map", 0, pop_tensor_slice(far, i * 36000 / rows, (i + 1) * 36000 / rows, 0),
               pop_tensor_slice(out, i, i + 1, 0));
    struct codelet *wide =
        (struct codelet *)(uintptr_t)s.f.graph->store->types.data[store_find_type(s.f.graph->store, "Wide")].codelet;
    wide->fields[0].interleaved = true;
    if (constraint)
        constrained(&s, constraint);
    compiled_scene(&s);
    assert_int_equal(raw_bytes(&s.f, MODEL_MESSAGE_CATEGORY), 144000);
    uint64_t max = highest(&s.f);
    end(&s.f);
    return max;
}

static void test_rows_from_another_tile(void **state)
{
    (void)state;
    const char *constraint = "elem(*in) != elem(*out)";
    assert_int_equal(highest_with_rows(1, NULL), 131072 + 40 + 144000); /* a single row is contiguous */
    assert_int_equal(highest_with_rows(9, NULL), 131072 + 40 + 16384);
    assert_int_equal(highest_with_rows(9, &constraint),
                     131072 + 32768 + 36); /* all rows in other elements than the output */
}

/* If no other element has enough free memory, the tile is out of memory, as without the constraint. */
static void test_no_other_element_is_free(void **state)
{
    (void)state;
    struct scene s;
    const char *constraint = "elem(*in) != elem(*out)";
    begin_on(&s, "ipu1 type=ipu_model memory=32768");
    pop_tensor c = variable(&s.f, 10, 0, "c"), max = variable(&s.f, 7500, 0, "most");
    in_out(&s.f, set_named(&s, "s"), "Map", 0, s.a, c);
    in_out(&s.f, set_named(&s, "t"), "Sum", 0, max, variable(&s.f, 1, 1, "sum"));
    compiled_scene(&s);
    assert_true(highest(&s.f) < 32768);
    constrained(&s, &constraint);
    compiled_scene(&s);
    assert_int_equal(highest(&s.f), 32768 + 40);
    set_option(&s, "debug.allowOutOfMemory", "false");
    refused(&s.f, s.all, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "out of memory");
    end(&s.f);
}

/* Four blocks with two pairwise constraints need two elements, whatever the order of their sizes. */
static void test_two_elements(void **state)
{
    (void)state;
    struct scene s;
    const char *constraint = "elem(*in) != elem(*out)";
    begin_on(&s, "ipu1 type=ipu_model");
    pop_tensor max = variable(&s.f, 100, 0, "most"), more = variable(&s.f, 50, 0, "more"),
               far = variable(&s.f, 30, 1, "far"), min = variable(&s.f, 20, 0, "least");
    in_out(&s.f, set_named(&s, "wide"), "Map", 0, more, max);
    in_out(&s.f, set_named(&s, "narrow"), "Map", 0, more, min);
    in_out(&s.f, set_named(&s, "received"), "Map", 0, far, min);
    constrained(&s, &constraint);
    compiled_scene(&s);
    assert_int_equal(highest(&s.f), 16384 + 4 * (50 + 30));
    end(&s.f);
}

/* On the IPU Model the program is compiled, with a warning; on a device, or with the option, it is an error with the
 * fullest tiles and the largest variables. */
static void test_out_of_memory(void **state)
{
    (void)state;
    struct scene s;
    static const char *const lines[] = { "ipu1 type=ipu_model compile_ipu_code=true", "ipu1" };
    for (size_t i = 0; i < 2; ++i) {
        begin_on(&s, lines[i]);
        pop_tensor large = variable(&s.f, 100000, 7, "large"), larger = variable(&s.f, 200000, 9, "larger");
        pop_compute_set set = set_named(&s, "s");
        in_out(&s.f, set, "Sum", 7, large, pop_tensor_at(s.a, 0));
        in_out(&s.f, set, "Sum", 9, larger, pop_tensor_at(s.a, 1));
        if (i)
            set_option(&s, "debug.allowOutOfMemory", "true");
        compiled_scene(&s);
        const struct model_tile *tile = &s.f.image->model.tiles.data[9];
        assert_true(tile->total_with_gaps > 800000 && tile->total_with_gaps < 810000);
        assert_true(tile->bytes[0] + tile->bytes[1] + tile->bytes[2] >
                    tile->total_with_gaps - 16); /* padding for alignment */
        assert_true(tile->bytes[MODEL_OVERFLOWED] > 0);
        set_option(&s, "debug.allowOutOfMemory", "false");
        image_release(s.f.image);
        s.f.image = NULL;
        refused(&s.f, s.all, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "2 tiles are out of memory: tile 9 needs ");
        assert_non_null(strstr(s.f.error.text, " bytes of 262144, tile 7 needs "));
        assert_non_null(
            strstr(s.f.error.text, "the largest on tile 9 are 'larger' (800000 bytes), 'stack' (3168 bytes)"));
        assert_non_null(strstr(s.f.error.text, "debug.allowOutOfMemory"));
        end(&s.f);
    }
    begin_on(&s, "ipu1 memory=1024 memory_element=1024"); /* no memory for the stack */
    in_out(&s.f, set_named(&s, "s"), "Sum", 0, s.a, pop_tensor_at(s.b, 0));
    refused(&s.f, s.all, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "bytes of 1024");
    end(&s.f);
}

static void test_lowered_variables(void **state)
{
    (void)state;
    struct scene s;
    char path[64], text[4096];
    snprintf(path, sizeof(path), "lowered-%ld.json", (long)getpid());
    begin_on(&s, "ipu1 type=ipu_model tiles=2");
    in_out(&s.f, set_named(&s, "there"), "Map", 1, s.a, s.b);
    set_option(&s, "debug.loweredVarDumpFile", path);
    compiled_scene(&s);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    assert_int_equal(remove(path), 0);
    assert_non_null(strstr(text, "{\"numTiles\":2,\"targetMemoryInfo\":{\"tileMemory\":262144,"
                                 "\"interleavedMemoryStart\":131072,\"memoryElementOffsets\":[0,16384,"));
    assert_non_null(strstr(text, "114688,131072,163840,196608,229376],\"supervisorInstrFetchDelay\":64}"));
    assert_non_null(strstr(text, "\"name\":\"<message:a>\",\"sizeBytes\":40,\"alignment\":8,"));
    assert_non_null(strstr(text, "\"category\":\"message\",\"isConstant\":false,\"alwaysLive\":false"));
    assert_non_null(strstr(text, "\"allocationOrderByTile\":[["));
    char other[96];
    snprintf(other, sizeof(other), "%s.capnp", path); /* any file name, in one format */
    set_option(&s, "debug.loweredVarDumpFile", other);
    compiled_scene(&s);
    file = fopen(other, "r");
    assert_non_null(file);
    assert_int_equal(fgetc(file), '{');
    fclose(file);
    assert_int_equal(remove(other), 0);
    end(&s.f);
}

/* The largest variable that fits on an empty tile, and one that is a word larger. */
static void test_exactly_full(void **state)
{
    (void)state;
    uint64_t memory = 0;
    for (unsigned more = 0; more < 2; ++more) {
        struct scene s;
        begin_on(&s, "ipu1");
        memory = s.f.graph->target.bytes_per_tile;
        pop_tensor full = variable(&s.f, memory / 4 + more, 7, "full");
        pop_program write = pop_write_undef(full, NULL);
        pop_sequence_add(s.all, write);
        pop_sequence_add(s.all,
                         pop_copy(pop_tensor_slice(full, 0, 1, 0), pop_tensor_slice(full, 1, 2, 0), false, NULL));
        set_option(&s, "debug.allowOutOfMemory", "true");
        compiled_scene(&s);
        const struct model_tile *tile = NULL;
        for (size_t i = 0; i < s.f.image->model.tiles.count; ++i)
            if (s.f.image->model.tiles.data[i].total_with_gaps > memory / 2)
                tile = &s.f.image->model.tiles.data[i];
        assert_non_null(tile);
        assert_true(tile->total_with_gaps >= memory + 4 * more);
        assert_int_equal(tile->bytes[MODEL_OVERFLOWED] >= 4, more || tile->total_with_gaps > memory);
        end(&s.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exactly_full),
        cmocka_unit_test(test_variables_and_messages),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_control_code),
        cmocka_unit_test(test_elements_of_exchanges),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_vertex_code),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_fields_and_rearrangement),
        cmocka_unit_test(test_control_ids),
        cmocka_unit_test(test_instrumentation),
        cmocka_unit_test(test_two_ipus),
        cmocka_unit_test(test_host_messages),
        cmocka_unit_test(test_relayed_stream),
        cmocka_unit_test(test_the_host_arranges),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_interleaved_floors),
        cmocka_unit_test(test_element_constraints),
        cmocka_unit_test(test_fields_of_one_message),
        cmocka_unit_test(test_rows_from_another_tile),
        cmocka_unit_test(test_no_other_element_is_free),
        cmocka_unit_test(test_two_elements),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_lowered_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
