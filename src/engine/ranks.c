/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that share the replicas of a program.  A rank has replicas with consecutive numbers.  At whatever replicas
 * do together, and at the end of each run, every rank says where its replicas are: all go on, or all end with one
 * error. */
#include "engine/ranks.h"
#include "engine/transport.h"

#include "base/str.h"

#include <dlfcn.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct ranks {
    const struct transport *transport;
    uint32_t *first; /* replica of each rank, and the end of the last one's; 0 until a load */
};

/* What a rank says of itself. */
enum { SAID_BYTES = sizeof(((pop_error *)0)->text) };
struct said {
    uint64_t program; /* a hash of it */
    uint32_t first, count, at, status;
    uint32_t pause; /* enum replica_pause */
    char text[SAID_BYTES];
};

/* ---- the plug-in ---- */

/* Beside the library that holds this function, or where the loader looks. */
static void *load_plugin(void)
{
    Dl_info info;
    char path[4096];
    void *address = NULL;
    pop_status (*here)(pop_engine *, const char *, pop_error *) = ranks_begin;
    memcpy(&address, &here, sizeof(address));
    if (dladdr(address, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(path, sizeof(path), "%.*slibpoplar_mpi.so", slash ? (int)(slash - info.dli_fname) + 1 : 0,
                 info.dli_fname);
        void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (plugin)
            return plugin;
    }
    return dlopen("libpoplar_mpi.so", RTLD_NOW | RTLD_GLOBAL);
}

/* The ranks of this process; NULL, and no problem, when it was not started by mpirun. */
static const struct transport *find_transport(const char **problem)
{
    const char *count = getenv("OMPI_COMM_WORLD_SIZE");
    uint64_t number = 0;
    *problem = NULL;
    if (!count || !str_integer(count, UINT32_MAX, &number) || number < 2)
        return NULL;
    void *plugin = load_plugin();
    if (!plugin) {
        *problem = "libpoplar_mpi.so cannot be loaded";
        return NULL;
    }
    transport_open open;
    void *symbol = dlsym(plugin, TRANSPORT_SYMBOL);
    memcpy(&open, &symbol, sizeof(open));
    return symbol ? open(problem) : (*problem = "libpoplar_mpi.so has another version", NULL);
}

/* ---- which replicas ---- */

/* The part of the replicas that options give; false when they give none. */
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
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "the program was started by mpirun, but its processes cannot work together: %s", problem);
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

/* ---- what ranks say ---- */

#define GONE "rank %u has ended or does not answer: the ranks of this program cannot go on"

static pop_status gone(const char *api, unsigned rank, pop_error *error)
{
    return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, GONE, rank);
}

/* What all ranks say at this point; NULL, and the error, when one of them is gone. */
static struct said *all_said(const pop_engine *engine, const struct said *own, const char *api, pop_error *error)
{
    const struct transport *t = engine->ranks->transport;
    struct said *all = mem_alloc(t->count * sizeof(*all));
    unsigned bad = 0;
    if (t->gather(own, sizeof(*own), all, &bad))
        return all;
    free(all);
    gone(api, bad, error);
    return NULL;
}

/* What the program of an image does; its options may differ. */
static uint64_t program_hash(const struct image *image)
{
    const struct {
        const void *data;
        size_t bytes;
    } parts[] = {
#define PART(list) { image->list.data, image->list.count * sizeof(*image->list.data) }
        PART(ops), PART(copies), PART(moves), PART(senders), PART(data), PART(programs), PART(states),
#undef PART
    };
    uint64_t hash = image->replicas;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i)
        hash = XXH3_64bits_withSeed(parts[i].data ? parts[i].data : "", parts[i].bytes, hash);
    return hash;
}

pop_status ranks_agree(pop_engine *engine, pop_status status, const char *api, pop_error *error)
{
    if (!engine->ranks)
        return status;
    struct ranks *ranks = engine->ranks;
    struct said own = { .program = program_hash(engine->image),
                        .first = engine->first_local,
                        .count = engine->local_count,
                        .status = (uint32_t)status };
    if (status != POP_OK && error)
        snprintf(own.text, sizeof(own.text), "%s", error->text);
    pop_error other = { 0 };
    struct said *all = all_said(engine, &own, api, &other);
    if (status == POP_OK && !all)
        status = other.status;
    uint32_t next = 0;
    for (unsigned r = 0; all && r < ranks->transport->count && status == POP_OK; ++r) {
        if (all[r].status != POP_OK)
            status = error_set(&other, POP_RUNTIME_ERROR, NO_WHERE, api, "rank %u could not load the program: %s", r,
                               all[r].text);
        else if (all[r].program != all[0].program)
            status = error_set(&other, POP_RUNTIME_ERROR, NO_WHERE, api,
                               "rank %u has another program than rank 0: all must build the same", r);
        else if (all[r].first != next)
            status = error_set(&other, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                               "rank %u runs replicas from %u on, and rank %u up to %u: they must follow each other", r,
                               all[r].first, r ? r - 1 : 0, next);
        ranks->first[r] = all[r].first;
        next = all[r].first + all[r].count;
    }
    if (all && status == POP_OK && next != engine->replica_count)
        status = error_set(&other, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                           "the ranks run replicas 0 to %u, the graph has %u", next - 1, engine->replica_count);
    if (status != POP_OK && other.status != POP_OK && error)
        *error = other;
    ranks->first[ranks->transport->count] = next;
    free(all);
    return status;
}

