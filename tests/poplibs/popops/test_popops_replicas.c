/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of replicas against a plain reference in double precision: operators, methods, groups, sizes that do not
 * divide; equal bits in all members and for any number of host threads. */
#include "poplibs/replicas.h"

#include <popops/collectives.h>

enum { LIMIT = 16, TILES = 4, MAX_ELEMENTS = 64 };

static const char *const methods[] = { "auto",
                                       "clockwise_ring",
                                       "anticlockwise_ring",
                                       "bidirectional_ring_pair",
                                       "meet_in_middle_ring",
                                       "quad_directional_ring",
                                       "broadcast",
                                       "tree" };
enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

/* Few values, so that products stay small; exact in float, only rounded in half. */
static double value_of(pop_type type, unsigned replica, size_t element)
{
    unsigned hash = (replica * 2654435761u) ^ ((unsigned)element * 40503u + 77);
    hash ^= hash >> 13;
    if (type == POP_BOOL)
        return hash % 8 != 0;
    if (type == POP_FLOAT || type == POP_HALF)
        return (double)((int)(hash % 33) - 16) / (type == POP_HALF ? 17 : 16);
    return 1 + hash % 3;
}

static void fill(double *values, pop_type type, unsigned replicas, size_t each)
{
    for (unsigned r = 0; r < replicas; ++r)
        for (size_t i = 0; i < each; ++i)
            values[r * each + i] = value_of(type, r, i);
}

/* The members of a replica's group, by the definition. */
static unsigned members_of(popops_replica_group group, unsigned replicas, unsigned replica, unsigned *members)
{
    unsigned size = group.type == POPOPS_GROUP_ALL ? replicas : group.size, stride = group.stride ? group.stride : 1,
             count = 0;
    for (unsigned r = 0; r < replicas; ++r) {
        bool same = true;
        if (group.type == POPOPS_GROUP_CONSECUTIVE)
            same = r / (size * stride) == replica / (size * stride) && r % stride == replica % stride;
        if (group.type == POPOPS_GROUP_ORTHOGONAL)
            same = r % (replicas / size) == replica % (replicas / size);
        if (same)
            members[count++] = r;
    }
    assert_int_equal(count, size);
    return count;
}

static double apply(popops_collective_operator op, double a, double b)
{
    switch (op) {
    case POPOPS_COLLECTIVE_MUL:
        return a * b;
    case POPOPS_COLLECTIVE_MIN:
        return fmin(a, b);
    case POPOPS_COLLECTIVE_MAX:
        return fmax(a, b);
    case POPOPS_COLLECTIVE_LOGICAL_AND:
        return a != 0 && b != 0;
    case POPOPS_COLLECTIVE_LOGICAL_OR:
        return a != 0 || b != 0;
    case POPOPS_COLLECTIVE_LOG_ADD:
        return log(exp(a) + exp(b));
    default:
        return a + b;
    }
}

static double reduced(popops_collective_operator op, const double *in, size_t each, size_t i, const unsigned *members,
                      unsigned count)
{
    double result = 0;
    for (unsigned m = 0; m < count; ++m) {
        double x = in[members[m] * each + i];
        x = op == POPOPS_COLLECTIVE_SQUARE_ADD ? x * x : x;
        result = m ? apply(op, result, x) : x;
    }
    return op == POPOPS_COLLECTIVE_MEAN ? result / count : result;
}

static void compare(const char *what, double seen, double wanted, pop_type type, unsigned replica, size_t i)
{
    double tolerance = (type == POP_HALF ? 4e-3 : 2e-6) * (fabs(wanted) + 1);
    if (!(fabs(seen - wanted) <= tolerance))
        fail_msg("%s: element %zu of replica %u is %g, not %g", what, i, replica, seen, wanted);
}

/* ---- each collective, on replicas in groups ---- */

struct collective_case {
    unsigned replicas;
    popops_replica_group group;
    size_t elements;
    const char *method;
    popops_collective_operator op;
    pop_type type;
};

