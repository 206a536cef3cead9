/* SPDX-License-Identifier: Apache-2.0 */
/* Executing compute sets: serial, on threads and checked give the same bytes; gathers and scatters; consensus; failures
 * name the vertex. */
#include "builder.h"

#include <signal.h>
#include <sys/mman.h>

static pop_device *device;
static struct module *module;

/* Sum: out = sum(in), fails if refuse is set; Spoil: damages its fields as its state says; Rows: one output per row;
 * Multi: one per worker. */
static const char source[] =
    "struct vec { void *data; size_t size; };\n"
    "struct sum { struct vec in; int *out; int refuse; };\n"
    "bool run_sum(struct codelet_call *call)\n"
    "{\n"
    "    bool agrees = true;\n"
    "    EACH(struct sum, v) {\n"
    "        int sum = 0;\n"
    "        for (size_t i = 0; i < v->in.size; ++i)\n"
    "            sum += ((int *)v->in.data)[i];\n"
    "        *v->out = sum;\n"
    "        if (v->refuse == 2)\n"
    "            call->fail(call, \"assertion 'v->refuse != 2' failed\", \"codelets.c\", 12);\n"
    "        agrees &= !v->refuse;\n"
    "    }\n"
    "    return agrees;\n"
    "}\n"
    "static int deep(volatile char *from, long n) { volatile char here[256]; here[0] = *from; return n < 0 ? 0 : "
    "deep(here, n + 1) + here[0]; }\n"
    "struct spoil { struct vec in; struct vec out; long what, at; };\n"
    "bool run_spoil(struct codelet_call *call)\n"
    "{\n"
    "    EACH(struct spoil, v) {\n"
    "        char *in = v->in.data, *out = v->out.data;\n"
    "        volatile char seen;\n"
    "        if (v->what == 1) out[v->at] = 1;\n"
    "        if (v->what == 2) seen = out[v->at];\n"
    "        if (v->what == 3) in[v->at] ^= 1;\n"
    "        if (v->what == 4) *(volatile int *)v->at = 1;\n"
    "        if (v->what == 6) *out = 7 / (int)v->at;\n"
    "        if (v->what == 7) __builtin_trap();\n"
    "        if (v->what == 8) *out = deep(in, 1);\n"
    "        if (v->what == 9) seen = *(volatile char *)v->at;\n"
    "        if (v->what == 5) for (long i = 0; i < v->at; ++i) out[i] = 7;\n"
    "        (void)seen;\n"
    "    }\n"
    "    return true;\n"
    "}\n"
    "struct rows { struct vec in; struct vec out; struct vec *keep; };\n"
    "bool run_rows(struct codelet_call *call)\n"
    "{\n"
    "    EACH(struct rows, v)\n"
    "        for (size_t r = 0; r < v->in.size; ++r) {\n"
    "            struct vec row = ((struct vec *)v->in.data)[r];\n"
    "            int sum = 0;\n"
    "            for (size_t i = 0; i < row.size; ++i) sum += ((int *)row.data)[i];\n"
    "            *((int **)v->out.data)[r] = sum;\n"
    "        }\n"
    "    return true;\n"
    "}\n"
    "bool run_past(struct codelet_call *call)\n"
    "{\n"
    "    EACH(struct rows, v) *((int **)v->out.data)[0] = *(int *)((struct vec *)v->in.data)[v->in.size].data;\n"
    "    return true;\n"
    "}\n"
    "struct multi { struct vec out; };\n"
    "bool run_multi(struct codelet_call *call)\n"
    "{\n"
    "    EACH(struct multi, v)\n"
    "        for (unsigned w = 0; w < call->workers; ++w) ((int *)v->out.data)[w] += w + 1;\n"
    "    return true;\n"
    "}\n";

struct pair {
    uint64_t data, size;
};
struct sum_state {
    struct pair in;
    uint64_t out;
    int32_t refuse, padding;
};
struct spoil_state {
    struct pair in, out;
    int64_t what, at;
};

