/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of steps of a program (the guide, Program structure) as text, and the steps of ops. */
#include "compiler/pipeline.h"
#include "fixture.h"
#include "graph/graph.h"

#include "base/str.h"

#include <stdio.h>

static const char *tags[] = {
#define MODEL_KIND(constant, tag) tag,
#include "image/model_kinds.def"
#undef MODEL_KIND
};

/* "Sequence(DoExchange:a/ExchangePre OnTileExecute:a)", calls as Call@function. */
static void write_step(struct str *out, const struct image *image, uint32_t index)
{
    const struct model *model = &image->model;
    const struct model_step *step = &model->steps.data[index];
    str_add(out, tags[step->kind]);
    if (step->name)
        str_format(out, ":%s", image_string(image, step->name));
    if (step->kind == MODEL_CALL)
        str_format(out, "@%u", (unsigned)step->index);
    if (step->kind == MODEL_STREAM_COPY && step->detail)
        str_add(out, step->detail == MODEL_STREAM_MIXED ? "!mixed" : "!remote");
    if (step->kind == MODEL_SYNC)
        str_add(out, step->detail == MODEL_SYNC_EXTERNAL ? "!external" : "!internal");
    for (uint32_t i = 0; i < step->children; ++i) {
        str_add(out, i ? " " : "(");
        write_step(out, image, model->children.data[step->first_child + i]);
    }
    if (step->children)
        str_add(out, ")");
}

static void is_tree(const struct fixture *f, const char *wanted)
{
    struct str text = { 0 };
    const struct model *model = &f->image->model;
    assert_int_equal(model->controls.count, 1);
    write_step(&text, f->image, model->controls.data[0]);
    for (size_t i = 0; i < model->functions.count; ++i) {
        str_add(&text, " | ");
        write_step(&text, f->image, model->functions.data[i]);
    }
    assert_string_equal(str_text(&text), wanted);
    str_free(&text);
}

/* The leaf steps of all ops, in the order of ops, are those of the tree in depth-first order of bodies, each once. */
static void ops_have(const struct fixture *f, size_t steps)
{
    const struct model *model = &f->image->model;
    assert_int_equal(model->op_first.count, f->image->ops.count + 1);
    assert_int_equal(model->op_steps.count, steps);
    for (size_t i = 1; i < model->op_steps.count; ++i)
        assert_true(model->op_steps.data[i - 1] < model->op_steps.data[i]);
}

/* a on tile 0, b on tile 1; a vertex on tile 1 reads a and writes b. */
struct scene {
    struct fixture f;
    pop_tensor a, b, flag;
    pop_compute_set near, far;
    pop_stream in, out;
};

