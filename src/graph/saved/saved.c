/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of tensors: collected from a graph, checked, built into another. */
#include "graph/saved/saved.h"
#include "graph/graph.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include "graph/view/tensor.h"

#include <stdio.h>

struct saved_variable *saved_add_variable(struct saved *layout)
{
    struct saved_variable *variable = vec_push(&layout->variables);
    memset(variable, 0, sizeof(*variable));
    return variable;
}

struct saved_tensor *saved_add_tensor(struct saved *layout)
{
    struct saved_tensor *tensor = vec_push(&layout->tensors);
    memset(tensor, 0, sizeof(*tensor));
    return tensor;
}

void saved_free(struct saved *layout)
{
    for (size_t i = 0; i < layout->variables.count; ++i) {
        free(layout->variables.data[i].name);
        vec_free(&layout->variables.data[i].contents);
        vec_free(&layout->variables.data[i].ranges);
    }
    for (size_t i = 0; i < layout->tensors.count; ++i) {
        vec_free(&layout->tensors.data[i].shape);
        vec_free(&layout->tensors.data[i].pieces);
        vec_free(&layout->tensors.data[i].digits);
    }
    vec_free(&layout->variables);
    vec_free(&layout->tensors);
}

/* ---- from a graph ---- */

static void collect_variable(struct saved *layout, const pop_store *store, uint32_t index)
{
    struct variable *from = &store->variables.data[index];
    struct saved_variable *to = saved_add_variable(layout);
    to->name = mem_string(store_name(store, from->name));
    to->elements = from->elements;
    to->type = from->type;
    to->constant = from->constant;
    to->follows_vertex = from->follows_vertex;
    tile_map_compact(&from->map);
    if (from->map.ranges.count)
        memcpy(vec_extend(&to->ranges, from->map.ranges.count), from->map.ranges.data,
               from->map.ranges.count * sizeof(struct tile_range));
    if (!from->constant)
        return;
    const struct initial *initial = &store->initials.data[from->initial];
    to->fill = initial->fill;
    size_t bytes = (size_t)(initial->fill && from->elements ? 1 : from->elements) * pop_type_size((pop_type)from->type);
    if (bytes)
        memcpy(vec_extend(&to->contents, bytes), store->data.data + initial->data, bytes);
}

struct collector {
    struct saved *layout;
    const pop_store *store;
    uint32_t *index;
};

static bool collect_piece(const struct piece *piece, void *context)
{
    struct collector *collector = context;
    struct saved *layout = collector->layout;
    uint32_t *index = &collector->index[piece->variable];
    if (!*index) {
        collect_variable(layout, collector->store, piece->variable);
        *index = (uint32_t)layout->variables.count;
    }
    struct saved_tensor *tensor = &layout->tensors.data[layout->tensors.count - 1];
    *vec_push(&tensor->pieces) = (struct saved_piece){ *index - 1, piece->digits, piece->offset };
    if (piece->digits)
        memcpy(vec_extend(&tensor->digits, piece->digits), piece->digit, piece->digits * sizeof(*piece->digit));
    return true;
}

void saved_collect(struct saved *layout, const pop_store *store, pop_tensor t, uint32_t *index)
{
    struct saved_tensor *tensor = saved_add_tensor(layout);
    tensor->type = t.type;
    size_t rank = pop_tensor_rank(t);
    for (size_t i = 0; i < rank; ++i)
        *vec_push(&tensor->shape) = pop_tensor_dim(t, i);
    struct collector collector = { layout, store, index };
    if (pop_tensor_num_elements(t))
        tensor_each_piece(t, collect_piece, &collector);
}

/* ---- checks: a file can say anything ---- */

#define LARGEST ((uint64_t)1 << 40)

