/* SPDX-License-Identifier: Apache-2.0 */
#include "lod.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

const struct kind kinds[KINDS] = {
#define KIND(NAME, label, type, detail, class) { label, type, detail, CLASS_##class },
#include "trace_kinds.def"
#undef KIND
};

void lod_free(struct lod *lod)
{
    if (!lod)
        return;
    for (uint32_t i = 0; i < lod->nodes; ++i)
        free(lod->node[i].label);
    for (uint32_t i = 0; i < lod->runs; ++i)
        free(lod->run[i].name);
    void *parts[] = { lod->program, lod->pattern, lod->drift, lod->base,       lod->figures, lod->shifts,
                      lod->bucket,  lod->node,    lod->run,   lod->of_program, lod->note,    lod->block };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i)
        free(parts[i]);
    free(lod);
}

uint32_t lod_run_of(const struct lod *lod, uint64_t step)
{
    uint32_t low = 0, high = lod->runs;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lod->run[middle].first <= step)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t lod_first_bucket(const struct lod *lod, unsigned ipu, double cycle)
{
    uint64_t low = 0, high = lod->buckets;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (lod_bucket(lod, ipu, middle)->reach > cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int lod_data_kind(unsigned kind)
{
    if (kind == KIND_GLOBAL_EXCHANGE)
        return 0;
    return kind >= KIND_COPY_HOST && kind <= KIND_COPY_MIXED ? (int)(kind - KIND_COPY_HOST) + 1 : -1;
}

char *node_path(const struct node *nodes, uint32_t node)
{
    uint32_t path[DEEPEST + 2], count = 0;
    struct str name = { 0 };
    for (; node && count < DEEPEST + 2; node = nodes[node].parent)
        path[count++] = node;
    while (count--) {
        str_add(&name, nodes[path[count]].label);
        str_add(&name, count ? "/" : "");
    }
    return name.text ? name.text : mem_string("");
}

char *lod_name(const struct lod *lod, uint32_t node)
{
    return node_path(lod->node, node);
}

/* The deepest common ancestor of two nodes. */
static uint32_t common_node(const struct lod *lod, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (lod->node[a].depth >= lod->node[b].depth)
            a = lod->node[a].parent;
        else
            b = lod->node[b].parent;
    }
    return a;
}

static void add_step(const struct lod *lod, struct bucket *bucket, uint64_t step, unsigned ipu)
{
    double from, to;
    const struct figure *figure = lod_figure(lod, step, ipu);
    const struct lod_program *program = &lod->of_program[lod->program[step]];
    if (!lod_extent(lod, step, ipu, &from, &to))
        return;
    bool first = bucket->from > bucket->to;
    bucket->from = first || from < bucket->from ? from : bucket->from;
    bucket->to = first || to > bucket->to ? to : bucket->to;
    bucket->cycles[program->kind] += (double)figure->cycles;
    bucket->sum[program->kind] += (double)figure->sum;
    ++bucket->count[program->kind];
    int data = lod_data_kind(program->kind);
    if (data >= 0) {
        bucket->in[data] += (double)figure->in;
        bucket->out[data] += (double)figure->out;
    }
    bucket->live = program->live > bucket->live ? program->live : bucket->live;
    bucket->common = first ? program->leaf : common_node(lod, bucket->common, program->leaf);
}

static void make_lane(struct lod *lod, unsigned ipu)
{
    struct bucket *lane = lod->bucket + ipu * lod->buckets;
    for (uint64_t i = 0; i < lod->buckets; ++i) {
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        lane[i].from = 1;
        for (uint64_t step = first; step < end; ++step)
            add_step(lod, &lane[i], step, ipu);
        if (lod->runs && lod_run_of(lod, first) != lod_run_of(lod, end - 1))
            lane[i].common = NO_NODE;
        double before = i ? lane[i - 1].reach : -1;
        lane[i].reach = lane[i].from <= lane[i].to && lane[i].to > before ? lane[i].to : before;
    }
    double after = 1e300;
    for (uint64_t i = lod->buckets; i-- > 0;) {
        if (lane[i].from <= lane[i].to && lane[i].from < after)
            after = lane[i].from;
        lane[i].begin = after;
    }
}

struct lanes {
    struct lod *lod;
    atomic_uint next;
};

static void *make_lanes(void *user)
{
    struct lanes *lanes = user;
    for (unsigned ipu; (ipu = atomic_fetch_add(&lanes->next, 1)) < lanes->lod->ipus;)
        make_lane(lanes->lod, ipu);
    return NULL;
}

void lod_make_buckets(struct lod *lod)
{
    enum { MAX_HELPERS = 8 };
    pthread_t helpers[MAX_HELPERS];
    struct lanes lanes = { .lod = lod };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned started = 0;
    lod->buckets = (lod->steps + BUCKET_STEPS - 1) / BUCKET_STEPS;
    lod->bucket = mem_zero(lod->buckets * lod->ipus + 1, sizeof(*lod->bucket));
    while (started < MAX_HELPERS && started + 1 < lod->ipus && started + 1 < processors &&
           pthread_create(&helpers[started], NULL, make_lanes, &lanes) == 0)
        ++started;
    make_lanes(&lanes);
    while (started)
        pthread_join(helpers[--started], NULL);
}

/* The time interval that contains all steps, runs and blocks. */
static void find_extent(struct lod *lod)
{
    double from = 1e300, to = 0;
    for (unsigned ipu = 0; ipu < lod->ipus && lod->buckets; ++ipu) {
        const struct bucket *first = lod_bucket(lod, ipu, 0), *last = lod_bucket(lod, ipu, lod->buckets - 1);
        from = first->begin < from ? first->begin : from;
        to = last->reach > to ? last->reach : to;
    }
    for (uint32_t i = 0; i < lod->runs; ++i) {
        from = lod->run[i].from < from ? lod->run[i].from : from;
        to = lod->run[i].to > to ? lod->run[i].to : to;
    }
    for (uint64_t i = 0; i < lod->blocks; ++i) {
        const struct lod_block *block = &lod->block[i];
        from = block->from >= 0 && block->from < from ? block->from : from;
        to = block->to > to ? block->to : to;
    }
    lod->from = from < to ? from : 0;
    lod->to = to;
}

struct building {
    struct report_use *use;
    uint64_t shown;
};

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    struct building *building = context;
    uint64_t percent = total ? done * 100 / total : 100;
    if (percent < building->shown + 5)
        return;
    building->shown = percent;
    events_post(reports_events(building->use->reports), "progress",
                json_pack("{s:i, s:s, s:I, s:I}", "report", (int)building->use->index, "what", "reading the trace",
                          "done", (json_int_t)done, "total", (json_int_t)total));
}

