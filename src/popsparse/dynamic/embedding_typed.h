/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sparse matrix of one type: template of embedding_vertices.c. */

VERTEX_OF(POP_SUPERVISOR_VERTEX, TYPED(MultiSlice), "popsparse::SparseDenseMultiSlice<" T_NAME ",float>",
          POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) r; POP_INPUT(POP_VECTOR(unsigned)) indices; POP_INOUT(POP_VECTOR(float)) q;
          EMBEDDING_STATE;)
{
    EMBEDDING_WALK(v->r.size)
    for (size_t k = 0; k < row.count; ++k)
        for (size_t j = 0; j < v->blockColumns; ++j)
            v->q.data[(row.columns[k] * v->blockColumns + j) * n + i] +=
                (float)v->r.data[((row.first + k) * v->blockRows + line) * v->blockColumns + j];
}

VERTEX_OF(POP_SUPERVISOR_VERTEX, TYPED(MultiUpdateAdd), "popsparse::SparseDenseMultiUpdateAdd<" T_NAME ",float>",
          POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) s; POP_INPUT(POP_VECTOR(unsigned)) indices; POP_INOUT(POP_VECTOR(float)) rGrad;
          EMBEDDING_STATE;)
{
    EMBEDDING_WALK(v->rGrad.size)
    for (size_t k = 0; k < row.count; ++k)
        for (size_t j = 0; j < v->blockColumns; ++j)
            v->rGrad.data[((row.first + k) * v->blockRows + line) * v->blockColumns + j] +=
                (float)v->s.data[(row.columns[k] * v->blockColumns + j) * n + i];
}
