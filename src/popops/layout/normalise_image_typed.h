/* SPDX-License-Identifier: Apache-2.0 */
/* popops::NormaliseImage<T,RESULT>: template of normalise_image_vertices.c. */
/* UNSIGNED_CHAR is converted to half. */
#if T_BITS & POPLIBS_UCHAR
#define RESULT half
#else
#define RESULT T
#endif

POP_VERTEX(TYPED(NormaliseImage))
{
    POP_INPUT(POP_VECTOR(T)) in;
    POP_INPUT(POP_VECTOR(RESULT)) offsets;
    POP_INPUT(POP_VECTOR(RESULT)) scales;
    POP_OUTPUT(POP_VECTOR(RESULT)) out;
    POP_STATE(float) scale;
};
POP_VERTEX_NAME(TYPED(NormaliseImage), "popops::NormaliseImage<" T_NAME "," TEXT_OF(RESULT) ">");
COMPUTE(NormaliseImage)
{
    for (size_t pixel = 0; pixel < v->in.size / 3; ++pixel) {
        for (size_t c = 0; c < 3; ++c) {
            float x = (float)v->in.data[3 * pixel + c] * v->scale;
            v->out.data[4 * pixel + c] = (RESULT)((x - (float)v->offsets.data[c]) * (float)v->scales.data[c]);
        }
        v->out.data[4 * pixel + 3] = 0;
    }
}
#undef RESULT
