/* SPDX-License-Identifier: Apache-2.0 */
/* popops: dynamic slices, multi-slices, elements along an axis. */
#include "generators.h"

#include <popops/dynamic_slice.h>
#include <popops/gather.h>

/* ---- dynamic slices ---- */
enum { SLICE, UPDATE };
static void places_of(const struct view *t, const struct view *s, const long *offsets_of_dims, size_t i, size_t *place)
{
    size_t p = 0, scale = 1;
    for (size_t d = t->rank; d-- > 0;) {
        size_t at = i % s->dims[d];
        i /= s->dims[d];
        if (offsets_of_dims[d] >= 0)
            at = (at + ((size_t)offsets_of_dims[d] < t->dims[d] ? (size_t)offsets_of_dims[d] : 0)) % t->dims[d];
        p += at * scale;
        scale *= t->dims[d];
    }
    *place = p;
}
static void dynamic_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *t = &op->in[0];
    long offsets[MAX_DIMS];
    for (size_t d = 0; d < t->rank; ++d)
        offsets[d] = -1;
    for (long k = 0; k < op->whole[1]; ++k)
        offsets[op->whole[10 + k]] = (long)(uint32_t)(int64_t)in[1][k];
    if (op->whole[0] == SLICE) {
        for (size_t i = 0; i < out->count; ++i) {
            size_t place;
            places_of(t, &op->out[0].view, offsets, i, &place);
            out->value[i] = in[0][place];
        }
    } else {
        memcpy(out->value, in[0], out->count * sizeof(double));
        for (size_t i = 0; i < op->in[2].count; ++i) {
            size_t place;
            places_of(t, &op->in[2], offsets, i, &place);
            out->value[place] = in[2][i];
        }
    }
    out->relative = out->absolute = 0;
}
void make_dynamic(struct world *w)
{
    static const pop_type types[] = { POP_HALF,         POP_FLOAT, POP_INT,  POP_BOOL,
                                      POP_UNSIGNED_INT, POP_SHORT, POP_CHAR, POP_LONGLONG };
    pop_type type = types[chance(w, 70) ? below(w, 5) : below(w, 8)];
    bool update = chance(w, 45);
    struct view t = any_view(w, type, !update, 0, 2, 5000);
    unsigned dims[MAX_DIMS];
    size_t sizes[MAX_DIMS], shape[MAX_DIMS], count = 0;
    if (!t.count)
        return;
    memcpy(shape, t.dims, sizeof(shape));
    for (unsigned d = 0; d < t.rank; ++d)
        if (chance(w, 45)) {
            dims[count] = d;
            shape[d] = sizes[count++] = chance(w, 40) ? 1 : between(w, 1, t.dims[d]);
        }
    pop_program sequence;
    struct operation *op = op_begin(w, update ? "dynamic_update" : "dynamic_slice", &sequence);
    op->reference = dynamic_reference;
    op->whole[0] = update;
    op->whole[1] = (long)count;
    if (chance(w, 25) && !update && count) { /* with the layout for slicing */
        pop_tensor made = popops_create_sliceable_tensor(w->graph, type, shape_of(&t), ((pop_dims){ count, dims }),
                                                         ((pop_shape){ count, sizes }), below(w, 3), "t");
        if (pop_tensor_valid(made))
            t = whole(w, adopt_input(w, made, 0, 2));
    }
    op_reads(w, op, t);
    size_t max = 1;
    for (size_t i = 0; i < count; ++i) {
        op->whole[10 + i] = dims[i];
        op_describe(op, " dim %u size %zu", dims[i], sizes[i]);
        max = t.dims[dims[i]] > max ? t.dims[dims[i]] : max;
    }
    struct view offset = op_reads(
        w, op,
        new_view(w, chance(w, 70) ? POP_UNSIGNED_INT : POP_INT, &count, 1, 0, (double)(chance(w, 80) ? max : 2 * max)));
    pop_dims d = { count, dims };
    pop_shape s = { count, sizes };
    if (update) {
        struct view slice = op_reads(w, op, wanted(w, type, shape, t.rank, true, 0, 2));
        if (slice.base == t.base)
            op->in[2] = slice = new_view(w, type, shape, t.rank, 0, 2);
        op_writes(w, op, t);
        popops_dynamic_update(w->graph, t.tensor, slice.tensor, offset.tensor, d, s, sequence, "u");
    } else {
        op_makes(w, op, popops_dynamic_slice(w->graph, t.tensor, offset.tensor, d, s, sequence, "s"));
    }
    op_end(w, op, sequence, update ? 1 : 2);
}

