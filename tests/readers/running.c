/* SPDX-License-Identifier: Apache-2.0 */
/* Executables that are damaged behind a right checksum are loaded and run: what the reader's checks let pass does
 * nothing worse than compute something else.  Only files with the seed's machine code are run, since other code may do
 * anything; its codelet keeps to the sizes that its fields have. */
#include "readers.h"

#include "base/mix.h"
#include "image/image.h"
#include "popc/module/module.h"

#include <poplar/poplar.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { TILES = 4, ELEMENTS = 15, MILLISECONDS = 100, LARGEST = 1 << 28 };

static const char codelet[] =
    "#include <poplar/vertex.h>\n"
    "POP_VERTEX(Twice) { POP_INPUT(POP_VECTOR(float)) in; POP_OUTPUT(POP_VECTOR(float)) out; float by; };\n"
    "bool Twice_compute(Twice *v) { for (size_t i = 0; i < v->in.size && i < v->out.size; ++i)\n"
    "    v->out.data[i] = v->in.data[i] * v->by; return true; }\n"
    "POP_VERTEX(Rows) { POP_INPUT(POP_VECTORS(float)) in; POP_INOUT(unsigned) sum; };\n"
    "bool Rows_compute(Rows *v) { for (size_t r = 0; r < v->in.size; ++r) for (size_t i = 0; i < v->in.data[r].size; "
    "++i)\n    *v->sum += (unsigned)v->in.data[r].data[i]; return *v->sum % 2 == 0; }\n";

/* ---- the seeds ---- */

struct fixture {
    pop_graph *graph;
    pop_tensor a, b, count, flag;
    pop_program main;
};

static void add_sets(struct fixture *w, pop_program body)
{
    pop_graph *g = w->graph;
    pop_compute_set twice = pop_graph_add_compute_set(g, "twice"), rows = pop_graph_add_compute_set(g, "rows");
    for (unsigned tile = 0; tile < 3; ++tile) {
        pop_vertex vertex = pop_graph_add_vertex(g, twice, "Twice");
        pop_graph_connect(g, vertex, "in", pop_tensor_at(w->a, tile));
        pop_graph_connect(g, vertex, "out",
                          pop_tensor_reshape(pop_tensor_slice(w->b, tile, tile + 1, 1), POP_SHAPE(5))); /* scattered */
        pop_graph_set_field_double(g, vertex, "by", 0.5);
        pop_graph_map_vertex(g, vertex, tile);
    }
    pop_vertex vertex = pop_graph_add_vertex(g, rows, "Rows");
    pop_graph_connect(g, vertex, "in", w->b);
    pop_graph_connect(g, vertex, "sum", pop_tensor_at(w->count, 0));
    pop_graph_map_vertex(g, vertex, 1);
    pop_sequence_add(body, pop_execute(twice, "twice"));
    pop_sequence_add(body, pop_execute_consensus(rows, w->flag, "all"));
    pop_sequence_add(body, pop_copy(pop_tensor_dim_shuffle(w->b, POP_DIMS(1, 0)), w->a, false, "back"));
}

static void add_host(struct fixture *w, pop_program body)
{
    pop_graph *g = w->graph;
    pop_tensor flat = pop_tensor_reshape(w->a, POP_SHAPE(ELEMENTS));
    const pop_host_argument in = { POP_FLOAT, ELEMENTS }, out = { POP_FLOAT, ELEMENTS };
    pop_stream from = pop_graph_add_host_to_device_fifo(g, "from", POP_FLOAT, ELEMENTS, POP_STREAM_REPLICATE,
                                                        POP_NO_OPTIONS),
               to = pop_graph_add_device_to_host_fifo(g, "to", POP_FLOAT, ELEMENTS, POP_NO_OPTIONS);
    pop_remote_buffer remote = pop_graph_add_remote_buffer(g, "remote", POP_FLOAT, 5, 4, false, false);
    pop_host_function host = pop_graph_add_host_function(g, "host", &in, 1, &out, 1);
    pop_sequence_add(body, pop_copy_from_stream(from, flat, false, "from"));
    pop_sequence_add(body, pop_copy_to_remote(w->a, remote, pop_tensor_slice(w->count, 1, 4, 0), "store"));
    pop_sequence_add(body, pop_copy_from_remote(remote, w->a, pop_tensor_slice(w->count, 1, 4, 0), "fetch"));
    pop_sequence_add(body, pop_call_host(host, POP_TENSORS(flat), POP_TENSORS(flat), "host"));
    pop_sequence_add(body, pop_copy_to_stream(flat, to, false, "to"));
}