static void make_module(void)
{
    module = build_module(source);
    const struct codelet_field sum[] = { build_field("in", FIELD_INPUT, SHAPE_VECTOR, POP_INT, 0),
                                         build_field("out", FIELD_OUTPUT, SHAPE_SCALAR, POP_INT, 16),
                                         build_field("refuse", FIELD_STATE, SHAPE_SCALAR, POP_INT, 24) };
    build_codelet(module, "SumVertex", "run_sum", VERTEX_WORKER, sizeof(struct sum_state), sum, 3);
    const struct codelet_field spoil[] = { build_field("in", FIELD_INPUT, SHAPE_VECTOR, POP_CHAR, 0),
                                           build_field("out", FIELD_INOUT, SHAPE_VECTOR, POP_INT, 16),
                                           build_field("what", FIELD_STATE, SHAPE_SCALAR, POP_LONGLONG, 32),
                                           build_field("at", FIELD_STATE, SHAPE_SCALAR, POP_LONGLONG, 40) };
    build_codelet(module, "SpoilVertex", "run_spoil", VERTEX_WORKER, sizeof(struct spoil_state), spoil, 4);
    const struct codelet_field rows[] = { build_field("in", FIELD_INPUT, SHAPE_VECTORS, POP_INT, 0),
                                          build_field("out", FIELD_OUTPUT, SHAPE_SCALARS, POP_INT, 16),
                                          build_field("keep", FIELD_STATE, SHAPE_VECTOR, POP_INT, 32) };
    build_codelet(module, "RowsVertex", "run_rows", VERTEX_WORKER, 48, rows, 3);
    const struct codelet_field multi[] = { build_field("out", FIELD_INOUT, SHAPE_VECTOR, POP_INT, 0) };
    build_codelet(module, "MultiVertex", "run_multi", VERTEX_MULTI, 16, multi, 1);
    build_codelet(module, "PastVertex", "run_past", VERTEX_WORKER, 48, rows, 3);
}

static struct image *image_with_module(uint64_t storage)
{
    struct image *image = build_image(storage);
    *vec_push(&image->modules) = module_retain(module);
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        *vec_push(&image->codelets) = (struct image_codelet){ 0, i };
    return image;
}

/* Sizes of the edges of one more vertex. */
static void add_checked(struct image *image, uint32_t id, const uint64_t *bytes, size_t count)
{
    *vec_push(&image->vertex_ids) = id;
    *vec_push(&image->edge_first) = image->edge_bytes.count;
    memcpy(vec_extend(&image->edge_bytes, count), bytes, count * sizeof(*bytes));
}

/* count vertices that each sum WIDTH ints.  Those of the first half read contiguous data; those of the second one read
 * every second int, gathered for RUN of them at once, and write through a scatter.  Vertex `refuses` has refuse = how.
 */
