/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host.h"

#include "poplin/host/host_split.h"

#include <popops/fill.h>

/* Panels that a vertex packs, and the number of vertices below which each packs fewer. */
enum { PACK_PANELS = 16, PACK_VERTICES = 8 };
/* Minimum length of a view's contiguous rows for reading it in place. */
enum { MIN_ROW = 8 };

struct gemm_product {
    const struct call *call;
    pop_compute_set pack, multiply, store;
    pop_program before; /* copies of operands that are not read in place */
    pop_program after;
    pop_tensor scale;
};

/* A matrix for vertices: rows of contiguous elements, `stride` apart, or at any addresses if it is 0. */
struct matrix {
    pop_tensor t; /* the rows in memory */
    bool transposed;
    size_t stride;
};

static pop_tensor fresh(const struct gemm_product *p, pop_type type, pop_shape shape, const char *step)
{
    const struct call *call = p->call;
    pop_tensor t = pop_graph_add_variable(call->graph, type, shape, call_path(call, call->name, step));
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}

static bool has_contiguous_rows(const struct call *call, pop_tensor t)
{
    if (pop_tensor_dim(t, 1) < MIN_ROW)
        return false;
    for (size_t i = 0; i < pop_tensor_dim(t, 0); ++i)
        if (!pop_tensor_is_contiguous(pop_tensor_at(t, i)))
            return false;
    return true;
}
/* False if it must be copied. */
static bool find_matrix(const struct call *call, pop_tensor t, struct matrix *matrix)
{
    pop_tensor turned = pop_tensor_transpose(t);
    if (pop_tensor_is_contiguous(t))
        *matrix = (struct matrix){ t, false, pop_tensor_dim(t, 1) };
    else if (pop_tensor_is_contiguous(turned))
        *matrix = (struct matrix){ turned, true, pop_tensor_dim(t, 0) };
    else if (has_contiguous_rows(call, t))
        *matrix = (struct matrix){ t, false, 0 };
    else if (has_contiguous_rows(call, turned))
        *matrix = (struct matrix){ turned, true, 0 };
    else
        return false;
    return true;
}

/* A new matrix, to which t is copied before the product. */
static pop_tensor copied(const struct gemm_product *p, pop_tensor t)
{
    const struct call *call = p->call;
    pop_tensor copy = fresh(p, pop_tensor_type(t), POP_SHAPE(pop_tensor_dim(t, 0), pop_tensor_dim(t, 1)), "Gathered");
    pop_sequence_add(p->before, pop_copy(t, copy, false, call->name));
    return copy;
}
static struct matrix find_operand(const struct gemm_product *p, pop_tensor t, pop_tensor out)
{
    struct matrix matrix;
    if (pop_tensor_intersects(t, out) || !find_matrix(p->call, t, &matrix))
        find_matrix(p->call, copied(p, t), &matrix);
    return matrix;
}

static void connect_rows(const struct gemm_product *p, pop_vertex vertex, const char *field,
                         const struct matrix *matrix, size_t begin, size_t end, pop_interval columns)
{
    const struct call *call = p->call;
    pop_tensor part = pop_tensor_slice(matrix->t, begin, end, 0);
    if (!matrix->stride)
        part = pop_tensor_slice_interval(part, columns, 1);
    else
        part = pop_tensor_reshape(part, POP_SHAPE(1, pop_tensor_num_elements(part)));
    call_connect(call, vertex, field, part);
}
static void set(const struct gemm_product *p, pop_vertex vertex, const char *field, size_t value)
{
    const struct call *call = p->call;
    call_set(call, vertex, field, value);
}

/* ---- B ---- */

