/* SPDX-License-Identifier: Apache-2.0 */
#include "program_tree.h"

#include "base/mem.h"

#include <string.h>

enum { DEEPEST = 1000 };

struct walk {
    struct costs *costs;
    const struct program_tree *tree;
    size_t *first;         /* of a program's pairs; [count]: all pairs */
    unsigned char *known;  /* executions from below are known; a program in progress counts as known: files may have cycles */
    unsigned char *summed; /* within is known */
    double *calls;         /* by program: executions of its calls */
    uint32_t *callers;     /* by program: number of its calls */
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
    if (!is(walk, program, "Call") || of->target >= walk->costs->count)
        return;
    struct program_cost *target = &walk->costs->list[of->target];
    if (!target->executions)
        target->executions = of->executions;
    from_above(walk, of->target, depth + 1);
    walk->calls[of->target] += of->executions;
    ++walk->callers[of->target];
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
    if (is(walk, program, "Call") && of->target < walk->costs->count && walk->callers[of->target]) {
        double calls = walk->calls[of->target],
               share = calls > 0 ? of->executions / calls : 1.0 / walk->callers[of->target];
        of->within += share * add_up(walk, of->target, depth + 1);
    }
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
    pop_status status = pva_sql_integers(report,
                                         "SELECT c.program, count(*) FROM runs r JOIN control_programs c ON "
                                         "c.position = r.program WHERE r.steps > 0 GROUP BY 1",
                                         on_runs, costs, error);
    for (uint32_t i = 0; i < count; ++i)
        from_below(&walk, i, 0);
    if (status == POP_OK)
        status = pva_sql_integers(
            report, "SELECT program FROM control_programs UNION SELECT program FROM functions ORDER BY 1", on_root,
            &walk, error);
    for (uint32_t i = 0; i < count; ++i)
        add_up(&walk, i, 0);
    free(walk.first);
    free(walk.known);
    free(walk.summed);
    free(walk.calls);
    free(walk.callers);
    return status;
}
