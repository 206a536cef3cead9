/* SPDX-License-Identifier: Apache-2.0 */
/* popops::CastSupervisor and Cast2d from quarter to T and from T to quarter: template of cast_vertices.c.  The codes
 * are bytes; the metadata is a field of its own. */
POPLIBS_FAST void TYPED(cast_quarter_to)(T *restrict out, const unsigned char *restrict in, size_t count,
                                         unsigned char metadata)
{
    for (size_t i = 0; i < count; ++i) {
#if T_BITS & POPLIBS_FLOATING
        out[i] = (T)pop_quarter_to_float(in[i], metadata);
#else
        out[i] = POPLIBS_JOIN(popops_float_to_, T_TAG)(pop_quarter_to_float(in[i], metadata));
#endif
    }
}
POPLIBS_FAST void TYPED(cast_to_quarter)(unsigned char *restrict out, const T *restrict in, size_t count,
                                         unsigned char metadata)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = pop_quarter_from_float((float)in[i], metadata, true);
}

POP_SUPERVISOR_VERTEX(TYPED(FromQuarter))
{
    POP_INPUT(POP_VECTOR(unsigned char, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTOR(T)) dst;
    POP_INPUT(unsigned char) srcMetadata;
};
POP_VERTEX_NAME(TYPED(FromQuarter), "popops::CastSupervisor<quarter," T_NAME ">");
COMPUTE(FromQuarter)
{
    TYPED(cast_quarter_to)(v->dst.data, v->src.data, v->dst.size, *v->srcMetadata);
}

POP_VERTEX(TYPED(FromQuarterRows))
{
    POP_INPUT(POP_VECTORS(unsigned char, ONE_PTR, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTORS(T)) dst;
    POP_INPUT(unsigned char) srcMetadata;
};
POP_VERTEX_NAME(TYPED(FromQuarterRows), "popops::Cast2d<quarter," T_NAME ">");
COMPUTE(FromQuarterRows)
{
    for (size_t i = 0; i < v->dst.size; ++i)
        TYPED(cast_quarter_to)(v->dst.data[i].data, v->src.data[i].data, v->dst.data[i].size, *v->srcMetadata);
}

POP_SUPERVISOR_VERTEX(TYPED(ToQuarter))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTOR(unsigned char)) dst;
    POP_INPUT(unsigned char) dstMetadata;
};
POP_VERTEX_NAME(TYPED(ToQuarter), "popops::CastSupervisor<" T_NAME ",quarter>");
COMPUTE(ToQuarter)
{
    TYPED(cast_to_quarter)(v->dst.data, v->src.data, v->dst.size, *v->dstMetadata);
}

POP_VERTEX(TYPED(ToQuarterRows))
{
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTORS(unsigned char)) dst;
    POP_INPUT(unsigned char) dstMetadata;
};
POP_VERTEX_NAME(TYPED(ToQuarterRows), "popops::Cast2d<" T_NAME ",quarter>");
COMPUTE(ToQuarterRows)
{
    for (size_t i = 0; i < v->dst.size; ++i)
        TYPED(cast_to_quarter)(v->dst.data[i].data, v->src.data[i].data, v->dst.data[i].size, *v->dstMetadata);
}
