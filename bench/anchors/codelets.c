/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the anchors besides tutorial 7's own: one that only has an estimate, and one with an interleaved field.
 */
#include <poplar/vertex.h>

POP_VERTEX(CountVertex)
{
    POP_INOUT(float) value;
};

bool CountVertex_compute(CountVertex *v)
{
    *v->value += 1;
    return true;
}

POP_VERTEX(InterleavedVertex)
{
    POP_INPUT(POP_VECTOR(float, SPAN, 16, true)) in;
    POP_OUTPUT(float) out;
};

bool InterleavedVertex_compute(InterleavedVertex *v)
{
    *v->out = v->in.data[0];
    return true;
}

/* Copies the border cells of its neighbours into its own outermost cells; corners come from the neighbours' own. */
POP_VERTEX(HaloVertex)
{
    POP_INPUT(POP_VECTOR(float)) left;
    POP_INPUT(POP_VECTOR(float)) right;
    POP_INPUT(POP_VECTOR(float)) above;
    POP_INPUT(POP_VECTOR(float)) below;
    POP_INPUT(POP_VECTOR(float)) corners;
    POP_OUTPUT(POP_VECTORS(float)) cells;
};

bool HaloVertex_compute(HaloVertex *v)
{
    size_t rows = v->cells.size, columns = v->cells.data[0].size;
    for (size_t y = 0; y < rows && y < v->left.size; ++y)
        v->cells.data[y].data[0] = v->left.data[y];
    for (size_t y = 0; y < rows && y < v->right.size; ++y)
        v->cells.data[y].data[columns - 1] = v->right.data[y];
    for (size_t x = 0; x < columns && x < v->above.size; ++x)
        v->cells.data[0].data[x] = v->above.data[x];
    for (size_t x = 0; x < columns && x < v->below.size; ++x)
        v->cells.data[rows - 1].data[x] = v->below.data[x];
    return true;
}