/* ---- multi-slices; groups 0: no groups ---- */
enum { MULTI_SLICE, MULTI_UPDATE, MULTI_ADD, MULTI_MAX, MULTI_MUL };
static void multi_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: kind, groups, dim, size, n */
    const struct view *t = &op->in[0];
    size_t groups = (size_t)op->whole[1], dim = (size_t)op->whole[2], size = (size_t)op->whole[3],
           n = (size_t)op->whole[4], lead = (size_t)op->whole[5];
    size_t outer = product(t->dims + lead, dim - lead), extent = t->dims[dim],
           inner = product(t->dims + dim + 1, t->rank - dim - 1);
    int kind = (int)op->whole[0];
    double scale = kind == MULTI_ADD ? in[3][0] : 0;
    double *added = NULL;
    if (kind != MULTI_SLICE) {
        memcpy(out->value, in[0], out->count * sizeof(double));
        added = calloc(out->count + 1, sizeof(double));
        for (size_t i = 0; i < out->count; ++i)
            out->magnitude[i] = fabs(in[0][i]);
    }
    char *seen = calloc(out->count + 1, 1);
    double max = 1;
    for (size_t g = 0; g < groups; ++g)
        for (size_t k = 0; k < n; ++k) {
            uint32_t offset = (uint32_t)(int64_t)in[1][g * n + k];
            for (size_t o = 0; o < outer; ++o)
                for (size_t e = 0; e < size; ++e)
                    for (size_t i = 0; i < inner; ++i) {
                        bool beyond = offset >= extent || (size > 1 && offset + size > extent);
                        size_t first = offset < extent ? offset : 0;
                        size_t from = ((g * outer + o) * extent + (first + e) % extent) * inner + i,
                               to = (((g * n + k) * outer + o) * size + e) * inner + i;
                        if (kind == MULTI_SLICE) {
                            out->value[to] = in[0][from];
                            continue;
                        }
                        if (beyond)
                            continue;
                        double x = in[2][to], *y = &out->value[from];
                        switch (kind) {
                        case MULTI_UPDATE:
                            *y = x;
                            if (seen[from]++)
                                out->magnitude[from] = INFINITY;
                            break;
                        case MULTI_ADD:
                            *y += scale * x;
                            out->magnitude[from] += fabs(scale * x);
                            added[from] += 1;
                            max = fmax(max, added[from]);
                            break;
                        case MULTI_MAX:
                            *y = x > *y ? x : *y;
                            break;
                        default:
                            *y *= x;
                            out->magnitude[from] = fabs(*y);
                            added[from] += 1;
                            max = fmax(max, added[from]);
                            break;
                        }
                    }
        }
    if (kind == MULTI_ADD || kind == MULTI_MUL) {
        out->relative *= max + 1;
        out->absolute *= max + 1;
        if (!pop_type_is_floating_point(t->type)) {
            out->relative = out->absolute = 0;
            for (size_t i = 0; i < out->count; ++i)
                if (fabs(out->value[i]) > 2e9 || (t->type == POP_UNSIGNED_INT && out->value[i] < 0))
                    out->magnitude[i] = INFINITY;
        } else
            for (size_t i = 0; i < out->count; ++i)
                if (kind == MULTI_MUL && t->type == POP_HALF && (fabs(out->value[i]) < 1e-3))
                    out->magnitude[i] = 0.5; /* intermediate values were subnormal */
    } else {
        out->relative = out->absolute = 0;
    }
    free(added);
    free(seen);
}
struct multi_call {
    bool grouped;
    pop_tensor t, slices, offsets, scale;
    pop_dims dims;
    pop_shape sizes;
    const popops_slice_plan *plan;
};
static pop_tensor add_multi_slice(struct world *w, const struct multi_call *c, pop_program sequence)
{
    return c->grouped ? popops_grouped_multi_slice(w->graph, c->t, c->offsets, c->dims, c->sizes, sequence, c->plan,
                                                   "m", POP_NO_OPTIONS)
                      : popops_multi_slice(w->graph, c->t, c->offsets, c->dims, c->sizes, sequence, c->plan, "m",
                                           POP_NO_OPTIONS);
}
static void add_multi_update(struct world *w, int kind, const struct multi_call *c, pop_program sequence)
{
    pop_options none = POP_NO_OPTIONS;
    if (kind == MULTI_ADD && c->grouped)
        popops_grouped_multi_update_add(w->graph, c->t, c->slices, c->offsets, c->scale, c->dims, c->sizes, sequence,
                                        c->plan, "m", none);
    else if (kind == MULTI_ADD)
        popops_multi_update_add(w->graph, c->t, c->slices, c->offsets, c->scale, c->dims, c->sizes, sequence, c->plan,
                                "m", none);
    else if (kind == MULTI_UPDATE && c->grouped)
        popops_grouped_multi_update(w->graph, c->t, c->slices, c->offsets, c->dims, c->sizes, sequence, c->plan, "m",
                                    none);
    else if (kind == MULTI_UPDATE)
        popops_multi_update(w->graph, c->t, c->slices, c->offsets, c->dims, c->sizes, sequence, c->plan, "m", none);
    else if (kind == MULTI_MAX && c->grouped)
        popops_grouped_multi_update_max(w->graph, c->t, c->slices, c->offsets, c->dims, c->sizes, sequence, c->plan,
                                        "m", none);
    else if (kind == MULTI_MAX)
        popops_multi_update_max(w->graph, c->t, c->slices, c->offsets, c->dims, c->sizes, sequence, c->plan, "m", none);
    else if (c->grouped)
        popops_grouped_multi_update_mul(w->graph, c->t, c->slices, c->offsets, c->dims, c->sizes, sequence, c->plan,
                                        "m", none);
    else
        popops_multi_update_mul(w->graph, c->t, c->slices, c->offsets, c->dims, c->sizes, sequence, c->plan, "m", none);
}
void make_multi(struct world *w)
{
    int kind = (int)below(w, 5);
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT, POP_BOOL, POP_SHORT, POP_CHAR };
    pop_type type = types[kind <= MULTI_UPDATE ? below(w, 7) : below(w, 4)];
    bool grouped = chance(w, 30), planned = chance(w, 40), general = !planned && kind <= MULTI_UPDATE && chance(w, 40);
    size_t rank = planned ? 2 : general ? between(w, 1, 3) : 2, dims[MAX_DIMS], lead = grouped;
    dims[0] = between(w, 1, 4);
    for (size_t d = 0; d < rank; ++d) {
        dims[lead + d] = any_extent(w);
        if (!dims[lead + d] && chance(w, 80))
            dims[lead + d] = 3;
    }
    unsigned dim = general ? (unsigned)below(w, rank) : 0;
    if (!general && !planned && chance(w, 20))
        dim = 1;
    if (!dims[lead + dim])
        dims[lead + dim] = 2;
    size_t size = general && dims[lead + dim] ? between(w, 1, dims[lead + dim]) : 1, n = any_extent(w);
    if (!dims[lead + dim])
        n = 0;
    if (n * product(dims, rank + lead) / (dims[lead + dim] ? dims[lead + dim] : 1) * size > 20000)
        n = 3;
    bool is_signed = pop_type_is_signed(type) || pop_type_is_floating_point(type);
    double low = is_signed && type != POP_CHAR ? -9 : 0, high = type == POP_BOOL ? 2 : 9;
    pop_program sequence;
    struct operation *op = op_begin(w, "multi", &sequence);
    op->reference = multi_reference;
    popops_slice_plan plan = { 0 };
    const popops_slice_plan *use = NULL;
    unsigned just = dim;
    pop_dims d = { 1, &just };
    pop_shape s = { 1, &size };
    if (planned) {
        static const char *const names[] = { "none", "add", "add", "max", "mul" };
        pop_option list[4];
        size_t options = 0;
        list[options++] = (pop_option){ "usedForUpdate", "true" };
        list[options++] = (pop_option){ "operationForUpdate", kind == MULTI_UPDATE ? "none" : names[kind] };
        if (chance(w, 30))
            list[options++] = (pop_option){ "planMinimisationTarget", "cycles" };
        if (chance(w, 30))
            list[options++] = (pop_option){ "availableMemoryProportion", chance(w, 50) ? "0.01" : "0.3" };
        plan = popops_embedding_plan(w->graph, type, dims[lead], dims[lead + 1], POP_SHAPE(n),
                                     ((pop_options){ list, options }));
        use = &plan;
        op_describe(op, " plan %zu %zu %zu", plan.row_splits, plan.lookup_splits, plan.column_splits);
    }
    struct view t;
    if (planned && chance(w, 70)) {
        pop_shape shape = { rank, dims + lead };
        t = whole(w, adopt_input(w,
                                 grouped ? popops_create_grouped_sliceable_tensor(w->graph, type, dims[0], shape, d, s,
                                                                                  use, "t", POP_NO_OPTIONS)
                                         : popops_create_sliceable_tensor_planned(w->graph, type, shape, d, s, use, "t",
                                                                                  POP_NO_OPTIONS),
                                 low, high));
    } else {
        t = wanted(w, type, dims, rank + lead, kind == MULTI_SLICE, low, high);
    }
    op_reads(w, op, t);
    op->whole[0] = kind;
    op->whole[1] = grouped ? (long)dims[0] : 1;
    op->whole[2] = (long)(dim + lead);
    op->whole[3] = (long)size;
    op->whole[4] = (long)n;
    op->whole[5] = (long)lead;
    op_describe(op, " kind %d dim %u size %zu n %zu%s", kind, dim, size, n, grouped ? " grouped" : "");
    size_t offsets_shape[3] = { dims[0], n, 1 };
    struct view offsets = op_reads(
        w, op, new_view(w, chance(w, 80) ? POP_UNSIGNED_INT : POP_INT, offsets_shape + !grouped, 2 + lead, 0, 1));
    struct base *ob = &w->bases[offsets.base]; /* values up to the extent, some beyond */
    size_t extent = dims[lead + dim];
    for (size_t i = 0; i < ob->count; ++i)
        ob->written[i] = ob->guess[i] = w->snapshots[ob->snapshot].guess[i] =
            (double)(chance(w, 3) && !general ? extent + below(w, 9) : below(w, extent - size + 1));
    ob->tame = false;
    size_t slice_dims[MAX_DIMS] = { dims[0], n }, slice_rank = lead + 1 + rank;
    slice_dims[lead] = n;
    memcpy(slice_dims + lead + 1, dims + lead, rank * sizeof(*dims));
    slice_dims[lead + 1 + dim] = size;
    struct view v = { 0 };
    if (kind != MULTI_SLICE) {
        v = wanted(w, type, slice_dims, slice_rank, true, low, high);
        if (v.base == t.base)
            v = new_view(w, type, slice_dims, slice_rank, low, high);
        op_reads(w, op, v);
    }
    pop_tensor scale = { 0 };
    if (kind == MULTI_ADD)
        scale =
            op_reads(w, op,
                     new_view(w, type == POP_HALF && chance(w, 50) ? POP_FLOAT : type, NULL, 0, is_signed ? -2 : 0, 3))
                .tensor;
    struct multi_call call = { grouped, t.tensor, v.tensor, offsets.tensor, scale, d, s, use };
    if (kind == MULTI_SLICE) {
        op_makes(w, op, add_multi_slice(w, &call, sequence));
    } else {
        op_writes(w, op, t);
        add_multi_update(w, kind, &call, sequence);
    }
    op_end(w, op, sequence, kind == MULTI_SLICE ? 2 : 1);
}

