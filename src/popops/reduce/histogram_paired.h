/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Histogram2D<T,type of counts>: template of gather_statistics_vertices.c. */
POP_VERTEX(PAIRED(Histogram))
{
    POP_INPUT(POP_VECTORS(T)) data;
    POP_INPUT(POP_VECTOR(T)) levels;
    POP_OUTPUT(POP_VECTOR(T_2)) counts;
    POP_STATE(bool) absolute;
};
POP_VERTEX_NAME(PAIRED(Histogram), "popops::Histogram2D<" T_NAME "," T_2_NAME ">");
COMPUTE_PAIRED(Histogram)
{
    unsigned before = 0, all = 0;
    for (size_t row = 0; row < v->data.size; ++row)
        all += (unsigned)v->data.data[row].size;
    for (size_t i = 0; i < v->levels.size; ++i) {
        unsigned below = 0;
        for (size_t row = 0; row < v->data.size; ++row)
            below +=
                TYPED(below)(v->data.data[row].data, v->data.data[row].size, (float)v->levels.data[i], v->absolute);
        v->counts.data[i] = (T_2)(below - before);
        before = below;
    }
    v->counts.data[v->levels.size] = (T_2)(all - before);
}