static void check_reductions(const struct collective_case *s, const char *threads)
{
    struct replica_fixture r;
    size_t n = s->elements;
    unsigned size = s->group.type == POPOPS_GROUP_ALL ? s->replicas : s->group.size, members[LIMIT];
    size_t part = (n + size - 1) / size;
    char what[160];
    pop_options options = POP_OPTIONS({ "method", s->method });
    double in[LIMIT * MAX_ELEMENTS], all[LIMIT * MAX_ELEMENTS], parts[LIMIT * MAX_ELEMENTS],
        place[LIMIT * MAX_ELEMENTS];
    snprintf(what, sizeof(what), "%s by %s of %zu %s in groups of %u of %u, %s threads",
             popops_collective_operator_name(s->op), s->method, n, pop_type_name(s->type), size, s->replicas, threads);
    open_replica_fixture(&r, s->replicas, TILES);
    pop_tensor data = replica_fixture_input(&r, s->type, POP_SHAPE(n), "in"),
               own = replica_fixture_input(&r, s->type, POP_SHAPE(n), "place");
    pop_tensor out = popops_group_all_reduce(r.graph, data, s->op, s->group, r.program, "all", options);
    pop_tensor scattered = popops_group_reduce_scatter(r.graph, data, s->op, s->group, r.program, "part", options);
    popops_group_all_reduce_with_output(r.graph, own, own, s->op, s->group, r.program, "place", options);
    pop_graph_create_host_read(r.graph, "out", out);
    pop_graph_create_host_read(r.graph, "part", scattered);
    pop_graph_create_host_read(r.graph, "place", own);
    const pop_error *error = pop_graph_error(r.graph);
    if (error)
        fail_msg("%s: %s", what, error->text);
    load_replica_fixture(&r, POP_OPTIONS({ "target.hostThreads", threads }));
    fill(in, s->type, s->replicas, n);
    for (int times = 0; times < 2; ++times) { /* values of an earlier run have no effect */
        replica_fixture_put(&r, "in", s->type, in, n);
        replica_fixture_put(&r, "place", s->type, in, n);
        run_replica_fixture(&r);
    }
    replica_fixture_get(&r, "out", s->type, all, n);
    replica_fixture_get(&r, "place", s->type, place, n);
    replica_fixture_get(&r, "part", s->type, parts, part);
    for (unsigned replica = 0; replica < s->replicas; ++replica) {
        unsigned count = members_of(s->group, s->replicas, replica, members), rank = 0;
        while (members[rank] != replica)
            ++rank;
        for (size_t i = 0; i < n; ++i) {
            double wanted =
                s->op == POPOPS_COLLECTIVE_LOCAL ? in[replica * n + i] : reduced(s->op, in, n, i, members, count);
            compare(what, all[replica * n + i], wanted, s->type, replica, i);
            compare(what, place[replica * n + i], wanted, s->type, replica, i);
            if (s->op != POPOPS_COLLECTIVE_LOCAL && all[replica * n + i] != all[members[0] * n + i])
                fail_msg("%s: element %zu differs in replicas %u and %u", what, i, replica, members[0]);
            if (i / part == rank)
                compare(what, parts[replica * part + i % part], wanted, s->type, replica, i);
        }
        for (size_t i = n; i < (rank + 1) * part && s->op == POPOPS_COLLECTIVE_ADD; ++i)
            if (i / part == rank)
                compare("padding", parts[replica * part + i % part], 0, s->type, replica, i);
    }
    close_replica_fixture(&r);
}

static void check_moves(const struct collective_case *s, const char *threads)
{
    struct replica_fixture r;
    size_t n = s->elements;
    unsigned size = s->group.type == POPOPS_GROUP_ALL ? s->replicas : s->group.size, members[LIMIT], root = size / 2;
    pop_options options = POP_OPTIONS({ "method", s->method });
    static double in[LIMIT * LIMIT * MAX_ELEMENTS], gathered[LIMIT * LIMIT * MAX_ELEMENTS],
        exchanged[LIMIT * LIMIT * MAX_ELEMENTS], sent[LIMIT * LIMIT * MAX_ELEMENTS];
    open_replica_fixture(&r, s->replicas, TILES);
    pop_tensor data = replica_fixture_input(&r, s->type, POP_SHAPE(n, 1), "in"),
               rows = replica_fixture_input(&r, s->type, POP_SHAPE(size, n), "rows");
    pop_tensor all = popops_group_all_gather(r.graph, data, s->group, r.program, "gather", options),
               to = popops_group_all_to_all(r.graph, rows, s->group, r.program, "to", options),
               one = popops_group_broadcast(r.graph, data, root, s->group, r.program, "one", options);
    const pop_error *error = pop_graph_error(r.graph);
    if (error)
        fail_msg("%s", error->text);
    assert_int_equal(pop_tensor_rank(all), 3);
    assert_int_equal(pop_tensor_dim(all, 0), size);
    pop_graph_create_host_read(r.graph, "all", all);
    pop_graph_create_host_read(r.graph, "to", to);
    pop_graph_create_host_read(r.graph, "one", one);
    load_replica_fixture(&r, POP_OPTIONS({ "target.hostThreads", threads }));
    fill(in, s->type, s->replicas, n);
    fill(sent, s->type, s->replicas, size * n);
    replica_fixture_put(&r, "in", s->type, in, n);
    replica_fixture_put(&r, "rows", s->type, sent, size * n);
    run_replica_fixture(&r);
    replica_fixture_get(&r, "all", s->type, gathered, size * n);
    replica_fixture_get(&r, "to", s->type, exchanged, size * n);
    for (unsigned replica = 0; replica < s->replicas; ++replica) {
        unsigned count = members_of(s->group, s->replicas, replica, members), rank = 0;
        while (members[rank] != replica)
            ++rank;
        for (unsigned m = 0; m < count; ++m)
            for (size_t i = 0; i < n; ++i) {
                compare("all_gather", gathered[(replica * size + m) * n + i], in[members[m] * n + i], s->type, replica,
                        m * n + i);
                compare("all_to_all", exchanged[(replica * size + m) * n + i], sent[(members[m] * size + rank) * n + i],
                        s->type, replica, m * n + i);
            }
    }
    replica_fixture_get(&r, "one", s->type, gathered, n);
    for (unsigned replica = 0; replica < s->replicas; ++replica) {
        members_of(s->group, s->replicas, replica, members);
        for (size_t i = 0; i < n; ++i)
            compare("broadcast", gathered[replica * n + i], in[members[root] * n + i], s->type, replica, i);
    }
    close_replica_fixture(&r);
}

