/* SPDX-License-Identifier: Apache-2.0 */
/* Star stencils over lines.  A tile has a block of lines, row by row; a vertex writes some of them.  Halo fields have
 * the lines that it needs of the neighbours, in the order in which it needs them.  An empty one is the end of the grid,
 * and lines at the end keep their values. */
#include <poplar/vertex.h>

/* The heat equation, seven points, in straightforward code. */
POP_VERTEX(HeatLines)
{
    POP_INPUT(POP_VECTOR(float)) block;
    POP_INPUT(POP_VECTOR(float)) above;
    POP_INPUT(POP_VECTOR(float)) below;
    POP_INPUT(POP_VECTOR(float)) left;
    POP_INPUT(POP_VECTOR(float)) right;
    POP_OUTPUT(POP_VECTOR(float)) next;
    unsigned first, width, length; /* line that next begins with; lines of a row; points of a line */
};

static void heat_line(float *next, const float *here, const float *a, const float *b, const float *l, const float *r,
                      unsigned length)
{
    next[0] = here[0];
    next[length - 1] = here[length - 1];
    for (unsigned z = 1; z + 1 < length; ++z)
        next[z] = 0.4f * here[z] + 0.1f * (here[z - 1] + here[z + 1] + a[z] + b[z] + l[z] + r[z]);
}

bool HeatLines_compute(HeatLines *v)
{
    unsigned length = v->length, row = v->width * length;
    const float *above = v->above.data, *below = v->below.data, *left = v->left.data, *right = v->right.data,
                *here = v->block.data + v->first * length, *last = v->block.data + v->block.size - row;
    float *next = v->next.data;
    unsigned y = v->first % v->width;
    for (unsigned lines = (unsigned)v->next.size / length; lines; --lines) {
        const float *a = here - row, *b = here + row, *l = here - length, *r = here + length;
        bool inner = true;
        if (here < v->block.data + row) {
            a = above;
            above += length;
            inner &= v->above.size != 0;
        }
        if (here >= last) {
            b = below;
            below += length;
            inner &= v->below.size != 0;
        }
        if (y == 0) {
            l = left;
            left += length;
            inner &= v->left.size != 0;
        }
        if (y + 1 == v->width) {
            r = right;
            right += length;
            inner &= v->right.size != 0;
        }
        if (inner)
            heat_line(next, here, a, b, l, r, length);
        else
            for (unsigned z = 0; z < length; ++z)
                next[z] = here[z];
        y = y + 1 == v->width ? 0 : y + 1;
        here += length;
        next += length;
    }
    return true;
}

/* Points at up to `radius` lines' distance, all lines of a tile.  Halos are of whole rows above and below, and for each
 * row of a number of lines at its sides. */
POP_VERTEX(StarLines)
{
    POP_INPUT(POP_VECTOR(float)) block;
    POP_INPUT(POP_VECTOR(float)) above;
    POP_INPUT(POP_VECTOR(float)) below;
    POP_INPUT(POP_VECTOR(float)) left;
    POP_INPUT(POP_VECTOR(float)) right;
    POP_OUTPUT(POP_VECTOR(float)) next;
    unsigned radius, width, length;
};

bool StarLines_compute(StarLines *v)
{
    unsigned length = v->length, width = v->width, rows = (unsigned)v->block.size / length / width, radius = v->radius;
    for (unsigned x = 0; x < rows; ++x)
        for (unsigned y = 0; y < width; ++y) {
            const float *here = v->block.data + (x * width + y) * length;
            float *next = v->next.data + (x * width + y) * length;
            bool inner = (v->above.size || x >= radius) && (v->below.size || x + radius < rows) &&
                         (v->left.size || y >= radius) && (v->right.size || y + radius < width);
            for (unsigned z = 0; z < length; ++z)
                next[z] = inner ? 0.5f * here[z] : here[z];
            for (unsigned d = 1; inner && d <= radius; ++d) {
                const float *a = x >= d ? here - d * width * length
                                        : v->above.data + ((radius + x - d) * width + y) * length,
                            *b = x + d < rows ? here + d * width * length
                                              : v->below.data + ((x + d - rows) * width + y) * length,
                            *l = y >= d ? here - d * length : v->left.data + (x * radius + radius + y - d) * length,
                            *r = y + d < width ? here + d * length
                                               : v->right.data + (x * radius + y + d - width) * length;
                for (unsigned z = 0; z < length; ++z)
                    next[z] += 0.0625f * (a[z] + b[z] + l[z] + r[z]);
            }
        }
    return true;
}

/* Stands in for copies of which only the time is known. */
POP_VERTEX(RearrangeVertex)
{
    POP_INOUT(float) value;
};

bool RearrangeVertex_compute(RearrangeVertex *v)
{
    *v->value += 1;
    return true;
}
