/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that share the replicas of a program. Each rank has a contiguous range of replicas. At every op that all
 * replicas execute together, and at the end of each run, the ranks exchange the position of their replicas: then all
 * continue, or all end with one error. */
#include "engine/ranks.h"
#include "engine/engine.h"
#include "engine/transport.h"
#include "image/image.h"

#include "base/log.h"
#include "base/plugin.h"
#include "base/str.h"

#include <dlfcn.h>
#include <poplar/ranks.h>

struct ranks {
    const struct transport *transport;
    uint32_t *first; /* first replica of each rank, and the end of the last rank's; 0 until a load */
};

/* State that a rank sends to all; followed by a text when some rank's status is an error. */
struct rank_status {
    uint64_t program; /* a hash of it */
    uint32_t first, count, at, status;
    uint32_t pause; /* enum replica_pause */
    uint32_t stopped;
};
enum { TEXT_BYTES = sizeof(((pop_error *)0)->text) };
struct all_statuses {
    struct rank_status *of;
    char (*texts)[TEXT_BYTES]; /* NULL: no rank has failed */
};

/* ---- the plug-in ---- */

/* Whether an environment variable has a number of processes above 1. */
static bool several_processes(const char *variable)
{
    const char *count = getenv(variable);
    uint64_t number = 0;
    return count && str_integer(count, UINT32_MAX, &number) && number > 1;
}

#define HOW_TO_BUILD                                                                                                   \
    "install Open MPI (Debian's packages libopenmpi-dev and openmpi-bin: scripts/install-dependencies mpi), and "      \
    "build "                                                                                                           \
    "Tremula again (cmake --preset release; make install)"

#define NO_RANKS "the program was started by mpirun, but its processes cannot work together: %s"

/* Processes of another MPI, which start programs that do not use it as well: each runs all replicas. */
static void warn_of_other_mpi(void)
{
    if (several_processes("PMI_SIZE"))
        LOG(ENGINE, WARN,
            "PMI_SIZE says that this is one of several processes of an MPI other than Open MPI: each of them runs all "
            "replicas; to divide them among processes, start the program with Open MPI's mpirun and " HOW_TO_BUILD);
}

/* The ranks of this process; NULL, and no problem, when it was not started by mpirun. */
static const struct transport *find_transport(const char **problem)
{
    *problem = NULL;
    if (!several_processes("OMPI_COMM_WORLD_SIZE")) {
        warn_of_other_mpi();
        return NULL;
    }
    void *plugin = plugin_load("libpoplar_mpi.so", RTLD_NOW | RTLD_GLOBAL);
    if (!plugin) {
        *problem = "libpoplar_mpi.so cannot be loaded: it is built only where Open MPI is; " HOW_TO_BUILD;
        return NULL;
    }
    transport_open open;
    void *symbol = dlsym(plugin, TRANSPORT_SYMBOL);
    memcpy(&open, &symbol, sizeof(open));
    return symbol ? open(problem) : (*problem = "libpoplar_mpi.so has another version", NULL);
}

/* ---- calls of programs ---- */

pop_status pop_ranks(unsigned *rank, unsigned *count, pop_error *error)
{
    static const char api[] = "pop_ranks";
    const char *problem = NULL;
    if (!rank || !count)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the place for a number is NULL");
    const struct transport *transport = find_transport(&problem);
    *rank = transport ? transport->rank : 0;
    *count = transport ? transport->count : 1;
    return problem ? error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, NO_RANKS, problem) : POP_OK;
}

pop_status pop_ranks_gather(const void *own, size_t bytes, void *all, pop_error *error)
{
    static const char api[] = "pop_ranks_gather";
    const char *problem = NULL;
    unsigned bad = 0;
    if (bytes && (!own || !all))
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL", own ? "result" : "data");
    const struct transport *transport = find_transport(&problem);
    if (problem)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, NO_RANKS, problem);
    if (!transport && bytes)
        memmove(all, own, bytes);
    if (transport && !transport->gather(own, bytes, all, &bad))
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "rank %u has ended or does not answer", bad);
    return POP_OK;
}

/* ---- assignment of replicas ---- */

