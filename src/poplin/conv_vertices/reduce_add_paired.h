/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ReduceAdd<T,T_2> and ReduceAddSingleInput<T,T_2>: template of reduce_add_typed.h. */
POP_SUPERVISOR_VERTEX(PAIRED(ReduceAdd))
{
    POP_OUTPUT(POP_VECTOR(T, SPAN, 8)) out;
    POP_INPUT(POP_VECTORS(T_2, SPAN, COMPACT_PTR, 8)) partials;
    unsigned num_workers;
};
POP_VERTEX_NAME(PAIRED(ReduceAdd), "poplin::ReduceAdd<" T_NAME "," T_2_NAME ">");
#ifdef __IPU__ /* a device has no vectors of eight, and there small code matters */
COMPUTE_PAIRED(ReduceAdd)
{
    enum { STEP = 256 };
    float sums[STEP];
    for (size_t at = 0; at < v->out.size; at += STEP) {
        size_t count = v->out.size - at < STEP ? v->out.size - at : STEP;
        for (size_t i = 0; i < count; ++i)
            sums[i] = (float)v->partials.data[0].data[at + i];
        for (size_t p = 1; p < v->partials.size; ++p)
            for (size_t i = 0; i < count; ++i)
                sums[i] += (float)v->partials.data[p].data[at + i];
        for (size_t i = 0; i < count; ++i)
            v->out.data[at + i] = (T)sums[i];
    }
}
#else
INLINE void PAIRED(reduce_vectors)(const PAIRED(ReduceAdd) * v, size_t at, const size_t vectors)
{
    const bool wide = sizeof(T) == sizeof(float), wide_in = sizeof(T_2) == sizeof(float);
    poplibs_eight sums[REDUCE_VECTORS];
    reduce_begin(sums, vectors, v->partials.data[0].data + at, wide_in);
    for (size_t p = 1; p < v->partials.size; ++p)
        reduce_add(sums, vectors, v->partials.data[p].data + at, wide_in);
    reduce_end(sums, vectors, v->out.data + at, wide);
}
COMPUTE_PAIRED(ReduceAdd)
{
    size_t at = 0;
    for (; v->out.size - at >= REDUCE_STEP; at += REDUCE_STEP)
        PAIRED(reduce_vectors)(v, at, REDUCE_VECTORS);
    for (; v->out.size - at >= 8; at += 8)
        PAIRED(reduce_vectors)(v, at, 1);
    for (; at < v->out.size; ++at) {
        float sum = (float)v->partials.data[0].data[at];
        for (size_t p = 1; p < v->partials.size; ++p)
            sum += (float)v->partials.data[p].data[at];
        v->out.data[at] = (T)sum;
    }
}
#endif
POP_SUPERVISOR_VERTEX(PAIRED(ReduceAddSingleInput))
{
    POP_OUTPUT(POP_VECTOR(T, COMPACT_PTR, 8)) out;
    POP_INPUT(POP_VECTOR(T_2, COMPACT_PTR, 8)) initial;
    POP_INPUT(POP_VECTOR(T_2, COMPACT_PTR, 8)) partials;
    unsigned elements, rows, num_workers;
};
POP_VERTEX_NAME(PAIRED(ReduceAddSingleInput), "poplin::ReduceAddSingleInput<" T_NAME "," T_2_NAME ">");
#ifndef __IPU__
INLINE void PAIRED(reduce_single)(const PAIRED(ReduceAddSingleInput) * v, size_t at, const size_t vectors)
{
    const bool wide = sizeof(T) == sizeof(float), wide_in = sizeof(T_2) == sizeof(float);
    const size_t elements = v->elements, rows = v->rows;
    poplibs_eight sums[REDUCE_VECTORS];
    reduce_begin(sums, vectors, v->initial.data + at, wide_in);
    for (size_t p = 0; p < rows; ++p)
        reduce_add(sums, vectors, v->partials.data + p * elements + at, wide_in);
    reduce_end(sums, vectors, v->out.data + at, wide);
}
#endif
COMPUTE_PAIRED(ReduceAddSingleInput)
{
    size_t elements = v->elements, rows = v->rows, at = 0;
#ifndef __IPU__
    for (; elements - at >= REDUCE_STEP; at += REDUCE_STEP)
        PAIRED(reduce_single)(v, at, REDUCE_VECTORS);
    for (; elements - at >= 8; at += 8)
        PAIRED(reduce_single)(v, at, 1);
#endif
    for (; at < elements; ++at) {
        float sum = (float)v->initial.data[at];
        for (size_t p = 0; p < rows; ++p)
            sum += (float)v->partials.data[p * elements + at];
        v->out.data[at] = (T)sum;
    }
}
