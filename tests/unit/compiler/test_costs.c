/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes moved and costs of steps do not depend on the order of creation: bytes are those of naive lists of elements. */
#include "fixture.h"
#include "graph/graph.h"
#include "graph/view/view.h"

#include "compiler/common/owners.h"
#include "compiler/common/runs.h"
#include "compiler/exchange/marks.h"
#include "rounds.h"
#include "target/cost.h"

enum { TILES = 8, ELEMENTS = 200, MAX_READS = 12 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

struct elements {
    uint32_t variable[4 * ELEMENTS];
    uint64_t offset[4 * ELEMENTS];
    size_t count;
};

static bool add_elements(const struct run *run, void *context)
{
    struct elements *list = context;
    for (uint64_t i = 0; i < run->count; ++i, ++list->count) {
        list->variable[list->count] = run->variable;
        list->offset[list->count] = run->offset + i;
    }
    return true;
}

static struct elements elements_of(pop_tensor t)
{
    struct elements list = { .count = 0 };
    tensor_each_run(t, add_elements, &list);
    return list;
}

/* Two variables in ranges on random tiles; owner[variable][element]. */
struct machine {
    pop_tensor variable[2];
    unsigned owner[2][ELEMENTS];
};

static void map_randomly(struct fixture *f, struct machine *m, uint32_t *seed)
{
    for (unsigned v = 0; v < 2; ++v) {
        m->variable[v] = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "v");
        unsigned max = next_random(seed) % 3 ? 30 : ELEMENTS;
        for (unsigned at = 0; at < ELEMENTS;) {
            unsigned count = 1 + next_random(seed) % max, tile = next_random(seed) % TILES;
            count = count < ELEMENTS - at ? count : ELEMENTS - at;
            pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(m->variable[v], at, at + count, 0), tile);
            for (; count--; ++at)
                m->owner[v][at] = tile;
        }
    }
}

/* The bytes of a tile in an exchange of elements: a tile receives each once, the owner sends each once. */
struct naive {
    bool received[TILES][2][ELEMENTS], local[TILES][2][ELEMENTS], sent[2][ELEMENTS];
    uint64_t in[TILES], out[TILES], copied[TILES];
};

static void naive_fetch(struct naive *n, const struct machine *m, unsigned tile, unsigned variable, uint64_t element)
{
    unsigned owner = m->owner[variable][element];
    if (owner == tile || n->received[tile][variable][element])
        return;
    n->received[tile][variable][element] = true;
    n->in[tile] += 4;
    n->out[owner] += n->sent[variable][element] ? 0 : 4;
    n->sent[variable][element] = true;
}

/* Elements that a tile owns come with the exchange if they are sent anyway, else the tile copies them. */
static void naive_settle(struct naive *n)
{
    for (unsigned t = 0; t < TILES; ++t)
        for (unsigned v = 0; v < 2; ++v)
            for (unsigned e = 0; e < ELEMENTS; ++e)
                if (n->local[t][v][e])
                    *(n->sent[v][e] ? &n->in[t] : &n->copied[t]) += 4;
}

/* The first exchange of the program is the naive one. */
static void moves_as(const struct fixture *f, const struct naive *n)
{
    const struct model *model = &f->image->model;
    uint64_t in[TILES] = { 0 }, out[TILES] = { 0 };
    for (size_t i = 0; model->exchanges.count && i < model->exchanges.data[0].flows; ++i) {
        const struct model_flow *flow = &model->flows.data[model->exchanges.data[0].first_flow + i];
        for (uint32_t t = flow->tile; t < flow->tile + flow->tiles; ++t) {
            assert_true(t < TILES && flow->cycles);
            in[t] = flow->received;
            out[t] = flow->sent;
        }
    }
    assert_memory_equal(in, n->in, sizeof(in));
    assert_memory_equal(out, n->out, sizeof(out));
}

