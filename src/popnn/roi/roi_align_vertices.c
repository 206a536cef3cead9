/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ROIAlignForward<T>, ROIAlignBackward<T>: bilinear samples of regions of images. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include <poplar/vertex.h>

#define ROI_STATE                                                                                                      \
    POP_STATE(unsigned) height;                                                                                        \
    POP_STATE(unsigned) width;                                                                                         \
    POP_STATE(unsigned) binsY;                                                                                         \
    POP_STATE(unsigned) binsX;                                                                                         \
    POP_STATE(unsigned) samples;                                                                                       \
    POP_STATE(unsigned) aligned;                                                                                       \
    POP_STATE(float) scale;

struct region {
    float y, x, binY, binX; /* its first corner, and the size of a bin */
};
/* The places that a sample reads, and their weights. */
struct sample {
    unsigned place[4];
    float weight[4];
};

static struct region region_of(const float *roi, float scale, unsigned aligned, unsigned bins_y, unsigned bins_x)
{
    float half = aligned ? 0.5f : 0, least = aligned ? 0.0f : 1;
    float x = roi[0] * scale - half, y = roi[1] * scale - half, width = roi[2] * scale - half - x,
          height = roi[3] * scale - half - y;
    width = width > least ? width : least;
    height = height > least ? height : least;
    return (struct region){ y, x, height / (float)bins_y, width / (float)bins_x };
}

/* In [H - 1, H] both rows are the last one. Beyond H, and nowhere else, a sample counts as 0. */
static struct sample sample_of(const struct region *r, unsigned bin_y, unsigned bin_x, unsigned i, unsigned j,
                               unsigned samples, unsigned height, unsigned width)
{
    float y = r->y + (float)bin_y * r->binY + ((float)i + 0.5f) * r->binY / (float)samples;
    float x = r->x + (float)bin_x * r->binX + ((float)j + 0.5f) * r->binX / (float)samples;
    if (!(y <= (float)height && x <= (float)width))
        return (struct sample){ { 0 }, { 0 } };
    y = y > 0 ? y : 0;
    x = x > 0 ? x : 0;
    unsigned low_y = (unsigned)y < height - 1 ? (unsigned)y : height - 1, high_y = low_y + (low_y + 1 < height);
    unsigned low_x = (unsigned)x < width - 1 ? (unsigned)x : width - 1, high_x = low_x + (low_x + 1 < width);
    float fy = y - (float)low_y, fx = x - (float)low_x;
    return (struct sample){ { low_y * width + low_x, low_y * width + high_x, high_y * width + low_x,
                              high_y * width + high_x },
                            { (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx } };
}

#define TEMPLATE "popnn/roi/roi_align_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popnn/vertices.h"

/* Poplibs estimates ten cycles, whatever the vertex does. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 10, 0 };
}

void register_roi_align_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popnn::ROIAlignForward<%s>", estimate },
                                                        { "popnn::ROIAlignBackward<%s>", estimate } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