static void pack_part(const struct gemm_product *p, const struct matrix *b, pop_interval rows, pop_interval columns,
                      pop_tensor out)
{
    const struct call *call = p->call;
    char name[64];
    snprintf(name, sizeof(name), "poplin::HostMatMulPack<%s>", pop_type_name(pop_tensor_type(b->t)));
    pop_vertex vertex = call_vertex(call, p->pack, name, 0);
    pop_interval lines = b->transposed ? columns : rows, along = b->transposed ? rows : columns;
    connect_rows(p, vertex, "in", b, lines.begin, lines.end, along);
    call_connect(call, vertex, "out", out);
    set(p, vertex, "stride", b->stride);
    set(p, vertex, "first", b->stride ? along.begin : 0);
    set(p, vertex, "depth", rows.end - rows.begin);
    set(p, vertex, "columns", columns.end - columns.begin);
    set(p, vertex, "transposed", b->transposed);
}
static pop_tensor pack(const struct gemm_product *p, const struct matrix *b, size_t depth, size_t columns)
{
    const struct call *call = p->call;
    size_t panels = gemm_panels_of(columns), block = gemm_block_of(depth), blocks = poplibs_ceil_div(depth, block);
    pop_tensor packed = fresh(p, POP_FLOAT, POP_SHAPE(depth * panels * GEMM_PANEL), "Packed");
    size_t share = poplibs_max(1, poplibs_min(PACK_PANELS, panels * blocks / PACK_VERTICES));
    for (size_t k = 0; k < depth; k += block)
        for (size_t panel = 0; panel < panels; panel += share) {
            size_t last = poplibs_min(panels, panel + share), end = poplibs_min(depth, k + block),
                   wide = (end - k) * GEMM_PANEL;
            size_t at = k * panels * GEMM_PANEL + panel * wide;
            pop_tensor out = pop_tensor_slice(packed, at, at + (last - panel) * wide, 0);
            pack_part(p, b, (pop_interval){ k, end },
                      (pop_interval){ panel * GEMM_PANEL, poplibs_min(columns, last * GEMM_PANEL) }, out);
        }
    return packed;
}

/* ---- the product ---- */

struct gemm_block {
    const struct matrix *a, *out;
    pop_tensor packed;
    size_t depth, all_columns;
    pop_interval rows, columns;
};

static void multiply_block(const struct gemm_product *p, const struct gemm_block *block)
{
    const struct call *call = p->call;
    char name[64];
    const struct matrix *a = block->a, *out = block->out;
    snprintf(name, sizeof(name), "poplin::HostMatMul<%s>", pop_type_name(pop_tensor_type(a->t)));
    pop_vertex vertex = call_vertex(call, p->multiply, name, 0);
    pop_interval depth = { 0, block->depth }, lines = a->transposed ? depth : block->rows,
                 along = a->transposed ? block->rows : depth;
    connect_rows(p, vertex, "a", a, lines.begin, lines.end, along);
    call_connect(call, vertex, "b", block->packed);
    /* A part of the columns is not contiguous: it is connected row by row. */
    struct matrix piece = *out;
    if (block->columns.end - block->columns.begin < block->all_columns)
        piece.stride = 0;
    connect_rows(p, vertex, "out", &piece, block->rows.begin, block->rows.end, block->columns);
    if (pop_tensor_valid(p->scale))
        call_connect(call, vertex, "scale", p->scale);
    else
        pop_graph_connect_constant(call->graph, vertex, "scale", POP_FLOAT, &(float){ 1 });
    set(p, vertex, "strideA", a->stride);
    set(p, vertex, "firstA", a->stride ? along.begin : 0);
    set(p, vertex, "transposedA", a->transposed);
    set(p, vertex, "strideOut", piece.stride);
    set(p, vertex, "rows", block->rows.end - block->rows.begin);
    set(p, vertex, "depth", block->depth);
    set(p, vertex, "block", gemm_block_of(block->depth));
    set(p, vertex, "column", block->columns.begin);
    set(p, vertex, "columns", block->columns.end - block->columns.begin);
    set(p, vertex, "allColumns", block->all_columns);
    set(p, vertex, "add", pop_tensor_valid(p->scale));
}

static void multiply(const struct gemm_product *p, const struct matrix *a, pop_tensor packed, const struct matrix *out,
                     size_t depth)
{
    struct host_split split = host_split(pop_tensor_dim(out->t, 0), pop_tensor_dim(out->t, 1), depth);
    for (size_t i = 0; i < split.bands; ++i)
        for (size_t k = 0; k < split.parts; ++k)
            multiply_block(p, &(struct gemm_block){ a, out, packed, depth, split.columns, host_band(&split, i),
                                                    host_part(&split, k) });
}

