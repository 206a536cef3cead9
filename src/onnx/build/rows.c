/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/build/build.h"

#include <string.h>

onnx_rows *onnx_new_rows(onnx_builder *b, size_t most)
{
    onnx_rows *rows = onnx_new(b->arena, 1, sizeof(*rows));
    *rows = (onnx_rows){ most, b->batches, 0, onnx_new(b->arena, b->batches, sizeof(*rows->found)) };
    return rows;
}

void onnx_add_row_count(onnx_rows *rows, size_t count)
{
    rows->found[rows->next] = count;
    rows->next = (rows->next + 1) % rows->batches;
}

bool onnx_give_rows(onnx_builder *b, size_t i, const onnx_rows *rows, size_t dim)
{
    if (b->failed || !onnx_wants(b, i))
        return !b->failed;
    b->values[b->node->outputs[i]].rows = rows;
    b->values[b->node->outputs[i]].row_dim = dim;
    return true;
}

const onnx_value *onnx_input_with_rows(const onnx_builder *b)
{
    for (size_t i = 0; i < b->node->num_inputs; ++i)
        if (onnx_input(b, i) && onnx_input(b, i)->rows)
            return onnx_input(b, i);
    return NULL;
}

/* ---- where the dimension is in the output ----
 * Each rule takes the input that has rows, which is input i, and gives the dimension of the output; false: refused. */

static pop_shape output_shape(const onnx_builder *b)
{
    const onnx_value *value = &b->values[b->node->outputs[0]];
    return (pop_shape){ value->host.rank, value->host.dims };
}

/* Shapes are aligned at their ends; other inputs have the same rows, or one row for all. */
static bool follow_elements(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t from_end = input->host.rank - input->row_dim;
    (void)i;
    for (size_t j = 0; j < b->node->num_inputs; ++j) {
        const onnx_value *other = onnx_input(b, j);
        if (!other)
            continue;
        bool same = other->rows == input->rows && other->host.rank - other->row_dim == from_end;
        bool one = !other->rows && (other->host.rank < from_end || other->host.dims[other->host.rank - from_end] == 1);
        if (!same && !one)
            return false;
    }
    *dim = output_shape(b).rank - from_end;
    return true;
}

/* Rows of indices look up as many rows of data; rows of data stay, when another dimension is looked up. */
static bool follow_gather(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t axis = onnx_axis(b, onnx_int(b, "axis", 0), onnx_rank_of(b, 0));
    if (i == 1)
        *dim = axis + input->row_dim;
    else
        *dim = input->row_dim < axis ? input->row_dim : input->row_dim + onnx_rank_of(b, 1) - 1;
    return i == 1 || input->row_dim != axis;
}

static bool follow_gather_nd(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    *dim = input->row_dim;
    return i == 1 && !onnx_int(b, "batch_dims", 0) && input->row_dim + 1 < input->host.rank;
}

/* The list of axes: an attribute, or input i in later operator sets. */
static const int64_t *read_axes(onnx_builder *b, size_t i, size_t *count)
{
    return onnx_input(b, i) ? onnx_known_ints(b, i, count) : onnx_ints(b, "axes", count);
}

static bool in_axes(onnx_builder *b, const int64_t *axes, size_t count, size_t rank, size_t dim)
{
    for (size_t i = 0; i < count; ++i)
        if (onnx_axis(b, axes[i], rank) == dim)
            return true;
    return false;
}

static bool follow_slice(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t count;
    const int64_t *axes = read_axes(b, 3, &count);
    (void)i;
    *dim = input->row_dim;
    return axes && !in_axes(b, axes, count, input->host.rank, input->row_dim);
}

static bool follow_squeeze(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t count;
    const int64_t *axes = read_axes(b, 1, &count);
    (void)i;
    *dim = 0;
    for (size_t d = 0; d < input->row_dim; ++d)
        *dim += !(axes ? in_axes(b, axes, count, input->host.rank, d) : input->host.dims[d] == 1);
    return axes ? !in_axes(b, axes, count, input->host.rank, input->row_dim) : input->host.dims[input->row_dim] != 1;
}

static bool follow_unsqueeze(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t count, kept = 0, rank = output_shape(b).rank;
    const int64_t *axes = read_axes(b, 1, &count);
    (void)i;
    for (*dim = 0; *dim < rank; ++*dim)
        if (!in_axes(b, axes, count, rank, *dim) && kept++ == input->row_dim)
            return true;
    return false;
}

static bool follow_transpose(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t count, rank = input->host.rank;
    const int64_t *order = onnx_ints(b, "perm", &count);
    (void)i;
    for (*dim = 0; *dim < rank; ++*dim)
        if ((order ? (size_t)order[*dim] : rank - 1 - *dim) == input->row_dim)
            return true;
    return false;
}