enum { WIDTH = 5, RUN = 3 };
/* The vertex whose input vertex i reads. */
static uint32_t leader_of(uint32_t i, uint32_t count)
{
    uint32_t first = (count + 1) / 2;
    return i < first ? i : i - (i - first) % RUN;
}
static struct image *sums(uint32_t count, uint32_t refuses, int how)
{
    uint64_t input_bytes = (uint64_t)count * 2 * WIDTH * 4, out = (input_bytes + 63) / 64 * 64;
    struct image *image = image_with_module(out + count * 4);
    build_handle(image, "in", 0, input_bytes);
    build_handle(image, "out", out, count * 4);
    struct image_set set = { .name = build_string(image, "sums"),
                             .where_file = build_string(image, "user.c"),
                             .where_line = 7,
                             .groups = 2,
                             .vertices = count };
    uint32_t first = (count + 1) / 2;
    *vec_push(&image->groups) = (struct image_group){ 0, 0, first, 0, sizeof(struct sum_state) };
    *vec_push(&image->groups) =
        (struct image_group){ 0, first, count - first, first * sizeof(struct sum_state), sizeof(struct sum_state) };
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t leader = leader_of(i, count), last = leader + RUN <= count ? leader + RUN - 1 : count - 1;
        uint64_t in = (uint64_t)leader * 2 * WIDTH * 4;
        struct sum_state state = {
            { IMAGE_REF(BLOCK_STORAGE, in), WIDTH }, IMAGE_REF(BLOCK_STORAGE, out + 4 * i), i == refuses ? how : 0, 0
        };
        if (i >= first) {
            state.in.data = IMAGE_REF(BLOCK_SCRATCH, set.scratch_bytes - 128 * (i - leader));
            state.out = IMAGE_REF(BLOCK_SCRATCH, set.scratch_bytes + 64);
            if (i == leader)
                *vec_push(&image->gathers) = (struct image_gather){
                    i, last, build_strided(image, in, 8, 0, 4, WIDTH, 4) + 1, 0, set.scratch_bytes, WIDTH * 4
                };
            *vec_push(&image->gathers) =
                (struct image_gather){ i, last, 0, build_copy(image, 0, out + 4 * i, 4, 4) + 1, set.scratch_bytes + 64,
                                       4 };
            set.scratch_bytes += 128;
            set.gathers += i == leader ? 2 : 1;
        }
        memcpy(vec_extend(&image->states, sizeof(state)), &state, sizeof(state));
        add_checked(image, i + 100, (uint64_t[]){ WIDTH * 4, 4 }, 2);
    }
    image->scratch_bytes = set.scratch_bytes;
    *vec_push(&image->sets) = set;
    build_program(image);
    build_op(image, OP_EXECUTE, 0, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    return image;
}

static void run_sums(uint32_t count, pop_options options)
{
    pop_engine *engine = build_engine(sums(count, UINT32_MAX, 0), options, device);
    int32_t *in = mem_alloc((size_t)count * 2 * WIDTH * 4), *out = mem_alloc(count * 4);
    for (int round = 1; round <= 4; ++round) {
        for (uint32_t i = 0; i < count * 2 * WIDTH; ++i)
            in[i] = (int32_t)(i * 7 % 1000) * round;
        assert_int_equal(pop_engine_write_tensor(engine, "in", in, (size_t)count * 2 * WIDTH * 4, NULL), POP_OK);
        assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
        assert_int_equal(pop_engine_read_tensor(engine, "out", out, count * 4, NULL), POP_OK);
        for (uint32_t v = 0; v < count; ++v) {
            int32_t wanted = 0;
            for (uint32_t i = 0; i < WIDTH; ++i)
                wanted += in[leader_of(v, count) * 2 * WIDTH + i * (v >= (count + 1) / 2 ? 2 : 1)];
            assert_int_equal(out[v], wanted);
        }
    }
    free(in);
    free(out);
    pop_engine_destroy(engine);
}

static void sums_are_right_in_every_mode(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 1, 2, 3, 7, 1009, 20011 };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        run_sums(counts[i], POP_OPTIONS({ "target.hostThreads", "1" }));
        run_sums(counts[i], POP_OPTIONS({ "target.hostThreads", "3" }));
        if (counts[i] < 2000)
            run_sums(counts[i], POP_OPTIONS({ "debug.checkedExecution", "true" }));
    }
}

static void failures_name_the_lowest_vertex(void **state)
{
    (void)state;
    static const pop_option modes[][1] = { { { "target.hostThreads", "1" } },
                                           { { "target.hostThreads", "4" } },
                                           { { "debug.checkedExecution", "true" } } };
    for (unsigned m = 0; m < 3; ++m)
        for (unsigned where = 3; where < 20000; where += 9999) {
            struct image *image = sums(20011, where, 2);
            struct sum_state later; /* another one fails after it */
            memcpy(&later, image->states.data + 20005 * sizeof(later), sizeof(later));
            later.refuse = 2;
            memcpy(image->states.data + 20005 * sizeof(later), &later, sizeof(later));
            pop_engine *engine = build_engine(image, (pop_options){ modes[m], 1 }, device);
            char words[160];
            snprintf(words, sizeof(words),
                     "vertex %u (SumVertex) of compute set 'sums' (user.c:7) failed: assertion 'v->refuse != 2' failed "
                     "at codelets.c:12",
                     where + 100);
            assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, words);
            assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, words);
            pop_engine_destroy(engine);
        }
}