/* ---- the tests ---- */

static void test_methods_and_sizes(void **state)
{
    (void)state;
    static const unsigned counts[] = { 1, 2, 3, 4, 8 };
    static const size_t sizes[] = { 1, 5, 37 };
    for (size_t m = 0; m < METHODS; ++m)
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            struct collective_case s = { counts[c],  { POPOPS_GROUP_ALL, 0, 1 }, sizes[(m + c) % 3],
                                         methods[m], POPOPS_COLLECTIVE_ADD,      POP_FLOAT };
            check_reductions(&s, c % 2 ? "1" : "3");
            check_moves(&s, c % 2 ? "3" : "1");
        }
}

/* No elements, one element, more members than elements, prime numbers of both; halves that need rounding. */
static void test_odd_sizes(void **state)
{
    (void)state;
    static const struct {
        unsigned replicas;
        size_t elements;
        pop_type type;
    } rows[] = {
        { 3, 0, POP_FLOAT }, { 7, 1, POP_HALF }, { 7, 3, POP_FLOAT }, { 5, 29, POP_HALF }, { 1, 13, POP_HALF }
    };
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); ++r)
        for (size_t m = r % 2; m < METHODS; m += 2) {
            struct collective_case s = { rows[r].replicas, { POPOPS_GROUP_ALL, 0, 1 }, rows[r].elements,
                                         methods[m],       POPOPS_COLLECTIVE_MEAN,     rows[r].type };
            check_reductions(&s, "2");
            check_moves(&s, "1");
        }
}

static void test_operators(void **state)
{
    (void)state;
    static const struct {
        popops_collective_operator op;
        pop_type type;
    } rows[] = {
        { POPOPS_COLLECTIVE_ADD, POP_HALF },         { POPOPS_COLLECTIVE_ADD, POP_INT },
        { POPOPS_COLLECTIVE_MEAN, POP_FLOAT },       { POPOPS_COLLECTIVE_MEAN, POP_HALF },
        { POPOPS_COLLECTIVE_MUL, POP_FLOAT },        { POPOPS_COLLECTIVE_MUL, POP_UNSIGNED_INT },
        { POPOPS_COLLECTIVE_MIN, POP_INT },          { POPOPS_COLLECTIVE_MAX, POP_HALF },
        { POPOPS_COLLECTIVE_LOGICAL_AND, POP_BOOL }, { POPOPS_COLLECTIVE_LOGICAL_OR, POP_BOOL },
        { POPOPS_COLLECTIVE_SQUARE_ADD, POP_FLOAT }, { POPOPS_COLLECTIVE_LOCAL, POP_FLOAT },
        { POPOPS_COLLECTIVE_LOG_ADD, POP_FLOAT },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct collective_case s = { 3 + i % 2,   { POPOPS_GROUP_ALL, 0, 1 }, 11, methods[i % METHODS], rows[i].op,
                                     rows[i].type };
        check_reductions(&s, "2");
        s.replicas = 1;
        check_reductions(&s, "2");
    }
}

