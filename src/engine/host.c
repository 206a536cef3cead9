/* SPDX-License-Identifier: Apache-2.0 */
/* Host access other than streams: tensors by handle, and host functions. */
#include "engine/engine.h"
#include "engine/exit_guard.h"
#include "engine/hint.h"
#include "engine/ranks.h"

#include "base/str.h"

/* Checks the call's arguments; returns the handle's record, or NULL with an error. */
static const struct image_handle *find_handle(pop_engine *engine, const char *handle, const void *data, size_t bytes,
                                              bool read, const char *api, pop_error *error, pop_status *status)
{
    *status = POP_TENSOR_IO_STATE_ERROR;
    if (!engine || !handle || (!data && bytes)) {
        error_set(error, *status, NO_WHERE, api, "the %s is NULL", !engine ? "engine" : !handle ? "handle" : "data");
        return NULL;
    }
    const struct image *image = engine->image;
    const struct image_handle *handles = read ? image->reads.data : image->writes.data;
    size_t count = read ? image->reads.count : image->writes.count;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(image_string(image, handles[i].name), handle) != 0)
            continue;
        if (!engine->loaded)
            *status = error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                                "the engine is not loaded: load it on a device first");
        else if (bytes / engine->host_count < handles[i].bytes) /* POP_WHOLE is larger than any size */
            error_set(error, *status, NO_WHERE, api,
                      "the tensor of handle '%s' has %llu bytes%s, the buffer %zu: at least as many are needed", handle,
                      (unsigned long long)handles[i].bytes * engine->host_count,
                      engine->host_count > 1 ? " in all replicas" : "", bytes);
        else
            *status = POP_OK;
        return *status == POP_OK ? &handles[i] : NULL;
    }
    struct hint hint = { 0 };
    for (size_t i = 0; i < count; ++i)
        hint_add(&hint, image_string(image, handles[i].name));
    error_set(error, *status, NO_WHERE, api, "there is no handle '%s' for host %s%s", handle, read ? "reads" : "writes",
              hint_text(&hint, handle));
    return NULL;
}

static pop_status write_handle(pop_engine *engine, const char *handle, const void *data, size_t bytes, const char *api,
                               pop_error *error)
{
    pop_status status;
    const struct image_handle *found = find_handle(engine, handle, data, bytes, false, api, error, &status);
    for (unsigned i = 0; found && found->bytes && i < engine->local_count; ++i) {
        unsigned r = engine->first_local + i;
        copy_run(engine->image, engine->image->copies.data + found->copy,
                 (const unsigned char *)data + (r - engine->host_first) * found->bytes, engine->replicas[r].storage,
                 engine->pool);
    }
    return status;
}

static pop_status read_handle(pop_engine *engine, const char *handle, void *data, size_t bytes, const char *api,
                              pop_error *error)
{
    pop_status status;
    const struct image_handle *found = find_handle(engine, handle, data, bytes, true, api, error, &status);
    for (unsigned i = 0; found && found->bytes && i < engine->local_count; ++i) {
        unsigned r = engine->first_local + i;
        copy_run(engine->image, engine->image->copies.data + found->copy, engine->replicas[r].storage,
                 (unsigned char *)data + (r - engine->host_first) * found->bytes, engine->pool);
    }
    return found ? ranks_gather(engine, data, (size_t)found->bytes, api, error) : status;
}

pop_status pop_engine_write_tensor(pop_engine *engine, const char *handle, const void *data, size_t bytes,
                                   pop_error *error)
{
    return write_handle(engine, handle, data, bytes, "pop_engine_write_tensor", error);
}

pop_status pop_engine_read_tensor(pop_engine *engine, const char *handle, void *data, size_t bytes, pop_error *error)
{
    return read_handle(engine, handle, data, bytes, "pop_engine_read_tensor", error);
}

/* ---- tensors of 8-bit floats: their codes, and the metadata of each replica ---- */