static bool check_variable(const struct saved_variable *v, unsigned tiles, char *text, size_t size)
{
    uint64_t last = 0;
    size_t bytes = pop_type_is_supported((pop_type)v->type) ? pop_type_size((pop_type)v->type) : 0;
    if (!bytes || v->elements > LARGEST || strlen(v->name) > 1 << 20)
        return snprintf(text, size, "variable '%.40s' has no valid type, size or name", v->name), false;
    uint64_t held = (v->fill && v->elements ? 1 : v->elements) * bytes;
    if (v->constant ? v->contents.count != held : v->contents.count || v->fill || v->follows_vertex)
        return snprintf(text, size, "the contents of variable '%.40s' are not of its size", v->name), false;
    for (size_t i = 0; i < v->ranges.count; ++i) {
        const struct tile_range *range = &v->ranges.data[i];
        if (range->begin < last || range->begin >= range->end || range->end > v->elements)
            return snprintf(text, size, "the tile mapping of variable '%.40s' is no list of its ranges", v->name),
                   false;
        if (range->tile >= tiles)
            return snprintf(text, size, "variable '%.40s' is mapped to tile %u, and the graph has %u tiles", v->name,
                            range->tile, tiles),
                   false;
        last = range->end;
    }
    return true;
}

/* Elements of a piece that stays inside its variable, 0 when it does not. */
static uint64_t check_piece(const struct saved_piece *piece, const struct digit *digit, uint64_t size)
{
    uint64_t elements = 1, low = piece->offset, high = piece->offset;
    if (piece->offset >= size || piece->digits > MAX_DIGITS)
        return 0;
    for (uint32_t i = 0; i < piece->digits; ++i) {
        uint64_t extent = digit[i].extent,
                 stride = digit[i].stride < 0 ? 0 - (uint64_t)digit[i].stride : (uint64_t)digit[i].stride;
        if (extent < 1 || extent > MAX_ELEMENTS / elements || (stride && (extent - 1) > size / stride))
            return 0;
        elements *= extent;
        uint64_t reach = (extent - 1) * stride;
        if (digit[i].stride < 0 ? reach > low : reach >= size - high)
            return 0;
        *(digit[i].stride < 0 ? &low : &high) += digit[i].stride < 0 ? 0 - reach : reach;
    }
    return elements;
}

static bool check_tensor(const struct saved *layout, const struct saved_tensor *tensor, size_t number, char *text,
                         size_t size)
{
    uint64_t elements = 1, found = 0;
    bool empty = false;
    if (!pop_type_is_supported((pop_type)tensor->type) || tensor->shape.count > MAX_RANK)
        return snprintf(text, size, "tensor %zu has no valid type or rank", number), false;
    for (size_t i = 0; i < tensor->shape.count; ++i)
        empty |= !tensor->shape.data[i];
    for (size_t i = 0; i < tensor->shape.count && !empty; ++i) {
        if (tensor->shape.data[i] > MAX_ELEMENTS / elements)
            return snprintf(text, size, "tensor %zu has too many elements", number), false;
        elements *= tensor->shape.data[i];
    }
    elements = empty ? 0 : elements;
    size_t digits = 0;
    for (size_t i = 0; i < tensor->pieces.count; ++i) {
        const struct saved_piece *piece = &tensor->pieces.data[i];
        uint64_t count = 0;
        if (piece->variable < layout->variables.count && piece->digits <= tensor->digits.count - digits &&
            pop_type_size((pop_type)layout->variables.data[piece->variable].type) ==
                pop_type_size((pop_type)tensor->type))
            count = check_piece(piece, piece->digits ? tensor->digits.data + digits : NULL,
                                layout->variables.data[piece->variable].elements);
        if (!count || count > elements - found)
            return snprintf(text, size, "piece %zu of tensor %zu leaves its variable or the tensor", i, number), false;
        found += count;
        digits += piece->digits;
    }
    if (found != elements || digits != tensor->digits.count)
        return snprintf(text, size, "the pieces of tensor %zu are not its shape's %llu elements", number,
                        (unsigned long long)elements),
               false;
    return true;
}