/* The sum of no probability is none: log(0 + 0) is -infinity. */
static void test_log_add_of_minus_infinity(void **state)
{
    (void)state;
    enum { REPLICAS = 3, N = 4 };
    double in[REPLICAS * N] = { -INFINITY, -INFINITY, -2,        1,         -INFINITY, 0.5,
                                -INFINITY, 1,         -INFINITY, -INFINITY, -INFINITY, 1 };
    const double wanted[N] = { -INFINITY, 0.5, -2, 1 + log(3) };
    for (size_t m = 0; m < METHODS; ++m)
        for (int half = 0; half < 2; ++half) {
            struct replica_fixture r;
            double seen[REPLICAS * N];
            pop_type type = half ? POP_HALF : POP_FLOAT;
            open_replica_fixture(&r, REPLICAS, TILES);
            pop_tensor out = popops_group_all_reduce(r.graph, replica_fixture_input(&r, type, POP_SHAPE(N), "in"),
                                                     POPOPS_COLLECTIVE_LOG_ADD, POPOPS_ALL_REPLICAS, r.program, "all",
                                                     POP_OPTIONS({ "method", methods[m] }));
            pop_graph_create_host_read(r.graph, "out", out);
            load_replica_fixture(&r, POP_NO_OPTIONS);
            replica_fixture_put(&r, "in", type, in, N);
            run_replica_fixture(&r);
            replica_fixture_get(&r, "out", type, seen, N);
            for (size_t i = 0; i < REPLICAS * N; ++i)
                if (isinf(wanted[i % N]))
                    assert_true(seen[i] == wanted[i % N]);
                else
                    compare(methods[m], seen[i], wanted[i % N], type, (unsigned)(i / N), i % N);
            close_replica_fixture(&r);
        }
}

static void test_groups(void **state)
{
    (void)state;
    static const struct {
        unsigned replicas;
        popops_replica_group group;
    } rows[] = {
        { 8, { POPOPS_GROUP_CONSECUTIVE, 4, 1 } }, { 8, { POPOPS_GROUP_ORTHOGONAL, 4, 1 } },
        { 8, { POPOPS_GROUP_CONSECUTIVE, 2, 4 } }, { 8, { POPOPS_GROUP_CONSECUTIVE, 2, 2 } },
        { 6, { POPOPS_GROUP_ORTHOGONAL, 3, 1 } },  { 6, { POPOPS_GROUP_CONSECUTIVE, 1, 1 } },
        { 6, { POPOPS_GROUP_CONSECUTIVE, 6, 0 } }, { 9, { POPOPS_GROUP_CONSECUTIVE, 3, 3 } },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct collective_case s = { rows[i].replicas,           rows[i].group,         10,
                                     methods[(i + 1) % METHODS], POPOPS_COLLECTIVE_ADD, POP_FLOAT };
        check_reductions(&s, "2");
        check_moves(&s, "2");
    }
}

static void fails(struct replica_fixture *r, pop_status status, const char *words)
{
    pop_error error = { 0 };
    assert_int_equal(pop_graph_take_error(r->graph, &error), status);
    if (!strstr(error.text, words))
        fail_msg("'%s' is not in '%s'", words, error.text);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct replica_fixture r;
    open_replica_fixture(&r, 4, TILES);
    pop_tensor f = replica_fixture_input(&r, POP_FLOAT, POP_SHAPE(4, 2), "f"),
               b = replica_fixture_input(&r, POP_BOOL, POP_SHAPE(4), "b");
    popops_replica_group all = POPOPS_ALL_REPLICAS;
    popops_group_all_reduce(r.graph, b, POPOPS_COLLECTIVE_ADD, all, r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "operator ADD does not take bool; it takes numbers");
    popops_group_all_reduce(r.graph, f, POPOPS_COLLECTIVE_LOGICAL_OR, all, r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "it takes bool");
    popops_group_all_reduce(r.graph, f, (popops_collective_operator)77, all, r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "77 is not an operation");
    popops_group_all_reduce(r.graph, f, POPOPS_COLLECTIVE_ADD, (popops_replica_group){ POPOPS_GROUP_ORTHOGONAL, 3, 1 },
                            r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "groups of 3 members with stride 1 do not divide the graph's 4 replicas");
    popops_group_all_reduce(r.graph, f, POPOPS_COLLECTIVE_ADD, (popops_replica_group){ POPOPS_GROUP_CONSECUTIVE, 2, 4 },
                            r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "groups of 2 members with stride 4");
    popops_group_reduce_scatter(r.graph, f, POPOPS_COLLECTIVE_ADD, all, r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "rank 2; it must be of rank 1");
    popops_group_all_to_all(r.graph, pop_tensor_flatten(f), all, r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "the outer dimension is 8; it must be the number of replicas, 4");
    popops_group_broadcast(r.graph, f, 4, all, r.program, "x", POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "there is no member 4: groups have 4 (0 to 3)");
    popops_group_all_reduce_with_output(r.graph, f, pop_tensor_flatten(f), POPOPS_COLLECTIVE_ADD, all, r.program, "x",
                                        POP_NO_OPTIONS);
    fails(&r, POP_POPLAR_ERROR, "the output is float {8}, the data float {4,2}");
    popops_group_all_gather(r.graph, f, all, r.program, "x", POP_OPTIONS({ "method", "square" }));
    fails(&r, POP_INVALID_OPTION, "option 'method' cannot be 'square'");
    close_replica_fixture(&r);
}

