/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ROIAlignForward<T>: the bins of one region and channel; ROIAlignBackward<T>: the gradient of one image's
 * channel, summed over all regions. Template of roi_align_vertices.c. */
POP_VERTEX(TYPED(Forward))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) data; /* the channel in all images */
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) roi;
    POP_INPUT(int) image;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) out;
    POP_STATE(unsigned) images;
    ROI_STATE
};
POP_VERTEX_NAME(TYPED(Forward), "popnn::ROIAlignForward<" T_NAME ">");
COMPUTE(Forward)
{
    unsigned image = (unsigned)*v->image, n = v->samples;
    struct region r = region_of(
        (const float[]){ (float)v->roi.data[0], (float)v->roi.data[1], (float)v->roi.data[2], (float)v->roi.data[3] },
        v->scale, v->aligned, v->binsY, v->binsX);
    const T *plane = v->data.data + (image < v->images ? (size_t)image * v->height * v->width : 0);
    for (unsigned bin = 0; bin < v->binsY * v->binsX; ++bin) {
        float sum = 0;
        for (unsigned s = 0; s < n * n; ++s) {
            struct sample at = sample_of(&r, bin / v->binsX, bin % v->binsX, s / n, s % n, n, v->height, v->width);
            for (unsigned k = 0; k < 4 && image < v->images; ++k)
                sum += at.weight[k] * (float)plane[at.place[k]];
        }
        v->out.data[bin] = (T)(sum / (float)(n * n));
    }
}

POP_VERTEX(TYPED(Backward))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) rois;      /* rows of 4 */
    POP_INPUT(POP_VECTOR(int)) images;           /* of each region */
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) gradients; /* of the channel's bins, region by region */
    POP_OUTPUT(POP_VECTOR(float)) out;           /* one plane */
    POP_STATE(unsigned) image;
    ROI_STATE
};
POP_VERTEX_NAME(TYPED(Backward), "popnn::ROIAlignBackward<" T_NAME ">");
COMPUTE(Backward)
{
    unsigned n = v->samples, bins = v->binsY * v->binsX;
    for (size_t i = 0; i < v->out.size; ++i)
        v->out.data[i] = 0;
    for (size_t region = 0; region < v->images.size; ++region) {
        if (v->images.data[region] != (int)v->image)
            continue;
        const T *roi = v->rois.data + 4 * region;
        struct region r = region_of((const float[]){ (float)roi[0], (float)roi[1], (float)roi[2], (float)roi[3] },
                                    v->scale, v->aligned, v->binsY, v->binsX);
        for (unsigned bin = 0; bin < bins; ++bin) {
            float gradient = (float)v->gradients.data[region * bins + bin] / (float)(n * n);
            for (unsigned s = 0; s < n * n; ++s) {
                struct sample at = sample_of(&r, bin / v->binsX, bin % v->binsX, s / n, s % n, n, v->height, v->width);
                for (unsigned k = 0; k < 4; ++k)
                    v->out.data[at.place[k]] += at.weight[k] * gradient;
            }
        }
    }
}
