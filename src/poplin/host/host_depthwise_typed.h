/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::HostDepthwise<T> and HostDepthwiseUpdate<T>: template of host_depthwise_vertices.c. */
/* Outputs [output, output + outputs), all groups; weights are packed as B with a row for each position and a column for
 * each group. */
POP_VERTEX(TYPED(HostDepthwise))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) field;
    POP_INPUT(POP_VECTOR(float, ONE_PTR, 64)) b;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR)) out;
    POP_STATE(unsigned) groups;
    POP_STATE(unsigned) output;
    POP_STATE(unsigned) outputs;
};
POP_VERTEX_NAME(TYPED(HostDepthwise), "poplin::HostDepthwise<" T_NAME ">");

/* A whole panel: the sum over positions of in[offset] x b. */
static void TYPED(sum_panel)(const T *in, const unsigned *offsets, size_t positions, const float *b, float *out)
{
    enum { VECTORS = GEMM_PANEL / LANES };
    vec sums[VECTORS];
    for (int i = 0; i < VECTORS; ++i)
        sums[i] = spread(0);
    for (size_t k = 0; k < positions; ++k, b += GEMM_PANEL)
        if (offsets[k] != HOST_CONV_NONE)
            for (int i = 0; i < VECTORS; ++i)
                multiply_add(&sums[i], TYPED(load)(in + offsets[k] + i * LANES), *(const vec *)(b + i * LANES));
    for (int i = 0; i < VECTORS; ++i)
        *(vec *)(out + i * LANES) = sums[i];
}
static void TYPED(sum_groups)(const T *in, const unsigned *offsets, size_t positions, const float *b, size_t groups,
                              float *out)
{
    for (size_t g = 0; g < groups; ++g) {
        float sum = 0;
        for (size_t k = 0; k < positions; ++k)
            if (offsets[k] != HOST_CONV_NONE)
                sum = poplibs_fused((float)in[offsets[k] + g], b[k * GEMM_PANEL + g], sum);
        out[g] = sum;
    }
}
COMPUTE(HostDepthwise)
{
    unsigned offsets[GEMM_DEPTH];
    struct conv_position kernel[GEMM_DEPTH];
    struct conv_field field;
    read_field(&field, v->field.data);
    struct host_conv_phase phase = first_phase(&field);
    const float *b = v->b.data;
    do {
        struct conv_cursor cursor = cursor_at(&field, v->output);
        size_t positions = phase.positions, panel = positions * GEMM_PANEL;
        for (size_t k = 0; k < positions; ++k)
            kernel[k] = position_of(&field, &phase, k);
        for (size_t o = 0; o < v->outputs; ++o, cursor_next(&field, &cursor)) {
            struct conv_row row;
            if (!is_of_phase(&field, &phase, &cursor))
                continue;
            row_of(&field, &cursor, &row);
            for (size_t k = 0; k < positions; ++k)
                offsets[k] = offset_at(&field, &row, &kernel[k]);
            float *out = v->out.data + o * v->groups;
            size_t g = 0;
            for (; g + GEMM_PANEL <= v->groups; g += GEMM_PANEL)
                TYPED(sum_panel)(v->in.data + g, offsets, positions, b + g / GEMM_PANEL * panel, out + g);
            TYPED(sum_groups)(v->in.data + g, offsets, positions, b + g / GEMM_PANEL * panel, v->groups - g, out + g);
        }
        b += gemm_panels_of(v->groups) * panel;
    } while (next_phase(&field, &phase));
}

/* Deltas of the weights of groups [group, group + groups), at most a panel of them: out[g * positions + k]. */
POP_VERTEX(TYPED(HostDepthwiseUpdate))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) deltas;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) field;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR)) out;
    POP_STATE(unsigned) group;
    POP_STATE(unsigned) groups;
    POP_STATE(unsigned) allGroups;
    POP_STATE(unsigned) outputs;
};
POP_VERTEX_NAME(TYPED(HostDepthwiseUpdate), "poplin::HostDepthwiseUpdate<" T_NAME ">");

static void TYPED(update_panel)(const T *in, const unsigned *offsets, const T *deltas, size_t stride, size_t count,
                                float *out)
{
    enum { VECTORS = GEMM_PANEL / LANES };
    vec sums[VECTORS];
    for (int i = 0; i < VECTORS; ++i)
        sums[i] = spread(0);
    for (size_t o = 0; o < count; ++o, deltas += stride)
        if (offsets[o] != HOST_CONV_NONE)
            for (int i = 0; i < VECTORS; ++i)
                multiply_add(&sums[i], TYPED(load)(in + offsets[o] + i * LANES), TYPED(load)(deltas + i * LANES));
    for (int i = 0; i < VECTORS; ++i)
        *(vec *)(out + i * LANES) = sums[i];
}
static void TYPED(update_groups)(const T *in, const unsigned *offsets, const T *deltas, size_t stride, size_t count,
                                 size_t groups, float *out)
{
    for (size_t g = 0; g < groups; ++g) {
        out[g] = 0;
        for (size_t o = 0; o < count; ++o)
            if (offsets[o] != HOST_CONV_NONE)
                out[g] = poplibs_fused((float)in[offsets[o] + g], (float)deltas[o * stride + g], out[g]);
    }
}
/* Adds the contribution of outputs [first, first + count) to the deltas of the weights at a position. */
static void TYPED(update_position)(const TYPED(HostDepthwiseUpdate) * v, const unsigned *offsets, size_t first,
                                   size_t count, float *sums)
{
    const T *in = v->in.data + v->group, *deltas = v->deltas.data + first * v->allGroups + v->group;
    if (v->groups == GEMM_PANEL)
        TYPED(update_panel)(in, offsets, deltas, v->allGroups, count, sums);
    else
        TYPED(update_groups)(in, offsets, deltas, v->allGroups, count, v->groups, sums);
}
COMPUTE(HostDepthwiseUpdate)
{
    struct conv_row rows[GEMM_DEPTH];
    unsigned offsets[GEMM_DEPTH];
    float sums[GEMM_PANEL];
    struct conv_field field;
    read_field(&field, v->field.data);
    struct host_conv_phase phase = first_phase(&field);
    struct conv_cursor cursor = cursor_at(&field, 0);
    for (size_t first = 0, count; first < v->outputs; first += count) {
        count = gemm_min(GEMM_DEPTH, v->outputs - first);
        for (size_t o = 0; o < count; ++o, cursor_next(&field, &cursor))
            row_of(&field, &cursor, &rows[o]);
        for (size_t k = 0; k < phase.positions; ++k) {
            struct conv_position position = position_of(&field, &phase, k);
            for (size_t o = 0; o < count; ++o)
                offsets[o] = offset_at(&field, &rows[o], &position);
            TYPED(update_position)(v, offsets, first, count, sums);
            for (size_t g = 0; g < v->groups; ++g) {
                float *to = v->out.data + g * phase.positions + k;
                *to = first ? *to + sums[g] : sums[g];
            }
        }
    }
}