static void consensus_is_the_and_of_all(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 2; ++mode)
        for (uint32_t refuses = 0; refuses <= 10; ++refuses) {
            struct image *image = sums(10, refuses, 1);
            image->storage_bytes += 64;
            uint64_t at = image->storage_bytes - 16;
            build_handle(image, "consensus", at, 4);
            image->ops.data[0].b = build_copy(image, 0, at, 4, 4) + 1;
            pop_engine *engine =
                build_engine(image, POP_OPTIONS({ "debug.checkedExecution", mode ? "true" : "false" }), device);
            int32_t value = 99;
            assert_int_equal(pop_engine_write_tensor(engine, "consensus", &value, 4, NULL), POP_OK);
            assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
            assert_int_equal(pop_engine_read_tensor(engine, "consensus", &value, 4, NULL), POP_OK);
            assert_int_equal(value, refuses == 10);
            pop_engine_destroy(engine);
        }
}

/* One SpoilVertex with 5 chars in and `ints` ints out, at misaligned neighbours in storage. */
static pop_engine *spoiler_in(bool checked, int64_t what, int64_t at, uint64_t ints)
{
    struct image *image = image_with_module(256);
    build_handle(image, "all", 0, 256);
    struct spoil_state state = { { IMAGE_REF(BLOCK_STORAGE, 3), 5 }, { IMAGE_REF(BLOCK_STORAGE, 64), ints }, what, at };
    memcpy(vec_extend(&image->states, sizeof(state)), &state, sizeof(state));
    *vec_push(&image->groups) = (struct image_group){ 1, 0, 1, 0, sizeof(state) };
    *vec_push(&image->sets) = (struct image_set){ .name = build_string(image, "spoils"), .groups = 1, .vertices = 1 };
    add_checked(image, 3, (uint64_t[]){ 5, ints * 4 }, 2);
    build_program(image);
    build_op(image, OP_EXECUTE, 0, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    return build_engine(image, POP_OPTIONS({ "debug.checkedExecution", checked ? "true" : "false" }), device);
}

static pop_engine *spoiler(int64_t what, int64_t at, uint64_t ints)
{
    return spoiler_in(true, what, at, ints);
}

static void checked_mode_names_vertex_field_and_offset(void **state)
{
    (void)state;
    static const struct {
        int64_t what, at;
        uint64_t ints;
        const char *words;
    } rows[] = {
        { 1, 8, 2,
          "vertex 3 (SpoilVertex) wrote 1 byte beyond field 'out' (element 2 of 2) at byte 8, in compute set "
          "'spoils'" },
        { 1, 11, 2, "wrote 1 byte beyond field 'out' (element 2 of 2) at byte 11" },
        { 1, 0, 0, "wrote 1 byte beyond field 'out' (element 0 of 0) at byte 0" },
        { 1, -1, 2, "wrote 1 byte before field 'out' (element -1 of 2) at byte -1" },
        { 1, -5000, 2, "wrote 1 byte before field 'out' (element -1250 of 2) at byte -5000" },
        { 5, 12, 2, "wrote 4 bytes beyond field 'out' (element 2 of 2) at byte 8" },
        { 5, 100000, 2, "bytes beyond field 'out' (element 2 of 2) at byte 8" },
        { 2, 8, 2, "read beyond field 'out' (element 2 of 2) at byte 8" },
        { 5, 1000000, 2, "bytes beyond field 'out' (element 2 of 2) at byte 8" },
        { 1, -500000, 2, "wrote before field 'out' (element -125000 of 2) at byte -500000" },
        { 2, 500000, 2, "read beyond field 'out' (element 125000 of 2) at byte 500000" },
        { 2, -5000, 2, "read before field 'out' (element -1250 of 2) at byte -5000" },
        { 2, -1, 2, "read before field 'out' (element -1 of 2) at byte -1" },
        { 2, -300, 0, "read before field 'out' (element -75 of 0) at byte -300" },
        { 3, 4, 2, "wrote to input field 'in' (element 4 of 5) at byte 4" },
        { 3, 5, 2, "beyond field 'in' (element 5 of 5) at byte 5" }, /* read or written first: the compiler decides */
        { 4, 16, 2, "vertex 3 (SpoilVertex) wrote at address 0x10, outside its fields" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_engine *engine = spoiler(rows[i].what, rows[i].at, rows[i].ints);
        unsigned char before[256], after[256];
        for (unsigned b = 0; b < 256; ++b)
            before[b] = (unsigned char)(b * 3);
        assert_int_equal(pop_engine_write_tensor(engine, "all", before, 256, NULL), POP_OK);
        for (int again = 0; again < 2; ++again)
            assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, rows[i].words);
        assert_int_equal(pop_engine_read_tensor(engine, "all", after, 256, NULL), POP_OK);
        assert_memory_equal(before, after, 256); /* the variables are unchanged */
        pop_engine_destroy(engine);
    }
    pop_engine *engine = spoiler(1, 7, 2); /* the last byte belongs to the vertex */
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    unsigned char all[256];
    assert_int_equal(pop_engine_read_tensor(engine, "all", all, 256, NULL), POP_OK);
    assert_int_equal(all[64 + 7], 1);
    pop_engine_destroy(engine);
}

/* For every fault of a codelet, the run ends and the process continues. */
static void faults_end_the_run_in_every_mode(void **state)
{
    (void)state;
    static const struct {
        int64_t what, at;
        const char *words;
    } rows[] = {
#if defined(__x86_64__) /* elsewhere an integer divided by zero is zero */
        { 6, 0, "divided by zero" },
#endif
        { 7, 0, "reached a trap" },
        { 8, 0, "needed more stack than there is" },
        { 4, 16, "wrote at address 0x10, outside its fields" },
        { 9, 16, "read at address 0x10, outside its fields" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        for (int checked = 0; checked < 2; ++checked) {
            pop_engine *engine = spoiler_in(checked, rows[i].what, rows[i].at, 2);
            for (int again = 0; again < 3; ++again) {
                assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, rows[i].words);
                assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, "vertex 3 (SpoilVertex)");
            }
            pop_engine_destroy(engine);
        }
}

/* Vertices that all recurse without end, on the threads of a pool. */
static void faults_on_threads(void **state)
{
    (void)state;
    enum { VERTICES = 20000 };
    struct image *image = image_with_module(256);
    struct spoil_state one = { { IMAGE_REF(BLOCK_STORAGE, 3), 5 }, { IMAGE_REF(BLOCK_STORAGE, 64), 2 }, 8, 0 };
    for (int i = 0; i < VERTICES; ++i)
        memcpy(vec_extend(&image->states, sizeof(one)), &one, sizeof(one));
    *vec_push(&image->groups) = (struct image_group){ 1, 0, VERTICES, 0, sizeof(one) };
    *vec_push(&image->sets) =
        (struct image_set){ .name = build_string(image, "spoils"), .groups = 1, .vertices = VERTICES };
    build_program(image);
    build_op(image, OP_EXECUTE, 0, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    pop_engine *engine = build_engine(image, POP_OPTIONS({ "target.hostThreads", "4" }), device);
    for (int again = 0; again < 20; ++again)
        assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR,
                     "vertex 0 (SpoilVertex) of compute set 'spoils' failed: it needed more stack");
    pop_engine_destroy(engine);
}

static volatile sig_atomic_t seen_signals;

static void on_signal(int signal)
{
    (void)signal;
    ++seen_signals;
}

/* Signals that no codelet caused go to the program's own handler, installed before, during or after a run. */
static void signals_of_other_handlers_are_delivered(void **state)
{
    (void)state;
    struct sigaction mine = { .sa_handler = on_signal }, before, now;
    sigaction(SIGFPE, &mine, &before);
    seen_signals = 0;
    pop_engine *engine = spoiler_in(false, 6, 0, 2), *second = spoiler_in(true, 6, 1, 2);
    for (int i = 1; i < 4; ++i) {
        raise(SIGFPE);
        assert_int_equal(seen_signals, i);
#if defined(__x86_64__)
        assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, "it divided by zero");
#else
        assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
#endif
        assert_int_equal(pop_engine_run(second, 0, NULL), POP_OK);
    }
    pop_engine_destroy(engine);
    pop_engine_destroy(second);
    sigaction(SIGFPE, NULL, &now);
    assert_true(now.sa_handler == on_signal);
    engine = spoiler_in(false, 6, 0, 2);
    sigaction(SIGFPE, &mine, NULL); /* the handler installed later is kept */
    pop_engine_destroy(engine);
    sigaction(SIGFPE, &before, &now);
    assert_true(now.sa_handler == on_signal);
}