static void add_control(struct fixture *w, pop_program body)
{
    pop_graph *g = w->graph;
    pop_program inner = pop_sequence(g, "inner"), seeded = pop_sequence(g, "seeded");
    add_sets(w, inner);
    pop_function function = pop_graph_add_function(g, inner);
    pop_program choice = pop_switch(pop_tensor_at(w->count, 0), "choice");
    pop_switch_add(choice, 0, pop_call(function, "call"));
    pop_switch_add(choice, 5, pop_repeat(3, pop_call(function, "call"), "three"));
    pop_switch_default(choice, pop_print_tensor("a", w->a, "print"));
    pop_set_float_behaviour(g, seeded, (pop_float_behaviour){ .esr = true }, "round");
    pop_cycle_count(g, seeded, 0, POP_SYNC_INTERNAL, "cycles");
    pop_sequence_add(body, choice);
    pop_sequence_add(body, pop_if(w->flag, seeded, pop_call(function, "call"), "if"));
    pop_sequence_add(body, pop_repeat_while_false(pop_call(function, "condition"), w->flag, choice, "until"));
}

static void make(struct fixture *w, const pop_device *device, unsigned replicas)
{
    pop_graph *g = w->graph = replicas > 1 ? pop_graph_create_replicated(pop_device_target(device), replicas)
                                           : pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets_source(g, codelet, POP_FILE_C, "");
    w->a = pop_graph_add_variable_mapped(g, POP_FLOAT, POP_SHAPE(3, 5), POP_MAPPING_LINEAR, "a");
    w->b = pop_graph_add_variable_mapped(g, POP_FLOAT, POP_SHAPE(5, 3), POP_MAPPING_LINEAR, "b");
    w->count = pop_graph_add_variable_mapped(g, POP_UNSIGNED_INT, POP_SHAPE(4), POP_MAPPING_LINEAR, "count");
    w->flag = pop_graph_add_variable_mapped(g, POP_BOOL, POP_SHAPE(), POP_MAPPING_LINEAR, "flag");
    pop_graph_set_initial_value(g, w->count, POP_UNSIGNED_INT, (const unsigned[]){ 0, 2, 0, 3 });
    pop_graph_create_host_write(g, "a", w->a);
    pop_graph_create_host_read(g, "b", w->b);
    pop_program body = pop_sequence(g, "body");
    add_host(w, body);
    add_control(w, body);
    if (replicas > 1)
        pop_sequence_add(
            body, pop_cross_replica_copy(w->a, w->a, (const pop_replica_pair[]){ { 0, 1 }, { 1, 0 } }, 2, "cross"));
    w->main = pop_repeat(2, body, "main");
}

static pop_device *open_device(unsigned ipus)
{
    return pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = ipus, .tiles_per_ipu = TILES },
                                       NULL);
}