/* A random view of at most 2 * ELEMENTS elements, sometimes with repetitions. */
static pop_tensor random_view(const struct machine *m, uint32_t *seed)
{
    pop_tensor t = m->variable[next_random(seed) % 2];
    size_t begin = next_random(seed) % ELEMENTS, end = begin + 1 + next_random(seed) % (ELEMENTS - begin);
    switch (next_random(seed) % 6) {
    case 0:
        return pop_tensor_slice(t, begin, end, 0);
    case 1:
        return pop_tensor_reverse(pop_tensor_slice(t, begin, end, 0), 0);
    case 2:
        return pop_tensor_sub_sample(t, 1 + (unsigned)(begin % 7), 0);
    case 3:
        return pop_tensor_flatten(pop_tensor_transpose(pop_tensor_reshape(t, POP_SHAPE(ELEMENTS / 20, 20))));
    case 4:
        return pop_tensor_broadcast(pop_tensor_slice(t, begin, begin + 1 + (end - begin - 1) / 4, 0),
                                    1 + (unsigned)(end % 3), 0);
    default:
        return pop_tensor_concat(
            POP_TENSORS(pop_tensor_slice(t, begin, end, 0), pop_tensor_slice(m->variable[0], begin / 2, begin, 0)), 0);
    }
}

static void test_reads_have_published_costs(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < rounds(60); ++round) {
        struct fixture f;
        struct machine m;
        struct naive naive = { 0 };
        uint32_t seed = round;
        begin(&f);
        map_randomly(&f, &m, &seed);
        pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
        unsigned vertices = 1 + next_random(&seed) % MAX_READS;
        for (unsigned i = 0; i < vertices; ++i) {
            unsigned tile = next_random(&seed) % TILES;
            pop_tensor in = random_view(&m, &seed), out = variable(&f, 1, tile, "out");
            in_out(&f, set, "Sum", tile, in, pop_tensor_at(out, 0));
            struct elements list = elements_of(in);
            bool remote = false;
            for (size_t e = 0; e < list.count; ++e) {
                remote |= m.owner[list.variable[e]][list.offset[e]] != tile;
                naive_fetch(&naive, &m, tile, list.variable[e], list.offset[e]);
            }
            for (size_t e = 0; remote && e < list.count; ++e)
                naive.local[tile][list.variable[e]][list.offset[e]] |=
                    m.owner[list.variable[e]][list.offset[e]] == tile;
        }
        naive_settle(&naive);
        compiled(&f, pop_execute(set, NULL));
        moves_as(&f, &naive);
        end(&f);
    }
}

/* A copy: sent once to any number of destinations, received in each of them; elements that stay on a tile are moved
 * there. */
static void test_copies_have_published_costs(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < rounds(60); ++round) {
        struct fixture f;
        struct machine m;
        struct naive naive = { 0 };
        bool moves = false;
        uint32_t seed = round + 1000;
        begin(&f);
        map_randomly(&f, &m, &seed);
        pop_tensor source = random_view(&m, &seed);
        pop_tensor destination =
            pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(pop_tensor_num_elements(source)), "to");
        struct elements list = elements_of(source);
        for (size_t e = 0; e < list.count; ++e) {
            unsigned tile =
                next_random(&seed) % 3 ? next_random(&seed) % TILES : m.owner[list.variable[e]][list.offset[e]];
            unsigned owner = m.owner[list.variable[e]][list.offset[e]];
            pop_graph_set_tile_mapping(f.graph, pop_tensor_at(destination, e), tile);
            moves |= tile == owner;
            if (tile == owner)
                continue;
            naive.in[tile] += 4;
            naive.out[owner] += naive.sent[list.variable[e]][list.offset[e]] ? 0 : 4;
            naive.sent[list.variable[e]][list.offset[e]] = true;
        }
        compiled(&f, pop_copy(source, destination, false, NULL));
        moves_as(&f, &naive);
        assert_int_equal(f.image->model.sets.count, moves);
        end(&f);
    }
}

/* count vertices (a multiple of TILES) and some of another type, created tile by tile or round robin: more than one
 * window holds. */
static void build_grid(struct fixture *f, bool by_tile, size_t count)
{
    begin(f);
    pop_tensor a = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(count, 3), "a");
    pop_tensor b = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(count), "b"), c = variable(f, count, 3, "c");
    for (size_t i = 0; i < count; ++i)
        pop_graph_set_tile_mapping(f->graph, pop_tensor_at(a, i), (unsigned)(i / 5 % TILES));
    pop_graph_set_tile_mapping(f->graph, b, 1);
    pop_compute_set set = pop_graph_add_compute_set(f->graph, "set");
    for (size_t k = 0; k < count; ++k) {
        size_t row = count / TILES, tile = by_tile ? k / row : k % TILES, i = by_tile ? k % row * TILES + tile : k;
        in_out(f, set, "Sum", (unsigned)tile, pop_tensor_at(a, i), pop_tensor_at(b, i));
        if (i % 3 == 0)
            pop_graph_connect(f->graph, vertex(f, set, "Scale", (unsigned)tile, 1 + i % 50), "data",
                              pop_tensor_slice(c, i, i + 1, 0));
    }
    compiled(f, pop_execute(set, NULL));
}

