/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: the blocks of memory, the initial values, and vertex states whose references become addresses. */
#include "engine/engine.h"
#include "engine/external.h"
#include "engine/fault.h"
#include "engine/isolate.h"
#include "image/reference.h"
#include "popc/module/link.h"

/* Where each block of the image is, by enum image_block. */
struct bases {
    unsigned char *of[4];
};

/* Writes the pointer slot at an offset of the states. The reference is read from the image, so that a second load
 * works. */
static inline void place(struct replica *replica, const struct bases *bases, uint64_t offset)
{
    uint64_t reference = image_word(replica->engine->image, offset);
    unsigned char *address = reference ? bases->of[IMAGE_REF_BLOCK(reference)] + IMAGE_REF_OFFSET(reference) : NULL;
    memcpy(replica->states + offset, &address, sizeof(address));
}

/* One field of vertices of a group: a loop over one kind of slot. */
static void place_field(struct replica *replica, const struct bases *bases, const struct image_group *group,
                        const struct codelet_field *field, uint64_t begin, uint64_t end)
{
    const struct image *image = replica->engine->image;
    for (uint64_t i = begin; i < end; ++i) {
        uint64_t state = group->states + i * group->stride;
        if (field_has_table(field)) {
            uint64_t table = IMAGE_REF_OFFSET(image_word(image, state + field->offset));
            uint64_t entries = table_entries(image, field, state);
            for (uint64_t e = 0; e < entries; ++e)
                place(replica, bases, table + e * table_stride(field));
        }
        place(replica, bases, state + field->offset);
    }
}

/* Vertices of a group at a time: few enough for the cache to hold them from one field to the next. */
enum { BLOCK_VERTICES = 1024 };

struct block_loading {
    struct replica *replica;
    struct bases bases;
    const struct image_group *group;
};

static void load_block(void *context, uint32_t block)
{
    const struct block_loading *loading = context;
    const struct image_group *group = loading->group;
    const struct codelet *codelet = image_codelet(loading->replica->engine->image, group->codelet);
    uint64_t begin = (uint64_t)block * BLOCK_VERTICES,
             end = begin + BLOCK_VERTICES < group->count ? begin + BLOCK_VERTICES : group->count;
    for (uint32_t f = 0; f < codelet->field_count; ++f)
        if (field_has_pointer(codelet->fields + f))
            place_field(loading->replica, &loading->bases, group, codelet->fields + f, begin, end);
}

static void load_states(struct replica *replica)
{
    const struct image *image = replica->engine->image;
    struct block_loading loading = { replica, { { NULL, replica->storage, replica->scratch, replica->states } }, NULL };
    if (image->states.count)
        memcpy(replica->states, image->states.data, image->states.count);
    for (size_t g = 0; g < image->groups.count; ++g) {
        loading.group = image->groups.data + g;
        pool_run(replica->engine->pool, (uint32_t)((loading.group->count + BLOCK_VERTICES - 1) / BLOCK_VERTICES),
                 load_block, &loading);
    }
}

/* Fills by doubling the part already written. */
static void fill(unsigned char *to, const unsigned char *value, uint64_t bytes, uint64_t times)
{
    uint64_t total = bytes * times;
    if (!total)
        return;
    memcpy(to, value, bytes);
    for (uint64_t done = bytes; done < total;) {
        uint64_t more = total - done < done ? total - done : done;
        memcpy(to + done, to, more);
        done += more;
    }
}

static void load_values(struct replica *replica)
{
    const struct image *image = replica->engine->image;
    for (size_t i = 0; i < image->initials.count; ++i) {
        const struct image_initial *initial = image->initials.data + i;
        uint64_t data = initial->data + (initial->own ? replica->number * initial->bytes : 0);
        fill(replica->storage + initial->offset, image->data.data + data, initial->bytes, initial->times);
    }
}

/* vertex.h defines this number for every target. */
enum { MULTI_VERTEX_WORKERS = 6 };

/* Precondition: the modules are linked, which creating the engine has checked. */
static void make_groups(struct replica *replica)
{
    const struct image *image = replica->engine->image;
    for (size_t g = 0; g < image->groups.count; ++g) {
        const struct image_group *group = image->groups.data + g;
        const struct codelet *codelet = image_codelet(image, group->codelet);
        struct tile_vertex *external = external_of(replica->engine->externals, group->codelet);
        replica->groups[g] = (struct group_run){
            .run = external ? external_run : module_run(codelet->module, codelet),
            .external = external,
            .codelet = codelet,
            .states = replica->states + group->states,
            .stride = group->stride,
            .first = group->first_vertex_in_set,
            .count = group->count,
            .workers = codelet->kind == VERTEX_MULTI ? MULTI_VERTEX_WORKERS : 1,
        };
    }
}

/* Vertices may read this many bytes past their edges (loads of whole vectors). */
enum { READABLE_BEHIND = 64 };

static pop_status make_block(unsigned char **block, uint64_t bytes, bool shared, const char *what, const char *api,
                             pop_error *error)
{
    if (*block)
        memset(*block, 0, bytes);
    else
        *block = shared ? isolate_block(bytes + READABLE_BEHIND) : mem_try(bytes + READABLE_BEHIND);
    if (*block)
        return POP_OK;
    return error_set(error, POP_GRAPH_MEMORY_ALLOCATION_ERROR, NO_WHERE, api,
                     "cannot get %llu bytes of host memory for %s", (unsigned long long)bytes, what);
}