/* Rings in both directions use more links at the same time; two rings use no more of the ladder than one. */
/* An all-reduce of that many floats; domain: of ipuLinkDomainSize. */
struct reduction {
    popops_collective_operator op;
    unsigned members;
    const char *domain;
    size_t elements;
    const char *max_broadcast;
};
static pop_cycles cycles_by(const char *method, const struct reduction *of)
{
    struct replica_fixture r;
    pop_error error = { 0 };
    pop_cycles cycles;
    open_replica_fixture_options(&r, of->members, 256, POP_OPTIONS({ "ipuLinkDomainSize", of->domain }));
    pop_tensor t = replica_fixture_input(&r, POP_FLOAT, POP_SHAPE(of->elements), "t");
    popops_group_all_reduce_with_output(
        r.graph, t, t, of->op, POPOPS_ALL_REPLICAS, r.program, "x",
        POP_OPTIONS({ "method", method }, { "syncful.maxBroadcastSize", of->max_broadcast }));
    load_replica_fixture(&r, POP_OPTIONS({ "target.hostThreads", "2" }));
    run_replica_fixture(&r);
    must(pop_engine_cycles(r.engine, &cycles, &error), &error);
    close_replica_fixture(&r);
    return cycles;
}

/* auto takes the method with the fewest cycles, or one within a tenth of it. */
static void check_choice(unsigned members, const char *domain)
{
    static const char *const by[] = {
        "clockwise_ring", "bidirectional_ring_pair", "meet_in_middle_ring", "quad_directional_ring", "tree", "broadcast"
    };
    static const size_t sizes[] = { 8, 4000, 40000, 400000 };
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        const struct reduction of = { POPOPS_COLLECTIVE_ADD, members, domain, sizes[s], "2048" };
        uint64_t min = UINT64_MAX, chosen = cycles_by("auto", &of).total;
        for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); ++i) {
            uint64_t cycles = cycles_by(by[i], &of).total;
            min = cycles < min ? cycles : min;
        }
        if ((double)chosen > 1.1 * (double)min)
            fail_msg("%u members, domains of %s, %zu floats: auto takes %llu cycles, the best method %llu", members,
                     domain, sizes[s], (unsigned long long)chosen, (unsigned long long)min);
    }
}
static void test_auto_takes_the_cheapest(void **state)
{
    (void)state;
    check_choice(2, "2");
    check_choice(4, "4");
    check_choice(8, "8");
    check_choice(8, "4"); /* over gateways */
}
static void test_methods_have_their_cost(void **state)
{
    (void)state;
    const struct reduction of = { POPOPS_COLLECTIVE_ADD, 8, "8", 40000, "2048" };
    uint64_t clockwise = cycles_by("clockwise_ring", &of).global_exchange,
             pair = cycles_by("bidirectional_ring_pair", &of).global_exchange,
             quad = cycles_by("quad_directional_ring", &of).global_exchange;
    assert_true(pair < clockwise && quad <= pair);
}

/* An operator without a tree: for small data auto makes one exchange, each replica to all, up to
 * syncful.maxBroadcastSize. */
static void test_small_data_is_broadcast(void **state)
{
    (void)state;
    const struct reduction allowed = { POPOPS_COLLECTIVE_MAX, 4, "4", 8, "128" },
                           refused = { POPOPS_COLLECTIVE_MAX, 4, "4", 8, "127" };
    assert_true(cycles_by("auto", &allowed).total < cycles_by("auto", &refused).total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods_and_sizes),
        cmocka_unit_test(test_odd_sizes),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_log_add_of_minus_infinity),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(test_auto_takes_the_cheapest),
        cmocka_unit_test(test_methods_have_their_cost),
        cmocka_unit_test(test_small_data_is_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
