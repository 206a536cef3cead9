/* SPDX-License-Identifier: Apache-2.0 */
/* ranks MODE [RANK]: a program of four replicas, run by one process or by several under mpirun (tests/ranks/run).
 * Prints its results in hexadecimal, or its error.  Modes other than run have one rank (1, or RANK) do something else.
 */
#include <poplar/poplar.h>
#include <popops/codelets.h>
#include <popops/collectives.h>
#include <popops/element_wise.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPLICAS = 4, ELEMENTS = 1000 };

static const char *mode;
static int other_rank = 1;
static pop_engine *running;

static bool is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static int rank(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    return text ? atoi(text) : 0;
}

/* Whether this is the rank that does what the mode says. */
static bool does(const char *name)
{
    return is(name) && rank() == other_rank;
}

/* The ways to leave a program that others are in: MODE is one of them with where it happens, "exit-load". */
static void leave(const char *where)
{
    static const char *const ways[] = { "exit", "quit", "abort", "kill", "stop" };
    for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); ++way) {
        char name[32];
        snprintf(name, sizeof(name), "%s-%s", ways[way], where);
        if (!does(name))
            continue;
        if (way == 0)
            exit(EXIT_SUCCESS);
        if (way == 1)
            _exit(EXIT_SUCCESS);
        raise(way == 2 ? SIGABRT : way == 3 ? SIGKILL : SIGSTOP);
    }
}

static int failed(const pop_error *error)
{
    printf("rank %d: %s\n", rank(), error->text);
    fflush(stdout);
    return EXIT_FAILURE;
}

/* Stops the run, which never ends by itself. */
static void *stop_soon(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    pop_engine_stop(running);
    return NULL;
}

/* Input of a replica: numbers whose sum depends on the order of summation. */
static pop_status feed(void *data, void *user)
{
    static unsigned calls;
    unsigned replica = *(const unsigned *)user;
    float *values = data;
    for (unsigned i = 0; i < ELEMENTS; ++i)
        values[i] = 1.0f / (float)(1 + (i * 7919 + replica * 104729) % 1009) * (replica % 2 ? 1e3f : 1e-3f);
    if (++calls == 3)
        leave("run");
    if (calls == 3 && does("callback-fails"))
        return POP_RUNTIME_ERROR;
    if (calls == 2 && rank() == 1 && (is("end") || is("end-endless"))) {
        pthread_t thread;
        pthread_create(&thread, NULL, stop_soon, NULL);
        pthread_detach(thread);
    }
    return POP_OK;
}

struct fixture {
    pop_graph *graph;
    pop_tensor x, number;
    pop_program program, second;
};

static void build(struct fixture *w, const pop_device *device)
{
    pop_graph *g = w->graph = pop_graph_create_replicated(pop_device_target(device), does("replicas") ? 2 : REPLICAS);
    popops_add_codelets(g);
    pop_tensor x = w->x = pop_graph_add_variable_mapped(g, POP_FLOAT, POP_SHAPE(ELEMENTS), POP_MAPPING_LINEAR, "x"),
               scale = pop_graph_add_variable_mapped(g, POP_FLOAT, POP_SHAPE(ELEMENTS), POP_MAPPING_LINEAR, "scale"),
               next = pop_graph_clone(g, POP_TYPE_NULL, x, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "next");
    pop_tensor number = w->number = pop_graph_add_replication_index_constant(g, "number");
    pop_graph_set_tile_mapping(g, number, 0);
    pop_stream in = pop_graph_add_host_to_device_fifo(g, "in", POP_FLOAT, ELEMENTS, POP_STREAM_REPLICATE,
                                                      POP_NO_OPTIONS),
               same = pop_graph_add_host_to_device_fifo(g, "scale", POP_FLOAT, ELEMENTS, POP_STREAM_BROADCAST,
                                                        POP_NO_OPTIONS);
    pop_replica_pair round[REPLICAS];
    for (unsigned r = 0; r < REPLICAS; ++r)
        round[r] = (pop_replica_pair){ r, (r + 1) % REPLICAS };
    pop_program body = pop_sequence(g, "body");
    pop_sequence_add(body, pop_copy_from_stream(in, x, false, "in"));
    pop_sequence_add(body, pop_copy_from_stream(same, scale, false, "scale"));
    popops_mul_in_place(g, x, scale, body, "scaled");
    pop_sequence_add(body, pop_cross_replica_copy(x, next, round, REPLICAS, "round"));
    popops_add_in_place(g, x, next, body, "sum");
    if (is("diverge")) { /* only replica 3 copies again */
        pop_tensor three = pop_graph_add_constant_float(g, POP_UNSIGNED_INT, POP_SHAPE(), 3, "three");
        pop_graph_set_tile_mapping(g, three, 0);
        pop_sequence_add(body, pop_if(popops_eq(g, number, three, body, "last"),
                                      pop_cross_replica_copy(x, next, round, REPLICAS, "again"),
                                      pop_sequence(g, "none"), "choice"));
    }
    if (does("other"))
        popops_add_in_place(g, x, scale, body, "another");
    popops_replicated_all_reduce_in_place(g, x, POPOPS_ADD, body, "all", POP_NO_OPTIONS);
    if (is("end-endless")) { /* replica 0 loops for ever before its next synchronisation */
        pop_program condition = pop_sequence(g, "condition"), nothing = pop_sequence(g, "nothing");
        pop_tensor zero = pop_graph_add_constant_float(g, POP_UNSIGNED_INT, POP_SHAPE(), 0, "zero");
        pop_graph_set_tile_mapping(g, zero, 0);
        pop_sequence_add(
            body, pop_repeat_while_true(condition, popops_eq(g, number, zero, condition, "first"), nothing, "endless"));
    }
    w->second = pop_cross_replica_copy(x, next, round, REPLICAS, "alone");
    w->program = pop_repeat(is("end") ? 1000000000 : 3, body, "loop");
    pop_graph_create_host_read(g, "x", x);
    pop_graph_create_host_write(g, "write", x);
    pop_graph_create_host_read(g, "number", number);
}

