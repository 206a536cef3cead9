/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::TriangularSolve<T,lower>, Cholesky<T,lower> and TriangularInverse<T,lower>: template of triangular_typed.h.
 */
#define SIDED(name) POPLIBS_JOIN(TYPED(name), POPLIBS_JOIN(_, SIDE))
/* Upper triangles are accessed as lower ones with rows and columns exchanged: row i, column j <= i of the lower
 * view. */
#define AT(i, j) (LOWER ? (i)*n + (j) : (j)*n + (i))

POP_VERTEX(SIDED(TriangularSolve))
{
    POP_INPUT(POP_VECTOR(T, SPAN, 8)) a;
    POP_INPUT(POP_VECTOR(T, ONE_PTR, 8)) b;
    POP_OUTPUT(POP_VECTOR(T, SPAN, 8)) x;
};
POP_VERTEX_NAME(SIDED(TriangularSolve), "poplin::TriangularSolve<" T_NAME "," LOWER_NAME ">");
POP_CONSTRAINT(SIDED(TriangularSolve), "elem(*a) != elem(*x)");
COMPUTE_OF(SIDED(TriangularSolve))
{
    T *x = v->x.data;
    size_t n = v->x.size;
    for (size_t done = 0; done < n; ++done) {
        size_t i = LOWER ? done : n - 1 - done, first = LOWER ? 0 : i + 1;
        const T *row = v->a.data + i * n;
        float sum = (float)v->b.data[i];
        for (size_t k = first; k < first + done; ++k)
            sum -= (float)row[k] * (float)x[k];
        x[i] = (T)sum;
    }
}

POP_VERTEX(SIDED(Cholesky))
{
    POP_INOUT(POP_VECTOR(T, ONE_PTR)) a;
    POP_STATE(unsigned) dim;
};
POP_VERTEX_NAME(SIDED(Cholesky), "poplin::Cholesky<" T_NAME "," LOWER_NAME ">");
COMPUTE_OF(SIDED(Cholesky))
{
    T *a = v->a.data;
    size_t n = v->dim;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
            float sum = (float)a[AT(i, j)];
            for (size_t k = 0; k < j; ++k)
                sum -= (float)a[AT(i, k)] * (float)a[AT(j, k)];
            a[AT(i, j)] = (T)(j < i ? sum / (float)a[AT(j, j)] : __builtin_sqrtf(sum));
        }
}

POP_VERTEX(SIDED(TriangularInverse))
{
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;
    POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) out;
    POP_STATE(unsigned) dim;
};
POP_VERTEX_NAME(SIDED(TriangularInverse), "poplin::TriangularInverse<" T_NAME "," LOWER_NAME ">");
COMPUTE_OF(SIDED(TriangularInverse))
{
    const T *in = v->in.data;
    T *out = v->out.data;
    size_t n = v->dim;
    for (size_t j = 0; j < n; ++j)
        for (size_t i = 0; i < n; ++i) {
            float sum = i == j;
            for (size_t k = j; k < i; ++k)
                sum -= (float)in[AT(i, k)] * (float)out[AT(k, j)];
            out[AT(i, j)] = (T)(i < j ? 0 : sum / (float)in[AT(i, i)]);
        }
}
#undef SIDED
#undef AT