void running_seeds(const char *directory)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/running", directory);
    mkdir(path, 0755);
    for (unsigned replicas = 1; replicas <= 2; ++replicas) {
        struct fixture w;
        pop_executable *executable = NULL;
        pop_error error;
        pop_device *device = open_device(replicas);
        make(&w, device, replicas);
        snprintf(path, sizeof(path), "%s/running/%u", directory, replicas);
        if (pop_compile_graph(w.graph, (pop_programs){ 1, &w.main }, POP_NO_OPTIONS, NULL, NULL, &executable, &error) !=
                POP_OK ||
            pop_executable_save(executable, path, &error) != POP_OK) {
            fprintf(stderr, "seeds: running: %s\n", error.text);
            exit(1);
        }
        pop_executable_destroy(executable);
        pop_graph_destroy(w.graph);
        pop_device_destroy(device);
    }
}

/* ---- the runs ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pop_engine *watched; /* the engine that runs */
static unsigned long turn;

/* Ends runs that take long: damage makes endless loops. */
static void *watch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!watched)
            pthread_cond_wait(&changed, &lock);
        unsigned long begun = turn;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += MILLISECONDS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (watched && turn == begun && pthread_cond_timedwait(&changed, &lock, &until) == 0)
            continue;
        if (watched && turn == begun)
            pop_engine_stop(watched);
    }
    return NULL;
}

static void watch_engine(pop_engine *engine)
{
    static bool started;
    pthread_t thread;
    if (!started && pthread_create(&thread, NULL, watch, NULL) == 0)
        started = pthread_detach(thread) == 0;
    pthread_mutex_lock(&lock);
    watched = engine;
    ++turn;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static pop_status transfer(void *buffer, void *user)
{
    (void)buffer;
    (void)user;
    return POP_OK;
}
static pop_status call(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs;
    (void)outputs;
    (void)user;
    return POP_OK;
}

static void run(pop_engine *engine, const pop_device *device)
{
    pop_error error;
    pop_stream_callback callback = { .fetch = transfer };
    static FILE *nowhere;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    pop_engine_set_print_stream(engine, nowhere);
    if (pop_engine_load(engine, device, &error) == POP_OK) {
        (void)!pop_engine_connect_stream_callback(engine, "from", callback, &error);
        (void)!pop_engine_connect_stream_callback(engine, "to", callback, &error);
        (void)!pop_engine_connect_host_function(engine, "host", call, NULL, &error);
        watch_engine(engine);
        (void)!pop_engine_run(engine, 0, &error);
        watch_engine(NULL);
    }
}

static uint64_t code_of(const struct image *image)
{
    uint64_t hash = image->modules.count;
    for (size_t m = 0; m < image->modules.count; ++m)
        for (uint32_t i = 0; i < image->modules.data[m]->object_count; ++i) {
            const struct module_object *object = image->modules.data[m]->objects + i;
            for (size_t at = 0; at < object->size; ++at)
                hash = mix(hash ^ object->data[at]);
        }
    return hash;
}

/* Whether the seed's codelets run in it, and its size is one that this machine has. The first file of each kind is the
 * seed. */
static bool may_run(const uint8_t *data, size_t size, unsigned *ipus)
{
    static uint64_t codes[2];
    struct image *image;
    pop_error error;
    if (image_read("fuzz", data, size, &image, &error) != POP_OK)
        return false;
    uint64_t code = code_of(image), *known = codes + (image->target.num_ipus == 2);
    *known = *known ? *known : code;
    *ipus = image->target.num_ipus;
    bool may = code == *known && image->storage_bytes < LARGEST && image->scratch_bytes < LARGEST &&
               image->states.count < LARGEST;
    image_release(image);
    return may;
}

void read_running(const uint8_t *data, size_t size)
{
    static pop_device *devices[2];
    pop_executable *executable;
    pop_error error;
    unsigned ipus;
    if (!may_run(data, size, &ipus) || ipus < 1 || ipus > 2 ||
        pop_executable_from_memory(data, size, &executable, &error) != POP_OK)
        return;
    if (!devices[ipus - 1])
        devices[ipus - 1] = open_device(ipus);
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    pop_executable_destroy(executable);
    if (engine)
        run(engine, devices[ipus - 1]);
    pop_engine_destroy(engine);
}