static int run(pop_engine *engine, const pop_device *device, pop_error *error)
{
    static float got[REPLICAS * ELEMENTS], scale[ELEMENTS];
    static unsigned replicas[REPLICAS], numbers[REPLICAS];
    for (unsigned i = 0; i < ELEMENTS; ++i)
        scale[i] = (float)i / 77;
    running = engine;
    leave("load");
    if (pop_engine_load(engine, device, error) != POP_OK)
        return failed(error);
    for (unsigned r = 0; r < REPLICAS; ++r) {
        replicas[r] = r;
        if (is("unconnected") && rank() == 1 && r == 3)
            continue;
        if (pop_engine_connect_stream_callback_of(
                engine, "in", r, (pop_stream_callback){ .fetch = feed, .user = &replicas[r] }, error) != POP_OK)
            return failed(error);
    }
    if (pop_engine_connect_stream(engine, "scale", scale, error) != POP_OK ||
        pop_engine_write_tensor(engine, "write", got, sizeof(got), error) != POP_OK)
        return failed(error);
    leave("start");
    if (does("runs-less"))
        return EXIT_SUCCESS;
    if (pop_engine_run(engine, does("program"), error) != POP_OK ||
        (does("runs-more") && pop_engine_run(engine, 0, error) != POP_OK) ||
        pop_engine_read_tensor(engine, "x", got, sizeof(got), error) != POP_OK ||
        pop_engine_read_tensor(engine, "number", numbers, sizeof(numbers), error) != POP_OK)
        return failed(error);
    if (is("end") || is("end-endless")) {
        printf("rank %d: stopped\n", rank());
    } else if (rank() == 0) {
        printf("%u %u %u %u\n", numbers[0], numbers[1], numbers[2], numbers[3]);
        for (size_t i = 0; i < REPLICAS * ELEMENTS; ++i) {
            unsigned bits;
            memcpy(&bits, &got[i], sizeof(bits));
            printf("%08x\n", bits);
        }
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "run";
    other_rank = argc > 2 ? atoi(argv[2]) : 1;
    pop_error error = { 0 };
    pop_ipu_model model = { .version = "ipu2", .num_ipus = REPLICAS, .tiles_per_ipu = 8 };
    pop_device *device = pop_ipu_model_create_device(&model, &error);
    model.tiles_per_ipu = 4;
    pop_device *wrong = pop_ipu_model_create_device(&model, &error);
    if (!device || !wrong)
        return failed(&error);
    struct fixture w;
    build(&w, device);
    pop_engine *first = NULL,
               *engine = pop_engine_create(w.graph, POP_PROGRAMS(w.program, w.second), POP_NO_OPTIONS, &error);
    if (engine && does("engines")) { /* loads another one of the same program before it */
        first = pop_engine_create(w.graph, POP_PROGRAMS(w.program, w.second), POP_NO_OPTIONS, &error);
        if (!first || pop_engine_load(first, device, &error) != POP_OK)
            return failed(&error);
    }
    int result = engine ? run(engine, does("unloadable") ? wrong : device, &error) : failed(&error);
    leave("end");
    pop_engine_destroy(first);
    pop_engine_destroy(engine);
    pop_graph_destroy(w.graph);
    pop_device_destroy(device);
    pop_device_destroy(wrong);
    return result;
}