static bool follow_concat(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    (void)i;
    *dim = input->row_dim;
    for (size_t j = 0; j < b->node->num_inputs; ++j)
        if (!onnx_input(b, j) || onnx_input(b, j)->rows != input->rows || onnx_input(b, j)->row_dim != *dim)
            return false;
    return onnx_axis(b, onnx_int(b, "axis", 0), input->host.rank) != *dim;
}

/* The dimension stays where as many elements come before it and after it, and the node's list says -1 or 0 there: any
 * other number is that of one run. */
static bool follow_reshape(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim)
{
    size_t count, before = 1, passed = 1;
    const int64_t *list = onnx_input(b, 1) ? onnx_known_ints(b, 1, &count) : onnx_ints(b, "shape", &count);
    pop_shape shape = output_shape(b);
    for (size_t d = 0; d < input->row_dim; ++d)
        before *= input->host.dims[d];
    for (*dim = 0; i == 0 && *dim < shape.rank && *dim < count; passed *= shape.dims[(*dim)++])
        if (passed == before && shape.dims[*dim] == input->rows->most && list[*dim] <= 0)
            return true;
    return false;
}

typedef bool (*follow)(onnx_builder *b, const onnx_value *input, size_t i, size_t *dim);
static const struct {
    const char *op;
    follow follow;
    bool several; /* inputs may have rows */
} rules[] = {
    { "Abs", follow_elements, false },        { "Add", follow_elements, true },
    { "And", follow_elements, true },         { "Cast", follow_elements, false },
    { "Clip", follow_elements, false },       { "Concat", follow_concat, true },
    { "Div", follow_elements, true },         { "Equal", follow_elements, true },
    { "Exp", follow_elements, false },        { "Floor", follow_elements, false },
    { "Gather", follow_gather, false },       { "GatherND", follow_gather_nd, false },
    { "Greater", follow_elements, true },     { "Identity", follow_elements, false },
    { "Less", follow_elements, true },        { "Max", follow_elements, true },
    { "Min", follow_elements, true },         { "Mod", follow_elements, true },
    { "Mul", follow_elements, true },         { "Neg", follow_elements, false },
    { "Not", follow_elements, false },        { "Or", follow_elements, true },
    { "Relu", follow_elements, false },       { "Reshape", follow_reshape, false },
    { "Sigmoid", follow_elements, false },    { "Slice", follow_slice, false },
    { "Squeeze", follow_squeeze, false },     { "Sub", follow_elements, true },
    { "Transpose", follow_transpose, false }, { "Unsqueeze", follow_unsqueeze, false },
    { "Where", follow_elements, true },
};

static bool refuse(onnx_builder *b, const onnx_value *input)
{
    return onnx_complain(b,
                         "its input '%s' has as many rows as NonMaxSuppression finds when the program runs, and this "
                         "node cannot work on %zu, the largest number, as it works on fewer",
                         b->model->value_names[input - b->values], input->rows->most);
}

bool onnx_build_with_rows(onnx_builder *b, const onnx_value *input)
{
    size_t i = 0, with_rows = 0, dim;
    for (size_t j = b->node->num_inputs; j-- > 0;)
        if (onnx_input(b, j) && onnx_input(b, j)->rows) {
            i = j;
            ++with_rows;
        }
    for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); ++r) {
        if (strcmp(rules[r].op, b->node->op) != 0 || (with_rows > 1 && !rules[r].several))
            continue;
        if (!b->node->row->build(b) || !onnx_ok(b))
            return false;
        return (rules[r].follow(b, input, i, &dim) && onnx_give_rows(b, 0, input->rows, dim)) || refuse(b, input);
    }
    return refuse(b, input);
}

/* ---- outputs of the model ---- */

/* Moves the elements of the rows that there are together: counted from the dimension's extent in the tensor. */
static void move_rows(char *data, size_t outer, size_t bytes, size_t extent, size_t kept)
{
    for (size_t i = 1; i < outer; ++i)
        memmove(data + i * kept * bytes, data + i * extent * bytes, kept * bytes);
}

void tremula_onnx_cut_output(const tremula_onnx_model *model, size_t output, size_t batch, tremula_onnx_tensor *tensor)
{
    const onnx_port *port = output < model->graph.num_outputs ? &model->outputs[output] : NULL;
    if (!port || !port->rows || batch >= port->rows->batches)
        return;
    size_t outer = 1, bytes = tremula_onnx_type_size(tensor->type), kept = port->rows->found[batch];
    for (size_t i = 0; i < port->row_dim; ++i)
        outer *= tensor->dims[i];
    for (size_t i = port->row_dim + 1; i < tensor->rank; ++i)
        bytes *= tensor->dims[i];
    move_rows(tensor->data, outer, bytes, port->rows->most, kept);
    tensor->dims[port->row_dim] = kept;
}
