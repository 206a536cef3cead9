/* SPDX-License-Identifier: Apache-2.0 */
#include "program_tree.h"

#include "base/mem.h"

#include <string.h>

enum { DEEPEST = 1000, ROUNDS = 3 }; /* what a call shows, its sequence and calls in its function show then */

struct walk {
    struct costs *costs;
    const struct program_tree *tree;
    size_t *first; /* of a program's pairs; [count]: all pairs */
    unsigned char
        *known; /* executions from below are known; a program in progress counts as known: files may have cycles */
    unsigned char *summed; /* within is known */
    double *calls;         /* by program: executions of its calls, as far as they are known */
    uint32_t *callers;     /* by program: number of its calls of which nothing is known yet */
};

static bool on_child(void *context, size_t columns, const int64_t *values)
{
    struct program_tree *tree = context;
    (void)columns;
    if (values[0] >= 0 && values[0] < UINT32_MAX && values[1] >= 0 && values[1] < UINT32_MAX) {
        *vec_push(&tree->parent) = (uint32_t)values[0];
        *vec_push(&tree->child) = (uint32_t)values[1];
    }
    return true;
}

pop_status program_tree_read(pva_file *report, struct program_tree *tree, pop_error *error)
{
    *tree = (struct program_tree){ 0 };
    return pva_sql_integers(report, "SELECT program, child FROM program_children ORDER BY program, position", on_child,
                            tree, error);
}

void program_tree_free(struct program_tree *tree)
{
    vec_free(&tree->parent);
    vec_free(&tree->child);
}

static bool on_runs(void *context, size_t columns, const int64_t *values)
{
    struct costs *costs = context;
    (void)columns;
    if (values[0] >= 0 && (uint64_t)values[0] < costs->count)
        costs->list[values[0]].executions += (double)values[1];
    return true;
}

static bool is(const struct walk *walk, uint32_t program, const char *type)
{
    return !strcmp(walk->costs->list[program].type ? walk->costs->list[program].type : "", type);
}

/* The program that a Call calls; NULL: it is no Call. */
static struct program_cost *called(const struct walk *walk, uint32_t program)
{
    uint32_t target = walk->costs->list[program].target;
    return is(walk, program, "Call") && target < walk->costs->count ? &walk->costs->list[target] : NULL;
}

static void find_children(struct walk *walk)
{
    size_t count = walk->costs->count, at = 0;
    for (size_t program = 0; program <= count; ++program) {
        while (at < walk->tree->parent.count && walk->tree->parent.data[at] < program)
            ++at;
        walk->first[program] = at;
    }
}

#define EACH_CHILD(walk, program, i)                                                                                   \
    for (size_t i = (walk)->first[program]; i < (walk)->first[(program) + 1]; ++i)                                     \
        if ((walk)->tree->child.data[i] < (walk)->costs->count)

/* What the steps inside show. */
static double from_below(struct walk *walk, uint32_t program, unsigned depth)
{
    struct program_cost *of = &walk->costs->list[program];
    if (walk->known[program] || depth == DEEPEST)
        return of->executions;
    walk->known[program] = 1;
    bool sequence = is(walk, program, "Sequence"),
         branches = is(walk, program, "If") || is(walk, program, "IfElse") || is(walk, program, "Switch");
    double largest = 0, sum = 0;
    EACH_CHILD(walk, program, i)
    {
        double inner = from_below(walk, walk->tree->child.data[i], depth + 1);
        largest = inner > largest ? inner : largest;
        sum += inner;
    }
    double shown = sequence ? largest : branches ? sum : 0;
    shown = of->times > shown ? of->times : shown;
    of->executions = shown > of->executions ? shown : of->executions;
    return of->executions;
}

