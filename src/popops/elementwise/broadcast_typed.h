/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over rows with a broadcast second operand: template of binary_vertices.c. */
/* Combines each row with the same vector. */
ELEMENT_INLINE void TYPED(inner)(const T *data, size_t size, const T *b, size_t length, T *out,
                                 void (*row)(const T *, size_t, const T *, size_t, T *, size_t))
{
    for (size_t at = 0; at < size; at += length)
        row(data + at, length, b, length, out + at, length);
}
/* Combines each row with its own element. */
ELEMENT_INLINE void TYPED(outer)(const T *data, size_t size, const T *b, size_t rows, T *out,
                                 void (*row)(const T *, size_t, const T *, size_t, T *, size_t))
{
    size_t length = size / rows;
    for (size_t at = 0, i = 0; at < size; at += length, ++i)
        row(data + at, length, b + i, 1, out + at, length);
}