/* Opens the file again, so that other requests can read the report in parallel. */
static struct lod *make(struct report_use *use, pop_error *error)
{
    pva_file *file = pva_open_report(use->report.path, NULL, error);
    if (!file)
        return NULL;
    struct lod *lod = MEM_NEW(struct lod);
    pva_object target = pva_get(pva_get(pva_root(file), PVA_REPORT_COMPILATION), PVA_COMPILATION_TARGET);
    lod->ipus = (unsigned)pva_uint(target, PVA_TARGET_IPUS_PER_REPLICA);
    lod->tiles_per_ipu = (unsigned)pva_uint(target, PVA_TARGET_TILES_PER_IPU);
    lod->clock = pva_real(target, PVA_TARGET_CLOCK_FREQUENCY);
    pop_status status = lod_read_names(lod, file, error);
    if (status == POP_OK && !use->report.temporary)
        lod->from_cache = lod_load(lod, use->report.path);
    if (status == POP_OK && !lod->from_cache) {
        struct building building = { .use = use };
        status = lod_read_steps(lod, file, use->report.path, show_progress, &building, error);
        if (status == POP_OK) {
            lod_make_buckets(lod);
            if (!use->report.temporary && lod->steps)
                lod->saving = lod_save_begin(lod, use->report.path, &lod->note);
        }
    }
    pva_close(file);
    if (status == POP_OK) {
        find_extent(lod);
        return lod;
    }
    lod_free(lod);
    return NULL;
}

static void free_kept(void *lod)
{
    lod_free(lod);
}

/* The thread that makes the trace writes the cache afterwards, when other requests can use the trace already. */
static const struct lod *made(struct report_use *use, pop_error *error)
{
    struct lod_saving *saving = NULL;
    pthread_mutex_lock(&use->lod_lock);
    struct kept *kept = &use->report.kept[KEPT_TRACE];
    if (!kept->data)
        *kept = (struct kept){ make(use, error), free_kept };
    struct lod *lod = kept->data;
    if (lod) {
        saving = lod->saving;
        lod->saving = NULL;
    }
    pthread_mutex_unlock(&use->lod_lock);
    if (saving) {
        char *note = lod_save_end(saving, lod);
        pthread_mutex_lock(&use->lod_lock);
        lod->note = note;
        pthread_mutex_unlock(&use->lod_lock);
    }
    return lod;
}

const struct lod *lod_of(const struct request *request, pop_error *error)
{
    struct report_use *use = request_use_named(request, error);
    return use ? made(use, error) : NULL;
}

const struct lod *lod_at(const struct request *request, unsigned index, pop_error *error)
{
    struct report_use *use = request_use(request, index, error);
    return use ? made(use, error) : NULL;
}

void lod_prepare(struct report_use *use)
{
    pop_error unseen = { 0 }; /* the request that needs the trace retries and reports the error */
    made(use, &unseen);
}

char *lod_note(const struct request *request)
{
    pop_error unseen = { 0 };
    struct report_use *use = request_use_named(request, &unseen);
    char *note = NULL;
    if (!use)
        return NULL;
    pthread_mutex_lock(&use->lod_lock);
    const struct lod *lod = use->report.kept[KEPT_TRACE].data;
    if (lod && lod->note)
        note = mem_string(lod->note);
    pthread_mutex_unlock(&use->lod_lock);
    return note;
}