/* Reads the range of replicas from the options; false when they do not set one. */
static bool read_part(const pop_engine *engine, const char *api, uint32_t *first, uint32_t *count, pop_status *status,
                      pop_error *error)
{
    const char *from = engine->settings.first_replica, *number = engine->settings.replicas;
    uint64_t a = 0, n = 0;
    *status = POP_OK;
    if (!*number && (!*from || strcmp(from, "0") == 0))
        return false;
    if (!str_integer(from, UINT32_MAX, &a) || a >= engine->replica_count)
        *status = error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                            "target.firstRuntimeReplica is '%s': the graph has %u replicas (0 to %u)", from,
                            engine->replica_count, engine->replica_count - 1);
    else if (*number && (!str_integer(number, UINT32_MAX, &n) || !n || n > engine->replica_count - a))
        *status = error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                            "target.numberRuntimeReplica is '%s': from replica %u on there are %u (1 to %u)", number,
                            (unsigned)a, engine->replica_count - (unsigned)a, engine->replica_count - (unsigned)a);
    *first = (uint32_t)a;
    *count = *number ? (uint32_t)n : engine->replica_count - (uint32_t)a;
    return true;
}

pop_status ranks_begin(pop_engine *engine, const char *api, pop_error *error)
{
    unsigned replicas = engine->replica_count;
    pop_status status;
    const char *problem = NULL;
    engine->first_local = 0;
    engine->local_count = engine->host_count = replicas;
    engine->host_first = 0;
    bool given = read_part(engine, api, &engine->first_local, &engine->local_count, &status, error);
    if (status != POP_OK)
        return status;
    if (given) {
        engine->host_first = engine->first_local;
        engine->host_count = engine->local_count;
    }
    const struct transport *transport = replicas > 1 ? find_transport(&problem) : NULL;
    if (problem)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, NO_RANKS, problem);
    if (!transport)
        return POP_OK;
    if (!given && replicas < transport->count)
        return error_set(error, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                         "%u processes for a graph of %u replicas: each needs one at least", transport->count,
                         replicas);
    if (!given) {
        uint64_t from = (uint64_t)replicas * transport->rank / transport->count,
                 to = (uint64_t)replicas * (transport->rank + 1) / transport->count;
        engine->first_local = (unsigned)from;
        engine->local_count = (unsigned)(to - from);
    }
    engine->ranks = MEM_NEW(struct ranks);
    engine->ranks->transport = transport;
    engine->ranks->first = mem_zero(transport->count + 1, sizeof(*engine->ranks->first));
    return POP_OK;
}

void ranks_end(pop_engine *engine)
{
    if (engine->ranks)
        free(engine->ranks->first);
    free(engine->ranks);
}

static unsigned rank_of(const struct ranks *ranks, uint32_t replica)
{
    unsigned rank = 0;
    while (rank + 1 < ranks->transport->count && replica >= ranks->first[rank + 1])
        ++rank;
    return rank;
}

/* ---- exchange of states ---- */

#define RANK_LOST "rank %u has ended or does not answer: the ranks of this program cannot go on"

static pop_status fail_rank_lost(const char *api, unsigned rank, pop_error *error)
{
    return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, RANK_LOST, rank);
}

/* Gathers the states of all ranks; false, with an error, when one of them is lost. */
static bool gather_statuses(const pop_engine *engine, const struct rank_status *own, const char *own_text,
                            struct all_statuses *all, const char *api, pop_error *error)
{
    const struct transport *t = engine->ranks->transport;
    char text[TEXT_BYTES] = "";
    unsigned bad = 0, failed = 0;
    *all = (struct all_statuses){ .of = mem_alloc(t->count * sizeof(*all->of)) };
    bool good = t->gather(own, sizeof(*own), all->of, &bad);
    for (unsigned r = 0; good && r < t->count; ++r)
        failed += all->of[r].status != POP_OK;
    if (good && failed) {
        snprintf(text, sizeof(text), "%s", own_text);
        all->texts = mem_alloc(t->count * sizeof(*all->texts));
        good = t->gather(text, sizeof(text), all->texts, &bad);
    }
    if (!good)
        fail_rank_lost(api, bad, error);
    return good;
}

static void free_statuses(struct all_statuses *all)
{
    free(all->of);
    free(all->texts);
}

/* The first error or mismatch in what the ranks have loaded. */
static pop_status check_loaded(pop_engine *engine, const struct all_statuses *all, const char *api, pop_error *error)
{
    struct ranks *ranks = engine->ranks;
    const struct rank_status *of = all->of;
    uint32_t next = 0;
    for (unsigned r = 0; r < ranks->transport->count; ++r) {
        if (of[r].status != POP_OK)
            return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "rank %u could not load the program: %s", r,
                             all->texts[r]);
        if (of[r].program != of[0].program)
            return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                             "rank %u has another program than rank 0: all must build the same", r);
        if (of[r].first != next)
            return error_set(error, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                             "rank %u runs replicas from %u on, and rank %u up to %u: they must follow each other", r,
                             of[r].first, r ? r - 1 : 0, next);
        ranks->first[r] = of[r].first;
        next = of[r].first + of[r].count;
    }
    ranks->first[ranks->transport->count] = next;
    return next == engine->replica_count
               ? POP_OK
               : error_set(error, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                           "the ranks run replicas 0 to %u, the graph has %u", next - 1, engine->replica_count);
}

