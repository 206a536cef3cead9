/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::HostConvPack<T>, HostConv<T> and HostConvUpdate<T>: template of host_conv_vertices.c. */
static const T TYPED(nothing)[GEMM_DEPTH];

/* ---- B: weights, or deltas ---- */

/* Rows [begin, begin + depth) of B, a row for each channel of each position, and columns [column, column + columns),
 * which begin at a multiple of GEMM_PANEL. */
POP_VERTEX(TYPED(HostConvPack))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) positions; /* their offsets */
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR, 64)) out;
    POP_STATE(unsigned) first;
    POP_STATE(unsigned) channels;
    POP_STATE(unsigned) strideChannel;
    POP_STATE(unsigned) strideColumn;
    POP_STATE(unsigned) begin;
    POP_STATE(unsigned) depth;
    POP_STATE(unsigned) column;
    POP_STATE(unsigned) columns;
};
POP_VERTEX_NAME(TYPED(HostConvPack), "poplin::HostConvPack<" T_NAME ">");

/* `depth` channels of a position: a panel's rows. */
static void TYPED(pack_rows)(const TYPED(HostConvPack) * v, const T *from, size_t depth, size_t columns, float *to)
{
    size_t step = v->strideChannel, across = v->strideColumn;
    if (across == 1) {
        for (size_t k = 0; k < depth; ++k)
            TYPED(lay)(from + k * step, columns, to + k * GEMM_PANEL, GEMM_PANEL);
        return;
    }
    const T *rows[GEMM_PANEL];
    for (size_t i = 0; i < columns; ++i)
        rows[i] = from + i * across;
    TYPED(turn_apart)(rows, columns, depth, step, to, GEMM_PANEL);
    for (size_t k = 0; columns < GEMM_PANEL && k < depth; ++k)
        memset(to + k * GEMM_PANEL + columns, 0, (GEMM_PANEL - columns) * sizeof(float));
}
COMPUTE(HostConvPack)
{
    float *to = v->out.data;
    for (size_t c = 0; c < v->columns; c += GEMM_PANEL) {
        size_t wide = gemm_min(GEMM_PANEL, v->columns - c);
        const T *from = v->in.data + v->first + (v->column + c) * (size_t)v->strideColumn;
        for (size_t k = v->begin, end = k + v->depth, depth; k < end; k += depth, to += depth * GEMM_PANEL) {
            size_t channel = k % v->channels;
            depth = gemm_min(v->channels - channel, end - k);
            TYPED(pack_rows)
            (v, from + v->positions.data[k / v->channels] + channel * v->strideChannel, depth, wide, to);
        }
    }
}

/* ---- forward: rows are outputs, B's rows are channels of kernel positions ---- */

/* Outputs [output, output + outputs) and columns [column, column + columns) of `groups` groups.  `out` has whole
 * outputs strideOut apart, or, if that is 0, a row for each. */
POP_VERTEX(TYPED(HostConv))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) field;
    POP_INPUT(POP_VECTOR(float, ONE_PTR, 64)) b;
    POP_OUTPUT(POP_VECTORS(float, SPAN, ONE_PTR)) out;
    POP_STATE(unsigned) channels;
    POP_STATE(unsigned) strideChannel;
    POP_STATE(unsigned) strideGroup;
    POP_STATE(unsigned) strideB; /* of a group's weights */
    POP_STATE(unsigned) group;
    POP_STATE(unsigned) groups;
    POP_STATE(unsigned) column;
    POP_STATE(unsigned) columns;
    POP_STATE(unsigned) allColumns;
    POP_STATE(unsigned) output;
    POP_STATE(unsigned) outputs;
    POP_STATE(unsigned) strideOut;
};
POP_VERTEX_NAME(TYPED(HostConv), "poplin::HostConv<" T_NAME ">");