static void test_order_of_creation_does_not_matter(void **state)
{
    (void)state;
    enum { COUNT = TILES * 20011 };
    struct fixture ordered, around;
    build_grid(&ordered, true, COUNT);
    build_grid(&around, false, COUNT);
    assert_int_equal(ordered.image->states.count, around.image->states.count);
    assert_memory_equal(ordered.image->states.data, around.image->states.data, around.image->states.count);
    const struct model *a = &ordered.image->model, *b = &around.image->model;
    assert_true(a->exchanges.count == 2 && b->exchanges.count == 2 && a->parts.count == b->parts.count &&
                a->parts.count);
    assert_memory_equal(a->parts.data, b->parts.data, a->parts.count * sizeof(*a->parts.data));
    for (unsigned tile = 0; tile < TILES; ++tile)
        for (unsigned exchange = 0; exchange < 2; ++exchange) {
            struct tile_traffic there = traffic_of(&ordered, exchange, tile),
                                here = traffic_of(&around, exchange, tile);
            assert_true(there.sent == here.sent && there.received == here.received);
        }
    end(&ordered);
    end(&around);
}

/* Data that is not contiguous on its tile is copied before its vertex runs; outputs of that kind are copied back after.
 */
static void test_gathers_are_copies(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 400, 0, "a"), b = variable(&f, 400, 0, "b");
    pop_compute_set plain = pop_graph_add_compute_set(f.graph, "plain"),
                    strided = pop_graph_add_compute_set(f.graph, "strided");
    in_out(&f, plain, "Map", 0, pop_tensor_slice(a, 0, 200, 0), pop_tensor_slice(b, 0, 200, 0));
    in_out(&f, strided, "Map", 0, pop_tensor_sub_sample(a, 2, 0), pop_tensor_sub_sample(b, 2, 0));
    compiled(&f, pop_execute(plain, NULL));
    assert_int_equal(f.image->model.sets.count, 1);
    assert_int_equal(f.image->model.parts.data[0].cycles, 60);
    compiled(&f, pop_execute(strided, NULL));
    const struct model *model = &f.image->model;
    assert_int_equal(model->sets.count, 3);
    assert_string_equal(image_string(f.image, model->sets.data[1].name), "strided/OnTileCopyPre");
    assert_string_equal(image_string(f.image, model->sets.data[2].name), "strided/OnTileCopyPost");
    assert_int_equal(model->op_first.data[1], 3); /* before, itself, after */
    assert_int_equal(model->steps.data[model->op_steps.data[1]].index, 0);
    assert_int_equal(model->exchanges.count, 0);
    end(&f);
}

static void test_host_copies(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 10, 2, "a");
    pop_stream in =
        pop_graph_add_host_to_device_fifo(f.graph, "in", POP_FLOAT, 10, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    compiled(&f, pop_copy_from_stream(in, a, false, NULL));
    const struct model_flow *flow = &f.image->model.flows.data[f.image->model.host_exchanges.data[0].first_flow];
    assert_true(flow->tile == 2 && flow->tiles == 1 && flow->received == 40);
    assert_int_equal(flow->cycles, cost_host_exchange(&f.graph->store->target, 40, 1));
    end(&f);
}

