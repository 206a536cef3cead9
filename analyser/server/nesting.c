/* SPDX-License-Identifier: Apache-2.0 */
#include "nesting.h"
#include "base/vec.h"

enum { MAX_PLACES = 1 << 20, MAX_PROGRAM_DEPTH = 200 };
#define NO_PLACE UINT32_MAX

/* An occurrence of a program in the expanded tree of programs, in preorder. */
struct place {
    uint32_t parent, end, node; /* places from this one up to `end` are its descendants */
    bool loops;
};
struct program {
    char *type, *name;
    uint32_t target, first, children; /* children: a range in building.child */
    VEC(uint32_t) places;
};
struct building {
    const struct lod *lod;
    struct nesting *made;
    size_t node_capacity;
    VEC(struct program) programs;
    VEC(uint32_t) child;
    VEC(uint32_t) roots;
    VEC(struct place) places;
};

static bool on_program(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct building *building = context;
    (void)columns, (void)names;
    if (!values)
        return true;
    *vec_push(&building->programs) =
        (struct program){ .type = mem_string(values[0].text ? values[0].text : ""),
                          .name = mem_string(values[1].text ? values[1].text : ""),
                          .target = values[2].text ? (uint32_t)strtoul(values[2].text, NULL, 10) : NO_PLACE };
    return true;
}

static bool on_child(void *context, size_t columns, const int64_t *values)
{
    struct building *building = context;
    (void)columns;
    if ((uint64_t)values[0] >= building->programs.count || (uint64_t)values[1] >= building->programs.count)
        return true;
    struct program *program = &building->programs.data[values[0]];
    if (!program->children++)
        program->first = (uint32_t)building->child.count;
    *vec_push(&building->child) = (uint32_t)values[1];
    return true;
}

static bool on_root(void *context, size_t columns, const int64_t *values)
{
    struct building *building = context;
    (void)columns;
    if ((uint64_t)values[0] < building->programs.count)
        *vec_push(&building->roots) = (uint32_t)values[0];
    return true;
}

static uint32_t add_node(struct building *building, uint32_t parent, const struct program *program, unsigned kind,
                         unsigned loop)
{
    struct nesting *made = building->made;
    const char *slash = strrchr(program->name, '/'), *last = slash ? slash + 1 : program->name;
    struct str label = { 0 };
    /* A sync is named after its kind. */
    if (kind == KIND_SYNC_INTERNAL || kind == KIND_SYNC_EXTERNAL)
        str_add(&label, kinds[kind].label);
    else
        str_format(&label, *last ? "%s (%s)" : "%s", program->type, last);
    str_add(&label, ""); /* makes the text non-NULL */
    if (made->nodes == building->node_capacity) {
        building->node_capacity *= 2;
        made->node = mem_grow(made->node, building->node_capacity * sizeof(*made->node));
        made->loop = mem_grow(made->loop, building->node_capacity * sizeof(*made->loop));
    }
    uint32_t depth = made->node[parent].depth + 1;
    made->node[made->nodes] = (struct node){ parent, depth, label.text, (uint8_t)kind };
    made->loop[made->nodes] = (uint8_t)loop;
    made->depth = depth > made->depth ? depth : made->depth;
    return made->nodes++;
}

/* Adds a program and its descendants. Unnamed sequences get no node. */
static void add_place(struct building *building, uint32_t id, uint32_t parent, uint32_t node, unsigned loop,
                      unsigned depth)
{
    if (building->places.count >= MAX_PLACES || depth > MAX_PROGRAM_DEPTH)
        return;
    const struct nesting *made = building->made;
    struct program *program = &building->programs.data[id];
    unsigned kind = id < building->lod->programs ? building->lod->of_program[id].kind : KIND_OTHER;
    bool leaf = kind != KIND_OTHER, loops = strncmp(program->type, "Repeat", 6) == 0;
    bool silent =
        !leaf && (made->node[node].depth + 2 >= DEEPEST || (strcmp(program->type, "Sequence") == 0 && !*program->name));
    uint32_t own = silent ? node : add_node(building, node, program, leaf ? kind : KINDS, loop);
    uint32_t place = (uint32_t)building->places.count;
    *vec_push(&building->places) = (struct place){ parent, place + 1, own, loops };
    *vec_push(&building->programs.data[id].places) = place;
    if (loops)
        loop = made->node[own].depth;
    for (uint32_t i = 0; i < program->children; ++i)
        add_place(building, building->child.data[program->first + i], place, own, loop, depth + 1);
    if (program->target < building->programs.count)
        add_place(building, program->target, place, own, loop, depth + 1);
    building->places.data[place].end = (uint32_t)building->places.count;
}