/* The unit of multiplication: rows of one phase, and the positions of a block of B. */
struct TYPED(conv_block) {
    const T *in;
    const struct conv_field *field;
    const struct host_conv_phase *phase, *whole; /* whole: the phase if the block has all its positions, or NULL */
    size_t first;                                /* number of the first position */
    const struct conv_position *positions;
    size_t channel, channels, stride, depth; /* the first position's channels begin at `channel` */
};
/* Rows packed by pointers to their channels, position by position. */
static void TYPED(gather_channels)(const struct TYPED(conv_block) * block, const struct conv_row *rows, size_t count,
                                   float *to)
{
    const struct conv_position *position = block->positions;
    for (size_t k = 0, c = block->channel, depth; k < block->depth; k += depth, c = 0, ++position) {
        const T *from[STRIP];
        depth = gemm_min(block->channels - c, block->depth - k);
        for (size_t i = 0; i < count; ++i) {
            unsigned at = offset_at(block->field, &rows[i], position);
            from[i] = at == HOST_CONV_NONE ? NULL : block->in + at + c * block->stride;
        }
        if (block->stride == 1) {
            for (size_t i = 0; i < count; ++i)
                from[i] = from[i] ? from[i] : TYPED(nothing);
            TYPED(turn)(from, count, depth, to + k * count, count);
        } else {
            for (size_t i = 0; i < count; ++i)
                for (size_t n = 0; n < depth; ++n)
                    to[(k + n) * count + i] = from[i] ? (float)from[i][n * block->stride] : 0;
        }
    }
}
/* Gathers a row of few channels, where neighbouring positions are often contiguous in memory: rows are gathered, then
 * transposed. */
static void TYPED(gather_row)(const struct TYPED(conv_block) * block, const struct conv_row *row, T *to)
{
    const struct conv_position *position = block->positions;
    size_t c = block->channel;
    for (size_t k = 0; k < block->depth; c = 0) {
        unsigned at = offset_at(block->field, row, position++);
        size_t depth = block->channels - c;
        while (k + depth < block->depth && at != HOST_CONV_NONE &&
               offset_at(block->field, row, position) == at + c + depth) {
            depth += block->channels;
            ++position;
        }
        depth = gemm_min(depth, block->depth - k);
        if (at == HOST_CONV_NONE)
            memset(to + k, 0, depth * sizeof(*to));
        else
            memcpy(to + k, block->in + at + c, depth * sizeof(*to));
        k += depth;
    }
}
static void TYPED(copy_runs)(const struct conv_run *runs, size_t count, const T *from, T *to)
{
    for (size_t i = 0; i < count; to += runs[i++].elements)
        if (runs[i].offset == HOST_CONV_NONE)
            memset(to, 0, runs[i].elements * sizeof(*to));
        else
            copy_run(to, from + runs[i].offset, runs[i].elements * sizeof(*to));
}
/* Gathers a row of a whole phase: the runs of the last dimension are the same for all positions of the others. */
static void TYPED(gather_whole_row)(const struct TYPED(conv_block) * block, const struct conv_row *row, T *to)
{
    const struct host_conv_phase *phase = block->whole;
    unsigned last = block->field->count - 1, inner = phase->counts[last];
    struct conv_run runs[GEMM_DEPTH];
    size_t count = runs_of(row->offsets[last], phase->kernels[last], inner, block->channels, runs);
    for (size_t n = 0; n < phase->positions; n += inner, to += inner * block->channels) {
        unsigned from = outer_offset_at(block->field, row, &block->positions[n]);
        if (from == HOST_CONV_NONE)
            memset(to, 0, inner * block->channels * sizeof(*to));
        else
            TYPED(copy_runs)(runs, count, block->in + from, to);
    }
}
/* Packs a strip whose rows mostly have one run for all positions of the last dimension: it is transposed where
 * it is.  Returns false, with nothing done, for others. */
