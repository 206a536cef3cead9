/* SPDX-License-Identifier: Apache-2.0 */
/* NonMaxSuppression: on the host, since values decide how many boxes remain.  Known boxes are chosen when the graph is
 * built; others by a host function, whose result has as many rows as there can be (rows.c). */
#include "onnx/build/build.h"
#include "onnx/model/tensor_file.h"

#include <math.h>
#include <string.h>

struct box {
    double y1, x1, y2, x2;
};

static struct box read_box(const tremula_onnx_tensor *boxes, size_t i, bool centre)
{
    double v[4];
    for (size_t k = 0; k < 4; ++k)
        v[k] = onnx_number(boxes, 4 * i + k);
    if (centre) /* x and y of the centre, width, height */
        return (struct box){ v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2 };
    return (struct box){ fmin(v[0], v[2]), fmin(v[1], v[3]), fmax(v[0], v[2]), fmax(v[1], v[3]) };
}

/* The area of what two boxes share divided by that of what they cover. */
static double overlap(struct box a, struct box b)
{
    double height = fmin(a.y2, b.y2) - fmax(a.y1, b.y1), width = fmin(a.x2, b.x2) - fmax(a.x1, b.x1);
    double shared = height > 0 && width > 0 ? height * width : 0;
    double all = (a.y2 - a.y1) * (a.x2 - a.x1) + (b.y2 - b.y1) * (b.x2 - b.x1) - shared;
    return all > 0 ? shared / all : 0;
}

/* What the inputs say. */
struct suppression {
    const tremula_onnx_tensor *boxes, *scores;
    size_t batches, classes, count, most;
    double threshold, least; /* of the overlap; of the score */
    bool centre;
};

/* Chooses boxes of a class, the best first: each that overlaps none chosen before.  Appends rows {batch, class, box}.
 */
static size_t choose_boxes(const struct suppression *s, size_t batch, size_t class, bool *gone, int64_t *rows)
{
    size_t chosen = 0;
    for (size_t i = 0; i < s->count; ++i)
        gone[i] =
            s->least > -INFINITY && onnx_number(s->scores, (batch * s->classes + class) * s->count + i) <= s->least;
    while (chosen < s->most) {
        size_t best = s->count;
        double most = 0;
        for (size_t i = 0; i < s->count; ++i) {
            double score = onnx_number(s->scores, (batch * s->classes + class) * s->count + i);
            if (!gone[i] && (best == s->count || score > most)) {
                best = i;
                most = score;
            }
        }
        if (best == s->count)
            break;
        struct box box = read_box(s->boxes, batch * s->count + best, s->centre);
        for (size_t i = 0; i < s->count; ++i)
            gone[i] = gone[i] || overlap(box, read_box(s->boxes, batch * s->count + i, s->centre)) > s->threshold;
        gone[best] = true;
        rows[3 * chosen] = (int64_t)batch;
        rows[3 * chosen + 1] = (int64_t) class;
        rows[3 * chosen + 2] = (int64_t)best;
        ++chosen;
    }
    return chosen;
}

static double scalar(onnx_builder *b, size_t i, double otherwise)
{
    const tremula_onnx_tensor *t = onnx_input(b, i) ? onnx_known(b, i) : NULL;
    return t && tremula_onnx_tensor_elements(t) ? onnx_number(t, 0) : otherwise;
}

/* Everything but the elements of boxes and scores. */
static bool read_suppression(onnx_builder *b, struct suppression *s)
{
    double most = scalar(b, 2, 0);
    *s = (struct suppression){ .threshold = scalar(b, 3, 0),
                               .least = scalar(b, 4, -INFINITY),
                               .centre = onnx_int(b, "center_point_box", 0) };
    pop_shape boxes = onnx_shape_of(b, 0), scores = onnx_shape_of(b, 1);
    if (b->failed)
        return false;
    if (boxes.rank != 3 || scores.rank != 3 || boxes.dims[2] != 4 || boxes.dims[0] != scores.dims[0] ||
        boxes.dims[1] != scores.dims[2])
        return onnx_complain(b, "boxes are {batch, boxes, 4} and scores {batch, classes, boxes}");
    s->batches = scores.dims[0];
    s->classes = scores.dims[1];
    s->count = scores.dims[2];
    s->most = most <= 0 ? 0 : most >= (double)s->count ? s->count : (size_t)most;
    return true;
}

