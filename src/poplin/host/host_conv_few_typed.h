/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with few output channels of T: template of host_conv_vertices.c. */
/* A phase of a group; its weights are one panel. */
struct TYPED(few) {
    const T *in, *nothing; /* nothing: GEMM_DEPTH zeros */
    const struct conv_field *field;
    const struct host_conv_phase *phase;
    const float *b;
    size_t channels, columns;
};

/* A line's channels, each as a row of its elements; outer: the offset in the other dimensions. */
static void TYPED(turn_line)(const struct TYPED(few) * v, const struct few_line *line, unsigned outer, float *to)
{
    for (size_t i = 0, count; i < line->wide; i += count) {
        const T *from[GEMM_PANEL];
        count = gemm_min(GEMM_PANEL, line->wide - i);
        for (size_t k = 0; k < count; ++k) {
            unsigned at = line->offsets[line->begin + i + k];
            from[k] = outer == HOST_CONV_NONE || at == HOST_CONV_NONE ? v->nothing : v->in + outer + at;
        }
        TYPED(turn)(from, count, v->channels, to + i, line->wide);
    }
}
/* Outputs that differ in the last dimension only. */
static void TYPED(convolve_tile)(const struct TYPED(few) * v, const struct conv_row *rows, float *const *lines,
                                 size_t outputs)
{
    _Alignas(64) float turned[GEMM_DEPTH * (FEW_TILE + FEW_KERNELS)], sums[FEW_COLUMNS * FEW_TILE] = { 0 };
    struct few_lines of_tile;
    const struct host_conv_phase *phase = v->phase;
    size_t vectors = gemm_ceil_div(outputs, LANES), inner = phase->counts[v->field->count - 1];
    size_t depth = phase->positions * v->channels, share = gemm_block_of(depth), k = 0, begin = 0;
    few_lines_of(v->field, phase, rows, outputs, vectors, &of_tile);
    for (size_t n = 0; n < phase->positions; n += inner) {
        const struct conv_position position = position_of(v->field, phase, n);
        unsigned outer = outer_offset_at(v->field, rows, &position);
        for (size_t l = 0; l < of_tile.count; ++l) {
            const struct few_line *line = &of_tile.lines[l];
            TYPED(turn_line)(v, line, outer, turned);
            for (size_t i = 0, c = 0, some; i < line->count; i += c == v->channels, c %= v->channels) {
                some = gemm_min(v->channels - c, gemm_min(begin + share, depth) - k);
                few_kernel(v->columns, vectors,
                           &(struct few_product){ some, line->wide,
                                                  turned + c * line->wide + line->starts[i] - line->begin,
                                                  v->b + k * GEMM_PANEL, sums });
                k += some;
                c += some;
                if (k == begin + share || k == depth) {
                    few_put(sums, v->columns, vectors, lines, outputs, begin > 0);
                    begin = k;
                }
            }
        }
    }
}
static void TYPED(convolve_few)(const struct TYPED(few) * v, const struct conv_row *rows, float *const *lines,
                                size_t count)
{
    size_t tile = few_tile(v->columns);
    for (size_t i = 0, outputs; i < count; i += outputs) {
        outputs = 1;
        while (outputs < tile && i + outputs < count && share_outer_dims(v->field, &rows[i], &rows[i + outputs]))
            ++outputs;
        TYPED(convolve_tile)(v, rows + i, lines + i, outputs);
    }
}
