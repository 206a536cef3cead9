/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/pass/request.h"

bool sparse_request_make(const struct call *call, const struct sparse_shape *shape, double ratio,
                         enum sparse_option_set set, popsparse_planning_cache *cache, struct sparse_request *request)
{
    char text[400];
    if (!call_ready(call))
        return false;
    *request = (struct sparse_request){ .shape = *shape, .set = set };
    const char *wrong = sparse_shape_wrong(shape, ratio, text, sizeof(text));
    if (wrong)
        return call_fail(call, POP_POPLAR_ERROR, "%s", wrong);
    if (shape->type != POP_HALF && shape->type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "the data type is %s; it must be half or float",
                         pop_type_name(shape->type));
    return sparse_options_parse(call, set, &request->options) &&
           sparse_plan_find(call, pop_graph_target(call->graph), shape, &request->options, cache, &request->plan);
}

static void write_key(const struct sparse_request *request, char *text, size_t size)
{
    static const char *const kinds[] = { "fullyConnected", "matMul", "static sparseDense", "static denseSparse" };
    const struct sparse_shape *s = &request->shape;
    const struct sparse_options *o = &request->options;
    pop_text_format(text, size,
                    "%s: %zu groups of %zu x %zu, batch %zu, blocks %zu x %zu, %zu values, %s, memory %g, oversize %g, "
                    "passes %d%d, splits %u %u %u",
                    kinds[request->set + request->transposed], s->groups, s->rows, s->columns, s->batch, s->block_rows,
                    s->block_columns, s->nz, pop_type_name(s->type), o->proportion, o->oversize, o->grad_a, o->grad_w,
                    o->splits[0], o->splits[1], o->splits[2]);
}
enum { KEY_SIZE = 400 };

const char *sparse_request_key(const struct call *call, const struct sparse_request *request)
{
    char text[KEY_SIZE];
    write_key(request, text, sizeof(text));
    return pop_store_keep_text(pop_graph_store(call->graph), text);
}

bool sparse_request_check_key(const struct call *call, const struct sparse_request *request, const char *key)
{
    char text[KEY_SIZE];
    write_key(request, text, sizeof(text));
    return !key || strcmp(key, text) == 0 ||
           call_fail(call, POP_POPLAR_ERROR,
                     "the sparse operand was created for another operation or with other options: %s; this is %s", key,
                     text);
}

bool sparse_request_read_key(const char *key, struct sparse_shape *shape)
{
    char type[16];
    const char *at = key ? strchr(key, ':') : NULL;
    *shape = (struct sparse_shape){ 0 };
    if (!at || sscanf(at, ": %zu groups of %zu x %zu, batch %zu, blocks %zu x %zu, %zu values, %15[a-z],",
                      &shape->groups, &shape->rows, &shape->columns, &shape->batch, &shape->block_rows,
                      &shape->block_columns, &shape->nz, type) != 8)
        return false;
    shape->type = strcmp(type, "half") == 0 ? POP_HALF : POP_FLOAT;
    return shape->block_rows && shape->block_columns;
}
