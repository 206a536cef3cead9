/* SPDX-License-Identifier: Apache-2.0 */
/* emit: completes the image: initial contents, host access, streams, names, target and options. */
#include "compiler/lower/lower.h"

#include <assert.h>

static void emit_variables(struct compiler *c, const struct storage_result *storage)
{
    for (uint32_t v = 0; v < c->store->variables.count; ++v) {
        const struct variable *variable = &c->store->variables.data[v];
        if (storage->offset[v] != NO_STORAGE)
            *vec_push(&c->image->variables) =
                (struct image_variable){ storage->offset[v], variable->elements * variable_element_bytes(c, v),
                                         compiler_string(c, variable_name(c, v)), variable->type };
    }
}

/* In the order of the calls: a later value of an element replaces an earlier one. */
static void emit_initials(struct compiler *c, const struct storage_result *storage)
{
    struct image *image = c->image;
    for (size_t i = 0; i < c->store->initials.count; ++i) {
        const struct initial *initial = &c->store->initials.data[i];
        if (storage->offset[initial->variable] == NO_STORAGE || !initial->count)
            continue;
        uint64_t element = variable_element_bytes(c, initial->variable),
                 bytes = initial->fill ? element : initial->count * element,
                 all = bytes * (initial->own ? c->store->replicas : 1);
        assert(initial->begin <= c->store->variables.data[initial->variable].elements &&
               initial->count <= c->store->variables.data[initial->variable].elements - initial->begin);
        assert(initial->data + all <= c->store->data.count);
        *vec_push(&image->initials) =
            (struct image_initial){ storage->offset[initial->variable] + initial->begin * element, image->data.count,
                                    bytes, initial->fill ? initial->count : 1, initial->own };
        memcpy(vec_extend(&image->data, all), c->store->data.data + initial->data, all);
    }
}

static void emit_handles(struct compiler *c, const struct storage_result *storage)
{
    const pop_store *store = c->store;
    for (size_t i = 0; i < store->host_reads.count; ++i) {
        const struct host_handle *handle = &store->host_reads.data[i];
        uint32_t copy = lower_copy(c, storage, handle->view, NULL);
        *vec_push(&c->image->reads) = (struct image_handle){ compiler_string(c, store_name(store, handle->name)), copy,
                                                             c->image->copies.data[copy].bytes };
    }
    for (size_t i = 0; i < store->host_writes.count; ++i) {
        const struct host_handle *handle = &store->host_writes.data[i];
        uint32_t copy = lower_copy(c, storage, NULL, handle->view);
        *vec_push(&c->image->writes) = (struct image_handle){ compiler_string(c, store_name(store, handle->name)), copy,
                                                              c->image->copies.data[copy].bytes };
    }
}

static void emit_streams(struct compiler *c)
{
    const pop_store *store = c->store;
    for (size_t i = 0; i < store->streams.count; ++i) {
        const struct stream *s = &store->streams.data[i];
        *vec_push(&c->image->streams) = (struct image_stream){ .name = compiler_string(c, store_name(store, s->name)),
                                                               .type = s->type,
                                                               .direction = s->direction,
                                                               .mode = s->mode,
                                                               .elements = s->elements,
                                                               .buffering_depth = s->buffering_depth,
                                                               .copies = s->copies,
                                                               .first_copy = s->first_copy };
    }
    for (size_t i = 0; i < store->remotes.count; ++i) {
        const struct remote_buffer *r = &store->remotes.data[i];
        *vec_push(&c->image->remotes) = (struct image_remote){ .name = compiler_string(c, store_name(store, r->name)),
                                                               .type = r->type,
                                                               .elements = r->elements,
                                                               .repeats = r->repeats,
                                                               .copies = r->copies,
                                                               .first_copy = r->first_copy };
    }
}

static void emit_host_functions(struct compiler *c)
{
    const pop_store *store = c->store;
    for (size_t i = 0; i < store->host_functions.count; ++i) {
        const struct host_function *h = &store->host_functions.data[i];
        *vec_push(&c->image->host_functions) =
            (struct image_host_function){ compiler_string(c, store_name(store, h->name)),
                                          (uint32_t)c->image->arguments.count, h->input_count, h->output_count };
        for (uint32_t a = 0; a < h->input_count + h->output_count; ++a)
            *vec_push(&c->image->arguments) =
                (struct image_argument){ .type = (uint8_t)h->arguments[a].type, .elements = h->arguments[a].elements };
    }
}

static uint64_t register_storage(const struct storage_result *storage, uint32_t variable)
{
    return variable && storage->offset[variable - 1] != NO_STORAGE ? storage->offset[variable - 1] : 0;
}

static void emit_registers(struct compiler *c, const struct check_result *check, const struct storage_result *storage)
{
    uint64_t flags = check->behaves ? register_storage(storage, c->store->float_behaviour) : 0,
             seeds = register_storage(storage, c->store->hw_seeds);
    uint32_t tiles = pop_target_num_tiles(&c->store->target);
    if (flags || seeds)
        *vec_push(&c->image->registers) = (struct image_registers){
            flags, seeds, tiles,
            seeds ? (uint32_t)(c->store->variables.data[c->store->hw_seeds - 1].elements / tiles) : 0
        };
}

bool pass_emit(struct compiler *c, const struct check_result *check, const struct storage_result *storage)
{
    emit_variables(c, storage);
    emit_initials(c, storage);
    emit_handles(c, storage);
    emit_streams(c);
    emit_host_functions(c);
    emit_registers(c, check, storage);
    return true;
}