static bool TYPED(turn_runs)(const struct TYPED(conv_block) * block, const struct conv_row *rows, size_t count,
                             float *to)
{
    const struct host_conv_phase *phase = block->whole;
    unsigned last = block->field->count - 1, inner = phase->counts[last], starts[STRIP];
    T lines[STRIP][GEMM_DEPTH];
    const T *from[STRIP];
    bool shared[STRIP]; /* the other dimensions' offset with the row before */
    size_t wide = inner * block->channels, others = 0;
    for (size_t i = 0; i < count; ++i) {
        starts[i] = one_run_of(rows[i].offsets[last], phase->kernels[last], inner, block->channels);
        others += starts[i] == HOST_CONV_NONE;
        shared[i] = i && share_outer_dims(block->field, &rows[i - 1], &rows[i]);
    }
    if (wide < LANES || 2 * others > count)
        return false;
    for (size_t n = 0; n < phase->positions; n += inner, to += wide * count) {
        unsigned outer = HOST_CONV_NONE;
        for (size_t i = 0; i < count; ++i) {
            if (!shared[i])
                outer = outer_offset_at(block->field, &rows[i], &block->positions[n]);
            from[i] = outer == HOST_CONV_NONE       ? TYPED(nothing)
                      : starts[i] == HOST_CONV_NONE ? lines[i]
                                                    : block->in + outer + starts[i];
            if (from[i] != lines[i])
                continue;
            struct conv_run runs[GEMM_DEPTH];
            size_t made = runs_of(rows[i].offsets[last], phase->kernels[last], inner, block->channels, runs);
            TYPED(copy_runs)(runs, made, block->in + outer, lines[i]);
        }
        TYPED(turn)(from, count, wide, to, count);
    }
    return true;
}
static void TYPED(gather_rows)(const struct TYPED(conv_block) * block, const struct conv_row *rows, size_t count,
                               float *to)
{
    T lines[STRIP][GEMM_DEPTH];
    const T *from[STRIP];
    if (block->whole && TYPED(turn_runs)(block, rows, count, to))
        return;
    for (size_t i = 0; i < count; ++i) {
        (block->whole ? TYPED(gather_whole_row) : TYPED(gather_row))(block, &rows[i], lines[i]);
        from[i] = lines[i];
    }
    TYPED(turn)(from, count, block->depth, to, count);
}

#include "poplin/host/host_conv_direct_typed.h"

static void TYPED(convolve_block)(const struct TYPED(conv_block) * block, const struct conv_row *rows,
                                  const struct gemm_strips *product)
{
    _Alignas(64) float packed[PACKED_A];
    struct gemm_direct direct[DIRECT_STRIPS];
    size_t count = product->rows, strips = strips_of(count);
    bool few = block->stride == 1 && block->channels < 2 * LANES;
    /* packing a single position is worth it for several panels */
    bool is_direct = block->stride == 1 &&
                     (block->phase->counts[block->field->count - 1] > 1 || gemm_panels_of(product->columns) <= 2);
    for (size_t s = 0; s < strips; ++s) {
        size_t begin = count * s / strips, end = count * (s + 1) / strips;
        float *to = packed + begin * block->depth;
        if (is_direct && TYPED(find_strip)(block, rows + begin, end - begin, to, &direct[s]))
            continue;
        direct[s].count = 0;
        (few ? TYPED(gather_rows) : TYPED(gather_channels))(block, rows + begin, end - begin, to);
    }
    struct gemm_strips multiplied = *product;
    multiplied.a = packed;
    multiplied.direct = direct;
    multiply_strips(&multiplied);
}