/* The first of a program's places in [from, end), or NO_PLACE. */
static uint32_t place_from(const struct program *program, uint32_t from, uint32_t end)
{
    size_t low = 0, high = program->places.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (program->places.data[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < program->places.count && program->places.data[low] < end ? program->places.data[low] : NO_PLACE;
}

static uint32_t next_place(const struct building *building, const struct program *program, uint32_t before)
{
    if (program->places.count == 1 || before == NO_PLACE)
        return program->places.data[0];
    for (uint32_t around = before; around != NO_PLACE; around = building->places.data[around].parent) {
        const struct place *place = &building->places.data[around];
        uint32_t found = place_from(program, before + 1, place->end);
        if (found == NO_PLACE && place->loops)
            found = place_from(program, around, place->end);
        if (found != NO_PLACE)
            return found;
    }
    return program->places.data[0];
}

static uint32_t common_node(const struct node *nodes, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (nodes[a].depth >= nodes[b].depth)
            a = nodes[a].parent;
        else
            b = nodes[b].parent;
    }
    return a;
}

static void place_steps(struct building *building)
{
    const struct lod *lod = building->lod;
    struct nesting *made = building->made;
    made->leaf = mem_zero(lod->steps + 1, sizeof(*made->leaf));
    made->common = mem_zero(lod->buckets + 1, sizeof(*made->common));
    uint32_t before = NO_PLACE, run = 0;
    for (uint64_t step = 0; step < lod->steps; ++step) {
        if (run + 1 < lod->runs && lod->run[run + 1].first <= step) {
            run = lod_run_of(lod, step);
            before = NO_PLACE;
        }
        uint32_t id = lod->program[step];
        if (!building->programs.data[id].places.count) /* no control program contains it */
            add_place(building, id, NO_PLACE, 0, 0, 0);
        if (!building->programs.data[id].places.count)
            continue;
        before = next_place(building, &building->programs.data[id], before);
        made->leaf[step] = building->places.data[before].node;
    }
    for (uint64_t i = 0; i < lod->buckets; ++i) {
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        uint32_t common = made->leaf[first];
        for (uint64_t step = first; step < end && common; ++step)
            common = common_node(made->node, common, made->leaf[step]);
        made->common[i] = lod->runs && lod_run_of(lod, first) != lod_run_of(lod, end - 1) ? 0 : common;
    }
}

static struct nesting *make(const struct lod *lod, pva_file *file, pop_error *error)
{
    struct building building = { .lod = lod, .made = MEM_NEW(struct nesting), .node_capacity = 64 };
    struct nesting *made = building.made;
    made->node = mem_zero(building.node_capacity, sizeof(*made->node));
    made->loop = mem_zero(building.node_capacity, sizeof(*made->loop));
    made->node[0] = (struct node){ 0, 0, mem_string(""), KINDS };
    made->nodes = 1;
    pop_status status =
        pva_sql(file, "SELECT type, name, target FROM programs ORDER BY id", on_program, &building, error);
    if (status == POP_OK)
        status = pva_sql_integers(file, "SELECT program, child FROM program_children ORDER BY program, position",
                                  on_child, &building, error);
    if (status == POP_OK)
        status =
            pva_sql_integers(file, "SELECT program FROM control_programs ORDER BY position", on_root, &building, error);
    if (status == POP_OK && building.programs.count < lod->programs)
        status = answer_fail(error, POP_INVALID_OPTION, "the report has changed while it was read");
    if (status == POP_OK) {
        for (size_t i = 0; i < building.roots.count; ++i)
            add_place(&building, building.roots.data[i], NO_PLACE, 0, 0, 0);
        place_steps(&building);
    }
    for (size_t i = 0; i < building.programs.count; ++i) {
        free(building.programs.data[i].type);
        free(building.programs.data[i].name);
        vec_free(&building.programs.data[i].places);
    }
    vec_free(&building.programs);
    vec_free(&building.child);
    vec_free(&building.roots);
    vec_free(&building.places);
    if (status == POP_OK)
        return made;
    nesting_free(made);
    return NULL;
}

void nesting_free(struct nesting *nesting)
{
    if (!nesting)
        return;
    for (uint32_t i = 0; i < nesting->nodes; ++i)
        free(nesting->node[i].label);
    free(nesting->node);
    free(nesting->loop);
    free(nesting->leaf);
    free(nesting->common);
    free(nesting);
}

static void free_kept(void *nesting)
{
    nesting_free(nesting);
}

const struct nesting *nesting_of(const struct request *request, const struct lod *lod, pop_error *error)
{
    struct analyser_report *report = request_report(request, error); /* locked, so that only one request builds it */
    if (!report)
        return NULL;
    struct kept *kept = &report->kept[KEPT_NESTING];
    if (!kept->data)
        *kept = (struct kept){ make(lod, report->file, error), free_kept };
    return kept->data;
}
