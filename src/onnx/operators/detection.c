/* SPDX-License-Identifier: Apache-2.0 */
/* NonMaxSuppression: on the host, since values decide how many boxes remain. */
#include "onnx/build/builder.h"

#include <math.h>
#include <stdlib.h>

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

static bool fold_suppression(onnx_builder *b)
{
    struct suppression s = { .boxes = onnx_known(b, 0),
                             .scores = onnx_known(b, 1),
                             .centre = onnx_int(b, "center_point_box", 0) };
    double most = scalar(b, 2, 0);
    s.threshold = scalar(b, 3, 0);
    s.least = scalar(b, 4, -INFINITY);
    if (b->failed)
        return false;
    if (s.boxes->rank != 3 || s.scores->rank != 3 || s.boxes->dims[2] != 4 || s.boxes->dims[0] != s.scores->dims[0] ||
        s.boxes->dims[1] != s.scores->dims[2])
        return onnx_complain(b, "boxes are {batch, boxes, 4} and scores {batch, classes, boxes}");
    s.batches = s.scores->dims[0];
    s.classes = s.scores->dims[1];
    s.count = s.scores->dims[2];
    s.most = most <= 0 ? 0 : most >= (double)s.count ? s.count : (size_t)most;
    bool *gone = onnx_new(b->arena, s.count + 1, sizeof(*gone));
    int64_t *rows = onnx_new(b->arena, 3 * (s.batches * s.classes * s.most + 1), sizeof(*rows));
    size_t found = 0;
    for (size_t batch = 0; batch < s.batches; ++batch)
        for (size_t class = 0; class < s.classes; ++class)
            found += choose_boxes(&s, batch, class, gone, rows + 3 * found);
    tremula_onnx_tensor result = onnx_int_list(b, rows, 3 * found);
    result.rank = 2;
    result.dims[0] = found;
    result.dims[1] = 3;
    return onnx_give_known(b, 0, result);
}

const onnx_operator onnx_detection_operators[] = {
    { ONNX_HOST_ROW("NonMaxSuppression", 10), NULL, fold_suppression, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
