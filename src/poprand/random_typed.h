/* SPDX-License-Identifier: Apache-2.0 */
/* poprand::NAMESupervisor<T>: template of random_vertices.c for NAME, its FIELDS and FILL. */
#define VERTEX POPLIBS_JOIN(NAME, POPLIBS_JOIN(_, T_TAG))

POP_SUPERVISOR_VERTEX(VERTEX)
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INOUT(POP_VECTOR(unsigned)) state;
    FIELDS
};
POP_VERTEX_NAME(VERTEX, "poprand::" TEXT_OF(NAME) "Supervisor<" T_NAME ">");
COMPUTE_OF(VERTEX)
{
    size_t n = v->out.size, workers = v->state.size / 4;
    for (size_t worker = 0; worker < workers; ++worker) {
        struct generator g = load(v->state.data + 4 * worker);
        for (size_t at = n * worker / workers, end = n * (worker + 1) / workers; at < end; at += BLOCK) {
            unsigned m = end - at < BLOCK ? (unsigned)(end - at) : BLOCK;
            float values[BLOCK + 2];
            FILL;
#if T_BITS & POPLIBS_HALF
            poplibs_narrow(v->out.data + at, values, m);
#else
            for (unsigned i = 0; i < m; ++i)
                v->out.data[at + i] = (T)values[i];
#endif
        }
        store(v->state.data + 4 * worker, g);
    }
}
#undef VERTEX
