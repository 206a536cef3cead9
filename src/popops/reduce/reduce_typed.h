/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of the operation OP on elements of T: template of reduce_operation.h. */
#define EIGHT              TYPED(eight)
#define MASK               TYPED(mask)
#define NEUTRAL            CALL(POPLIBS_JOIN(NEUTRAL_, OP), T_TAG)
#define VALUE_OF(x)        CALL(POPLIBS_JOIN(VALUE_, OP), T_TAG, x)
#define JOINED(a, b)       CALL(POPLIBS_JOIN(JOIN_, OP), T_TAG, a, b)
#define EIGHT_VALUE_OF(x)  CALL(POPLIBS_JOIN(EIGHT_VALUE_, OP), T_TAG, x)
#define EIGHT_JOINED(a, b) CALL(POPLIBS_JOIN(EIGHT_JOIN_, OP), T_TAG, a, b)
#define LOAD(from)         POPLIBS_JOIN(LOAD_, T_TAG)(from)
#define PAIR_OF(a, b)      POPLIBS_JOIN(PAIR_, T_TAG)(a, b)
#define AGAIN(mine, x)     POPLIBS_JOIN(AGAIN_, OP)(mine, x)

/* Replaces lanes outside of the mask `mine` by the neutral value. */
INLINE EIGHT OF(join)(EIGHT a, EIGHT b)
{
    return EIGHT_JOINED(a, b);
}
INLINE EIGHT OF(neutral)(void)
{
    EIGHT x = { 0 };
    for (int i = 0; i < 8; ++i)
        x[i] = NEUTRAL;
    return x;
}
INLINE EIGHT OF(only)(MASK mine, EIGHT x)
{
    return CALL(CHOOSE, T_TAG, mine, x, OF(neutral)());
}
INLINE void OF(join_to)(SUM *sums, EIGHT x)
{
    EIGHT *to = (EIGHT *)(void *)sums;
    *to = OF(join)(*to, x);
}

/* ---- columns ---- */

INLINE EIGHT OF(element)(const T *from)
{
    EIGHT x = LOAD(from);
    return EIGHT_VALUE_OF(x);
}
/* Combines rows of width elements, stride apart, into sums. */
POPLIBS_FAST void OF(add_rows)(SUM *restrict sums, const T *restrict in, size_t rows, size_t width, size_t stride)
{
    size_t i, near = AHEAD / sizeof(T), far = 4 * stride < near ? near : 4 * stride;
    size_t step = width == stride ? 8 : stride, scale = width == stride ? 4 : 1; /* of the prefetch */
    for (; rows >= 4; rows -= 4, in += 4 * stride) {
        const T *b = in + stride, *c = b + stride, *d = c + stride,
                *next = rows >= 8 || width == stride ? in + far : in;
        for (i = 0; i + 8 <= width; i += 8) {
            EIGHT low = OF(join)(OF(element)(in + i), OF(element)(b + i));
            EIGHT high = OF(join)(OF(element)(c + i), OF(element)(d + i));
            for (size_t j = 0; j < 4; ++j)
                __builtin_prefetch(next + scale * i + step * j);
            OF(join_to)(sums + i, OF(join)(low, high));
        }
        for (; i < width; ++i) {
            SUM low = JOINED(VALUE_OF(in[i]), VALUE_OF(b[i]));
            SUM high = JOINED(VALUE_OF(c[i]), VALUE_OF(d[i]));
            low = JOINED(low, high);
            sums[i] = JOINED(sums[i], low);
        }
    }
    for (; rows; --rows, in += stride) {
        for (i = 0; i + 8 <= width; i += 8) {
            __builtin_prefetch(in + near + i);
            OF(join_to)(sums + i, OF(element)(in + i));
        }
        for (; i < width; ++i)
            sums[i] = JOINED(sums[i], VALUE_OF(in[i]));
    }
}
/* Reduces; many narrow contiguous rows are processed as one wide row of whole vectors. */
POPLIBS_FAST void OF(reduce)(SUM *restrict sums, const T *restrict in, size_t rows, size_t width, size_t stride)
{
    if (width == stride && width <= LANES / 2 && rows * width >= 2 * LANES) {
        SUM wide[MAX_LANES];
        size_t fold = 2;
        while (2 * fold * width <= LANES || fold * width % 8)
            fold *= 2;
        size_t lanes = fold * width, whole = rows / fold;
        for (size_t i = 0; i < lanes; ++i)
            wide[i] = NEUTRAL;
        OF(add_rows)(wide, in, whole, lanes, lanes);
        for (size_t half_of = lanes / 2; half_of >= width; half_of /= 2)
            for (size_t i = 0; i < half_of; ++i)
                wide[i] = JOINED(wide[i], wide[half_of + i]);
        for (size_t i = 0; i < width; ++i)
            sums[i] = JOINED(sums[i], wide[i]);
        in += whole * lanes;
        rows -= whole * fold;
    }
    OF(add_rows)(sums, in, rows, width, stride);
}