/* Convolves `count` rows of a phase, whose weights begin at b. */
static void TYPED(convolve_rows)(const TYPED(HostConv) * v, const struct conv_field *field,
                                 const struct host_conv_phase *phase, const float *b, const struct conv_row *rows,
                                 float *const *lines, size_t count)
{
    struct conv_position positions[GEMM_DEPTH + 1];
    size_t all = gemm_panels_of(v->allColumns) * GEMM_PANEL, depth = phase->positions * v->channels;
    size_t share = gemm_block_of(depth);
    for (size_t k = 0; k < depth; k += share) {
        struct TYPED(conv_block) block = { .in = v->in.data + (size_t)v->group * v->strideGroup,
                                           .field = field,
                                           .phase = phase,
                                           .whole = share == depth ? phase : NULL,
                                           .first = k / v->channels,
                                           .positions = positions,
                                           .channel = k % v->channels,
                                           .channels = v->channels,
                                           .stride = v->strideChannel,
                                           .depth = gemm_min(share, depth - k) };
        size_t first = k / v->channels, last = (k + block.depth - 1) / v->channels;
        for (size_t i = first; i <= last; ++i)
            positions[i - first] = position_of(field, phase, i);
        struct gemm_strips product = { .rows = count,
                                       .depth = block.depth,
                                       .columns = v->columns,
                                       .b = b + (size_t)v->group * v->strideB + k * all + v->column * block.depth,
                                       .lines = lines,
                                       .add = k > 0,
                                       .scale = 1 };
        for (size_t g = 0; g < v->groups; ++g) {
            float *shifted[ROWS];
            for (size_t i = 0; i < count; ++i)
                shifted[i] = lines[i] + g * v->columns;
            product.lines = shifted;
            TYPED(convolve_block)(&block, rows, &product);
            block.in += v->strideGroup;
            product.b += v->strideB;
        }
    }
}

static bool TYPED(has_few_columns)(const TYPED(HostConv) * v, const struct conv_field *field)
{
    const struct conv_dim *last = &field->dims[field->count - 1];
    return v->strideChannel == 1 && v->allColumns <= FEW_COLUMNS && v->channels <= GEMM_DEPTH &&
           last->kernels <= FEW_KERNELS && last->outputs / last->classes >= LANES;
}
static void TYPED(convolve_few_rows)(const TYPED(HostConv) * v, const struct conv_field *field,
                                     const struct host_conv_phase *phase, const float *b, const struct conv_row *rows,
                                     float *const *lines, size_t count)
{
    for (size_t g = 0; g < v->groups; ++g) {
        float *shifted[ROWS];
        for (size_t i = 0; i < count; ++i)
            shifted[i] = lines[i] + g * v->columns;
        TYPED(convolve_few)
        (&(struct TYPED(few)){ v->in.data + (v->group + g) * v->strideGroup, TYPED(nothing), field, phase,
                               b + (v->group + g) * v->strideB, v->channels, v->columns },
         rows, shifted, count);
    }
}

COMPUTE(HostConv)
{
    struct conv_row rows[ROWS];
    float *lines[ROWS];
    struct conv_field field;
    read_field(&field, v->field.data);
    struct host_conv_phase phase = first_phase(&field);
    const float *b = v->b.data;
    const bool few = TYPED(has_few_columns)(v, &field);
    /* blocks of rows end with a line of outputs where they can: strips of one line need not be packed */
    const size_t line = field.dims[field.count - 1].outputs;
    do {
        struct conv_cursor cursor = cursor_at(&field, v->output);
        for (size_t done = 0; done < v->outputs;) {
            size_t count = 0;
            for (; done < v->outputs && count < ROWS; ++done, cursor_next(&field, &cursor)) {
                if (count > ROWS / 2 && count + line > ROWS && cursor.at[field.count - 1] == 0)
                    break;
                if (is_of_phase(&field, &phase, &cursor)) {
                    row_of(&field, &cursor, &rows[count]);
                    lines[count++] = v->strideOut ? v->out.data[0].data + done * v->strideOut : v->out.data[done].data;
                }
            }
            if (count)
                (few ? TYPED(convolve_few_rows) : TYPED(convolve_rows))(v, &field, &phase, b, rows, lines, count);
        }
        b += phase.positions * v->channels * gemm_panels_of(v->allColumns) * GEMM_PANEL;
    } while (next_phase(&field, &phase));
}

