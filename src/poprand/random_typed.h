/* SPDX-License-Identifier: Apache-2.0 */
/* poprand::NAMESupervisor<T>: template of random_vertices.c for NAME, its FIELDS and FILL. */

POP_SUPERVISOR_VERTEX(NAMED(NAME, T_TAG))
{
    POP_OUTPUT(POP_VECTOR(T)) out;
    POP_INOUT(POP_VECTOR(unsigned)) state;
    FIELDS
};
POP_VERTEX_NAME(NAMED(NAME, T_TAG), "poprand::" TEXT_OF(NAME) "Supervisor<" T_NAME ">");
COMPUTE_OF(NAMED(NAME, T_TAG))
{
    struct shares shares = shares_of(v->out.size, v->state.size / 4);
    for (size_t worker = 0; worker < shares.workers; worker += shares.together) {
        struct generator generators[LANES];
        load_all(generators, v->state.data + 4 * worker, shares.together);
        size_t begin = v->out.size * worker / shares.workers, length = share_length(&shares, worker);
        for (size_t done = 0; done < length; done += BLOCK) {
            unsigned m = length - done < BLOCK ? (unsigned)(length - done) : BLOCK;
            uint32_t drawn[LANES][BLOCK];
            draw_all(generators, drawn, m, shares.together);
            for (unsigned lane = 0; lane < shares.together; ++lane) {
                const uint32_t *words = drawn[lane];
                struct generator *g __attribute__((unused)) = &generators[lane];
                size_t at = begin + lane * length + done;
                float values[BLOCK + 2];
                popops_prefetch(v->out.data + at + BLOCK, BLOCK * sizeof(T));
                FILL;
#if T_BITS & POPLIBS_HALF
                poplibs_narrow(v->out.data + at, values, m);
#else
                for (unsigned i = 0; i < m; ++i)
                    v->out.data[at + i] = (T)values[i];
#endif
            }
        }
        store_all(v->state.data + 4 * worker, generators, shares.together);
    }
}
