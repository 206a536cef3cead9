/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of one type and kind of blocks: template of product_typed.h. */

/* q[row][.] += value * s[column][.] for each value. */
VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(Forward, KIND, T_TAG),
          "popsparse::SparseDenseMatMul" KIND_NAME "<" T_NAME ",float>", POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) r; POP_INPUT(POP_VECTOR(T)) s; POP_INOUT(POP_VECTOR(float)) q; PRODUCT_STATE;)
{
    PRODUCT_WALK(v->r.size)
    {
        for (size_t k = 0; k < row.count; ++k)
            for (size_t i = 0; i < v->blockRows; ++i)
                for (size_t j = 0; j < v->blockColumns; ++j)
                    CALL(ADD_SCALED, T_TAG)
        (v->q.data + (row.row * v->blockRows + i) * z, v->s.data + (row.columns[k] * v->blockColumns + j) * z,
         (float)v->r.data[((row.first + k) * v->blockRows + i) * v->blockColumns + j], z);
    }
}

/* q[column][.] += value * s[row][.] for each value. */
VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(Transpose, KIND, T_TAG),
          "popsparse::SparseDenseMatMul" TRANSPOSE "<" T_NAME ",float>", POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) r; POP_INPUT(POP_VECTOR(T)) s; POP_INOUT(POP_VECTOR(float)) q; PRODUCT_STATE;)
{
    PRODUCT_WALK(v->r.size)
    {
        for (size_t k = 0; k < row.count; ++k)
            for (size_t i = 0; i < v->blockRows; ++i)
                for (size_t j = 0; j < v->blockColumns; ++j)
                    CALL(ADD_SCALED, T_TAG)
        (v->q.data + (row.columns[k] * v->blockColumns + j) * z, v->s.data + (row.row * v->blockRows + i) * z,
         (float)v->r.data[((row.first + k) * v->blockRows + i) * v->blockColumns + j], z);
    }
}

/* For each value, its gradient += the product of qGrad[row][.] and s[column][.]. */
VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(GradW, KIND, T_TAG), "popsparse::SparseDenseMatMul" GRAD_W "<" T_NAME ",float>",
          POP_INPUT(POP_VECTOR(unsigned short)) metaInfo;
          POP_INPUT(POP_VECTOR(T)) qGrad; POP_INPUT(POP_VECTOR(T)) s; POP_INOUT(POP_VECTOR(float)) rGrad;
          PRODUCT_STATE;)
{
    PRODUCT_WALK(v->rGrad.size)
    {
        for (size_t k = 0; k < row.count; ++k)
            for (size_t i = 0; i < v->blockRows; ++i)
                for (size_t j = 0; j < v->blockColumns; ++j)
                    v->rGrad.data[((row.first + k) * v->blockRows + i) * v->blockColumns + j] +=
                        CALL(DOT, T_TAG)(v->qGrad.data + (row.row * v->blockRows + i) * z,
                                         v->s.data + (row.columns[k] * v->blockColumns + j) * z, z);
    }
}
