/* SPDX-License-Identifier: Apache-2.0 */
/* Remote buffers: rows of elements outside the device, moved by index. */
#include "engine/engine.h"
#include "engine/hint.h"

pop_status remotes_create(struct replica *replica, const char *api, pop_error *error)
{
    const struct image *image = replica->engine->image;
    remotes_destroy(replica);
    replica->remotes = mem_zero(image->remotes.count, sizeof(*replica->remotes));
    for (size_t i = 0; i < image->remotes.count; ++i) {
        const struct image_remote *remote = image->remotes.data + i;
        size_t row = remote->elements * pop_type_size((pop_type)remote->type);
        unsigned char *rows = mem_try_zero(remote->repeats + 1, row);
        replica->remotes[i] = (struct remote_state){ rows, row };
        if (!rows)
            return error_set(error, POP_STREAM_MEMORY_ALLOCATION_ERROR, NO_WHERE, api,
                             "cannot get %llu rows of %zu bytes of host memory for remote buffer '%s'",
                             (unsigned long long)remote->repeats, row, image_string(image, remote->name));
    }
    return POP_OK;
}

void remotes_destroy(struct replica *replica)
{
    for (size_t i = 0; replica->remotes && i < replica->engine->image->remotes.count; ++i)
        free(replica->remotes[i].rows);
    free(replica->remotes);
    replica->remotes = NULL;
}

/* Row index i of an operand; fails the run when it is out of range. */
static bool row_index(struct engine_run *run, const struct image_op *op, const unsigned char *indices, uint64_t i,
                      uint64_t *row)
{
    const struct image_remote *remote = run->image->remotes.data + op->a;
    bool is_signed = run->image->operands.data[op->c - 1].type == POP_INT;
    uint32_t bits;
    memcpy(&bits, indices + i * sizeof(bits), sizeof(bits));
    *row = bits;
    if (bits < remote->repeats && !(is_signed && bits > INT32_MAX))
        return true;
    run_fail(run, POP_APPLICATION_RUNTIME_ERROR, "row %lld of remote buffer '%s', which has %llu rows (0 to %lld)",
             is_signed ? (long long)(int32_t)bits : (long long)bits, image_string(run->image, remote->name),
             (unsigned long long)remote->repeats, (long long)remote->repeats - 1);
    return false;
}

/* Moves one row directly between storage and the buffer, without the temporary. */
static uint32_t move_one(struct engine_run *run, const struct image_op *op, uint32_t next, bool in)
{
    const struct remote_state *remote = run->replica->remotes + op->a;
    const struct image_copy *copy = run->image->copies.data + op->b;
    unsigned char *storage = run->replica->storage;
    uint64_t row = 0;
    if (op->c && !row_index(run, op, run_operand(run, op->c - 1), 0, &row))
        return RUN_OVER;
    unsigned char *at = remote->rows + row * remote->row_bytes;
    copy_run(run->image, copy, in ? at : storage, in ? storage : at, run->pool);
    return next;
}

/* Moves rows by way of the engine's temporary; all indices are checked before any row is moved. */
static uint32_t move_rows(struct engine_run *run, const struct image_op *op, uint32_t next, bool in)
{
    const struct remote_state *remote = run->replica->remotes + op->a;
    const struct image_copy *copy = run->image->copies.data + op->b;
    unsigned char *storage = run->replica->storage, *rows = run->replica->temporary;
    const unsigned char *indices = run_operand(run, op->c - 1);
    uint64_t row;
    for (uint64_t i = 0; i < op->d; ++i)
        if (!row_index(run, op, indices, i, &row))
            return RUN_OVER;
    if (!in)
        copy_run(run->image, copy, storage, rows, run->pool);
    for (uint64_t i = 0; i < op->d; ++i) {
        row_index(run, op, indices, i, &row);
        unsigned char *here = rows + i * remote->row_bytes, *there = remote->rows + row * remote->row_bytes;
        memcpy(in ? here : there, in ? there : here, remote->row_bytes);
    }
    if (in)
        copy_run(run->image, copy, rows, storage, run->pool);
    return next;
}

uint32_t op_remote_in(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    return op->d == 1 ? move_one(run, op, next, true) : move_rows(run, op, next, true);
}

uint32_t op_remote_out(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    return op->d == 1 ? move_one(run, op, next, false) : move_rows(run, op, next, false);
}