/* ---- the update of weights: rows are channels of kernel positions, B's rows are outputs ---- */

/* Rows [row, row + rows) and columns [column, column + columns) of a group's deltas of weights. */
POP_VERTEX(TYPED(HostConvUpdate))
{
    POP_INPUT(POP_VECTOR(T)) in;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) field;
    POP_INPUT(POP_VECTOR(float, ONE_PTR, 64)) b;
    POP_OUTPUT(POP_VECTORS(float, SPAN, ONE_PTR)) out;
    POP_STATE(unsigned) first; /* offset of the group in `in` */
    POP_STATE(unsigned) channels;
    POP_STATE(unsigned) strideChannel;
    POP_STATE(unsigned) row;
    POP_STATE(unsigned) rows;
    POP_STATE(unsigned) depth;
    POP_STATE(unsigned) column;
    POP_STATE(unsigned) columns;
    POP_STATE(unsigned) allColumns;
    POP_STATE(unsigned) strideOut;
};
POP_VERTEX_NAME(TYPED(HostConvUpdate), "poplin::HostConvUpdate<" T_NAME ">");

/* Channels of one position that are neighbours in a packed strip: `wide` from `channel` on, at `to` of each of the
 * strip's rows, `step` apart. */
struct TYPED(segment) {
    size_t position, channel, wide, step;
    float *to;
};
/* The segments of strips from `row` on, in the order of their rows; returns their number. */
static size_t TYPED(find_segments)(const TYPED(HostConvUpdate) * v, size_t row, size_t rows, size_t depth, float *to,
                                   struct TYPED(segment) * segments)
{
    size_t made = 0, strips = strips_of(rows), first = row / v->channels;
    for (size_t s = 0; s < strips; ++s) {
        size_t begin = rows * s / strips, end = rows * (s + 1) / strips;
        for (size_t i = begin, wide; i < end; i += wide) {
            size_t channel = (row + i) % v->channels;
            wide = gemm_min(v->channels - channel, end - i);
            segments[made++] = (struct TYPED(segment)){ (row + i) / v->channels - first, channel * v->strideChannel,
                                                        wide, end - begin, to + begin * depth + i - begin };
        }
    }
    return made;
}
/* Copies a segment's channels of output k; whole vectors unless `exactly`, as later segments and rows overwrite what is
 * too much. */
GEMM_INLINE void TYPED(put_segment)(const TYPED(HostConvUpdate) * v, const struct TYPED(segment) * s, size_t k,
                                    unsigned offset, bool exactly)
{
    float *to = s->to + k * s->step;
    size_t at = v->first + offset + s->channel;
    const T *from = v->in.data + at;
    if (offset == HOST_CONV_NONE)
        memset(to, 0, s->wide * sizeof(*to));
    else if (!exactly && at + LANES <= v->in.size)
        *(vec *)to = TYPED(load)(from);
    else
        for (size_t i = 0; i < s->wide; ++i)
            to[i] = (float)from[i * v->strideChannel];
}
/* Packs the `parts` segments of a strip for outputs from k on.  A strip has `depth` rows. */
static void TYPED(pack_outputs)(const TYPED(HostConvUpdate) * v, const struct TYPED(segment) * segments, size_t parts,
                                unsigned offsets[][UPDATE_OUTPUTS], size_t k, size_t outputs, size_t depth)
{
    size_t rows = (LANES - 1) / segments->step + 1; /* that a vector may reach */
    size_t bulk = v->strideChannel != 1 || k + rows >= depth ? 0 : gemm_min(outputs, depth - k - rows);
    if (parts == 1)
        for (size_t i = 0; i < bulk; ++i)
            TYPED(put_segment)(v, segments, k + i, offsets[segments->position][i], false);
    for (size_t i = parts == 1 ? bulk : 0; i < outputs; ++i)
        for (size_t s = 0; s < parts; ++s)
            TYPED(put_segment)(v, &segments[s], k + i, offsets[segments[s].position][i], i >= bulk);
}
/* An output's channels of all positions of the last dimension, for `count` positions of the others with these offsets.
 */
