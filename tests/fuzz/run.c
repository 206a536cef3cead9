/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a seed's world for the CPU and a modelled IPU, runs it in several ways, and compares.
 *
 *     tremula-fuzz [-v] [-o NAME,NAME...] [-d cpu|model|both] [-t SECONDS] FIRST [COUNT]
 *
 * -v prints each operation, -o selects generators (table.c), -t limits a seed (60).  Each seed runs in its own process,
 * so that a crash or a hang is one line of the result, and its memory is released. */
#include "fuzz.h"

#include <poplin/codelets.h>
#include <poplin/planning.h>
#include <popnn/codelets.h>
#include <popops/codelets.h>
#include <poprand/codelets.h>
#include <popsparse/codelets.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool verbose;
static const char *only, *devices = "both";
static unsigned limit = 60;

struct contents {
    double **values; /* of each snapshot or base */
    void **bytes;
    size_t count;
};

static bool chosen(const char *name)
{
    if (!only)
        return true;
    size_t length = strlen(name);
    for (const char *at = only; (at = strstr(at, name)); at += length)
        if ((at == only || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static void build(struct world *w, uint64_t seed, const pop_target *target, unsigned tiles, bool cpu, bool watched)
{
    memset(w, 0, sizeof(*w));
    w->seed = w->random = seed * 1000003;
    w->tiles = tiles;
    w->cpu = cpu;
    w->watched = watched;
    w->verbose = verbose && watched;
    w->graph = pop_graph_create(target);
    w->cache = poplin_planning_cache_create();
    w->program = pop_sequence(w->graph, "main");
    popops_add_codelets(w->graph);
    poplin_add_codelets(w->graph);
    popnn_add_codelets(w->graph);
    poprand_add_codelets(w->graph);
    popsparse_add_codelets(w->graph);
    unsigned total = 0;
    for (size_t i = 0; i < num_generators; ++i)
        total += chosen(generators[i].name) ? generators[i].weight : 0;
    if (!total) {
        fprintf(stderr, "no such operation\n");
        exit(2);
    }
    for (size_t n = chance(w, 20) ? 1 : between(w, 2, 10);
         n-- > 0 && !w->failure[0] && w->num_snapshots < MAX_SNAPSHOTS / 2;) {
        unsigned at = (unsigned)below(w, total);
        for (size_t i = 0; i < num_generators; ++i) {
            if (!chosen(generators[i].name))
                continue;
            if (at < generators[i].weight) {
                if (w->verbose)
                    printf("  (%s)\n", generators[i].name), fflush(stdout);
                w->extremes = generators[i].extremes;
                generators[i].make(w);
                break;
            }
            at -= generators[i].weight;
        }
        const pop_error *error = pop_graph_error(w->graph);
        if (error && !w->failure[0])
            snprintf(w->failure, sizeof(w->failure), "error while building: %s: %s\n  %s", error->api, error->text,
                     w->num_ops ? w->ops[w->num_ops - 1].text : "");
    }
}

static void add_handles(struct world *w, uint64_t seed)
{
    char handle[32];
    for (size_t i = 0; i < w->num_bases; ++i) {
        if (w->bases[i].written && w->bases[i].count) {
            snprintf(handle, sizeof(handle), "w%zu", i);
            pop_graph_create_host_write(w->graph, handle, w->bases[i].tensor);
        }
        if (w->bases[i].count && (w->watched || (seed * 31 + i) % 3 == 0)) {
            snprintf(handle, sizeof(handle), "b%zu", i);
            pop_graph_create_host_read(w->graph, handle, w->bases[i].tensor);
        }
    }
    for (size_t i = 0; i < w->num_snapshots; ++i)
        if (pop_tensor_valid(w->snapshots[i].tensor)) {
            snprintf(handle, sizeof(handle), "s%zu", i);
            pop_graph_create_host_read(w->graph, handle, w->snapshots[i].tensor);
        }
}
static bool fail(struct world *w, const char *what, const pop_error *error)
{
    if (!w->failure[0])
        snprintf(w->failure, sizeof(w->failure), "%s: %s: %s", what, error->api, error->text);
    return false;
}
static bool write_all(struct world *w, pop_engine *engine)
{
    char handle[32];
    pop_error error;
    for (size_t i = 0; i < w->num_bases; ++i) {
        const struct base *b = &w->bases[i];
        if (!b->written || !b->count)
            continue;
        void *data = malloc(b->count * 8);
        pop_convert(POP_DOUBLE, b->written, b->type, data, b->count);
        snprintf(handle, sizeof(handle), "w%zu", i);
        pop_status status = pop_engine_write_tensor(engine, handle, data, POP_WHOLE, &error);
        free(data);
        if (status != POP_OK)
            return fail(w, "write", &error);
    }
    return true;
}
static bool read_one(struct world *w, pop_engine *engine, char kind, size_t i, pop_type type, size_t count,
                     double **values, void **bytes)
{
    char handle[32];
    pop_error error;
    snprintf(handle, sizeof(handle), "%c%zu", kind, i);
    *bytes = calloc(count, 8);
    *values = malloc(count * sizeof(double));
    if (pop_engine_read_tensor(engine, handle, *bytes, POP_WHOLE, &error) != POP_OK)
        return fail(w, "read", &error);
    pop_convert(type, *bytes, POP_DOUBLE, *values, count);
    return true;
}
/* Bases with handles; bytes NULL for others. */
static struct contents read_bases(struct world *w, uint64_t seed, pop_engine *engine)
{
    struct contents c = { .count = w->num_bases };
    c.values = calloc(w->num_bases + 1, sizeof(*c.values));
    c.bytes = calloc(w->num_bases + 1, sizeof(*c.bytes));
    for (size_t i = 0; i < w->num_bases; ++i)
        if (w->bases[i].count && (w->watched || (seed * 31 + i) % 3 == 0) &&
            !read_one(w, engine, 'b', i, w->bases[i].type, w->bases[i].count, &c.values[i], &c.bytes[i]))
            break;
    return c;
}
static struct contents read_snapshots(struct world *w, pop_engine *engine)
{
    struct contents c = { .count = w->num_snapshots };
    c.values = calloc(w->num_snapshots + 1, sizeof(*c.values));
    c.bytes = calloc(w->num_snapshots + 1, sizeof(*c.bytes));
    for (size_t i = 0; i < w->num_snapshots; ++i) {
        const struct base *b = &w->bases[w->snapshots[i].base];
        if (!b->count)
            c.values[i] = malloc(1);
        else if (!read_one(w, engine, 's', i, b->type, b->count, &c.values[i], &c.bytes[i]))
            break;
    }
    return c;
}
/* The same bits, but NaN of any kind. */
static bool compare(struct world *w, const char *what, const struct contents *a, const struct contents *b)
{
    for (size_t i = 0; i < a->count && i < b->count; ++i) {
        if (!a->bytes[i] || !b->bytes[i] || w->bases[i].wild)
            continue;
        for (size_t k = 0; k < w->bases[i].count; ++k) {
            double x = a->values[i][k], y = b->values[i][k];
            if (x == y || (isnan(x) && isnan(y)))
                continue;
            snprintf(w->failure, sizeof(w->failure), "%s: base %zu element %zu of %zu: %.9g and %.9g", what, i, k,
                     w->bases[i].count, x, y);
            for (size_t o = 0; o < w->num_ops; ++o)
                for (size_t j = 0; j < w->ops[o].outs; ++j)
                    if (w->ops[o].out[j].view.base == (int)i)
                        snprintf(w->failure + strlen(w->failure), sizeof(w->failure) - strlen(w->failure), "\n  of %s",
                                 w->ops[o].text);
            return false;
        }
    }
    return true;
}

static void check_output(struct world *w, const struct operation *op, size_t k, const struct expected *e,
                         double *const *snapshots)
{
    const struct written *o = &op->out[k];
    const struct base *b = &w->bases[o->view.base];
    const double *after = snapshots[o->after];
    double largest = b->type == POP_HALF ? 65504 : b->type == POP_FLOAT ? 3.4e38 : INFINITY;
    char *touched = calloc(b->count + 1, 1);
    for (size_t i = 0; i < e->count; ++i) {
        double got = after[o->view.index[i]], want = e->value[i],
               tolerance = e->relative * e->magnitude[i] + e->absolute;
        touched[o->view.index[i]] = 1;
        if (isinf(e->magnitude[i]))
            continue; /* any value */
        if (got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= tolerance)
            continue;
        if (fabs(want) + tolerance > largest && fabs(got) >= 0.99 * largest && got * want > 0)
            continue;
        snprintf(w->failure, sizeof(w->failure),
                 "op %td output %zu element %zu of %zu: %.9g where %.9g is right, to %.3g\n  %s", op - w->ops, k, i,
                 e->count, got, want, tolerance, op->text);
        break;
    }
    for (size_t i = 0; i < b->count && o->before >= 0 && !w->failure[0]; ++i)
        if (!touched[i] && snapshots[o->before][i] != after[i] && !(isnan(snapshots[o->before][i]) && isnan(after[i])))
            snprintf(w->failure, sizeof(w->failure),
                     "op %td: element %zu of base %d, which it does not write, was %.9g and is %.9g\n  %s", op - w->ops,
                     i, o->view.base, snapshots[o->before][i], after[i], op->text);
    free(touched);
}
static bool check_references(struct world *w, const struct contents *snapshots, const struct contents *bases)
{
    for (size_t i = 0; i < w->num_ops && !w->failure[0]; ++i) {
        struct expected out[MAX_OUT];
        evaluate(&w->ops[i], snapshots->values, out);
        for (size_t k = 0; k < w->ops[i].outs && !w->failure[0]; ++k)
            check_output(w, &w->ops[i], k, &out[k], snapshots->values);
    }
    /* No operation wrote to other elements. */
    for (size_t i = 0; i < w->num_bases && !w->failure[0]; ++i)
        for (size_t k = 0; k < w->bases[i].count; ++k) {
            double x = snapshots->values[w->bases[i].snapshot][k], y = bases->values[i][k];
            if (x != y && !(isnan(x) && isnan(y))) {
                snprintf(w->failure, sizeof(w->failure),
                         "base %zu element %zu was %.9g when it was last written and is %.9g at the end", i, k, x, y);
                break;
            }
        }
    return !w->failure[0];
}

struct threaded {
    struct world *w;
    pop_engine *engine;
    pop_error error;
    pop_status status;
};
static void *run_thread(void *user)
{
    struct threaded *t = user;
    t->status = pop_engine_run(t->engine, 0, &t->error);
    return NULL;
}
static pop_engine *engine_of(struct world *w, pop_executable *executable, const pop_device *device)
{
    pop_error error;
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    if (!engine || pop_engine_load(engine, device, &error) != POP_OK) {
        fail(w, "engine", &error);
        return NULL;
    }
    return write_all(w, engine) ? engine : NULL;
}
/* Two engines of one executable at once, one of which uses a copy that was saved to memory and loaded; then one of them
 * again. */
static bool run_twice(struct world *w, uint64_t seed, pop_executable *executable, const pop_device *device,
                      const struct contents *once)
{
    void *data;
    size_t size;
    pop_error error;
    pop_executable *copy = NULL;
    if (pop_executable_to_memory(executable, &data, &size, &error) != POP_OK ||
        pop_executable_from_memory(data, size, &copy, &error) != POP_OK)
        return fail(w, "executable in memory", &error);
    free(data);
    struct threaded t[2] = { { .w = w, .engine = engine_of(w, executable, device) },
                             { .w = w, .engine = engine_of(w, copy, device) } };
    if (w->failure[0])
        return false;
    pthread_t thread[2];
    for (int i = 0; i < 2; ++i)
        pthread_create(&thread[i], NULL, run_thread, &t[i]);
    for (int i = 0; i < 2; ++i)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; ++i) {
        if (t[i].status != POP_OK)
            return fail(w, "run in a thread", &t[i].error);
        struct contents now = read_bases(w, seed, t[i].engine);
        if (w->failure[0] || !compare(w, i ? "loaded executable" : "second engine", once, &now))
            return false;
    }
    if (!write_all(w, t[1].engine))
        return false;
    if (pop_engine_run(t[1].engine, 0, &error) != POP_OK)
        return fail(w, "second run", &error);
    struct contents again = read_bases(w, seed, t[1].engine);
    pop_engine_destroy(t[0].engine);
    pop_engine_destroy(t[1].engine);
    pop_executable_destroy(copy);
    bool random = false; /* numbers without a seed continue from run to run */
    for (size_t i = 0; i < w->num_ops; ++i)
        random = random || strstr(w->ops[i].text, "unseeded");
    return random || compare(w, "second run", once, &again);
}
static bool run(struct world *w, uint64_t seed, const pop_device *device, bool twice, struct contents *bases)
{
    pop_error error;
    uint64_t dice = seed * 7919;
    pop_option list[4];
    size_t options = 0;
    if (dice % 3 == 0)
        list[options++] = (pop_option){ "debug.checkedExecution", "true" };
    if (dice % 5 == 0)
        list[options++] = (pop_option){ "debug.instrument", "true" };
    if (dice % 3 != 1) /* results are the same with any number of threads */
        list[options++] = (pop_option){ "target.hostThreads", w->watched ? "1" : "3" };
    list[options++] = (pop_option){ "debug.allowOutOfMemory", "true" };
    pop_executable *executable;
    add_handles(w, seed);
    if (pop_compile_graph(w->graph, POP_PROGRAMS(w->program), ((pop_options){ list, options }), NULL, NULL, &executable,
                          &error) != POP_OK)
        return fail(w, "compile", &error);
    pop_engine *engine = pop_engine_create_from(executable, ((pop_options){ list, options }), &error);
    if (!engine || pop_engine_load(engine, device, &error) != POP_OK)
        return fail(w, "engine", &error);
    if (!write_all(w, engine))
        return false;
    if (pop_engine_run(engine, 0, &error) != POP_OK)
        return fail(w, "run", &error);
    *bases = read_bases(w, seed, engine);
    if (w->failure[0])
        return false;
    if (w->watched) {
        struct contents snapshots = read_snapshots(w, engine);
        if (w->failure[0] || !check_references(w, &snapshots, bases))
            return false;
    }
    pop_cycles cycles;
    if (!w->cpu && pop_engine_cycles(engine, &cycles, &error) != POP_OK)
        return fail(w, "cycles", &error);
    pop_engine_destroy(engine);
    bool good = !twice || run_twice(w, seed, executable, device, bases);
    pop_executable_destroy(executable);
    if (good && twice) { /* the same graph again */
        engine = pop_engine_create(w->graph, POP_PROGRAMS(w->program), POP_NO_OPTIONS, &error);
        if (!engine || pop_engine_load(engine, device, &error) != POP_OK)
            return fail(w, "second engine of the graph", &error);
        if (!write_all(w, engine))
            return false;
        if (pop_engine_run(engine, 0, &error) != POP_OK)
            return fail(w, "run of the second engine of the graph", &error);
        struct contents now = read_bases(w, seed, engine);
        good = !w->failure[0] && compare(w, "second engine of the graph", bases, &now);
        char *text;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        if (!w->cpu && pop_engine_print_profile_summary(engine, file, POP_NO_OPTIONS, &error) != POP_OK)
            good = fail(w, "summary", &error);
        fclose(file);
        free(text);
        pop_engine_destroy(engine);
    }
    return good;
}
static bool on_device(uint64_t seed, const pop_device *device, unsigned tiles, bool cpu, const char *name)
{
    struct world *watched = malloc(sizeof(*watched)), *alone = malloc(sizeof(*alone));
    struct contents bases, others;
    build(watched, seed, pop_device_target(device), tiles, cpu, true);
    struct world *bad = watched;
    bool good = !watched->failure[0] && run(watched, seed, device, seed % 4 == 1, &bases);
    if (good) { /* the same without snapshots: variables share memory */
        bad = alone;
        build(alone, seed, pop_device_target(device), tiles, cpu, false);
        good = !alone->failure[0] && run(alone, seed, device, seed % 4 == 2, &others) &&
               compare(alone, "without snapshots", &bases, &others);
        pop_graph_destroy(alone->graph);
    }
    if (!good)
        printf("seed %llu on %s: %s\n", (unsigned long long)seed, name, bad->failure);
    pop_graph_destroy(watched->graph);
    return good;
}
static int one_seed(uint64_t seed)
{
    pop_error error;
    struct world dice = { .random = seed ^ 0x5eed };
    bool good = true;
    if (strcmp(devices, "model") != 0) {
        pop_device *device = pop_cpu_device_create(&error);
        good = on_device(seed, device, 1, true, "the CPU");
        pop_device_destroy(device);
    }
    if (strcmp(devices, "cpu") != 0) {
        static const unsigned tiles[] = { 1, 2, 3, 7, 4, 16, 31, 64, 150 };
        bool old = chance(&dice, 40);
        unsigned n = chance(&dice, 2) ? (old ? 1216 : 1472) : tiles[below(&dice, sizeof(tiles) / sizeof(tiles[0]))];
        unsigned ipus = chance(&dice, 10) ? 2 : 1;
        const char *version = old ? "ipu1" : chance(&dice, 40) ? "ipu21" : "ipu2";
        char name[80];
        snprintf(name, sizeof(name), "%s x%u of %u tiles", version, ipus, n);
        const char *release = chance(&dice, 50) ? "2021" : "1.2";
        pop_device *device = pop_ipu_model_create_device_options(
            &(pop_ipu_model){ .version = version, .num_ipus = ipus, .tiles_per_ipu = n },
            POP_OPTIONS({ "poplibsRelease", release }), &error);
        if (!device) {
            printf("seed %llu: no device: %s\n", (unsigned long long)seed, error.text);
            return 1;
        }
        good = on_device(seed, device, n * ipus, false, name) && good;
        pop_device_destroy(device);
    }
    return !good;
}
int main(int count, char **words)
{
    int c;
    while ((c = getopt(count, words, "vo:d:t:")) != -1)
        switch (c) {
        case 'v':
            verbose = true;
            break;
        case 'o':
            only = optarg;
            break;
        case 'd':
            devices = optarg;
            break;
        case 't':
            limit = (unsigned)atoi(optarg);
            break;
        default:
            return 2;
        }
    if (optind >= count)
        return 2;
    uint64_t first = strtoull(words[optind], NULL, 10),
             many = optind + 1 < count ? strtoull(words[optind + 1], NULL, 10) : 1;
    unsigned bad = 0;
    for (uint64_t seed = first; seed < first + many; ++seed) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(limit);
            int result = one_seed(seed);
            fflush(stdout);
            _exit(result);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            printf("seed %llu: signal %d%s\n", (unsigned long long)seed, WTERMSIG(status),
                   WTERMSIG(status) == SIGALRM ? " (too slow)" : "");
        else if (WEXITSTATUS(status) > 1)
            printf("seed %llu: exit %d\n", (unsigned long long)seed, WEXITSTATUS(status));
        bad += status != 0;
        fflush(stdout);
    }
    printf("%llu seeds, %u bad\n", (unsigned long long)many, bad);
    return bad != 0;
}