/* A program without children that is used several times: one plan, and an op with its cost at each use. */
static void test_leaves_are_planned_once(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 100, 0, "a"), b = variable(&f, 50, 1, "b");
    pop_stream out = pop_graph_add_device_to_host_fifo(f.graph, "out", POP_FLOAT, 50, POP_NO_OPTIONS);
    pop_program copy = pop_copy(pop_tensor_sub_sample(a, 2, 0), b, false, NULL),
                stream = pop_copy_to_stream(b, out, false, NULL);
    pop_program print = pop_print_tensor(NULL, b, NULL), empty = pop_sequence(f.graph, NULL),
                all = pop_sequence(f.graph, NULL);
    for (unsigned i = 0; i < 100; ++i) {
        pop_sequence_add(all, copy);
        pop_sequence_add(all, stream);
        pop_sequence_add(all, empty);
        pop_sequence_add(all, print);
        pop_sequence_add(all, pop_repeat(2, copy, NULL));
    }
    compiled(&f, all);
    assert_int_equal(f.image->copies.count, 3);
    assert_int_equal(f.image->prints.count, 1);
    assert_int_equal(f.image->ops.count, 100 * 6 + 1);
    const struct model *model = &f.image->model;
    assert_int_equal(model->exchanges.count, 1);
    size_t copies = 0;
    for (size_t i = 0; i < f.image->ops.count; ++i)
        if (f.image->ops.data[i].kind == OP_COPY) {
            assert_int_equal(model->op_first.data[i + 1] - model->op_first.data[i], 1);
            const struct model_step *step = &model->steps.data[model->op_steps.data[model->op_first.data[i]]];
            assert_true(step->kind == MODEL_EXCHANGE && step->index == 0);
            ++copies;
        }
    assert_int_equal(copies, 200);
    end(&f);
}

static bool are_distinct(const struct piece *pieces, size_t count)
{
    struct piece_shapes shapes = { 0 };
    struct kept_piece kept[2];
    for (size_t i = 0; i < count; ++i)
        kept[i] = (struct kept_piece){ pieces[i].variable, (uint32_t)pieces[i].offset,
                                       piece_shapes_add(&shapes, &pieces[i]) };
    struct view view = { .piece_count = (uint32_t)count, .pieces = kept, .shapes = &shapes };
    bool distinct = view_distinct(&view);
    piece_shapes_free(&shapes);
    return distinct;
}

static void test_distinct_pieces(void **state)
{
    (void)state;
    static const struct digit plain[] = { { 7, 1 } }, matrix[] = { { 3, 1 }, { 5, -3 } },
                              repeat[] = { { 2, 0 }, { 4, 1 } };
    static const struct digit windows[] = { { 4, 2 }, { 3, 1 } }, doubled[] = { { 2, 1 }, { 2, 1 } };
    const struct {
        struct piece pieces[2];
        size_t count;
        bool distinct;
    } cases[] = {
        { { { .elements = 1 } }, 0, true },
        { { { .elements = 1, .offset = 3 } }, 1, true },
        { { { .elements = 7, .digits = 1, .digit = plain } }, 1, true },
        { { { .elements = 15, .offset = 12, .digits = 2, .digit = matrix } }, 1, true },
        { { { .elements = 8, .digits = 2, .digit = repeat } }, 1, false },
        { { { .elements = 12, .digits = 2, .digit = windows } }, 1, false },
        { { { .elements = 4, .digits = 2, .digit = doubled } }, 1, false },
        { { { .elements = 7, .digits = 1, .digit = plain },
            { .elements = 7, .offset = 7, .digits = 1, .digit = plain } },
          2,
          true },
        { { { .elements = 7, .digits = 1, .digit = plain },
            { .elements = 7, .offset = 6, .digits = 1, .digit = plain } },
          2,
          false },
        { { { .elements = 7, .digits = 1, .digit = plain },
            { .elements = 7, .variable = 1, .digits = 1, .digit = plain } },
          2,
          true },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
        assert_int_equal(are_distinct(cases[i].pieces, cases[i].count), cases[i].distinct);
}

/* More marks than are stored one by one. */
static void test_many_marks(void **state)
{
    (void)state;
    enum { COUNT = 200003 };
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 2 * COUNT, 0, "a"), b = variable(&f, 5, 0, "b");
    (void)a, (void)b;
    struct bitmaps bits;
    struct marks marks;
    bitmaps_init(&bits, 2);
    marks_init(&marks, &bits, f.graph->store);
    for (unsigned round = 0; round < 2; ++round) {
        for (uint64_t i = 0; i < COUNT; ++i)
            assert_int_equal(marks_set(&marks, (struct variable_part){ 0, 2 * i, 2 * i + 1 }), 1);
        assert_int_equal(marks_set(&marks, (struct variable_part){ 0, 0, 2 * COUNT }), COUNT);
        assert_int_equal(marks_set(&marks, (struct variable_part){ 1, 1, 5 }), 4);
        assert_true(marks_all(&marks, 0, 0, 2 * COUNT));
        marks_clear(&marks);
        assert_true(bitmaps_clean(&bits, 0, 2 * COUNT) && bitmaps_clean(&bits, 1, 5));
        assert_int_equal(marks_set(&marks, (struct variable_part){ 1, 0, 5 }), 5);
        marks_clear(&marks);
        assert_true(bitmaps_clean(&bits, 1, 5));
    }
    marks_free(&marks);
    bitmaps_free(&bits);
    end(&f);
}