/* ---- gather along an axis ---- */
static void gather_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *t = &op->in[0];
    size_t axis = (size_t)op->whole[0], n = op->in[1].count, extent = t->dims[axis];
    size_t outer = product(t->dims, axis), inner = product(t->dims + axis + 1, t->rank - axis - 1);
    for (size_t o = 0; o < outer; ++o)
        for (size_t k = 0; k < n; ++k) {
            double x = in[1][k];
            size_t at = x < 0 || x >= (double)extent ? 0 : (size_t)x;
            for (size_t i = 0; i < inner; ++i)
                out->value[(o * n + k) * inner + i] = in[0][(o * extent + at) * inner + i];
        }
    out->relative = out->absolute = 0;
}
void make_gather(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_BOOL, POP_UNSIGNED_INT, POP_SHORT };
    pop_type type = types[below(w, 6)];
    struct view t = any_view(w, type, true, 0, 2, 3000);
    if (!t.rank || !t.count)
        return;
    unsigned axis = (unsigned)below(w, t.rank);
    pop_program sequence;
    struct operation *op = op_begin(w, "gather", &sequence);
    op->reference = gather_reference;
    op_reads(w, op, t);
    op->whole[0] = axis;
    op_describe(op, " axis %u", axis);
    size_t dims[3], rank = below(w, 3);
    for (size_t i = 0; i < rank; ++i)
        dims[i] = between(w, 0, 7);
    struct view indices =
        op_reads(w, op, new_view(w, chance(w, 50) ? POP_UNSIGNED_INT : POP_INT, dims, rank, 0, (double)t.dims[axis]));
    op_makes(w, op,
             popops_gather_axis(w->graph, t.tensor, indices.tensor, axis, sequence, POPOPS_GATHER_PARAMS, "g",
                                POP_NO_OPTIONS));
    op_end(w, op, sequence, 2);
}
