/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of one type, kind of blocks and type of sums P: template of product_typed.h. */

/* q[row][.] += value * s[column][.] for each value. */
VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(Forward, KIND, T_TAG, P_TAG),
          "popsparse::SparseDenseMatMul" KIND_NAME "<" T_NAME "," P_NAME ">",
          POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) r; POP_INPUT(POP_VECTOR(T)) s; POP_INOUT(POP_VECTOR(P)) q; PRODUCT_STATE;)
{
    PRODUCT_WALK(v->r.size)
    {
        for (size_t k = 0; k < row.count; ++k)
            for (size_t i = 0; i < v->blockRows; ++i)
                CALL(ADD_LINES, T_TAG, P_TAG)
        (v->q.data + (row.row * v->blockRows + i) * z, v->s.data + row.columns[k] * v->blockColumns * z,
         v->r.data + ((row.first + k) * v->blockRows + i) * v->blockColumns, 1, v->blockColumns, z);
    }
}

/* q[column][.] += value * s[row][.] for each value. */
VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(Transpose, KIND, T_TAG, P_TAG),
          "popsparse::SparseDenseMatMul" TRANSPOSE "<" T_NAME "," P_NAME ">",
          POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) r; POP_INPUT(POP_VECTOR(T)) s; POP_INOUT(POP_VECTOR(P)) q; PRODUCT_STATE;)
{
    PRODUCT_WALK(v->r.size)
    {
        for (size_t k = 0; k < row.count; ++k)
            for (size_t j = 0; j < v->blockColumns; ++j)
                CALL(ADD_LINES, T_TAG, P_TAG)
        (v->q.data + (row.columns[k] * v->blockColumns + j) * z, v->s.data + row.row * v->blockRows * z,
         v->r.data + (row.first + k) * v->blockRows * v->blockColumns + j, v->blockColumns, v->blockRows, z);
    }
}

/* For each value, its gradient += the product of qGrad[row][.] and s[column][.]. */
VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(GradW, KIND, T_TAG, P_TAG),
          "popsparse::SparseDenseMatMul" GRAD_W "<" T_NAME "," P_NAME ">",
          POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) qGrad; POP_INPUT(POP_VECTOR(T)) s; POP_INOUT(POP_VECTOR(P)) rGrad; PRODUCT_STATE;)
{
    PRODUCT_WALK(v->rGrad.size)
    {
        for (size_t k = 0; k < row.count; ++k)
            for (size_t i = 0; i < v->blockRows; ++i)
                for (size_t j = 0; j < v->blockColumns; ++j) {
                    P *grad = v->rGrad.data + ((row.first + k) * v->blockRows + i) * v->blockColumns + j;
                    *grad =
                        (P)((float)*grad + CALL(DOT, T_TAG)(v->qGrad.data + (row.row * v->blockRows + i) * z,
                                                            v->s.data + (row.columns[k] * v->blockColumns + j) * z, z));
                }
    }
}