/* Size of the buffer for overlapping copies, rows of remote buffers and copies to other processes. */
static uint64_t temporary_bytes(const struct image *image, bool all_local)
{
    uint64_t max = 0;
    for (size_t i = 0; i < image->ops.count; ++i) {
        const struct image_op *op = image->ops.data + i;
        uint64_t bytes = 0;
        if (op->kind == OP_COPY && image->copies.data[op->a].overlaps) {
            bytes = image->copies.data[op->a].bytes;
        } else if (op->kind == OP_CROSS_COPY) {
            for (uint64_t c = 0; c < op->d; ++c)
                bytes += op->d > 1 || !all_local || image->copies.data[op->a].overlaps
                             ? image->copies.data[op->a + c].bytes
                             : 0;
        } else if (op->kind == OP_REMOTE_IN || op->kind == OP_REMOTE_OUT) {
            const struct image_remote *remote = image->remotes.data + op->a;
            bytes = op->d > 1 ? op->d * remote->elements * pop_type_size((pop_type)remote->type) : 0;
        }
        max = bytes > max ? bytes : max;
    }
    return max;
}

static uint64_t operand_bytes(const struct image *image)
{
    uint64_t max = sizeof(uint64_t);
    for (size_t i = 0; i < image->operands.count; ++i) {
        uint64_t bytes = image->operands.data[i].elements * pop_type_size((pop_type)image->operands.data[i].type);
        max = bytes > max ? bytes : max;
    }
    return max;
}

/* Counts of the vertices of the largest set that has any. */
static uint64_t counted_bytes(const struct image *image)
{
    uint64_t max = 0;
    for (size_t i = 0; i < image->sets.count; ++i)
        if (image->sets.data[i].counted && image->sets.data[i].vertices > max)
            max = image->sets.data[i].vertices;
    return max * sizeof(uint64_t);
}

static pop_status materialise(struct replica *replica, const char *api, pop_error *error)
{
    pop_engine *engine = replica->engine;
    const struct image *image = engine->image;
    const struct {
        unsigned char **block;
        uint64_t bytes;
        bool shared;
        const char *what;
    } blocks[] = {
        { &replica->storage, image->storage_bytes, engine->settings.isolated, "variables" },
        { &replica->scratch, image->scratch_bytes, engine->settings.isolated, "gathered edges" },
        { &replica->states, image->states.count, engine->settings.isolated, "vertex states" },
        { (unsigned char **)&replica->counted, counted_bytes(image), engine->settings.isolated, "counts of cycles" },
        { &replica->temporary, temporary_bytes(image, engine->local_count == engine->replica_count), false, "copies" },
        { &replica->operand, operand_bytes(image), false, "control flow" },
    };
    pop_status status = POP_OK;
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]) && status == POP_OK; ++i)
        status = make_block(blocks[i].block, blocks[i].bytes, blocks[i].shared, blocks[i].what, api, error);
    if (status != POP_OK || (status = remotes_create(replica, api, error)) != POP_OK)
        return status;
    load_values(replica);
    behave_load(replica);
    load_states(replica);
    if (!replica->groups) {
        replica->groups = mem_zero(image->groups.count, sizeof(*replica->groups));
        replica->sets = mem_zero(image->sets.count, sizeof(*replica->sets));
    }
    make_groups(replica);
    replica->executed_sets = 0;
    free(replica->random);
    replica->random = externals_random(engine->externals, image, replica->number);
    mem_free(replica->weights);
    replica->weights = externals_weights(engine);
    return POP_OK;
}

pop_status engine_materialise(pop_engine *engine, const char *api, pop_error *error)
{
    isolate_end(engine);
    for (unsigned r = engine->first_local; r < engine->first_local + engine->local_count; ++r) {
        pop_status status = materialise(engine->replicas + r, api, error);
        if (status != POP_OK)
            return status;
    }
    if (!engine->watched)
        fault_handler_install();
    engine->watched = true;
    return POP_OK;
}

static void unload(struct replica *replica)
{
    void (*free_block)(void *) = replica->engine->settings.isolated ? isolate_free : mem_free;
    free_block(replica->storage);
    free_block(replica->scratch);
    free_block(replica->states);
    free_block(replica->counted);
    free(replica->temporary);
    free(replica->operand);
    free(replica->groups);
    free(replica->sets);
    free(replica->random);
    mem_free(replica->weights);
    replica->weights = NULL;
    replica->random = NULL;
    remotes_destroy(replica);
    replica->storage = replica->scratch = replica->states = replica->temporary = replica->operand = NULL;
    replica->counted = NULL;
    replica->groups = NULL;
    replica->sets = NULL;
}

void engine_unload(pop_engine *engine)
{
    isolate_end(engine);
    for (unsigned r = 0; r < engine->replica_count; ++r)
        unload(engine->replicas + r);
    engine->loaded = false;
    if (engine->watched)
        fault_handler_remove();
    engine->watched = false;
}