pop_status ranks_agree(pop_engine *engine, pop_status status, const char *api, pop_error *error)
{
    if (!engine->ranks)
        return status;
    struct rank_status own = { .program = image_program_hash(engine->image),
                               .first = engine->first_local,
                               .count = engine->local_count,
                               .status = (uint32_t)status };
    pop_error other = { 0 };
    struct all_statuses all;
    bool received = gather_statuses(engine, &own, error ? error->text : "", &all, api, &other);
    if (status == POP_OK)
        status = received ? check_loaded(engine, &all, api, &other) : other.status;
    if (status != POP_OK && other.status != POP_OK && error)
        *error = other;
    free_statuses(&all);
    return status;
}

static void place_of(const pop_engine *engine, const struct rank_status *rank_status, char *text, size_t size)
{
    if (rank_status->pause == REPLICA_MEETS)
        replicas_place_text(engine, rank_status->at, text, size);
    else
        snprintf(text, size, "at the end of the program");
}

/* Whether all ranks continue; otherwise sets the run's error: another rank failed or is at another op. */
static bool check_places(const pop_engine *engine, const struct all_statuses *all, struct engine_run *whole)
{
    const struct rank_status *of = all->of;
    for (unsigned r = 0; r < engine->ranks->transport->count && whole->status == POP_OK; ++r) {
        bool same = of[r].pause == of[0].pause && (of[r].pause == REPLICA_ENDED || of[r].at == of[0].at);
        if (of[r].status != POP_OK) {
            whole->status = error_set(whole->error, (pop_status)of[r].status, NO_WHERE, whole->api, "rank %u: %s", r,
                                      all->texts[r]);
        } else if (!same) {
            char here[160], there[160];
            place_of(engine, &of[0], here, sizeof(here));
            place_of(engine, &of[r], there, sizeof(there));
            whole->status = error_set(whole->error, POP_APPLICATION_RUNTIME_ERROR, NO_WHERE, whole->api,
                                      "replica %u (rank 0) is %s, replica %u (rank %u) %s: what replicas do together "
                                      "all of them must come to",
                                      engine->ranks->first[0], here, engine->ranks->first[r], r, there);
        }
    }
    return whole->status == POP_OK;
}

/* A stopped rank ends the runs of all without an error; a failed rank takes precedence. */
static bool all_continue(pop_engine *engine, const struct all_statuses *all, struct engine_run *whole)
{
    bool stopped = false, failed = false;
    for (unsigned r = 0; r < engine->ranks->transport->count; ++r) {
        stopped |= all->of[r].stopped;
        failed |= all->of[r].status != POP_OK;
    }
    if (stopped)
        atomic_store(&engine->stop, true);
    return stopped && !failed ? false : check_places(engine, all, whole);
}

bool ranks_meet(pop_engine *engine, struct engine_run *whole, bool *ended)
{
    const struct replica *own = engine->replicas + engine->first_local;
    bool failed = whole->status != POP_OK;
    *ended = own->pause == REPLICA_ENDED;
    if (!engine->ranks)
        return !failed;
    struct rank_status rank_status = { .status = (uint32_t)whole->status,
                                       .at = own->at,
                                       .pause = (uint32_t)own->pause,
                                       .stopped = atomic_load(&engine->stop) };
    pop_error other = { 0 };
    struct all_statuses all;
    bool received = gather_statuses(engine, &rank_status, failed && whole->error ? whole->error->text : "", &all,
                                    whole->api, &other);
    if (!received && !failed) {
        whole->status = other.status;
        if (whole->error)
            *whole->error = other;
    }
    bool continues = received && !failed && all_continue(engine, &all, whole);
    free_statuses(&all);
    return continues;
}

static void stop_here(void *engine)
{
    pop_engine_stop(engine);
}

void ranks_run_begins(pop_engine *engine)
{
    if (engine->ranks)
        engine->ranks->transport->run_begins(stop_here, engine);
}

void ranks_run_ends(pop_engine *engine)
{
    if (engine->ranks)
        engine->ranks->transport->run_ends();
}

void ranks_stop(pop_engine *engine)
{
    if (engine->ranks)
        engine->ranks->transport->stop_run();
}

void ranks_refuse(pop_engine *engine, pop_status status, const char *api, pop_error *error)
{
    struct engine_run whole = {
        .engine = engine, .image = engine->image, .status = status, .api = api, .error = error
    };
    bool ended;
    ranks_run_begins(engine); /* counted as a run, so that all processes number runs alike */
    ranks_meet(engine, &whole, &ended);
    ranks_run_ends(engine);
}