/* ---- rows: eight are reduced horizontally at once ---- */

INLINE EIGHT OF(halves)(EIGHT a, EIGHT b)
{
    return OF(join)(PICK(a, b, 0, 1, 2, 3, 8, 9, 10, 11), PICK(a, b, 4, 5, 6, 7, 12, 13, 14, 15));
}
INLINE EIGHT OF(quarters)(EIGHT a, EIGHT b)
{
    return OF(join)(PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13), PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15));
}
INLINE EIGHT OF(eighths)(EIGHT a, EIGHT b)
{
    return OF(join)(PICK(a, b, 0, 2, 8, 10, 4, 6, 12, 14), PICK(a, b, 1, 3, 9, 11, 5, 7, 13, 15));
}
/* Each pairs[j] has four elements of row j and four of row j + 4; reduces them to count sums, at most eight. */
INLINE void OF(join_pairs)(SUM *sums, size_t count, const EIGHT *pairs)
{
    EIGHT low = OF(quarters)(pairs[0], pairs[1]), high = OF(quarters)(pairs[2], pairs[3]);
    EIGHT all = OF(eighths)(low, high);
    if (count >= 8)
        OF(join_to)(sums, all);
    for (size_t i = 0; i < count && count < 8; ++i)
        sums[i] = JOINED(sums[i], all[i]);
}
INLINE void OF(join_eight)(SUM *sums, size_t count, const EIGHT *rows)
{
    EIGHT pairs[4];
    for (int j = 0; j < 4; ++j)
        pairs[j] = OF(halves)(rows[j], rows[j + 4]);
    OF(join_pairs)(sums, count, pairs);
}
INLINE EIGHT OF(last)(const T *row, size_t inner, MASK mine)
{
    return AGAIN(mine, OF(element)(row + inner - 8));
}

/* Rows of at most 4 or 8 elements.  Loads read beyond the end of a row, so the last eight rows are copied to a
 * buffer. */
INLINE const T *OF(begin_rows)(T *copy, const T *in, size_t count, size_t inner)
{
    return count > 8 ? in : memcpy(copy, in, count * inner * sizeof(T));
}
INLINE void OF(rows_to_4)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    T copy[8 * 8] = { 0 };
    MASK mine;
    EIGHT pairs[4];
    for (size_t i = 0; i < 8; ++i)
        mine[i] = -(i % 4 < inner);
    for (; count; in += 8 * inner, sums += 8, count -= count < 8 ? count : 8) {
        const T *from = OF(begin_rows)(copy, in, count, inner);
        for (size_t j = 0; j < 4; ++j) {
            EIGHT pair = PAIR_OF(from + j * inner, from + (j + 4) * inner);
            pairs[j] = OF(only)(mine, EIGHT_VALUE_OF(pair));
            if (j * 8 * sizeof(T) % LINE == 0)
                __builtin_prefetch(in + AHEAD / sizeof(T) + 2 * j * inner);
        }
        OF(join_pairs)(sums, count, pairs);
    }
}
POPLIBS_FAST void OF(rows_of_4)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    if (inner == 4) /* the most frequent case, as a constant */
        OF(rows_to_4)(sums, in, count, 4);
    else
        OF(rows_to_4)(sums, in, count, inner);
}
POPLIBS_FAST void OF(rows_of_8)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    T copy[8 * 8] = { 0 };
    MASK mine;
    EIGHT rows[8];
    for (size_t i = 0; i < 8; ++i)
        mine[i] = -(i < inner);
    for (; count; in += 8 * inner, sums += 8, count -= count < 8 ? count : 8) {
        const T *from = OF(begin_rows)(copy, in, count, inner);
        for (size_t j = 0; j < 8; ++j) {
            rows[j] = OF(only)(mine, OF(element)(from + j * inner));
            if (j * 8 * sizeof(T) % LINE == 0)
                __builtin_prefetch(in + AHEAD / sizeof(T) + j * inner);
        }
        OF(join_eight)(sums, count, rows);
    }
}

/* Longer rows of a constant number of vectors, or of any number (0).  If fewer than eight rows remain, the last of them
 * is read repeatedly. */
