/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/pass/pass.h"

struct sparse_cells sparse_cells_of(const struct call *call, pop_tensor meta_info, pop_tensor values)
{
    return (struct sparse_cells){ pop_tensor_slice(meta_info, SPARSE_HEADER, pop_tensor_num_elements(meta_info), 0),
                                  values, pop_tensor_at(meta_info, 0) };
}

/* Block rows or columns of the cell: those at the edges have fewer. */
static size_t blocks_at(size_t index, size_t size, size_t all, size_t block)
{
    size_t first = poplibs_min(index * size, all), end = poplibs_min((index + 1) * size, all);
    return (end - first) / block;
}

void sparse_set_cell_fields(const struct call *call, const struct sparse_request *request,
                            const struct sparse_place *place)
{
    const struct sparse_plan *plan = &request->plan;
    const struct sparse_shape *shape = &request->shape;
    struct sparse_work work = sparse_plan_work(shape, plan);
    size_t x = place->cell / plan->y % plan->x, y = place->cell % plan->y;
    call_set(call, place->vertex, "subGroupIdToProcess", place->cell + 1);
    call_set(call, place->vertex, "blockRows", shape->block_rows);
    call_set(call, place->vertex, "blockColumns", shape->block_columns);
    call_set(call, place->vertex, "cellRows", blocks_at(x, plan->cell_rows, shape->rows, shape->block_rows));
    call_set(call, place->vertex, "cellColumns",
             blocks_at(y, plan->cell_columns, shape->columns, shape->block_columns));
    call_set(call, place->vertex, "rows", place->own ? work.rows : 0);
    call_set(call, place->vertex, "columns", place->own ? work.columns : 0);
}

/* ---- one look at all buckets ---- */

static pop_tensor bucket(const struct call *call, pop_tensor buckets, size_t cell, size_t elements)
{
    return pop_tensor_slice(buckets, cell * elements, (cell + 1) * elements, 0);
}
static pop_compute_set look(const struct call *call, const struct sparse_pass *pass, const struct sparse_cells *cells,
                            bool own)
{
    const struct sparse_request *request = pass->request;
    const struct sparse_plan *plan = &request->plan;
    char type[96];
    snprintf(type, sizeof(type), "popsparse::%s<%s,%s>",
             sparse_block_area(&request->shape) == 1 ? pass->vertex : pass->block_vertex,
             pop_type_name(request->shape.type), pop_type_name(request->options.sums));
    pop_compute_set set =
        pop_graph_add_compute_set(call->graph, call_path(call, call->name, own ? "own" : "travelled"));
    for (size_t cell = 0; cell < plan->cells && call_ready(call); ++cell)
        for (size_t z = 0; z < plan->z; ++z) {
            unsigned tile = sparse_plan_tile(plan, pop_graph_target(call->graph), cell, z);
            struct sparse_place place = { call_vertex(call, set, type, tile), cell, z, own };
            pop_tensor values = pass->writes ? pop_tensor_at(cells->values, z) : cells->values;
            call_connect(call, place.vertex, "metaInfo", bucket(call, cells->meta_info, cell, plan->meta_info));
            call_connect(call, place.vertex, pass->values, bucket(call, values, cell, plan->nz));
            sparse_set_cell_fields(call, request, &place);
            pass->connect(call, pass, &place);
        }
    return set;
}

/* ---- travel ---- */

struct travel {
    const struct sparse_pass *pass;
    struct sparse_cells moving;
    pop_tensor left, more; /* steps to be made, and whether there is one */
};

/* Each bucket at the place of the one before it; back: after it. */
static pop_tensor rotated(const struct call *call, pop_tensor buckets, size_t elements, bool back)
{
    unsigned dim = (unsigned)pop_tensor_rank(buckets) - 1;
    size_t all = pop_tensor_dim(buckets, dim), first = back ? all - elements : elements;
    pop_tensor parts[] = { pop_tensor_slice(buckets, first, all, dim), pop_tensor_slice(buckets, 0, first, dim) };
    return pop_tensor_concat((pop_tensors){ 2, parts }, dim);
}
static void move(const struct call *call, const struct travel *t, const struct sparse_cells *from)
{
    const struct sparse_plan *plan = &t->pass->request->plan;
    call_copy(call, rotated(call, from->meta_info, plan->meta_info, false), t->moving.meta_info, call->name);
    call_copy(call, rotated(call, from->values, plan->nz, false), t->moving.values, call->name);
}