static void begin_scene(struct scene *s)
{
    begin(&s->f);
    s->a = variable(&s->f, 10, 0, "a");
    s->b = variable(&s->f, 10, 1, "b");
    s->flag = pop_graph_add_variable(s->f.graph, POP_INT, POP_SHAPE(), "flag");
    pop_graph_set_tile_mapping(s->f.graph, s->flag, 5);
    s->near = pop_graph_add_compute_set(s->f.graph, "near");
    s->far = pop_graph_add_compute_set(s->f.graph, "far");
    in_out(&s->f, s->near, "Map", 0, pop_tensor_slice(s->a, 0, 5, 0), pop_tensor_slice(s->a, 5, 10, 0));
    in_out(&s->f, s->far, "Map", 1, s->a, s->b);
    s->in = pop_graph_add_host_to_device_fifo(s->f.graph, "in", POP_FLOAT, 10, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    s->out = pop_graph_add_device_to_host_fifo(s->f.graph, "out", POP_FLOAT, 10, POP_NO_OPTIONS);
}

static void test_executes_and_copies(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    compiled(&s.f, pop_execute(s.near, NULL));
    is_tree(&s.f, "Sequence(OnTileExecute:near)");
    ops_have(&s.f, 1);
    compiled(&s.f, pop_execute(s.far, NULL));
    is_tree(&s.f, "Sequence(DoExchange:far/ExchangePre OnTileExecute:far)");
    ops_have(&s.f, 2);
    pop_program all = pop_sequence(s.f.graph, "all");
    pop_sequence_add(all, pop_copy(s.a, s.b, false, "there"));
    pop_sequence_add(all, pop_copy(pop_tensor_slice(s.a, 0, 5, 0), pop_tensor_slice(s.a, 5, 10, 0), false, "here"));
    pop_sequence_add(all, pop_write_undef(s.b, NULL));
    pop_sequence_add(all, pop_sync(s.f.graph, POP_SYNC_EXTERNAL, NULL));
    compiled(&s.f, all);
    is_tree(&s.f, "Sequence:all(DoExchange:there OnTileExecute:here/OnTileCopy WriteUndef Sync!external)");
    ops_have(&s.f, 3);
    end(&s.f);
}

static void test_control(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program near = pop_execute(s.near, NULL), far = pop_execute(s.far, NULL),
                nothing = pop_sequence(s.f.graph, NULL);
    compiled(&s.f, pop_repeat(7, far, NULL));
    is_tree(&s.f, "Sequence(Repeat(Sequence(DoExchange:far/ExchangePre OnTileExecute:far)))");
    ops_have(&s.f, 2);
    compiled(&s.f, pop_repeat_while_true(near, s.flag, far, NULL));
    is_tree(
        &s.f,
        "Sequence(RepeatWhile(Sequence(OnTileExecute:near) Sequence(DoExchange:far/ExchangePre OnTileExecute:far)))");
    compiled(&s.f, pop_if(s.flag, near, nothing, NULL));
    is_tree(&s.f, "Sequence(SetLocalConsensusFromVar Sync!internal IfElse(Sequence(OnTileExecute:near) Sequence))");
    ops_have(&s.f, 3);
    pop_program choice = pop_switch(s.flag, NULL);
    pop_switch_add(choice, 3, near);
    pop_switch_add(choice, 4, pop_repeat(2, near, NULL));
    compiled(&s.f, choice);
    is_tree(&s.f, "Sequence(DoExchange:switchControlBroadcast0/ExchangePre Switch(Sequence(OnTileExecute:near) "
                  "Sequence(Repeat(Sequence(OnTileExecute:near))) Sequence))");
    const struct model_exchange *broadcast = &s.f.image->model.exchanges.data[0];
    uint64_t sent = 0, received = 0;
    for (uint64_t i = broadcast->first_flow; i < broadcast->first_flow + broadcast->flows; ++i) {
        sent += s.f.image->model.flows.data[i].sent * s.f.image->model.flows.data[i].tiles;
        received += s.f.image->model.flows.data[i].received * s.f.image->model.flows.data[i].tiles;
    }
    assert_int_equal(sent, 4);
    assert_int_equal(received, 4 * 1215);
    assert_int_equal((sent + received) / 2, 2432); /* the guide, Steps */
    end(&s.f);
}

static void test_shared_programs_are_functions(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program body = pop_sequence(s.f.graph, "body"), all = pop_sequence(s.f.graph, "all");
    pop_sequence_add(body, pop_execute(s.near, NULL));
    pop_sequence_add(body, pop_execute(s.far, NULL));
    pop_function function = pop_graph_add_function(s.f.graph, pop_execute(s.near, NULL));
    pop_sequence_add(all, body);
    pop_sequence_add(all, pop_repeat(2, body, NULL));
    pop_sequence_add(all, pop_call(function, NULL));
    pop_sequence_add(all, pop_call(function, NULL));
    compiled(&s.f, all);
    is_tree(&s.f, "Sequence:all(Call@0 Repeat(Sequence(Call@0)) Call@1 Call@1) | "
                  "Sequence:body(OnTileExecute:near DoExchange:far/ExchangePre OnTileExecute:far) | "
                  "Sequence(OnTileExecute:near)");
    end(&s.f);
}

/* Equal programs that were written out twice become one function; not those with a Copy that must not be outlined. */
static void test_equal_programs_are_functions(void **state)
{
    (void)state;
    for (int dont_outline = 0; dont_outline < 2; ++dont_outline) {
        struct scene s;
        begin_scene(&s);
        pop_program all = pop_sequence(s.f.graph, "all");
        for (int i = 0; i < 2; ++i) {
            pop_program body = pop_sequence(s.f.graph, "body");
            pop_sequence_add(body, pop_execute(s.near, NULL));
            pop_sequence_add(body, pop_copy(s.a, s.b, dont_outline, "copy"));
            pop_sequence_add(all, pop_repeat(2 + (unsigned)i, body, NULL));
        }
        compiled(&s.f, all);
        if (dont_outline)
            is_tree(&s.f, "Sequence:all(Repeat(Sequence:body(OnTileExecute:near DoExchange:copy)) "
                          "Repeat(Sequence:body(OnTileExecute:near DoExchange:copy)))");
        else
            is_tree(&s.f, "Sequence:all(Repeat(Sequence(Call@0)) Repeat(Sequence(Call@0))) | "
                          "Sequence:body(OnTileExecute:near DoExchange:copy)");
        end(&s.f);
    }
}

static void test_stream_copies_merge(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_remote_buffer rows = pop_graph_add_remote_buffer(s.f.graph, "rows", POP_FLOAT, 10, 3, false, false);
    pop_program all = pop_sequence(s.f.graph, "all");
    pop_sequence_add(all, pop_copy_from_stream(s.in, s.a, false, "first"));
    pop_sequence_add(all, pop_copy_to_stream(s.b, s.out, false, "second"));
    pop_sequence_add(all, pop_execute(s.near, NULL));
    pop_sequence_add(all, pop_copy_from_stream(s.in, s.a, false, "third"));
    pop_sequence_add(all, pop_copy_to_stream(s.a, s.out, false, "fourth")); /* sends what the third receives */
    pop_sequence_add(all, pop_copy_to_remote(s.b, rows, (pop_tensor){ 0 }, "fifth"));
    compiled(&s.f, all);
    is_tree(&s.f, "Sequence:all(StreamCopy:first OnTileExecute:near StreamCopy:third StreamCopy:fourth!mixed)");
    ops_have(&s.f, 4);
    const struct model *model = &s.f.image->model;
    assert_int_equal(model->host_exchanges.count, 3);
    const struct model_flow *flow = &model->flows.data[model->host_exchanges.data[0].first_flow];
    assert_true(flow[0].tile == 0 && flow[0].received == 40 && !flow[0].sent && flow[1].tile == 1 &&
                flow[1].sent == 40);
    assert_true(flow[0].cycles == flow[1].cycles && flow[0].packets == 1);
    end(&s.f);
}

/* 200 MB on one IPU are two stream copies. */
static void test_large_stream_copies_split(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    enum { COUNT = 50 * 1000 * 1000 };
    pop_tensor large = pop_graph_add_variable(s.f.graph, POP_FLOAT, POP_SHAPE(COUNT), "large");
    for (unsigned tile = 0; tile < 1000; ++tile)
        pop_graph_set_tile_mapping(
            s.f.graph, pop_tensor_slice(large, tile * (COUNT / 1000), (tile + 1) * (COUNT / 1000), 0), tile);
    pop_stream in =
        pop_graph_add_host_to_device_fifo(s.f.graph, "large", POP_FLOAT, COUNT, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    compiled(&s.f, pop_copy_from_stream(in, large, false, "all of it"));
    is_tree(&s.f, "Sequence(StreamCopy:all of it StreamCopy:all of it)");
    ops_have(&s.f, 2);
    const struct model *model = &s.f.image->model;
    uint64_t bytes[2] = { 0 };
    for (unsigned e = 0; e < 2; ++e)
        for (uint64_t i = model->host_exchanges.data[e].first_flow;
             i < model->host_exchanges.data[e].first_flow + model->host_exchanges.data[e].flows; ++i)
            bytes[e] += model->flows.data[i].received * model->flows.data[i].tiles;
    assert_int_equal(bytes[0], 128 << 20);
    assert_int_equal(bytes[0] + bytes[1], 4 * COUNT);
    end(&s.f);
}

static void test_several_control_programs(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_program programs[] = { pop_execute(s.near, NULL), pop_copy_to_stream(s.b, s.out, false, "out") };
    assert_int_equal(compile_programs(&s.f, programs, 2), POP_OK);
    is_tree(&s.f, "Sequence(StreamCopy StreamCopy DoExchange:switchControlBroadcast0/ExchangePre "
                  "Switch(Sequence(OnTileExecute:near) "
                  "Sequence(StreamCopy:out)))");
    assert_int_equal(s.f.image->model.entry.count, 3);
    ops_have(&s.f, 2);
    end(&s.f);
}

/* In 2021 a run of a single program begins with the words from the host too, without a broadcast, if the host reads
 * tensors. */
static void test_entry_of_one_program(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    s.f.graph->store->target.poplibs_release = POP_POPLIBS_2021;
    compiled(&s.f, pop_execute(s.near, NULL));
    is_tree(&s.f, "Sequence(OnTileExecute:near)");
    pop_graph_create_host_read(s.f.graph, "a", s.a);
    compiled(&s.f, pop_execute(s.near, NULL));
    is_tree(&s.f, "Sequence(Sequence(StreamCopy StreamCopy) Sequence(OnTileExecute:near))");
    assert_int_equal(s.f.image->model.entry.count, 2);
    ops_have(&s.f, 1);
    end(&s.f);
}

/* A control program that another one runs too, or that is used twice, is a function. */
static void test_shared_control_programs(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_function function = pop_graph_add_function(s.f.graph, pop_execute(s.near, NULL));
    pop_program inner = pop_sequence(s.f.graph, "inner"), outer = pop_sequence(s.f.graph, "outer");
    pop_sequence_add(inner, pop_call(function, NULL));
    pop_sequence_add(outer, inner);
    pop_program programs[] = { inner, outer, inner };
    assert_int_equal(compile_programs(&s.f, programs, 3), POP_OK);
    is_tree(&s.f, "Sequence(StreamCopy StreamCopy DoExchange:switchControlBroadcast0/ExchangePre "
                  "Switch(Sequence(Call@1) Sequence:outer(Call@1) "
                  "Sequence(Call@1))) | Sequence(OnTileExecute:near) | Sequence:inner(Call@0)");
    ops_have(&s.f, 1);
    end(&s.f);
}

/* Hardware that counts cycles on one tile syncs before and after each set. */
static void test_syncs_of_instrumentation(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_option on[] = { { "debug.instrumentCompute", "true" }, { "debug.computeInstrumentationLevel", "device" } };
    assert_int_equal(options_apply(&s.f.options, "engine", (pop_options){ on, 2 }, NULL, POP_HERE, "test", &s.f.error),
                     POP_OK);
    compiled(&s.f, pop_execute(s.far, NULL));
    is_tree(&s.f, "Sequence(DoExchange:far/ExchangePre OnTileExecute:far)");
    s.f.graph->store->target.type = POP_TARGET_IPU;
    compiled(&s.f, pop_execute(s.far, NULL));
    is_tree(&s.f, "Sequence(DoExchange:far/ExchangePre Sync!internal OnTileExecute:far Sync!internal)");
    end(&s.f);
}

/* A device of type IPU that records branches sends the records to the host before each branch. */
static void test_syncs_of_branch_records(void **state)
{
    (void)state;
    static const char *const flush[] = { "true", "false" };
    for (int i = 0; i < 2; ++i) {
        struct scene s;
        begin_scene(&s);
        pop_option on[] = { { "debug.instrumentControlFlow", "true" }, { "debug.branchRecordFlush", flush[i] } };
        assert_int_equal(
            options_apply(&s.f.options, "engine", (pop_options){ on, 2 }, NULL, POP_HERE, "test", &s.f.error), POP_OK);
        pop_tensor flag = pop_graph_add_variable(s.f.graph, POP_BOOL, POP_SHAPE(), "flag");
        pop_graph_set_tile_mapping(s.f.graph, flag, 0);
        pop_program branch = pop_if(flag, pop_execute(s.far, NULL), pop_sequence(s.f.graph, NULL), NULL);
        for (int hardware = 0; hardware < 2; ++hardware) {
            s.f.graph->store->target.type = hardware ? POP_TARGET_IPU : POP_TARGET_IPU_MODEL;
            compiled(&s.f, branch);
            unsigned syncs = 0;
            for (size_t k = 0; k < s.f.image->model.steps.count; ++k)
                syncs += s.f.image->model.steps.data[k].kind == MODEL_SYNC &&
                         s.f.image->model.steps.data[k].detail == MODEL_SYNC_EXTERNAL;
            assert_int_equal(syncs, hardware && !i);
        }
        end(&s.f);
    }
}

static void test_without_a_model(void **state)
{
    (void)state;
    struct scene s;
    begin_scene(&s);
    pop_option off[] = { { "debug.model", "false" } };
    assert_int_equal(options_apply(&s.f.options, "engine", (pop_options){ off, 1 }, NULL, POP_HERE, "test", &s.f.error),
                     POP_OK);
    compiled(&s.f, pop_execute(s.far, NULL));
    assert_false(image_modelled(s.f.image));
    assert_int_equal(s.f.image->model.steps.count + s.f.image->model.sets.count + s.f.image->model.tiles.count, 0);
    assert_int_equal(s.f.image->model.graph_counts.data[3], 1);
    end(&s.f);
}

/* Between IPUs: a global exchange; its bytes are not in the internal one. */
static void test_several_ipus(void **state)
{
    (void)state;
    struct fixture f;
    memset(&f, 0, sizeof(f));
    pop_target target;
    assert_int_equal(pop_target_create_ipu(2, "ipu1", &target, &f.error), POP_OK);
    f.graph = pop_graph_create(&target);
    assert_true(store_add_module(f.graph->store, POP_HERE, "test", make_module()));
    pop_tensor a = variable(&f, 10, 0, "a"), b = variable(&f, 10, 1300, "b");
    compiled(&f, pop_copy(a, b, false, "far"));
    is_tree(&f, "Sequence(GlobalExchange:far/GlobalExchange)");
    const struct model *model = &f.image->model;
    assert_true(!model->exchanges.count && model->global_exchanges.count == 1 &&
                model->global_exchanges.data[0].flows == 2);
    assert_true(model->flows.data[0].sent == 40 && model->flows.data[1].received == 40 && model->flows.data[0].cycles);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executes_and_copies),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_shared_programs_are_functions),
        cmocka_unit_test(test_equal_programs_are_functions),
        cmocka_unit_test(test_stream_copies_merge),
        cmocka_unit_test(test_large_stream_copies_split),
        cmocka_unit_test(test_several_control_programs),
        cmocka_unit_test(test_entry_of_one_program),
        cmocka_unit_test(test_shared_control_programs),
        cmocka_unit_test(test_syncs_of_instrumentation),
        cmocka_unit_test(test_syncs_of_branch_records),
        cmocka_unit_test(test_without_a_model),
        cmocka_unit_test(test_several_ipus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