/* Rows of all batches and classes; gone has an element for each box. */
static size_t choose_all(const struct suppression *s, bool *gone, int64_t *rows)
{
    size_t found = 0;
    for (size_t batch = 0; batch < s->batches; ++batch)
        for (size_t class = 0; class < s->classes; ++class)
            found += choose_boxes(s, batch, class, gone, rows + 3 * found);
    return found;
}

static bool fold_suppression(onnx_builder *b)
{
    struct suppression s;
    if (!read_suppression(b, &s))
        return false;
    s.boxes = onnx_known(b, 0);
    s.scores = onnx_known(b, 1);
    bool *gone = onnx_new(b->arena, s.count + 1, sizeof(*gone));
    int64_t *rows = onnx_new(b->arena, 3 * (s.batches * s.classes * s.most + 1), sizeof(*rows));
    size_t found = choose_all(&s, gone, rows);
    tremula_onnx_tensor result = onnx_int_list(b, rows, 3 * found);
    result.rank = 2;
    result.dims[0] = found;
    result.dims[1] = 3;
    return onnx_give_known(b, 0, result);
}

/* ---- when the program runs ---- */

/* What a host function works with: everything is allocated before the program runs. */
struct step {
    struct suppression suppression;
    tremula_onnx_tensor boxes, scores;
    bool *gone;
    int64_t *rows;
    onnx_rows *result;
};

/* Fills all rows that there can be: those beyond the last one are -1. */
static pop_status suppress(const void *const *inputs, void *const *outputs, void *user)
{
    struct step *step = user;
    memcpy(step->boxes.data, inputs[0], tremula_onnx_tensor_elements(&step->boxes) * sizeof(float));
    memcpy(step->scores.data, inputs[1], tremula_onnx_tensor_elements(&step->scores) * sizeof(float));
    size_t found = choose_all(&step->suppression, step->gone, step->rows);
    int32_t *rows = outputs[0];
    for (size_t i = 0; i < 3 * step->result->most; ++i)
        rows[i] = i < 3 * found ? (int32_t)step->rows[i] : -1;
    onnx_add_row_count(step->result, found);
    return POP_OK;
}

static tremula_onnx_tensor copy_of_input(onnx_builder *b, size_t i)
{
    return onnx_new_tensor(b, TREMULA_ONNX_FLOAT, onnx_shape_of(b, i));
}

static bool build_suppression(onnx_builder *b)
{
    struct step *step = onnx_new(b->arena, 1, sizeof(*step));
    if (!read_suppression(b, &step->suppression))
        return false;
    const struct suppression *s = &step->suppression;
    size_t dims[] = { s->batches, s->classes, s->most }, most;
    if (!onnx_count_elements(3, dims, 3 * sizeof(int64_t), &most))
        return onnx_complain(b, "it may choose more boxes than there can be elements of a tensor");
    if (!most)
        return onnx_give_known(b, 0, onnx_new_tensor(b, TREMULA_ONNX_INT64, POP_SHAPE(0, 3)));
    pop_tensor boxes = onnx_cast(b, onnx_tensor(b, 0), POP_FLOAT), scores = onnx_cast(b, onnx_tensor(b, 1), POP_FLOAT);
    if (!onnx_ok(b))
        return false;
    step->boxes = copy_of_input(b, 0);
    step->scores = copy_of_input(b, 1);
    step->suppression.boxes = &step->boxes;
    step->suppression.scores = &step->scores;
    step->gone = onnx_new(b->arena, s->count, sizeof(*step->gone));
    step->rows = onnx_new(b->arena, 3 * most, sizeof(*step->rows));
    step->result = onnx_new_rows(b, most);
    pop_tensor result = onnx_variable(b, POP_INT, POP_SHAPE(most, 3), b->name);
    return onnx_call_host(b, suppress, step, POP_TENSORS(boxes, scores), POP_TENSORS(result)) &&
           onnx_give(b, 0, result, TREMULA_ONNX_INT64) && onnx_give_rows(b, 0, step->result, 0);
}

const onnx_operator onnx_detection_operators[] = {
    { ONNX_HOST_ROW("NonMaxSuppression", 10), build_suppression, fold_suppression, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