/* What the sequence around shows. */
static void from_above(struct walk *walk, uint32_t program, unsigned depth)
{
    struct program_cost *of = &walk->costs->list[program];
    if (walk->known[program] == 2 || depth == DEEPEST)
        return;
    walk->known[program] = 2;
    EACH_CHILD(walk, program, i)
    {
        struct program_cost *child = &walk->costs->list[walk->tree->child.data[i]];
        if (is(walk, program, "Sequence") && child->executions < of->executions)
            child->executions = of->executions;
        from_above(walk, walk->tree->child.data[i], depth + 1);
    }
    struct program_cost *target = called(walk, program);
    if (!target)
        return;
    if (target->executions <= 0)
        target->executions = of->executions;
    from_above(walk, of->target, depth + 1);
}

/* Calls of which nothing is known share what is left of their function's executions. */
static void share_calls(struct walk *walk)
{
    size_t count = walk->costs->count;
    memset(walk->calls, 0, count * sizeof(*walk->calls));
    memset(walk->callers, 0, count * sizeof(*walk->callers));
    for (uint32_t i = 0; i < count; ++i)
        if (called(walk, i)) {
            walk->calls[walk->costs->list[i].target] += walk->costs->list[i].executions;
            walk->callers[walk->costs->list[i].target] += walk->costs->list[i].executions <= 0;
        }
    for (uint32_t i = 0; i < count; ++i) {
        const struct program_cost *target = called(walk, i);
        struct program_cost *of = &walk->costs->list[i];
        if (!target || of->executions > 0)
            continue;
        double left = target->executions - walk->calls[of->target];
        of->executions = left > 0 ? left / walk->callers[of->target] : 0;
    }
    memset(walk->calls, 0, count * sizeof(*walk->calls));
    for (uint32_t i = 0; i < count; ++i)
        if (called(walk, i))
            walk->calls[walk->costs->list[i].target] += walk->costs->list[i].executions;
}

static double add_up(struct walk *walk, uint32_t program, unsigned depth)
{
    struct program_cost *of = &walk->costs->list[program];
    if (walk->summed[program] || depth == DEEPEST)
        return of->within;
    walk->summed[program] = 1;
    of->within = of->elapsed;
    EACH_CHILD(walk, program, i)
    of->within += add_up(walk, walk->tree->child.data[i], depth + 1);
    if (called(walk, program) && walk->calls[of->target] > 0)
        of->within += of->executions / walk->calls[of->target] * add_up(walk, of->target, depth + 1);
    return of->within;
}

static bool on_root(void *context, size_t columns, const int64_t *values)
{
    struct walk *walk = context;
    (void)columns;
    if (values[0] >= 0 && (uint64_t)values[0] < walk->costs->count)
        from_above(walk, (uint32_t)values[0], 0);
    return true;
}

pop_status program_tree_costs(pva_file *report, const struct program_tree *tree, struct costs *costs, pop_error *error)
{
    size_t count = costs->count;
    struct walk walk = { costs,
                         tree,
                         mem_zero(count + 2, sizeof(*walk.first)),
                         mem_zero(count + 1, 1),
                         mem_zero(count + 1, 1),
                         mem_zero(count + 1, sizeof(*walk.calls)),
                         mem_zero(count + 1, sizeof(*walk.callers)) };
    find_children(&walk);
    /* An engine's programs are the branches of one control program. */
    pop_status status = pva_sql_integers(
        report,
        "SELECT c.program, count(*) FROM control_programs c JOIN runs r ON r.steps > 0 AND (r.program = c.position OR "
        "(SELECT count(*) FROM control_programs) = 1) GROUP BY 1",
        on_runs, costs, error);
    for (int round = 0; round < ROUNDS && status == POP_OK; ++round) {
        memset(walk.known, 0, count);
        for (uint32_t i = 0; i < count; ++i)
            from_below(&walk, i, 0);
        status = pva_sql_integers(report,
                                  "SELECT program FROM control_programs UNION SELECT program FROM functions ORDER BY 1",
                                  on_root, &walk, error);
        share_calls(&walk);
    }
    for (uint32_t i = 0; i < count; ++i)
        add_up(&walk, i, 0);
    free(walk.first);
    free(walk.known);
    free(walk.summed);
    free(walk.calls);
    free(walk.callers);
    return status;
}