bool saved_check(const struct saved *layout, unsigned tiles, char *text, size_t size)
{
    for (size_t i = 0; i < layout->variables.count; ++i)
        if (!check_variable(&layout->variables.data[i], tiles, text, size))
            return false;
    for (size_t i = 0; i < layout->tensors.count; ++i)
        if (!check_tensor(layout, &layout->tensors.data[i], i, text, size))
            return false;
    return true;
}

/* ---- into a graph ---- */

static uint32_t build_variable(const struct saved_variable *from, pop_store *store, pop_where where, const char *api)
{
    uint32_t index = variable_add(store, where, api, (pop_type)from->type, from->elements, from->name);
    if (index == UINT32_MAX)
        return index;
    if (from->type == POP_QUARTER)
        metadata_add_own(store, where, api, index, from->name);
    struct variable *to = &store->variables.data[index];
    for (size_t i = 0; i < from->ranges.count; ++i)
        tile_map_add(&to->map, from->ranges.data[i].begin, from->ranges.data[i].end, from->ranges.data[i].tile);
    if (!from->constant)
        return index;
    to->constant = true;
    to->follows_vertex = from->follows_vertex;
    to->initial = (uint32_t)store->initials.count;
    uint64_t data = store_data(store, from->contents.data, from->contents.count);
    *vec_push(&store->initials) =
        (struct initial){ .variable = index, .fill = from->fill, .count = from->elements, .data = data };
    return index;
}

static pop_tensor build_tensor(const struct saved_tensor *tensor, pop_store *store, pop_where where, const char *api,
                               const uint32_t *variables)
{
    if (!tensor->pieces.count) { /* empty tensor: its own variable records type and shape */
        uint32_t index = variable_add(store, where, api, (pop_type)tensor->type, 0, "");
        return index == UINT32_MAX ? (pop_tensor){ 0 }
                                   : tensor_of_variable(store, index, (pop_type)tensor->type, tensor->shape.data,
                                                        tensor->shape.count, 0);
    }
    struct composite *composite = MEM_NEW(struct composite);
    for (size_t i = 0, at = 0; i < tensor->pieces.count; ++i) {
        struct digit digit[MAX_DIGITS];
        struct piece piece = { .variable = variables[tensor->pieces.data[i].variable],
                               .offset = tensor->pieces.data[i].offset,
                               .elements = 1,
                               .digit = digit };
        uint32_t count = tensor->pieces.data[i].digits;
        for (uint32_t k = 0; k < count; ++k) {
            digit[k] = tensor->digits.data[at++];
            piece.elements *= digit[k].extent;
        }
        piece.digits = digits_merge(digit, count);
        composite_add(store, composite, &piece);
    }
    uint64_t shape[MAX_RANK];
    for (size_t i = 0; i < tensor->shape.count; ++i)
        shape[i] = tensor->shape.data[i];
    uint32_t source = composite_keep(store, composite);
    struct unpacked v = { .store = store, .source = source, .made = source, .type = tensor->type };
    unpacked_row_major(&v, shape, (unsigned)tensor->shape.count);
    return tensor_pack(&v);
}

bool saved_build(const struct saved *layout, pop_graph *graph, pop_where where, const char *api, pop_tensor *tensors,
                 size_t capacity)
{
    pop_store *store = graph->store;
    if (graph->group)
        return store_fail(store, POP_GRAPH_REPLICATION_ERROR, where, api,
                          "tensors cannot be read into a replicated graph: read them into its parent");
    uint32_t *variables = mem_alloc(layout->variables.count * sizeof(*variables));
    for (size_t i = 0; i < layout->variables.count && graph_ready(graph); ++i)
        variables[i] = build_variable(&layout->variables.data[i], store, where, api);
    for (size_t i = 0; i < layout->tensors.count && i < capacity && graph_ready(graph); ++i)
        tensors[i] = build_tensor(&layout->tensors.data[i], store, where, api, variables);
    free(variables);
    return graph_ready(graph);
}
