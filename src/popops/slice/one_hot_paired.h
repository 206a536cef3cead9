/* SPDX-License-Identifier: Apache-2.0 */
/* popops::EncodeOneHot<T,T_2> and EncodeOneHotCustomValues<T,T_2>: template of one_hot_typed.h. */
/* With half values and unsigned indices it is a supervisor vertex, as in Poplibs. */
#if (T_BITS & POPLIBS_UNSIGNED) && (T_2_BITS & POPLIBS_HALF)
#define FORM POP_SUPERVISOR_VERTEX
#else
#define FORM POP_VERTEX
#endif

/* Writes elements [start, start + length) of the encoded rows.  A negative index, read as unsigned, is beyond all
 * classes. */
static inline void PAIRED(encode)(T_2 *out, const T *indices, unsigned start, unsigned length, unsigned classes, T_2 on,
                                  T_2 off)
{
    for (unsigned i = 0; i < length; ++i)
        out[i] = off;
    for (unsigned row = start / classes; length && row <= (start + length - 1) / classes; ++row) {
        unsigned class = (unsigned)indices[row], place = row * classes + class - start;
        if (class < classes && place < length)
            out[place] = on;
    }
}

FORM(PAIRED(EncodeOneHot))
{
    POP_INPUT(POP_VECTOR(T)) indices;
    POP_OUTPUT(POP_VECTOR(T_2)) out;
    POP_STATE(POP_VECTOR(unsigned)) starts;
    POP_STATE(POP_VECTOR(unsigned)) lengths;
    POP_STATE(unsigned) classes;
};
POP_VERTEX_NAME(PAIRED(EncodeOneHot), "popops::EncodeOneHot<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(EncodeOneHot)
{
    T_2 *out = v->out.data;
    for (size_t run = 0; run < v->starts.size; out += v->lengths.data[run++])
        PAIRED(encode)(out, v->indices.data, v->starts.data[run], v->lengths.data[run], v->classes, 1, 0);
}

FORM(PAIRED(EncodeValues))
{
    POP_INPUT(POP_VECTOR(T)) indices;
    POP_INPUT(T_2) on;
    POP_INPUT(T_2) off;
    POP_OUTPUT(POP_VECTOR(T_2)) out;
    POP_STATE(POP_VECTOR(unsigned)) starts;
    POP_STATE(POP_VECTOR(unsigned)) lengths;
    POP_STATE(unsigned) classes;
};
POP_VERTEX_NAME(PAIRED(EncodeValues), "popops::EncodeOneHotCustomValues<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(EncodeValues)
{
    T_2 *out = v->out.data;
    for (size_t run = 0; run < v->starts.size; out += v->lengths.data[run++])
        PAIRED(encode)(out, v->indices.data, v->starts.data[run], v->lengths.data[run], v->classes, *v->on, *v->off);
}
#undef FORM