/* Converts a matrix of float to half, by vertices with parts of rows of a minimum total length. */
static void store(const struct gemm_product *p, pop_tensor from, pop_tensor to)
{
    const struct call *call = p->call;
    pop_tensor flat[] = { pop_tensor_flatten(from), pop_tensor_flatten(to) };
    for (size_t at = 0, end = pop_tensor_num_elements(to), share = poplibs_max(1 << 14, end / POPLIBS_CPU_PARTS);
         at < end; at += share) {
        size_t next = poplibs_min(end, at + share);
        pop_vertex vertex = call_vertex(call, p->store, "poplin::HostMatMulStore", 0);
        call_connect(call, vertex, "in", pop_tensor_slice(flat[0], at, next, 0));
        call_connect(call, vertex, "out", pop_tensor_slice(flat[1], at, next, 0));
        if (pop_tensor_valid(p->scale))
            call_connect(call, vertex, "scale", p->scale);
        else
            pop_graph_connect_constant(call->graph, vertex, "scale", POP_FLOAT, &(float){ 1 });
        set(p, vertex, "add", pop_tensor_valid(p->scale));
    }
}

static void multiply_group(const struct gemm_product *p, pop_tensor a, pop_tensor b, pop_tensor out)
{
    const struct call *call = p->call;
    struct matrix target = { .transposed = false };
    pop_tensor plain = out;
    struct gemm_product whole = *p;
    bool half = pop_tensor_type(out) == POP_HALF, direct = !half && find_matrix(call, out, &target);
    if (!direct) {
        plain = fresh(p, POP_FLOAT, POP_SHAPE(pop_tensor_dim(out, 0), pop_tensor_dim(out, 1)), "Product");
        find_matrix(call, plain, &target);
    }
    if (half)
        whole.scale = (pop_tensor){ 0 };
    else if (!direct && pop_tensor_valid(p->scale))
        pop_sequence_add(p->before, pop_copy(out, plain, false, call->name));
    /* A product that is transposed is the product of the transposed operands, in the other order. */
    pop_tensor left = target.transposed ? pop_tensor_transpose(b) : a,
               right = target.transposed ? pop_tensor_transpose(a) : b;
    struct matrix a_matrix = find_operand(p, left, plain), b_matrix = find_operand(p, right, plain);
    size_t depth = pop_tensor_dim(a, 1);
    multiply(&whole, &a_matrix, pack(&whole, &b_matrix, depth, pop_tensor_dim(target.t, 1)), &target, depth);
    if (half)
        store(p, plain, out);
    else if (!direct)
        pop_sequence_add(p->after, pop_copy(plain, out, false, call->name));
}

void host_mat_mul(const struct call *call, pop_tensor a, pop_tensor b, pop_tensor out, pop_tensor scale)
{
    pop_graph *graph = call->graph;
    if (!call_ready(call) || !pop_tensor_num_elements(out))
        return;
    if (!pop_tensor_num_elements(a)) { /* an empty sum */
        if (!pop_tensor_valid(scale))
            popops_zero(graph, out, call->sequence, call->name);
        return;
    }
    struct gemm_product p = { .call = call, .scale = scale };
    p.before = pop_sequence(graph, call->name);
    p.after = pop_sequence(graph, call->name);
    p.pack = pop_graph_add_compute_set(graph, call_path(call, call->name, "Pack"));
    p.multiply = pop_graph_add_compute_set(graph, call_path(call, call->name, "Multiply"));
    p.store = pop_graph_add_compute_set(graph, call_path(call, call->name, "Store"));
    for (size_t g = 0; g < pop_tensor_dim(out, 0); ++g)
        multiply_group(&p, pop_tensor_at(a, g), pop_tensor_at(b, g), pop_tensor_at(out, g));
    pop_sequence_add(call->sequence, p.before);
    call_execute(call, p.pack, call->name);
    call_execute(call, p.multiply, call->name);
    if (pop_tensor_type(out) == POP_HALF)
        call_execute(call, p.store, call->name);
    pop_sequence_add(call->sequence, p.after);
}
