/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartial1x4SLIC<half,T,stride,LIMITED,chains,GROUPS>: template of slic_groups.h. */
#define SLIC(name)  POPLIBS_JOIN(GROUPED(name), POPLIBS_JOIN(_, INDEX_TAG))
#define NUM_WEIGHTS (WINDOW * LANES * CHANS)

/* Computes one group, one sub-kernel after the other, alternately to out and to the buffer, so that the last writes
 * out. */
INLINE void SLIC(convolve)(const half *in, const half *weights, T *out, T *buffer, const INDEX *items,
                           struct slic_shape s, unsigned stride)
{
    for (unsigned k = 0; k < s.sub_kernels; ++k, weights += NUM_WEIGHTS) {
        bool ends_in_out = (s.sub_kernels - k) % 2;
        T *now = ends_in_out ? out : buffer;
        const T *last = k == 0 ? NULL : ends_in_out ? buffer : out;
        float w[NUM_WEIGHTS];
        for (int i = 0; i < NUM_WEIGHTS; ++i)
            w[i / (LANES * CHANS) * LANES * CHANS + i % CHANS * LANES + i / CHANS % LANES] = (float)weights[i];
        for (unsigned worker = 0; worker < s.num_workers; ++worker) {
            const INDEX *end = items + 1 + 3 * (size_t)items[0];
            for (++items; items < end; items += 3) {
                const half *x = in + LANES * (size_t)items[2];
                size_t at = LANES * (size_t)items[0];
                GROUPED(row)(x, w, last ? last + at : NULL, now + at, items[1], stride * LANES);
            }
        }
    }
}

#define SLIC_DATA                                                                                                      \
    POP_INPUT(POP_VECTORS(half, ONE_PTR, COMPACT_PTR, 8)) weights;                                                     \
    POP_INPUT(POP_VECTORS(half, ONE_PTR, COMPACT_PTR, 8)) in;                                                          \
    POP_OUTPUT(POP_VECTORS(T, ONE_PTR, COMPACT_PTR, 16, true)) out;                                                    \
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR, 16, true)) out_field_buffer;
#define SLIC_FIELDS                                                                                                    \
    SLIC_DATA                                                                                                          \
    POP_STATE(POP_VECTOR(INDEX)) worklists;                                                                            \
    unsigned conv_group_groups, sub_kernels, num_workers;
#define SLIC_GROUP(T, field, g) ((T *const *)(const void *)(field).data)[g]
#define SLIC_COMPUTE(v, stride)                                                                                        \
    struct slic_shape s = { (v)->sub_kernels, (v)->num_workers };                                                      \
    for (unsigned g = 0; g < (v)->conv_group_groups; ++g)                                                              \
        SLIC(convolve)                                                                                                 \
    (SLIC_GROUP(const half, (v)->in, g), SLIC_GROUP(const half, (v)->weights, g), SLIC_GROUP(T, (v)->out, g),          \
     (v)->out_field_buffer.data, (v)->worklists.data, s, stride);
#define SLIC_VERTEX(stride, chains)                                                                                    \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, POPLIBS_JOIN(SLIC(Slic), _##stride##_##chains),                                   \
              "poplin::ConvPartial1x4SLIC<half," T_NAME "," #stride "," LIMITED "," #chains "," TEXT_OF(GROUPS) ">",   \
              SLIC_FIELDS)                                                                                             \
    {                                                                                                                  \
        SLIC_COMPUTE(v, stride)                                                                                        \
    }
SLIC_VERTEX(1, 2)
SLIC_VERTEX(1, 4)
SLIC_VERTEX(2, 2)
SLIC_VERTEX(2, 4)
#undef SLIC
#undef NUM_WEIGHTS
#undef SLIC_DATA
#undef SLIC_FIELDS
#undef SLIC_GROUP
#undef SLIC_COMPUTE
#undef SLIC_VERTEX