/* ---- messages ---- */

struct messages {
    struct transport_message *list;
    size_t count;
};

/* Adds messages in the same order in all ranks: by part, then by receiver. */
static void add_messages(const struct engine_run *run, const uint32_t *senders, uint64_t parts,
                         const struct image_copy *copies, unsigned char *incoming, uint64_t each,
                         struct messages *sends, struct messages *receives)
{
    const pop_engine *engine = run->engine;
    const struct ranks *ranks = engine->ranks;
    uint64_t at = 0;
    for (uint64_t i = 0; i < parts; at += copies[i++].bytes)
        for (uint32_t to = 0; to < engine->replica_count; ++to) {
            uint32_t from = senders[i * engine->replica_count + to];
            bool here = replica_is_local(engine, to), mine = replica_is_local(engine, from);
            if (here && !mine)
                receives->list[receives->count++] =
                    (struct transport_message){ rank_of(ranks, from), incoming + (to - engine->first_local) * each + at,
                                                copies[i].bytes };
            else if (mine && !here)
                sends->list[sends->count++] =
                    (struct transport_message){ rank_of(ranks, to), engine->replicas[from].temporary + at,
                                                copies[i].bytes };
        }
}

struct ranks_exchange ranks_exchange_start(struct engine_run *run, const uint32_t *senders, uint64_t parts,
                                           const struct image_copy *copies)
{
    const pop_engine *engine = run->engine;
    uint64_t each = 0;
    for (uint64_t i = 0; i < parts; ++i)
        each += copies[i].bytes;
    if (!engine->ranks) {
        run_fail(run, POP_GRAPH_REPLICATION_ERROR,
                 "replicas %u to %u run here, and copy to or from others: run them all, or all processes under mpirun",
                 engine->first_local, engine->first_local + engine->local_count - 1);
        return (struct ranks_exchange){ 0 };
    }
    struct ranks_exchange exchange = { .incoming = mem_alloc(each * engine->local_count + 1) };
    size_t max = (size_t)parts * engine->replica_count;
    struct messages sends = { mem_alloc((max + 1) * sizeof(struct transport_message)), 0 },
                    receives = { mem_alloc((max + 1) * sizeof(struct transport_message)), 0 };
    add_messages(run, senders, parts, copies, exchange.incoming, each, &sends, &receives);
    exchange.transfer = engine->ranks->transport->start(sends.list, sends.count, receives.list, receives.count);
    free(sends.list);
    free(receives.list);
    return exchange;
}

bool ranks_exchange_finish(struct engine_run *run, struct ranks_exchange *exchange)
{
    unsigned bad = 0;
    if (run->engine->ranks->transport->finish(exchange->transfer, &bad))
        return true;
    run_fail(run, POP_RUNTIME_ERROR, RANK_LOST, bad);
    return false;
}

bool ranks_gather_first(struct engine_run *run, const unsigned char *own, size_t bytes, unsigned char **all)
{
    const struct transport *t = run->engine->ranks->transport;
    unsigned bad = 0;
    *all = mem_alloc(bytes * t->count + 1);
    if (t->gather(own, bytes, *all, &bad))
        return true;
    run_fail(run, POP_RUNTIME_ERROR, RANK_LOST, bad);
    return false;
}

pop_status ranks_gather(const pop_engine *engine, unsigned char *data, size_t bytes, const char *api, pop_error *error)
{
    const struct ranks *ranks = engine->ranks;
    if (!ranks || engine->host_count == engine->local_count || !bytes)
        return POP_OK;
    const struct transport *t = ranks->transport;
    struct transport_message *sends = mem_alloc(2 * t->count * sizeof(*sends)), *receives = sends + t->count;
    size_t others = 0;
    for (unsigned r = 0; r < t->count; ++r) {
        if (r == t->rank)
            continue;
        sends[others] =
            (struct transport_message){ r, data + engine->first_local * bytes, engine->local_count * bytes };
        receives[others++] = (struct transport_message){ r, data + ranks->first[r] * bytes,
                                                         (ranks->first[r + 1] - ranks->first[r]) * bytes };
    }
    unsigned bad = 0;
    bool good = t->finish(t->start(sends, others, receives, others), &bad);
    free(sends);
    return good ? POP_OK : fail_rank_lost(api, bad, error);
}

unsigned ranks_count(const pop_engine *engine)
{
    return engine->ranks ? engine->ranks->transport->count : 1;
}

uint32_t ranks_first(const pop_engine *engine, unsigned rank)
{
    return engine->ranks->first[rank];
}