INLINE EIGHT OF(row_of)(const T *in, size_t inner, MASK mine, size_t vectors)
{
    EIGHT x = OF(element)(in);
    for (size_t i = 1; i + 1 < vectors; ++i)
        x = OF(join)(x, OF(element)(in + 8 * i));
    __builtin_prefetch(in + AHEAD / sizeof(T));
    __builtin_prefetch(in + inner - 8 + AHEAD / sizeof(T));
    return OF(join)(x, OF(last)(in, inner, mine));
}
INLINE EIGHT OF(row)(const T *in, size_t inner, MASK mine)
{
    const T *next = in + AHEAD / sizeof(T);
    EIGHT a = OF(element)(in), b = OF(element)(in + 8);
    size_t i = 16;
    __builtin_prefetch(next);
    for (; i + 16 <= inner; i += 16) {
        __builtin_prefetch(next + i);
        a = OF(join)(a, OF(element)(in + i));
        b = OF(join)(b, OF(element)(in + i + 8));
    }
    if (i + 8 <= inner)
        a = OF(join)(a, OF(element)(in + i));
    if (inner % 8)
        b = OF(join)(b, OF(last)(in, inner, mine));
    return OF(join)(a, b);
}
INLINE void OF(rows_of)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner, size_t vectors)
{
    MASK mine = TYPED(new)(inner, vectors ? 8 * (vectors - 1) : inner / 8 * 8);
    EIGHT rows[8];
    for (; count; sums += 8, count -= count < 8 ? count : 8) {
        for (size_t j = 0; j < 8; ++j) {
            rows[j] = vectors ? OF(row_of)(in, inner, mine, vectors) : OF(row)(in, inner, mine);
            in += j + 1 < count ? inner : 0;
        }
        OF(join_eight)(sums, count, rows);
    }
}
POPLIBS_FAST void OF(rows_of_16)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    OF(rows_of)(sums, in, count, inner, 2);
}
POPLIBS_FAST void OF(rows_of_24)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    OF(rows_of)(sums, in, count, inner, 3);
}
POPLIBS_FAST void OF(long_rows)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    OF(rows_of)(sums, in, count, inner, 0);
}
/* Combines `inner` elements for each output into sums. */
POPLIBS_FAST void OF(reduce_each)(SUM *restrict sums, const T *restrict in, size_t count, size_t inner)
{
    if (inner == 1)
        OF(add_rows)(sums, in, 1, count, count);
    else if (inner <= 8)
        (inner <= 4 ? OF(rows_of_4) : OF(rows_of_8))(sums, in, count, inner);
    else if (inner <= 24)
        (inner <= 16 ? OF(rows_of_16) : OF(rows_of_24))(sums, in, count, inner);
    else if (inner < 8 * LANES)
        OF(long_rows)(sums, in, count, inner);
    else
        for (size_t k = 0; k < count; ++k)
            OF(reduce)(&sums[k], in + k * inner, inner, 1, 1);
}

/* ---- initial values and results ---- */

POPLIBS_FAST void OF(start)(SUM *sums, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        sums[i] = NEUTRAL;
}
/* Writes at most CHUNK outputs; overwrites their sums. */
POPLIBS_FAST void OF(finish_PLAIN)(T *out, SUM *restrict sums, size_t count, float k)
{
    (void)k;
    TYPED(put)(out, sums, count);
}
#if POPLIBS_JOIN(REDUCE_SCALES_, OP)
POPLIBS_FAST void OF(finish_UPDATE)(T *out, SUM *restrict sums, size_t count, float k)
{
    SUM buffer[CHUNK];
    const SUM *old = TYPED(old)(out, count, buffer);
    (void)k;
    for (size_t i = 0; i < count; ++i)
        sums[i] = JOINED(old[i], sums[i]);
    TYPED(put)(out, sums, count);
}
POPLIBS_FAST void OF(finish_SCALE)(T *out, SUM *restrict sums, size_t count, float k)
{
    for (size_t i = 0; i < count; ++i)
        sums[i] = (SUM)CALL(POPLIBS_JOIN(SCALED_, OP), sums[i], k);
    TYPED(put)(out, sums, count);
}
POPLIBS_FAST void OF(finish_BOTH)(T *out, SUM *restrict sums, size_t count, float k)
{
    SUM buffer[CHUNK];
    const SUM *old = TYPED(old)(out, count, buffer);
    for (size_t i = 0; i < count; ++i)
        sums[i] = JOINED(old[i], (SUM)CALL(POPLIBS_JOIN(SCALED_, OP), sums[i], k));
    TYPED(put)(out, sums, count);
}
#endif

#undef EIGHT
#undef MASK
#undef NEUTRAL
#undef VALUE_OF
#undef JOINED
#undef EIGHT_VALUE_OF
#undef EIGHT_JOINED
#undef LOAD
#undef PAIR_OF
#undef AGAIN