static void TYPED(gather_line)(const TYPED(HostConvUpdate) * v, const struct conv_field *field,
                               const struct host_conv_phase *phase, const struct conv_row *output,
                               const unsigned *outers, size_t count, T *to)
{
    unsigned last = field->count - 1, inner = phase->counts[last];
    size_t wide = inner * v->channels;
    struct conv_run runs[LINE];
    size_t made = runs_of(output->offsets[last], phase->kernels[last], inner, v->channels, runs);
    for (size_t n = 0; n < count; ++n, to += wide)
        if (outers[n] == HOST_CONV_NONE)
            memset(to, 0, wide * sizeof(*to));
        else
            TYPED(copy_runs)(runs, made, v->in.data + v->first + outers[n], to);
}
/* Packs rows from `row` on for few channels: lines of a few outputs are gathered, then cut into strips.  A strip's
 * vectors reach into its next rows, which are stored later. */
static void TYPED(cut_strips)(const TYPED(HostConvUpdate) * v, const struct conv_field *field,
                              const struct conv_row *outputs, size_t depth, size_t row, size_t rows, float *to)
{
    T lines[UPDATE_OUTPUTS][2 * LINE + ROWS + LANES];
    struct conv_position positions[ROWS + 1];
    unsigned outers[ROWS + 1];
    const struct host_conv_phase phase = first_phase(field);
    size_t inner = phase.counts[field->count - 1], across = inner * v->channels, first = row / across,
           count = (row + rows - 1) / across + 1 - first, strips = strips_of(rows);
    for (size_t n = 0; n < count; ++n)
        positions[n] = position_of(field, &phase, (first + n) * inner);
    for (size_t k = 0, some; k < depth; k += some) {
        some = gemm_min(UPDATE_OUTPUTS, depth - k);
        for (size_t i = 0; i < some; ++i) {
            const struct conv_row *output = &outputs[k + i];
            for (size_t n = 0; n < count && (i == 0 || !share_outer_dims(field, output - 1, output)); ++n)
                outers[n] = outer_offset_at(field, output, &positions[n]);
            TYPED(gather_line)(v, field, &phase, output, outers, count, lines[i]);
        }
        for (size_t s = 0; s < strips; ++s) {
            size_t begin = rows * s / strips, wide = rows * (s + 1) / strips - begin, reach = (LANES - 1) / wide + 1;
            float *at = to + begin * depth + k * wide;
            for (size_t i = 0; i < some; ++i, at += wide) {
                const T *from = lines[i] + row % across + begin;
                if (wide <= LANES && k + i + reach < depth)
                    *(vec *)at = TYPED(load)(from);
                else
                    TYPED(lay)(from, wide, at, wide);
            }
        }
    }
}
/* Packs rows from `row` on, strip by strip for a few outputs, whose channels stay in the first cache. */
static void TYPED(gather_strips)(const TYPED(HostConvUpdate) * v, const struct conv_field *field,
                                 const struct conv_row *outputs, size_t depth, size_t row, size_t rows, float *to)
{
    struct TYPED(segment) segments[2 * ROWS];
    struct conv_position positions[ROWS];
    unsigned offsets[ROWS][UPDATE_OUTPUTS];
    const struct host_conv_phase phase = first_phase(field);
    size_t first = row / v->channels, count = (row + rows - 1) / v->channels - first + 1,
           all = TYPED(find_segments)(v, row, rows, depth, to, segments);
    for (size_t p = 0; p < count; ++p)
        positions[p] = position_of(field, &phase, first + p);
    for (size_t k = 0, some; k < depth; k += some) {
        some = gemm_min(UPDATE_OUTPUTS, depth - k);
        for (size_t p = 0; p < count; ++p)
            for (size_t i = 0; i < some; ++i)
                offsets[p][i] = offset_at(field, &outputs[k + i], &positions[p]);
        for (size_t s = 0, parts; s < all; s += parts) {
            parts = 1;
            for (size_t wide = segments[s].wide; wide < segments[s].step; ++parts)
                wide += segments[s + parts].wide;
            TYPED(pack_outputs)(v, &segments[s], parts, offsets, k, some, depth);
        }
    }
}
/* Where the next block's channels of the first position are, if outputs have them at equal distances. */
static struct gemm_later TYPED(next_channels)(const TYPED(HostConvUpdate) * v, const struct conv_field *field,
                                              const struct conv_row *outputs, size_t k, size_t depth)
{
    const struct host_conv_phase phase = first_phase(field);
    const struct conv_position position = position_of(field, &phase, v->row / v->channels);
    size_t channel = v->row % v->channels, left = v->depth - k - depth;
    if (depth < 3 || !left || v->rows > ROWS || v->strideChannel != 1)
        return (struct gemm_later){ 0 };
    size_t middle = depth / 2;
    unsigned before = offset_at(field, &outputs[middle - 1], &position),
             at = offset_at(field, &outputs[middle], &position),
             last = offset_at(field, &outputs[depth - 1], &position), stride = at - before;
    if (before == HOST_CONV_NONE || at == HOST_CONV_NONE || at <= before || last != at + (depth - 1 - middle) * stride)
        return (struct gemm_later){ 0 };
    const T *from = v->in.data + v->first + last + stride + channel;
    size_t count = gemm_min(v->channels - channel, v->rows);
    return (struct gemm_later){ from, gemm_min(left, depth), stride * sizeof(T), gemm_ceil_div(count * sizeof(T), 64) };
}
static void TYPED(update_block)(const TYPED(HostConvUpdate) * v, const struct conv_field *field,
                                const struct conv_row *outputs, size_t k, size_t depth, size_t row, size_t rows)
{
    _Alignas(64) float packed[PACKED_A];
    float *lines[ROWS];
    size_t all = gemm_panels_of(v->allColumns) * GEMM_PANEL;
    for (size_t i = 0; i < rows; ++i)
        lines[i] = v->strideOut ? v->out.data[0].data + (row + i) * v->strideOut : v->out.data[row + i].data;
    const struct conv_dim *last = &field->dims[field->count - 1];
    bool few = v->strideChannel == 1 && v->channels < LANES / 2 && last->kernels * v->channels <= LINE;
    (few ? TYPED(cut_strips) : TYPED(gather_strips))(v, field, outputs, depth, v->row + row, rows, packed);
    multiply_strips(&(struct gemm_strips){ .rows = rows,
                                           .depth = depth,
                                           .columns = v->columns,
                                           .a = packed,
                                           .b = v->b.data + k * all + v->column * depth,
                                           .lines = lines,
                                           .add = k > 0,
                                           .scale = 1,
                                           .later = TYPED(next_channels)(v, field, outputs, k, depth) });
}
COMPUTE(HostConvUpdate)
{
    struct conv_row outputs[GEMM_DEPTH];
    struct conv_field field;
    read_field(&field, v->field.data);
    struct conv_cursor cursor = cursor_at(&field, 0);
    size_t share = gemm_block_of(v->depth);
    for (size_t k = 0, depth; k < v->depth; k += depth) {
        depth = gemm_min(share, v->depth - k);
        for (size_t i = 0; i < depth; ++i, cursor_next(&field, &cursor))
            row_of(&field, &cursor, &outputs[i]);
        for (size_t row = 0; row < v->rows; row += ROWS)
            TYPED(update_block)(v, &field, outputs, k, depth, row, gemm_min(ROWS, v->rows - row));
    }
}