/* A step is taken, or there is none. */
static void count(const struct call *call, const struct travel *t, pop_tensor steps, const char *name)
{
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, name));
    unsigned tile = sparse_control_tile(call, t->pass->request);
    pop_vertex vertex = call_vertex(call, set, steps.store ? "popsparse::StartSteps" : "popsparse::NextStep", tile);
    if (steps.store)
        call_connect(call, vertex, "steps", steps);
    call_connect(call, vertex, "left", t->left);
    call_connect(call, vertex, "more", t->more);
    call_execute(call, set, call->name);
}
static struct call in_sequence(const struct call *call)
{
    struct call inner = *call;
    inner.sequence = pop_sequence(call->graph, call->name);
    return inner;
}
/* Repeats body for each step after the first. */
static void repeat(const struct call *call, const struct travel *t, pop_program body)
{
    struct call next = in_sequence(call);
    count(&next, t, (pop_tensor){ 0 }, "next");
    pop_sequence_add(call->sequence, pop_repeat_while_true(next.sequence, t->more, body, call->name));
}
/* Brings written values back to the cells that they belong to. */
static void go_back(const struct call *call, const struct travel *t, const struct sparse_cells *cells)
{
    struct call body = in_sequence(call);
    pop_tensor back = rotated(call, t->moving.values, t->pass->request->plan.nz, true);
    count(call, t, cells->steps, "back");
    call_copy(call, back, t->moving.values, call->name);
    call_copy(&body, back, t->moving.values, call->name);
    repeat(call, t, body.sequence);
    call_copy(call, t->moving.values, cells->values, call->name);
}

static pop_tensor scalar(const struct call *call, const struct sparse_pass *pass, pop_type type, const char *name)
{
    pop_tensor t = pop_graph_add_variable(call->graph, type, POP_SHAPE(), call_path(call, call->name, name));
    pop_graph_set_tile_mapping(call->graph, t, sparse_control_tile(call, pass->request));
    return t;
}
static void travel(const struct call *call, const struct sparse_pass *pass, const struct sparse_cells *cells)
{
    const struct sparse_request *request = pass->request;
    struct travel t = { .pass = pass };
    t.left = scalar(call, pass, POP_UNSIGNED_INT, "left");
    t.more = scalar(call, pass, POP_BOOL, "more");
    t.moving.meta_info = sparse_bucket_variable(call, request, POP_UNSIGNED_SHORT, request->plan.meta_info,
                                                call_path(call, call->name, "metaInfo"));
    t.moving.values =
        pass->writes ? pop_graph_clone(call->graph, request->options.sums, cells->values,
                                       POP_CLONE_PRESERVE_ORDER_AND_ALIASES, call_path(call, call->name, "gradients"))
                     : sparse_bucket_variable(call, request, request->shape.type, request->plan.nz,
                                              call_path(call, call->name, "values"));
    struct call far = in_sequence(call), body = in_sequence(call);
    if (!call_ready(call))
        return;
    count(call, &t, cells->steps, "start");
    pop_compute_set set = look(call, pass, &t.moving, false);
    move(&far, &t, cells);
    call_execute(&far, set, call->name);
    move(&body, &t, &t.moving);
    call_execute(&body, set, call->name);
    repeat(&far, &t, body.sequence);
    if (pass->writes)
        go_back(&far, &t, cells);
    pop_sequence_add(call->sequence, pop_if(t.more, far.sequence, pop_sequence(call->graph, call->name), call->name));
}

void sparse_pass_run(const struct call *call, const struct sparse_pass *pass, const struct sparse_cells *cells)
{
    if (!call_ready(call) || !pass->request->plan.cells)
        return;
    call_execute(call, look(call, pass, cells, true), call->name);
    if (cells->steps.store && pass->request->plan.cells > 1)
        travel(call, pass, cells);
}
