/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SelectFromRows<T> and UpdateIntervalsDEC<T>: template of scalar_in_rows_vertices.c. */
POP_VERTEX(TYPED(Select))
{
    POP_INPUT(POP_VECTORS(T)) params;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) indices;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) output;
};
POP_VERTEX_NAME(TYPED(Select), "popops::SelectFromRows<" T_NAME ">");
COMPUTE(Select)
{
    for (size_t i = 0; i < v->params.size; ++i) {
        unsigned at = v->indices.data[i];
        float value = at == MASKED ? 0 : at < v->params.data[i].size ? (float)v->params.data[i].data[at] : NOT_A_NUMBER;
        v->output.data[i] = (T)value;
    }
}

POP_VERTEX(TYPED(Update))
{
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) params;
    POP_INPUT(POP_VECTOR(unsigned)) indices;
    POP_STATE(POP_VECTOR(unsigned)) starts;
    POP_STATE(POP_VECTOR(unsigned)) lengths;
    POP_STATE(unsigned) columns;
};
POP_VERTEX_NAME(TYPED(Update), "popops::UpdateIntervalsDEC<" T_NAME ">");
COMPUTE(Update)
{
    T *at = v->params.data;
    for (size_t run = 0; run < v->starts.size; at += v->lengths.data[run++]) {
        unsigned start = v->starts.data[run], end = start + v->lengths.data[run];
        for (unsigned row = start / v->columns; row * v->columns < end; ++row) {
            unsigned index = v->indices.data[row], first = row * v->columns, last = first + v->columns;
            if (index == MASKED)
                continue;
            if (index < v->columns) {
                if (first + index >= start && first + index < end)
                    at[first + index - start] = (T)((float)at[first + index - start] - 1.0f);
                continue;
            }
            for (unsigned i = first > start ? first : start; i < last && i < end; ++i)
                at[i - start] = (T)NOT_A_NUMBER;
        }
    }
}