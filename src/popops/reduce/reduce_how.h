/* SPDX-License-Identifier: Apache-2.0 */
/* popops::CLASS<popops::ReduceOP,T,T_2,UPDATE_NAME,specialisation>, all specialisations: template of
 * reduce_paired.h. */
#define VERTEX_TEXT(number)                                                                                            \
    "popops::" CLASS "<popops::Reduce" TEXT_OF(OP) "," T_NAME "," T_2_NAME "," UPDATE_NAME "," number ">"

POP_VERTEX(NAMED(Default, HOW, OP, T_TAG, T_2_TAG))
{
    OUT(POP_VECTOR_LIST(T_2)) out;
    POP_INPUT(POP_VECTOR_LIST(T)) partials;
    POP_STATE(POP_VECTOR(unsigned)) numPartials;
    FACTOR
};
POP_VERTEX_NAME(NAMED(Default, HOW, OP, T_TAG, T_2_TAG), VERTEX_TEXT("0"));
COMPUTE_OF(NAMED(Default, HOW, OP, T_TAG, T_2_TAG))
{
    size_t region = 0;
    for (size_t i = 0; i < v->out.size; region += v->numPartials.data[i++]) {
        T_2 *out = v->out.data[i].data;
        size_t width = v->out.data[i].size;
        for (size_t from = 0; from < width; from += CHUNK) {
            SUM sums[CHUNK];
            size_t count = width - from < CHUNK ? width - from : CHUNK;
            OF(start)(sums, count);
            for (size_t p = region; p < region + v->numPartials.data[i]; ++p)
                OF(reduce)(sums, v->partials.data[p].data + from, v->partials.data[p].size / width, count, width);
            NAMED(finish, HOW, OP, T_2_TAG)(out + from, sums, count, K);
        }
    }
}

POP_VERTEX(NAMED(Single, HOW, OP, T_TAG, T_2_TAG))
{
    OUT(T_2) out;
    POP_INPUT(POP_VECTOR(T)) partials;
    FACTOR
};
POP_VERTEX_NAME(NAMED(Single, HOW, OP, T_TAG, T_2_TAG), VERTEX_TEXT("2"));
COMPUTE_OF(NAMED(Single, HOW, OP, T_TAG, T_2_TAG))
{
    SUM sum = CALL(POPLIBS_JOIN(NEUTRAL_, OP), T_TAG);
    OF(reduce)(&sum, v->partials.data, v->partials.size, 1, 1);
    NAMED(finish, HOW, OP, T_2_TAG)(v->out, &sum, 1, K);
}

POP_VERTEX(NAMED(Strided, HOW, OP, T_TAG, T_2_TAG))
{
    OUT(POP_VECTOR(T_2)) out;
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) partials;
    POP_STATE(unsigned) width;
    POP_STATE(unsigned) stride;
    POP_STATE(unsigned) rows;
    FACTOR
};
POP_VERTEX_NAME(NAMED(Strided, HOW, OP, T_TAG, T_2_TAG), VERTEX_TEXT("3"));
COMPUTE_OF(NAMED(Strided, HOW, OP, T_TAG, T_2_TAG))
{
    size_t rows = v->rows, width = v->width, block = rows * v->stride,
           at_once = width && width < CHUNK ? CHUNK / width : 1;
    const T *partials = v->partials.data;
    T_2 *out = v->out.data, *end = out + v->out.size;
    for (size_t blocks; out < end; out += blocks * width, partials += blocks * block) {
        blocks = out + at_once * width < end ? at_once : (size_t)(end - out) / width;
        for (size_t from = 0; from < width; from += CHUNK) {
            SUM sums[CHUNK];
            size_t part = width - from < CHUNK ? width - from : CHUNK;
            OF(start)(sums, blocks * part);
            for (size_t i = 0; i < blocks; ++i)
                OF(reduce)(sums + i * part, partials + i * block + from, rows, part, v->stride);
            NAMED(finish, HOW, OP, T_2_TAG)(out + from, sums, blocks * part, K);
        }
    }
}

POP_VERTEX(NAMED(Continuous, HOW, OP, T_TAG, T_2_TAG))
{
    OUT(POP_VECTOR(T_2)) out;
    POP_INPUT(POP_VECTOR(T)) partials;
    POP_STATE(unsigned) inner;
    FACTOR
};
POP_VERTEX_NAME(NAMED(Continuous, HOW, OP, T_TAG, T_2_TAG), VERTEX_TEXT("4"));
COMPUTE_OF(NAMED(Continuous, HOW, OP, T_TAG, T_2_TAG))
{
    size_t inner = v->inner, row = v->out.size * inner;
    for (size_t from = 0; from < v->out.size; from += CHUNK) {
        SUM sums[CHUNK];
        size_t count = v->out.size - from < CHUNK ? v->out.size - from : CHUNK;
        T_2 *out = v->out.data + from;
        OF(start)(sums, count);
        for (size_t at = from * inner; at < v->partials.size; at += row)
            OF(reduce_each)(sums, v->partials.data + at, count, inner);
        NAMED(finish, HOW, OP, T_2_TAG)(out, sums, count, K);
    }
}
#undef VERTEX_TEXT
#undef HOW
#undef OUT
#undef FACTOR
#undef K
#undef CLASS
#undef UPDATE_NAME
