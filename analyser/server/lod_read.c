/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the trace from the report's tables. */
#include "blocks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds nodes by parent and label. */
struct names {
    struct lod *lod;
    uint32_t *slots;
    size_t size, capacity;
};

static uint64_t hash_of(uint32_t parent, const char *label, size_t length, unsigned kind)
{
    uint64_t hash = 1469598103934665603u ^ parent ^ (uint64_t)kind << 32;
    for (size_t i = 0; i < length; ++i)
        hash = (hash ^ (unsigned char)label[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static uint64_t slot_of(const struct names *names, uint32_t parent, const char *label, size_t length, unsigned kind)
{
    uint64_t at = hash_of(parent, label, length, kind) & (names->size - 1);
    for (; names->slots[at]; at = (at + 1) & (names->size - 1)) {
        const struct node *node = &names->lod->node[names->slots[at]];
        if (node->parent == parent && node->kind == kind && strncmp(node->label, label, length) == 0 &&
            !node->label[length])
            break;
    }
    return at;
}

static void grow(struct names *names)
{
    struct lod *lod = names->lod;
    if (lod->nodes == names->capacity) {
        names->capacity = names->capacity ? names->capacity * 2 : 64;
        lod->node = mem_grow(lod->node, names->capacity * sizeof(*lod->node));
    }
    if (lod->nodes * 2 < names->size)
        return;
    free(names->slots);
    names->size = names->size ? names->size * 4 : 256;
    names->slots = mem_zero(names->size, sizeof(*names->slots));
    for (uint32_t i = 1; i < lod->nodes; ++i) {
        const struct node *node = &lod->node[i];
        names->slots[slot_of(names, node->parent, node->label, strlen(node->label), node->kind)] = i;
    }
}

static uint32_t node_of(struct names *names, uint32_t parent, const char *label, size_t length, unsigned kind)
{
    struct lod *lod = names->lod;
    grow(names);
    uint64_t slot = slot_of(names, parent, label, length, kind);
    if (names->slots[slot])
        return names->slots[slot];
    char *text = mem_zero(length + 1, 1);
    memcpy(text, label, length);
    uint32_t depth = lod->node[parent].depth + 1;
    lod->node[lod->nodes] = (struct node){ parent, depth, text, (uint8_t)kind };
    lod->depth = kind < KINDS && depth > lod->depth ? depth : lod->depth;
    return names->slots[slot] = lod->nodes++;
}

static uint8_t kind_of(const char *type, const char *detail)
{
    for (unsigned i = 0; i < KIND_OTHER; ++i)
        if (strcmp(kinds[i].type, type) == 0 && (!kinds[i].detail || strcmp(kinds[i].detail, detail) == 0))
            return (uint8_t)i;
    return KIND_OTHER;
}

/* The leaf of a program. The three programs of a stream copy are leaves below its name; for others the last
 * component of the name is the leaf. */
static uint32_t leaf_of(struct names *names, const char *name, const char *type, uint8_t kind)
{
    bool below = (kind >= KIND_COPY_BEGIN && kind <= KIND_COPY_END) || !*name;
    uint32_t node = 0;
    for (;;) {
        size_t length = strcspn(name, "/");
        if (!*name || (!below && !name[length]))
            break;
        if (names->lod->node[node].depth + 2 >= DEEPEST) /* the rest becomes one component */
            break;
        if (length)
            node = node_of(names, node, name, length, KINDS);
        name += length + (name[length] == '/');
    }
    bool sync = kind == KIND_SYNC_INTERNAL || kind == KIND_SYNC_EXTERNAL; /* it is named after its kind */
    const char *label = sync ? kinds[kind].label : below || !*name ? type : name;
    return node_of(names, node, label, strlen(label), kind);
}

static bool keep_program(void *context, size_t columns, const char *const *head, const pva_value *values)
{
    struct names *names = context;
    struct lod *lod = names->lod;
    (void)head;
    if (!values || columns < 4 || !values[0].text)
        return true;
    if (strtoull(values[0].text, NULL, 10) != lod->programs)
        return false;
    const char *type = values[1].text ? values[1].text : "", *name = values[2].text ? values[2].text : "",
               *detail = values[3].text ? values[3].text : "";
    if ((lod->programs & (lod->programs - 1)) == 0)
        lod->of_program = mem_grow(lod->of_program, (lod->programs ? lod->programs * 2 : 1) * sizeof(*lod->of_program));
    uint8_t kind = kind_of(type, detail);
    lod->of_program[lod->programs++] = (struct lod_program){ leaf_of(names, name, type, kind), kind, 0 };
    return true;
}

static bool keep_live(void *context, size_t columns, const int64_t *values)
{
    struct lod *lod = context;
    (void)columns;
    uint64_t program = (uint64_t)values[0];
    if (values[0] == INT64_MIN) {
        lod->always_live = (double)values[1];
    } else if (program < lod->programs) {
        double live = (double)values[1] + lod->always_live;
        if (live > lod->of_program[program].live)
            lod->of_program[program].live = live;
    }
    return true;
}

static bool keep_run(void *context, size_t columns, const char *const *head, const pva_value *values)
{
    struct lod *lod = context;
    (void)head;
    if (!values || columns < 7)
        return true;
    double numbers[7];
    for (size_t i = 1; i < 7; ++i)
        numbers[i] = values[i].text ? (double)strtoll(values[i].text, NULL, 10) : 0;
    lod->run = mem_grow(lod->run, (lod->runs + 1) * sizeof(*lod->run));
    lod->run[lod->runs++] = (struct lod_run){ .name = mem_string(values[0].text ? values[0].text : ""),
                                              .first = numbers[1] > 0 ? (uint64_t)numbers[1] : 0,
                                              .steps = numbers[2] > 0 ? (uint64_t)numbers[2] : 0,
                                              .from = numbers[3],
                                              .to = numbers[4],
                                              .start = numbers[5],
                                              .end = numbers[6] };
    return true;
}

struct blocks {
    struct lod *lod;
    size_t capacity;
};

static bool keep_block(void *context, size_t columns, const int64_t *values)
{
    struct blocks *blocks = context;
    struct lod *lod = blocks->lod;
    (void)columns;
    if (lod->blocks == blocks->capacity) {
        blocks->capacity = blocks->capacity ? blocks->capacity * 2 : 256;
        lod->block = mem_grow(lod->block, blocks->capacity * sizeof(*lod->block));
    }
    lod->block[lod->blocks++] =
        (struct lod_block){ .number = (uint64_t)values[7],
                            .from = values[3] < 0 ? -1 : (double)values[3],
                            .to = values[4] < 0 ? -1 : (double)values[4],
                            .tile = (uint32_t)values[0],
                            .program = (uint64_t)values[2] < lod->programs ? (uint32_t)values[2] : UINT32_MAX,
                            .run = values[5] < 0 ? 0 : (uint32_t)values[5],
                            .kind = values[1] >= 0 && values[1] < BLOCK_KINDS ? (uint8_t)values[1] : BLOCK_UNKNOWN,
                            .lost = values[6] < 0 ? 0 : (uint32_t)values[6] };
    return true;
}

pop_status lod_read_names(struct lod *lod, pva_file *file, pop_error *error)
{
    struct names names = { .lod = lod, .capacity = 64 };
    struct blocks blocks = { .lod = lod };
    lod->node = mem_zero(names.capacity, sizeof(*lod->node));
    lod->node[0] = (struct node){ 0, 0, mem_string(""), KINDS };
    lod->nodes = 1;
    pop_status status =
        pva_sql(file, "SELECT id, type, name, detail FROM programs ORDER BY id", keep_program, &names, error);
    free(names.slots);
    if (status == POP_OK) /* always-live bytes first */
        status = pva_sql_integers(file,
                                  "SELECT NULL, bytes FROM live_lists WHERE id = 0 UNION ALL SELECT s.program, l.bytes "
                                  "FROM liveness_steps s JOIN live_lists l ON l.id = s.list",
                                  keep_live, lod, error);
    if (status == POP_OK)
        status = pva_sql(file,
                         "SELECT name, first_step, steps, cycles_from, cycles_to, start_microseconds, end_microseconds "
                         "FROM runs ORDER BY id",
                         keep_run, lod, error);
    if (status == POP_OK)
        status =
            pva_sql_integers(file,
                             "SELECT tile, kind, program, cycles_from, cycles_to, run, lost, id FROM blocks ORDER BY "
                             "tile, coalesce(cycles_from, cycles_to), cycles_to DESC",
                             keep_block, &blocks, error);
    blocks_place(lod);
    return status;
}

/* Steps first to end - 1; their numbers are unique, so the part is complete when it has that many rows. Each part is
 * read by its own thread with its own handle. */
struct steps_part {
    struct lod *lod;
    pva_file *file;
    uint64_t first, next, end;
    uint64_t patterns, drifts; /* upper bounds of those that its steps refer to */
    lod_progress *progress;    /* may be NULL */
    void *context;
    pop_status status;
    pop_error error;
};

static bool keep_step(void *context, size_t columns, const int64_t *values)
{
    struct steps_part *part = context;
    struct lod *lod = part->lod;
    (void)columns;
    uint64_t program = (uint64_t)values[0], pattern = (uint64_t)values[1], drift = (uint64_t)values[2];
    if (part->next == part->end || program >= lod->programs || pattern > UINT32_MAX - 1 || drift > UINT32_MAX - 1)
        return false;
    lod->program[part->next] = (uint32_t)program;
    lod->pattern[part->next] = (uint32_t)pattern;
    lod->drift[part->next] = (uint32_t)drift;
    lod->base[part->next++] = values[3];
    part->patterns = pattern >= part->patterns ? pattern + 1 : part->patterns;
    part->drifts = drift >= part->drifts ? drift + 1 : part->drifts;
    if (part->progress && part->next % 65536 == 0)
        part->progress(part->context, part->next - part->first, part->end - part->first);
    return true;
}

static void *read_part(void *user)
{
    struct steps_part *part = user;
    char sql[160];
    snprintf(sql, sizeof(sql),
             "SELECT program, pattern, drift, base FROM executed WHERE id >= %" PRIu64 " AND id < %" PRIu64
             " ORDER BY id",
             part->first, part->end);
    part->status = pva_sql_integers(part->file, sql, keep_step, part, &part->error);
    return NULL;
}

enum { MAX_PARTS = 4, MIN_PART = 1 << 18, MAX_REPEATED = 1 << 25 /* memory for a gigabyte */ };

/* Starts threads for all parts but the first; parts without a thread or a handle are read by the caller. */
static void read_parts(struct steps_part *parts, unsigned count, const char *path)
{
    pthread_t threads[MAX_PARTS];
    bool started[MAX_PARTS] = { false };
    for (unsigned i = 1; i < count; ++i) {
        parts[i].file = pva_open_report(path, NULL, &parts[i].error);
        started[i] = parts[i].file && pthread_create(&threads[i], NULL, read_part, &parts[i]) == 0;
    }
    read_part(&parts[0]);
    for (unsigned i = 1; i < count; ++i) {
        if (started[i]) {
            pthread_join(threads[i], NULL);
        } else {
            pva_close(parts[i].file);
            parts[i].file = parts[0].file;
            read_part(&parts[i]);
            parts[i].file = NULL;
        }
        pva_close(parts[i].file);
    }
}

static bool keep_count(void *context, size_t columns, const int64_t *values)
{
    (void)columns;
    *(int64_t *)context = values[0] < 0 ? 0 : values[0];
    return true;
}

static pop_status read_executed(struct lod *lod, pva_file *file, const char *path, lod_progress *progress,
                                void *context, pop_error *error)
{
    static const char damaged[] = "the report is damaged: a row of executed names what is not there";
    struct steps_part parts[MAX_PARTS] = { 0 };
    struct stat about;
    int64_t steps = 0;
    pop_status status = pva_sql_integers(file, "SELECT executed_count()", keep_count, &steps, error);
    if (status != POP_OK)
        return status;
    /* Each row takes more than four bytes of the file; steps of loops may be stored once. */
    if (stat(path, &about) == 0 && steps > about.st_size / 4 && steps > MAX_REPEATED)
        return answer_fail(error, POP_INVALID_OPTION,
                           "the trace has %" PRId64 " steps, most of them in loops, and at most %d are shown: capture "
                           "fewer iterations, or read the report with 'pva query' or libpva",
                           steps, MAX_REPEATED);
    uint64_t total = (uint64_t)steps;
    lod->program = mem_zero(total + 1, sizeof(*lod->program));
    lod->pattern = mem_zero(total + 1, sizeof(*lod->pattern));
    lod->drift = mem_zero(total + 1, sizeof(*lod->drift));
    lod->base = mem_zero(total + 1, sizeof(*lod->base));
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned count = 1;
    while (count < MAX_PARTS && count < processors && total / (count + 1) >= MIN_PART)
        ++count;
    for (unsigned i = 0; i < count; ++i) {
        uint64_t first = total * i / count;
        parts[i] = (struct steps_part){
            .lod = lod, .file = i ? NULL : file, .first = first, .next = first, .end = total * (i + 1) / count
        };
    }
    parts[0].progress = progress;
    parts[0].context = context;
    read_parts(parts, count, path);
    for (unsigned i = 0; i < count; ++i) {
        if (parts[i].status != POP_OK) {
            *error = parts[i].error;
            return parts[i].status;
        }
        if (parts[i].next != parts[i].end)
            return answer_fail(error, POP_PARSE_ERROR, damaged);
        lod->patterns = parts[i].patterns > lod->patterns ? parts[i].patterns : lod->patterns;
        lod->drifts = parts[i].drifts > lod->drifts ? parts[i].drifts : lod->drifts;
    }
    lod->steps = total;
    /* A file cannot have more patterns than this. */
    if (lod->patterns > total * 64 + 64 || lod->drifts > total + 1)
        return answer_fail(error, POP_PARSE_ERROR, damaged);
    return POP_OK;
}

static bool keep_figure(void *context, size_t columns, const int64_t *values)
{
    struct lod *lod = context;
    uint64_t pattern = (uint64_t)values[0], ipu = (uint64_t)values[1];
    (void)columns;
    if (pattern < lod->patterns && ipu < lod->ipus)
        lod->figures[pattern * lod->ipus + ipu] = (struct figure){ .from = values[2],
                                                                   .to = values[3],
                                                                   .cycles = (uint64_t)values[4],
                                                                   .sum = (uint64_t)values[5],
                                                                   .in = (uint64_t)values[6],
                                                                   .out = (uint64_t)values[7],
                                                                   .active = (uint64_t)values[8] };
    return true;
}

static bool keep_drift(void *context, size_t columns, const int64_t *values)
{
    struct lod *lod = context;
    uint64_t drift = (uint64_t)values[0], ipu = (uint64_t)values[1];
    (void)columns;
    if (drift < lod->drifts && ipu < lod->ipus)
        lod->shifts[drift * lod->ipus + ipu] = values[2];
    return true;
}

pop_status lod_read_steps(struct lod *lod, pva_file *file, const char *path, lod_progress *progress, void *context,
                          pop_error *error)
{
    lod->drifts = 1;
    pop_status status = read_executed(lod, file, path, progress, context, error);
    if (status != POP_OK)
        return status;
    lod->figures = mem_zero(lod->patterns * lod->ipus + 1, sizeof(*lod->figures));
    lod->shifts = mem_zero(lod->drifts * lod->ipus + 1, sizeof(*lod->shifts));
    status = pva_sql_integers(file,
                              "SELECT pattern, ipu, active_from_min, active_to_max, cycles, cycles_sum, data_in, "
                              "data_out, active_tiles FROM pattern_ipus",
                              keep_figure, lod, error);
    if (status == POP_OK)
        status = pva_sql_integers(file, "SELECT drift, ipu, cycles FROM drifts", keep_drift, lod, error);
    return status;
}