/* Holes of a few pages between writable ones, where the system would put small mappings: a codelet that writes beyond
 * its field's guard must not reach the pages behind. */
static void checked_mode_protects_neighbours(void **state)
{
    (void)state;
    enum { HOLES = 64, HOLE = 3 * 4096, STEP = HOLE + 64 * 4096 };
    unsigned char *area = mmap(NULL, (size_t)HOLES * STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    memset(area, 0x5a, (size_t)HOLES * STEP);
    for (int i = 0; i < HOLES; ++i)
        munmap(area + (size_t)i * STEP, HOLE);
    /* Holes elsewhere that the system would choose first are filled. */
    unsigned char *filler[4096];
    size_t fillers = 0;
    bool reached = false;
    while (fillers < 4096 && !reached) {
        unsigned char *at = mmap(NULL, HOLE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        reached = at >= area && at < area + (size_t)HOLES * STEP;
        if (reached)
            munmap(at, HOLE);
        else
            filler[fillers++] = at;
    }
    pop_engine *engine = spoiler(5, 200000, 2);
    assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, "bytes beyond field 'out'");
    pop_engine_destroy(engine);
    while (fillers)
        munmap(filler[--fillers], HOLE);
    for (int i = 0; i < HOLES; ++i)
        for (size_t at = HOLE; at < STEP; ++at)
            assert_int_equal(area[(size_t)i * STEP + at], 0x5a);
    for (int i = 0; i < HOLES; ++i)
        munmap(area + (size_t)i * STEP + HOLE, STEP - HOLE);
}

/* Three rows of 1, 0 and 4 ints and three scalar outputs, for a vertex of this codelet; a MultiVertex of 6 workers. */
enum { ROWS_VERTEX = 2, PAST_VERTEX = 4 };
static pop_engine *tables(bool checked, uint32_t codelet)
{
    struct image *image = image_with_module(256);
    build_handle(image, "in", 0, 20);
    build_handle(image, "out", 64, 12);
    build_handle(image, "workers", 128, 24);
    uint64_t words[] = {
        IMAGE_REF(BLOCK_STATE, 64),
        3,
        IMAGE_REF(BLOCK_STATE, 112),
        3,
        IMAGE_REF(BLOCK_STATE, 136),
        2, /* RowsVertex */
        IMAGE_REF(BLOCK_STORAGE, 128),
        6, /* MultiVertex */
        IMAGE_REF(BLOCK_STORAGE, 0),
        1,
        0,
        0,
        IMAGE_REF(BLOCK_STORAGE, 4),
        4, /* rows */
        IMAGE_REF(BLOCK_STORAGE, 64),
        IMAGE_REF(BLOCK_STORAGE, 68),
        IMAGE_REF(BLOCK_STORAGE, 72),
        5,
    };
    memcpy(vec_extend(&image->states, sizeof(words)), words, sizeof(words));
    *vec_push(&image->groups) = (struct image_group){ codelet, 0, 1, 0, 48 };
    *vec_push(&image->groups) = (struct image_group){ 3, 1, 1, 48, 16 };
    *vec_push(&image->sets) = (struct image_set){ .groups = 2, .vertices = 2 };
    add_checked(image, 0, (uint64_t[]){ 3, 4, 0, 16, 3, 4, 4, 4 }, 8);
    add_checked(image, 1, (uint64_t[]){ 24 }, 1);
    build_program(image);
    build_op(image, OP_EXECUTE, 0, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    return build_engine(image, POP_OPTIONS({ "debug.checkedExecution", checked ? "true" : "false" }), device);
}

static void checked_mode_names_the_table_that_ends(void **state)
{
    (void)state;
    pop_engine *engine = tables(true, PAST_VERTEX);
    for (int again = 0; again < 2; ++again) /* the table of the field `out` follows */
        assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR,
                     "vertex 0 (PastVertex) read beyond field 'in' (row 3 of 3) at byte 48, in compute set");
    pop_engine_destroy(engine);
}

static void tables_and_workers(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 2; ++mode) {
        pop_engine *engine = tables(mode, ROWS_VERTEX);
        int32_t in[5] = { 9, 1, 2, 3, 4 }, out[3], workers[6];
        for (int again = 1; again <= 2; ++again) {
            assert_int_equal(pop_engine_write_tensor(engine, "in", in, 20, NULL), POP_OK);
            assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
            assert_int_equal(pop_engine_read_tensor(engine, "out", out, 12, NULL), POP_OK);
            assert_int_equal(pop_engine_read_tensor(engine, "workers", workers, 24, NULL), POP_OK);
            assert_true(out[0] == 9 && out[1] == 0 && out[2] == 10);
            for (int w = 0; w < 6; ++w)
                assert_int_equal(workers[w], (w + 1) * again);
        }
        pop_engine_destroy(engine);
    }
}