/* Ranges of very different lengths: each element's owner, and where the range ends. */
static void test_owners(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t seed = 7;
    enum { COUNT = 100003 };
    pop_tensor a = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(COUNT), "a"), b = variable(&f, 9, 5, "b");
    unsigned *owner = mem_alloc(COUNT * sizeof(*owner));
    for (unsigned at = 0, before = 0; at < COUNT;) {
        unsigned count = at < COUNT / 2 ? COUNT / 2 : 1 + next_random(&seed) % 3,
                 tile = (before + 1 + next_random(&seed) % 7) % 8;
        count = count < COUNT - at ? count : COUNT - at;
        pop_graph_set_tile_mapping(f.graph, pop_tensor_slice(a, at, at + count, 0), tile);
        for (before = tile; count--; ++at)
            owner[at] = tile;
    }
    (void)b;
    uint8_t use[] = { VARIABLE_MAPPED, VARIABLE_MAPPED };
    const struct check_result check = { .variable_use = use };
    pop_store *store = f.graph->store;
    struct owners owners;
    tile_map_compact(&store->variables.data[0].map);
    tile_map_compact(&store->variables.data[1].map);
    owners_init(&owners, store, &check);
    for (uint64_t i = 0; i < COUNT; ++i) {
        uint64_t end_at;
        assert_int_equal(owners_find(&owners, 0, i, &end_at), owner[i]);
        assert_true(end_at > i && owner[end_at - 1] == owner[i] && (end_at == COUNT || owner[end_at] != owner[i]));
    }
    uint64_t end_at;
    assert_int_equal(owners.home[1], 5);
    assert_int_equal(owners_find(&owners, 1, 8, &end_at), 5);
    assert_true(end_at >= 9);
    owners_free(&owners);
    free(owner);
    end(&f);
}

/* An edge of two separate runs is gathered, however close they are; one of two adjacent runs is not. */
static void test_gathers_of_two_runs(void **state)
{
    (void)state;
    for (unsigned gap = 0; gap < 2; ++gap) {
        struct fixture f;
        begin(&f);
        pop_tensor a = variable(&f, 101, 0, "a"), b = variable(&f, 100, 0, "b");
        pop_tensor both = pop_tensor_concat(
            POP_TENSORS(pop_tensor_slice(a, 0, 50, 0), pop_tensor_slice(a, 50 + gap, 100 + gap, 0)), 0);
        pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
        in_out(&f, set, "Map", 0, both, b);
        compiled(&f, pop_execute(set, NULL));
        assert_int_equal(f.image->model.sets.count, 1 + gap);
        assert_int_equal(f.image->gathers.count, gap);
        end(&f);
    }
}

static uint64_t copy_work(unsigned first, unsigned second)
{
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 400, 0, "a"), b = variable(&f, 400, 0, "b");
    pop_tensor from =
        pop_tensor_concat(POP_TENSORS(pop_tensor_slice(a, 0, first, 0), pop_tensor_slice(a, 200, 200 + second, 0)), 0);
    pop_tensor to =
        pop_tensor_concat(POP_TENSORS(pop_tensor_slice(b, 0, first, 0), pop_tensor_slice(b, 200, 200 + second, 0)), 0);
    compiled(&f, pop_copy(from, to, false, NULL));
    uint64_t cycles = 0;
    for (size_t i = 0; i < f.image->model.parts.count; ++i)
        cycles += f.image->model.parts.data[i].active;
    end(&f);
    return cycles;
}

/* The cost of pieces of different lengths is the sum of their costs, in any order. */
static void test_copies_of_unequal_pieces(void **state)
{
    (void)state;
    assert_int_equal(copy_work(100, 8), copy_work(8, 100));
    assert_true(copy_work(100, 8) > copy_work(8, 8));
    assert_true(copy_work(100, 48) > copy_work(100, 8));
    assert_true(copy_work(148, 4) > copy_work(100, 4));
}

/* Code and cycles of all tiles for a copy from `from` to `to`, each in blocks of SIZE elements on tiles from `first`
 * on, which visits element (i, k) of COUNT x COUNT x 2 as (k, i). */