static void metadata_handle(struct str *name, const char *handle)
{
    str_format(name, "%s/metadata", handle ? handle : "");
}

pop_status pop_engine_write_quarter(pop_engine *engine, const char *handle, uint8_t metadata, const void *data,
                                    size_t bytes, pop_error *error)
{
    static const char api[] = "pop_engine_write_quarter";
    struct str name = { 0 };
    size_t count = engine ? engine->host_count : 1;
    uint8_t *each = mem_alloc(count);
    memset(each, metadata, count);
    metadata_handle(&name, handle);
    pop_status status = write_handle(engine, str_text(&name), each, count, api, error);
    str_free(&name);
    free(each);
    return status == POP_OK ? write_handle(engine, handle, data, bytes, api, error) : status;
}

pop_status pop_engine_read_quarter(pop_engine *engine, const char *handle, uint8_t *metadata, void *data, size_t bytes,
                                   pop_error *error)
{
    static const char api[] = "pop_engine_read_quarter";
    struct str name = { 0 };
    size_t count = engine ? engine->host_count : 1;
    if (!metadata)
        return error_set(error, POP_TENSOR_IO_STATE_ERROR, NO_WHERE, api, "the place for the metadata is NULL");
    uint8_t *each = mem_alloc(count);
    metadata_handle(&name, handle);
    pop_status status = read_handle(engine, str_text(&name), each, count, api, error);
    if (status == POP_OK)
        *metadata = each[0];
    str_free(&name);
    free(each);
    return status == POP_OK ? read_handle(engine, handle, data, bytes, api, error) : status;
}

/* The host function of a handle, or NULL with an error. */
static const struct image_host_function *find_function(const pop_engine *engine, const char *handle, const char *api,
                                                       pop_error *error)
{
    const struct image *image = engine->image;
    struct hint hint = { 0 };
    for (size_t i = 0; i < image->host_functions.count; ++i) {
        const char *name = image_string(image, image->host_functions.data[i].name);
        if (strcmp(name, handle) == 0) {
            vec_free(&hint.names);
            return image->host_functions.data + i;
        }
        hint_add(&hint, name);
    }
    error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api, "there is no host function '%s'%s", handle,
              hint_text(&hint, handle));
    return NULL;
}

/* Connects replicas [first, last). */
static pop_status connect(pop_engine *engine, const char *handle, unsigned first, unsigned last,
                          struct host_function_state state, const char *api, pop_error *error)
{
    if (!engine || !handle || !state.callback)
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api, "the %s is NULL",
                         !engine   ? "engine"
                         : !handle ? "handle"
                                   : "callback");
    const struct image_host_function *found = find_function(engine, handle, api, error);
    if (!found)
        return POP_STREAM_CONNECTION_ERROR;
    size_t index = (size_t)(found - engine->image->host_functions.data);
    bool busy = false;
    for (unsigned r = first; r < last; ++r)
        busy |= engine->replicas[r].host_functions[index].busy;
    if (busy || engine->destroyed)
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api,
                         busy ? "host function '%s' cannot be connected by its own callback"
                              : "the engine of '%s' was destroyed",
                         handle);
    for (unsigned r = first; r < last; ++r)
        engine->replicas[r].host_functions[index] = state;
    return POP_OK;
}

pop_status pop_engine_connect_host_function(pop_engine *engine, const char *handle, pop_host_callback callback,
                                            void *user, pop_error *error)
{
    return connect(engine, handle, engine ? engine->host_first : 0,
                   engine ? engine->host_first + engine->host_count : 0,
                   (struct host_function_state){ callback, user, false }, "pop_engine_connect_host_function", error);
}

pop_status pop_engine_connect_host_function_of(pop_engine *engine, const char *handle, unsigned replica,
                                               pop_host_callback callback, void *user, pop_error *error)
{
    static const char api[] = "pop_engine_connect_host_function_of";
    if (engine && replica >= engine->host_count)
        return engine_no_replica(engine->host_count, replica, api, error);
    replica += engine ? engine->host_first : 0;
    return connect(engine, handle, replica, replica + 1, (struct host_function_state){ callback, user, false }, api,
                   error);
}