size_t pop_engine_remote_row_bytes(const pop_engine *engine, const char *handle)
{
    const struct image *image = engine && handle ? engine->image : NULL;
    for (size_t i = 0; image && i < image->remotes.count; ++i)
        if (strcmp(image_string(image, image->remotes.data[i].name), handle) == 0)
            return (size_t)image->remotes.data[i].elements * pop_type_size((pop_type)image->remotes.data[i].type);
    return 0;
}

/* Number of instances of a buffer: the replicas of the program, or those of a replicated part of the graph. */
static unsigned remote_instances(const pop_engine *engine, size_t remote)
{
    const struct image_remote *of = engine->image->remotes.data + remote;
    return of->copies > 1 ? of->copies : engine->host_count;
}

static const struct remote_state *remote_at(const pop_engine *engine, size_t remote, unsigned instance)
{
    const struct image_remote *of = engine->image->remotes.data + remote;
    if (of->copies > 1)
        return engine->replicas[0].remotes + (instance ? of->first_copy + instance - 1 : remote);
    return engine->replicas[engine->host_first + instance].remotes + remote;
}

/* Address of a row for the host, or NULL with an error. */
static unsigned char *find_row(pop_engine *engine, const char *handle, const void *data, uint64_t row, unsigned replica,
                               const char *api, pop_error *error, size_t *bytes, pop_status *status)
{
    *status = POP_STREAM_CONNECTION_ERROR;
    if (!engine || !handle || !data) {
        error_set(error, *status, NO_WHERE, api, "the %s is NULL", !engine ? "engine" : !handle ? "handle" : "data");
        return NULL;
    }
    const struct image *image = engine->image;
    struct hint hint = { 0 };
    size_t i = 0;
    for (; i < image->remotes.count && strcmp(image_string(image, image->remotes.data[i].name), handle) != 0; ++i)
        hint_add(&hint, image_string(image, image->remotes.data[i].name));
    const char *text = hint_text(&hint, handle);
    if (i == image->remotes.count) {
        error_set(error, *status, NO_WHERE, api, "there is no remote buffer '%s'%s", handle, text);
    } else if (!engine->loaded) {
        *status =
            error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the engine is not loaded: load it on a device first");
    } else if (replica >= remote_instances(engine, i)) {
        *status = engine_no_replica(remote_instances(engine, i), replica, api, error);
    } else if (row >= image->remotes.data[i].repeats) {
        *status =
            error_set(error, POP_INDEX_ERROR, NO_WHERE, api, "row %llu of remote buffer '%s', which has %llu rows",
                      (unsigned long long)row, handle, (unsigned long long)image->remotes.data[i].repeats);
    } else {
        const struct remote_state *remote = remote_at(engine, i, replica);
        *bytes = remote->row_bytes;
        *status = POP_OK;
        return remote->rows + row * *bytes;
    }
    return NULL;
}

static pop_status copy_row(pop_engine *engine, unsigned replica, const char *handle, uint64_t row, const void *from,
                           void *to, const char *api, pop_error *error)
{
    size_t bytes;
    pop_status status;
    unsigned char *at = find_row(engine, handle, from ? from : to, row, replica, api, error, &bytes, &status);
    if (at)
        memcpy(to ? to : at, to ? at : from, bytes);
    return status;
}

pop_status pop_engine_copy_to_remote_buffer_of(pop_engine *engine, unsigned replica, const void *data,
                                               const char *handle, uint64_t row, pop_error *error)
{
    return copy_row(engine, replica, handle, row, data, NULL, "pop_engine_copy_to_remote_buffer_of", error);
}

pop_status pop_engine_copy_from_remote_buffer_of(pop_engine *engine, unsigned replica, const char *handle, void *data,
                                                 uint64_t row, pop_error *error)
{
    return copy_row(engine, replica, handle, row, NULL, data, "pop_engine_copy_from_remote_buffer_of", error);
}

pop_status pop_engine_copy_to_remote_buffer(pop_engine *engine, const void *data, const char *handle, uint64_t row,
                                            pop_error *error)
{
    return copy_row(engine, 0, handle, row, data, NULL, "pop_engine_copy_to_remote_buffer", error);
}

pop_status pop_engine_copy_from_remote_buffer(pop_engine *engine, const char *handle, void *data, uint64_t row,
                                              pop_error *error)
{
    return copy_row(engine, 0, handle, row, NULL, data, "pop_engine_copy_from_remote_buffer", error);
}
