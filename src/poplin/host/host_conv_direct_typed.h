/* SPDX-License-Identifier: Apache-2.0 */
/* Strips of a convolution that are not packed: template of host_conv_vertices.c.  Outputs that follow each other in the
 * last dimension read elements of a line of the field that are equal distances apart: where they are, or, from halves
 * and near the ends of a line, in a copy of the line with its padding. */
/* `count` elements of a line from `at` on, as float, where they are or copied to *to, which then moves on; NULL if a
 * copy would go beyond `limit`.  outer: HOST_CONV_NONE for padding. */
static const float *TYPED(direct_elements)(const struct TYPED(conv_block) * block, const struct direct_line *line,
                                           unsigned outer, long long at, size_t count, float **to, const float *limit)
{
    long long begin = at > line->begin ? at : line->begin, end = at + (long long)count;
    end = end < line->end ? end : line->end;
    const bool padding = outer == HOST_CONV_NONE || begin >= end;
    if (sizeof(T) == sizeof(float) && !padding && end - begin == (long long)count)
        return (const float *)(const void *)(block->in + outer + begin);
    if (count > (size_t)(limit - *to))
        return NULL;
    float *copy = *to;
    *to += count;
    if (padding) {
        memset(copy, 0, count * sizeof(*copy));
        return copy;
    }
    const T *from = block->in + outer + begin;
    size_t before = (size_t)(begin - at), inside = (size_t)(end - begin);
    memset(copy, 0, before * sizeof(*copy));
    TYPED(lay)(from, inside, copy + before, count - before);
    return copy;
}
/* Finds a strip's pieces; `to` has count * block->depth elements.  False if it is to be packed there. */
static bool TYPED(find_strip)(const struct TYPED(conv_block) * block, const struct conv_row *rows, size_t count,
                              float *to, struct gemm_direct *strip)
{
    const size_t inner = block->phase->counts[block->field->count - 1];
    const float *const limit = to + count * block->depth;
    struct direct_line line = { 0 };
    if (count < DIRECT_ROWS || !find_line(block->field, block->phase, block->channels, rows, count, &line))
        return false;
    const size_t across = (count - 1) * (size_t)line.apart;
    size_t c = block->channel, made = 0;
    strip->apart = (size_t)line.apart;
    for (size_t k = 0, n = block->first, depth; k < block->depth; k += depth, n += inner - n % inner, c = 0) {
        depth = gemm_min((inner - n % inner) * block->channels - c, block->depth - k);
        if (made == DIRECT_PIECES)
            return false;
        unsigned outer = outer_offset_at(block->field, &rows[0], &block->positions[n - block->first]);
        long long at = line.base + (long long)(n % inner * block->channels + c);
        const float *from = TYPED(direct_elements)(block, &line, outer, at, across + depth, &to, limit);
        if (!from)
            return false;
        strip->pieces[made++] = (struct gemm_piece){ from, depth };
    }
    strip->count = made;
    return true;
}