pop_status pop_engine_host_function_arguments(const pop_engine *engine, const char *handle, size_t *inputs,
                                              size_t *outputs, pop_error *error)
{
    static const char api[] = "pop_engine_host_function_arguments";
    if (!engine || !handle)
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api, "the %s is NULL",
                         engine ? "handle" : "engine");
    const struct image_host_function *found = find_function(engine, handle, api, error);
    if (inputs)
        *inputs = found ? found->inputs : 0;
    if (outputs)
        *outputs = found ? found->outputs : 0;
    return found ? POP_OK : POP_STREAM_CONNECTION_ERROR;
}

/* Arguments are in one block, each 64-byte aligned. */
static size_t place_arguments(const struct image *image, const struct image_host_function *function,
                              unsigned char *block, void **places)
{
    size_t used = 0;
    for (uint32_t i = 0; i < function->inputs + function->outputs; ++i) {
        const struct image_argument *argument = image->arguments.data + function->first_argument + i;
        if (block)
            places[i] = block + used;
        used += (argument->elements * pop_type_size((pop_type)argument->type) + 63) & ~(size_t)63;
    }
    return used;
}

struct host_call {
    const struct host_function_state *connected;
    void **places;
    uint32_t inputs;
    pop_status status;
};
static void call_now(void *context)
{
    struct host_call *call = context;
    call->status = call->connected->callback((const void *const *)call->places, call->places + call->inputs,
                                             call->connected->user);
}

/* *exited: the callback called pthread_exit. */
static pop_status call(struct engine_run *run, const struct image_op *op, const struct image_host_function *function,
                       void **places, bool *exited)
{
    const struct image_copy *copies = run->image->copies.data + op->b;
    unsigned char *storage = run->replica->storage;
    struct host_function_state *connected = run->replica->host_functions + op->a;
    for (uint32_t i = 0; i < function->inputs; ++i)
        copy_run(run->image, &copies[i], storage, places[i], run->pool);
    connected->busy = true;
    struct host_call called = { connected, places, function->inputs, POP_RUNTIME_ERROR };
    *exited = !exit_guard_call(call_now, &called);
    pop_status status = called.status;
    connected->busy = false;
    for (uint32_t i = 0; status == POP_OK && i < function->outputs; ++i)
        copy_run(run->image, &copies[function->inputs + i], places[function->inputs + i], storage, run->pool);
    return status;
}

void host_arguments_free(pop_engine *engine)
{
    free(engine->argument_places);
    free(engine->arguments);
    engine->argument_places = NULL;
    engine->arguments = NULL;
}

uint32_t op_call_host(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    const struct image_host_function *function = run->image->host_functions.data + op->a;
    const char *name = image_string(run->image, function->name);
    size_t bytes = place_arguments(run->image, function, NULL, NULL);
    pop_engine *engine = run->engine;
    engine->arguments = mem_try(bytes);
    if (!engine->arguments)
        return run_fail(run, POP_STREAM_MEMORY_ALLOCATION_ERROR,
                        "cannot get %zu bytes of host memory for host function '%s'", bytes, name);
    engine->argument_places = mem_zero(function->inputs + function->outputs, sizeof(*engine->argument_places));
    place_arguments(run->image, function, engine->arguments, engine->argument_places);
    run->replica->at = next - 1;
    bool exited;
    pop_status status = call(run, op, function, engine->argument_places, &exited);
    host_arguments_free(engine);
    if (status == POP_OK)
        return next;
    if (exited)
        return run_fail(run, status, "host function '%s' failed: it called pthread_exit", name);
    if ((unsigned)status >= POP_STATUS_COUNT)
        status = POP_RUNTIME_ERROR;
    return run_fail(run, status, "host function '%s' failed: it returned %s", name, pop_status_name(status));
}
