/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/call.h"
#include "poplibs/codes.h"

#include <stdarg.h>

struct call call_begin(const struct call_function *function, pop_graph *graph, pop_where where, pop_program sequence,
                       const pop_log_argument *arguments, size_t bytes)
{
    struct call call = { .graph = graph, .sequence = sequence, .library = function->library };
    size_t length = strlen(function->function), count = bytes / sizeof(*arguments);
    length -= length > 3 && strcmp(function->function + length - 3, "_at") == 0 ? 3 : 0;
    memcpy(function->name, function->function, length); /* 0 follows */
    call.api = function->api ? function->api : function->name;
    for (size_t i = 0; i < count; ++i)
        if (arguments[i].kind == POP_LOG_OPTIONS && strcmp(arguments[i].name, "options") == 0)
            call.options = arguments[i].as.options;
        else if (arguments[i].kind == POP_LOG_TEXT && strcmp(arguments[i].name, "name") == 0)
            call.name = arguments[i].as.text;
    call.where = pop_log_enter(call.library, graph, where, function->function, arguments, count);
    return call;
}

void call_end(const struct call *call)
{
    (void)call;
    pop_log_leave();
}

bool call_fail(const struct call *call, pop_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!call->error)
        return pop_graph_fail(call->graph, status, call->where, call->api, text);
    if (call->error->status == POP_OK)
        call_set_error(call, call->error, status, text);
    return false;
}

pop_status call_set_error(const struct call *call, pop_error *error, pop_status status, const char *text)
{
    if (error) {
        *error = (pop_error){ .status = status, .where = call->where };
        snprintf(error->api, sizeof(error->api), "%s", call->api);
        snprintf(error->text, sizeof(error->text), "%s", text);
    }
    return status;
}

pop_status call_report(const struct call *call, pop_error *error)
{
    if (error)
        *error = *call->error;
    return call->error->status;
}

bool call_fits_memory(const struct call *call, const char *what, size_t elements, pop_type type)
{
    double bytes = (double)elements * (double)pop_type_size(type),
           memory = (double)pop_target_memory_bytes(pop_graph_target(call->graph));
    return bytes < 8 * memory || call_fail(call, POP_GRAPH_MEMORY_ALLOCATION_ERROR,
                                           "%s takes %.4g bytes; the target's memory has %.4g", what, bytes, memory);
}

bool call_takes(const struct call *call, const char *what, pop_tensor t)
{
    bool mapped;
    if (!pop_tensor_valid(t))
        return call_fail(call, POP_POPLAR_ERROR, "%s is a null tensor", what);
    if (t.store != pop_graph_store(call->graph))
        return call_fail(call, POP_POPLAR_ERROR, "%s belongs to another graph", what);
    if (!call_fits_memory(call, what, pop_tensor_num_elements(t), pop_tensor_type(t)) ||
        !pop_graph_get_tile_mapping(call->graph, t, &mapped, NULL))
        return false;
    return mapped || call_fail(call, POP_INVALID_TILE_MAPPING,
                               "%s is not mapped completely: give each of its elements a tile first", what);
}

bool call_takes_shape(const struct call *call, const char *what, pop_tensor t, pop_type type, pop_shape shape)
{
    char wanted[128], seen[128];
    if (!call_takes(call, what, t))
        return false;
    if (pop_tensor_type(t) != type)
        return call_fail(call, POP_TYPE_ERROR, "%s: the type is %s; it must be %s", what,
                         pop_type_name(pop_tensor_type(t)), pop_type_name(type));
    bool same = pop_tensor_rank(t) == shape.rank;
    for (unsigned i = 0; i < shape.rank && same; ++i)
        same = pop_tensor_dim(t, i) == shape.dims[i];
    return same ||
           call_fail(call, POP_POPLAR_ERROR, "%s: the shape is %s; it must be %s", what,
                     poplibs_shape_of(seen, sizeof(seen), t), poplibs_shape_text(wanted, sizeof(wanted), shape));
}

bool call_takes_writeable(const struct call *call, const char *what, pop_tensor t)
{
    return pop_tensor_is_parallel_writeable(t) ||
           call_fail(call, POP_POPLAR_ERROR, "%s cannot be written: it contains constants or repeated elements", what);
}

bool call_takes_scale(const struct call *call, const char *what, pop_tensor t)
{
    bool mapped = true;
    if (pop_tensor_valid(t) && t.store == pop_graph_store(call->graph) && pop_tensor_num_elements(t) == 1 &&
        pop_graph_get_tile_mapping(call->graph, t, &mapped, NULL) && !mapped)
        pop_graph_set_tile_mapping(call->graph, t, 0);
    return call_takes(call, what, t);
}

const char *call_path(const struct call *call, const char *prefix, const char *name)
{
    char path[4096]; /* those of deep networks have several hundred characters */
    snprintf(path, sizeof(path), "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "/" : "", name);
    return pop_store_keep_text(pop_graph_store(call->graph), path);
}

pop_vertex call_vertex(const struct call *call, pop_compute_set set, const char *type, unsigned tile)
{
    pop_vertex vertex = pop_graph_add_vertex(call->graph, set, type);
    pop_graph_map_vertex(call->graph, vertex, tile);
    return vertex;
}

void call_connect(const struct call *call, pop_vertex vertex, const char *field, pop_tensor t)
{
    pop_graph_connect(call->graph, vertex, field, poplibs_codes(call, t));
}

void call_set(const struct call *call, pop_vertex vertex, const char *field, size_t value)
{
    pop_graph_set_field_int(call->graph, vertex, field, (int64_t)value);
}

void call_copy(const struct call *call, pop_tensor from, pop_tensor to, const char *name)
{
    pop_sequence_add(call->sequence, pop_copy(from, to, false, name));
}

void call_execute(const struct call *call, pop_compute_set set, const char *name)
{
    pop_sequence_add(call->sequence, pop_execute(set, name));
}
