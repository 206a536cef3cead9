/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SplineBasis<T> and SplineWeighting<T>: template of spline_vertices.c. Each makes a range of its flattened
 * outputs, which begins `offset` elements after the start of the first row given. */
POP_VERTEX(TYPED(Basis))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) pseudo; /* rows of `dims` coordinates */
    POP_INPUT(POP_VECTOR(int)) kernelSize;
    POP_INPUT(POP_VECTOR(unsigned char, ONE_PTR)) isOpenSpline;
    POP_OUTPUT(POP_VECTOR(T)) basis;
    POP_OUTPUT(POP_VECTOR(int, ONE_PTR)) weightIndex;
    POP_STATE(unsigned) offset;
    POP_STATE(unsigned) splines;
    POP_STATE(unsigned) degree;
};
POP_VERTEX_NAME(TYPED(Basis), "popops::SplineBasis<" T_NAME ">");
COMPUTE(Basis)
{
    unsigned dims = (unsigned)v->kernelSize.size, values = v->degree + 1;
    for (unsigned i = 0; i < v->basis.size; ++i) {
        unsigned at = v->offset + i, edge = at / v->splines, rest = at % v->splines;
        float product = 1;
        int index = 0, stride = 1;
        for (unsigned d = 0; d < dims; ++d, rest /= values) {
            int size = v->kernelSize.data[d], k = (int)(rest % values);
            float place =
                (float)v->pseudo.data[edge * dims + d] * (float)(size - (v->isOpenSpline.data[d] ? (int)v->degree : 0));
            int whole = (int)place;
            whole -= (float)whole > place;
            index += (size > 0 ? (whole + k) % size : 0) * stride;
            stride *= size;
            product *= b_spline(place - (float)whole, v->degree, k);
        }
        v->basis.data[i] = (T)product;
        v->weightIndex.data[i] = index;
    }
}

POP_VERTEX(TYPED(Weighting))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) input; /* rows of `channels` */
    POP_INPUT(POP_VECTOR(T)) weight;         /* {kernels, channels, out channels} */
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) basis; /* rows of `splines` */
    POP_INPUT(POP_VECTOR(int, ONE_PTR)) weightIndex;
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_STATE(unsigned) offset;
    POP_STATE(unsigned) splines;
    POP_STATE(unsigned) channels;
    POP_STATE(unsigned) outChannels;
};
POP_VERTEX_NAME(TYPED(Weighting), "popops::SplineWeighting<" T_NAME ">");
COMPUTE(Weighting)
{
    size_t one = (size_t)v->channels * v->outChannels, kernels = one ? v->weight.size / one : 0;
    for (unsigned i = 0; i < v->out.size; ++i) {
        unsigned at = v->offset + i, edge = at / v->outChannels, channel = at % v->outChannels;
        float sum = 0;
        for (unsigned s = 0; s < v->splines; ++s) {
            unsigned kernel = (unsigned)v->weightIndex.data[edge * v->splines + s];
            float product = 0;
            for (unsigned c = 0; c < v->channels && kernel < kernels; ++c)
                product += (float)v->weight.data[kernel * one + (size_t)c * v->outChannels + channel] *
                           (float)v->input.data[edge * v->channels + c];
            sum += (float)v->basis.data[edge * v->splines + s] * product;
        }
        v->out.data[i] = (T)sum;
    }
}