static void missing_estimates_are_named_when_their_set_ran(void **state)
{
    (void)state;
    struct image *image = sums(2, UINT32_MAX, 0);
    *vec_push(&image->model.sets) = (struct model_set){ .missing_estimate = build_string(image, "SumVertex") };
    build_model(image, OP_EXECUTE, (struct model_step){ .kind = MODEL_EXECUTE });
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, device);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(engine, &cycles, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_fails(pop_engine_cycles(engine, &cycles, error), POP_MISSING_PERF_ESTIMATE, "'SumVertex'");
    pop_engine_destroy(engine);
}

static void checked_mode_needs_an_executable_compiled_for_it(void **state)
{
    (void)state;
    struct image *image = sums(2, UINT32_MAX, 0);
    image->vertex_ids.count = image->edge_first.count = image->edge_bytes.count = 0;
    pop_executable executable = { .image = image };
    pop_error error;
    assert_null(pop_engine_create_from(&executable, POP_OPTIONS({ "debug.checkedExecution", "true" }), &error));
    assert_int_equal(error.status, POP_INVALID_OPTION);
    image_release(image);
}

static int setup(void **state)
{
    (void)state;
    device = build_device();
    make_module();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pop_device_destroy(device);
    module_release(module);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_in_every_mode),
        cmocka_unit_test(failures_name_the_lowest_vertex),
        cmocka_unit_test(consensus_is_the_and_of_all),
        cmocka_unit_test(checked_mode_names_vertex_field_and_offset),
        cmocka_unit_test(checked_mode_protects_neighbours),
        cmocka_unit_test(checked_mode_names_the_table_that_ends),
        cmocka_unit_test(faults_end_the_run_in_every_mode),
        cmocka_unit_test(faults_on_threads),
        cmocka_unit_test(signals_of_other_handlers_are_delivered),
        cmocka_unit_test(tables_and_workers),
        cmocka_unit_test(missing_estimates_are_named_when_their_set_ran),
        cmocka_unit_test(checked_mode_needs_an_executable_compiled_for_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
