/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/pass/request.h"
#include "poplibs/log.h"

/* Sets the type of partial results. Element by element they are float, and never narrower than the data. */
static void choose_sums(const struct call *call, struct sparse_request *request)
{
    bool asked = request->options.partials == SPARSE_HALF_SUMS, elements = sparse_block_area(&request->shape) == 1,
         can = !elements && request->shape.type == POP_HALF;
    request->options.sums = asked && can ? POP_HALF : POP_FLOAT;
    if (asked && !can)
        pop_log_once(call->library, POP_LOG_WARN, "%s: partial sums of %s are float, not half", call->api,
                     elements ? "a matrix of single elements" : "a matrix of float values");
}

static void log_plan(const struct sparse_request *request)
{
    pop_log_level level = request->options.verbose ? POP_LOG_INFO : POP_LOG_DEBUG;
    const struct sparse_shape *s = &request->shape;
    const struct sparse_plan *p = &request->plan;
    if (pop_log_on(POPLIBS_LIBRARY, level))
        pop_log_write(POPLIBS_LIBRARY, level,
                      "plan of %zu groups of sparse %zu x %zu in blocks of %zu x %zu, %zu values, batch %zu: rows in "
                      "%zu parts, columns in %zu, the batch in %zu; partial sums %s; %llu cycles, %llu bytes of a tile",
                      s->groups, s->rows, s->columns, s->block_rows, s->block_columns, s->nz, s->batch, p->x, p->y,
                      p->z, pop_type_name(request->options.sums), (unsigned long long)p->cycles,
                      (unsigned long long)p->bytes);
}

bool sparse_request_make(const struct call *call, const struct sparse_question *asked, struct sparse_request *request)
{
    char text[400];
    if (!call_ready(call))
        return false;
    const struct sparse_shape *shape = &asked->shape;
    *request = (struct sparse_request){ .shape = *shape, .set = asked->set, .transposed = asked->transposed };
    const char *wrong = sparse_shape_wrong(shape, asked->ratio, text, sizeof(text));
    if (wrong)
        return call_fail(call, POP_POPLAR_ERROR, "%s", wrong);
    if (shape->type != POP_HALF && shape->type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "the data type is %s; it must be half or float",
                         pop_type_name(shape->type));
    if (asked->options)
        request->options = *asked->options;
    else if (!sparse_options_parse(call, asked->set, asked->transposed, &request->options))
        return false;
    request->options.constraints = NULL;
    choose_sums(call, request);
    if (!sparse_plan_find(call, asked->target ? asked->target : pop_graph_target(call->graph), shape, &request->options,
                          asked->cache, &request->plan))
        return false;
    log_plan(request);
    return true;
}

static void write_key(const struct sparse_request *request, char *text, size_t size)
{
    static const char *const kinds[] = { "fullyConnected", "matMul", "static sparseDense", "static denseSparse" };
    const struct sparse_shape *s = &request->shape;
    const struct sparse_options *o = &request->options;
    pop_text_format(text, size,
                    "%s: %zu groups of %zu x %zu, batch %zu, blocks %zu x %zu, %zu values, %s, memory %g, oversize %g, "
                    "passes %d%d, splits %u %u %u, sums %s",
                    kinds[request->set + request->transposed], s->groups, s->rows, s->columns, s->batch, s->block_rows,
                    s->block_columns, s->nz, pop_type_name(s->type), o->proportion, o->oversize, o->grad_a, o->grad_w,
                    o->splits[0], o->splits[1], o->splits[2], pop_type_name(o->sums));
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