static void place_of(const pop_engine *engine, const struct said *said, char *text, size_t size)
{
    if (said->pause == REPLICA_MEETS)
        replicas_place_text(engine, said->at, text, size);
    else
        snprintf(text, size, "at the end of the program");
}

bool ranks_meet(const pop_engine *engine, struct run *whole, bool *ended)
{
    const struct replica *own = engine->replicas + engine->first_local;
    bool failed = whole->status != POP_OK;
    *ended = own->pause == REPLICA_ENDED;
    if (!engine->ranks)
        return !failed;
    struct said said = { .status = (uint32_t)whole->status, .at = own->at, .pause = (uint32_t)own->pause };
    if (failed && whole->error)
        snprintf(said.text, sizeof(said.text), "%s", whole->error->text);
    pop_error other = { 0 };
    struct said *all = all_said(engine, &said, whole->api, &other);
    if (failed || !all) {
        if (!failed) {
            whole->status = other.status;
            if (whole->error)
                *whole->error = other;
        }
        free(all);
        return false;
    }
    for (unsigned r = 0; r < engine->ranks->transport->count && whole->status == POP_OK; ++r) {
        bool same = all[r].pause == all[0].pause && (all[r].pause == REPLICA_ENDED || all[r].at == all[0].at);
        if (all[r].status != POP_OK) {
            whole->status =
                error_set(whole->error, (pop_status)all[r].status, NO_WHERE, whole->api, "rank %u: %s", r, all[r].text);
        } else if (!same) {
            char here[160], there[160];
            place_of(engine, &all[0], here, sizeof(here));
            place_of(engine, &all[r], there, sizeof(there));
            whole->status = error_set(whole->error, POP_APPLICATION_RUNTIME_ERROR, NO_WHERE, whole->api,
                                      "replica %u (rank 0) is %s, replica %u (rank %u) %s: what replicas do together "
                                      "all of them must come to",
                                      engine->ranks->first[0], here, engine->ranks->first[r], r, there);
        }
    }
    free(all);
    return whole->status == POP_OK;
}

/* ---- what ranks send ---- */

struct messages {
    struct transport_message *list;
    size_t count;
};

/* In the same order in all ranks: by part, then by receiver. */
static void add_messages(const struct run *run, const uint32_t *senders, uint64_t parts,
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

unsigned char *ranks_exchange(struct run *run, const uint32_t *senders, uint64_t parts, const struct image_copy *copies)
{
    const pop_engine *engine = run->engine;
    uint64_t each = 0;
    for (uint64_t i = 0; i < parts; ++i)
        each += copies[i].bytes;
    if (!engine->ranks) {
        run_fail(run, POP_GRAPH_REPLICATION_ERROR,
                 "replicas %u to %u run here, and copy to or from others: run them all, or all processes under mpirun",
                 engine->first_local, engine->first_local + engine->local_count - 1);
        return NULL;
    }
    unsigned char *incoming = mem_alloc(each * engine->local_count + 1);
    size_t most = (size_t)parts * engine->replica_count;
    struct messages sends = { mem_alloc((most + 1) * sizeof(struct transport_message)), 0 },
                    receives = { mem_alloc((most + 1) * sizeof(struct transport_message)), 0 };
    add_messages(run, senders, parts, copies, incoming, each, &sends, &receives);
    unsigned bad = 0;
    bool good = engine->ranks->transport->exchange(sends.list, sends.count, receives.list, receives.count, &bad);
    free(sends.list);
    free(receives.list);
    if (good)
        return incoming;
    free(incoming);
    run_fail(run, POP_RUNTIME_ERROR, GONE, bad);
    return NULL;
}

bool ranks_gather_first(struct run *run, const unsigned char *own, size_t bytes, unsigned char **all)
{
    const struct transport *t = run->engine->ranks->transport;
    unsigned bad = 0;
    *all = mem_alloc(bytes * t->count + 1);
    if (t->gather(own, bytes, *all, &bad))
        return true;
    run_fail(run, POP_RUNTIME_ERROR, GONE, bad);
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
    bool good = t->exchange(sends, others, receives, others, &bad);
    free(sends);
    return good ? POP_OK : gone(api, bad, error);
}

unsigned ranks_count(const pop_engine *engine)
{
    return engine->ranks ? engine->ranks->transport->count : 1;
}

uint32_t ranks_first(const pop_engine *engine, unsigned rank)
{
    return engine->ranks->first[rank];
}