enum { COUNT = 12, SIZE = COUNT * 8 };
static uint64_t cost_of_copy(unsigned first, bool turned, bool twice)
{
    struct fixture f;
    uint64_t cost = 0;
    begin(&f);
    pop_tensor view[2];
    for (unsigned i = 0; i < 2; ++i) {
        view[i] = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(COUNT, COUNT, 2), i ? "to" : "from");
        for (size_t at = 0; at < COUNT * COUNT * 2; at += SIZE)
            pop_graph_set_tile_mapping(f.graph, pop_tensor_slice(pop_tensor_flatten(view[i]), at, at + SIZE, 0),
                                       (unsigned)(at / SIZE) + i * first);
        view[i] = turned ? pop_tensor_dim_shuffle(view[i], POP_DIMS(1, 0, 2)) : view[i];
        view[i] = pop_tensor_flatten(view[i]);
    }
    pop_tensor other = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(COUNT * COUNT * 2), "other");
    pop_graph_set_tile_mapping(f.graph, other, TILES - 1);
    compiled(&f, twice ? pop_copy(pop_tensor_concat(POP_TENSORS(view[0], view[0]), 0),
                                  pop_tensor_concat(POP_TENSORS(view[1], other), 0), false, NULL)
                       : pop_copy(view[0], view[1], false, NULL));
    const struct model *model = &f.image->model;
    for (size_t i = 0; i < model->parts.count; ++i)
        cost += model->parts.data[i].tiles * model->parts.data[i].cycles;
    for (size_t i = 0; i < model->flows.count; ++i)
        cost += model->flows.data[i].tiles * (model->flows.data[i].cycles + model->flows.data[i].code_bytes);
    end(&f);
    assert_true(cost);
    return cost;
}

/* Pieces that continue each other at both ends are one, whatever the order in which the views have them. */
static void test_order_of_elements_does_not_matter(void **state)
{
    (void)state;
    assert_int_equal(cost_of_copy(0, true, false), cost_of_copy(0, false, false));
    assert_int_equal(cost_of_copy(1, true, false), cost_of_copy(1, false, false));
    assert_true(cost_of_copy(0, true, true) > cost_of_copy(0, true, false));
}

/* Turns of the multiplexer in the exchange for a vertex that reads every other element of two tiles, one after the
 * other or in turn. */
static uint64_t turns_of_read(bool in_turn)
{
    enum { PIECES = 20 };
    struct fixture f;
    begin(&f);
    pop_tensor a = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(2, PIECES, 2), "a"),
               out = variable(&f, 1, 3, "out");
    for (unsigned tile = 0; tile < 2; ++tile)
        pop_graph_set_tile_mapping(f.graph, pop_tensor_at(a, tile), tile);
    pop_tensor in = pop_tensor_slice(a, 0, 1, 2);
    in = in_turn ? pop_tensor_dim_shuffle(in, POP_DIMS(1, 0, 2)) : in;
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Sum", 3, pop_tensor_flatten(in), pop_tensor_at(out, 0));
    compiled(&f, pop_execute(set, NULL));
    assert_int_equal(f.image->model.exchanges.count, 1);
    uint64_t bytes = f.image->model.exchanges.data[0].instructions[MODEL_RECEIVE_MUX_INSTRUCTION];
    end(&f);
    return bytes / 4;
}

/* A tile goes on receiving from one tile for consecutive addresses, though the elements are apart where they come from.
 */
static void test_pieces_of_one_sender_are_one_message(void **state)
{
    (void)state;
    assert_int_equal(turns_of_read(false), 3); /* to both, and back */
    assert_true(turns_of_read(true) >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_of_one_sender_are_one_message),
        cmocka_unit_test(test_order_of_elements_does_not_matter),
        cmocka_unit_test(test_gathers_of_two_runs),
        cmocka_unit_test(test_copies_of_unequal_pieces),
        cmocka_unit_test(test_reads_have_published_costs),
        cmocka_unit_test(test_copies_have_published_costs),
        cmocka_unit_test(test_order_of_creation_does_not_matter),
        cmocka_unit_test(test_gathers_are_copies),
        cmocka_unit_test(test_host_copies),
        cmocka_unit_test(test_leaves_are_planned_once),
        cmocka_unit_test(test_distinct_pieces),
        cmocka_unit_test(test_many_marks),
        cmocka_unit_test(test_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
