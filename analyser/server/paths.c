/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include "base/vec.h"

#include <string.h>

/* A sync is named after its kind and counted with the exchange after it. */
#define EXECUTED_PATH                                                                                                  \
    "ifnull(nullif(CASE WHEN p.type = 'Sync' THEN q.name ELSE p.name END, ''), '(no name)') || '/' || p.type || "      \
    "CASE WHEN p.detail <> '' THEN ' (' || p.detail || ')' ELSE '' END"
#define PROGRAMS                                                                                                       \
    "programs p LEFT JOIN (SELECT step, name, min(id) FROM programs WHERE type IN ('DoExchange', 'GlobalExchange') "   \
    "GROUP BY step) q ON q.step = p.step"
#define EXECUTED(figure)                                                                                               \
    "SELECT " EXECUTED_PATH                                                                                            \
    ", sum(x.figure), sum(x.times) FROM (SELECT e.program, sum(e.times * i.figure) AS figure, "                        \
    "sum(e.times) AS times FROM (SELECT program, pattern, sum(times) AS times FROM executed_times GROUP BY 1, 2) e "   \
    "JOIN "                                                                                                            \
    "(SELECT pattern, " figure " AS figure FROM pattern_ipus GROUP BY 1) i ON i.pattern = e.pattern GROUP BY 1) x "    \
    "JOIN " PROGRAMS " WHERE p.id = x.program GROUP BY 1"
/* "<message:a/b>" counts as the message of a/b. */
#define VARIABLE_PATH                                                                                                  \
    "CASE WHEN v.name GLOB '<*:*>' THEN substr(v.name, instr(v.name, ':') + 1, length(v.name) - instr(v.name, ':') - " \
    "1) || '/' || substr(v.name, 1, instr(v.name, ':') - 1) || '>' ELSE v.name END"
#define LIVE(list)                                                                                                     \
    "SELECT " VARIABLE_PATH ", sum(v.bytes), count(*) FROM live_lists l JOIN array(l.variable_list, l.variables) a "   \
    "JOIN live_variables v ON v.id = a.value WHERE l.id IN (" list ") GROUP BY 1"

#define ELAPSED                                                                                                        \
    "SELECT " EXECUTED_PATH                                                                                            \
    ", sum(x.cycles), sum(x.times) FROM (SELECT program, sum(cycles) AS cycles, sum(times) AS times FROM "             \
    "executed_elapsed GROUP BY 1) x JOIN " PROGRAMS " WHERE p.id = x.program GROUP BY 1"

const struct metric flame_metrics[] = {
    { "elapsed", "critical-path cycles", "cycles", ELAPSED, NULL },
    { "cycles", "slowest-tile cycles of each execution", "cycles", EXECUTED("max(cycles)"), NULL },
    { "tileCycles", "cycles summed over tiles", "cycles", EXECUTED("sum(cycles_sum)"), NULL },
    { "estimate", "estimated cycles, of the slowest tile in one execution", "cycles",
      "SELECT " EXECUTED_PATH ", sum(ifnull(e.cycles, c.estimated_cycles)), count(*) FROM " PROGRAMS " LEFT JOIN "
      "compute_sets c ON c.compute_set = p.compute_set LEFT JOIN exchanges e ON e.id = p.exchange WHERE p.type IN "
      "('OnTileExecute', 'DoExchange', 'GlobalExchange', 'StreamCopyMid') GROUP BY 1",
      NULL },
    { "flops", "floating-point operations of vertices", "FLOP",
      "SELECT " EXECUTED_PATH ", sum(f.flops * ifnull(e.times, (SELECT NOT EXISTS(SELECT 1 FROM executed)))), "
      "sum(e.times) FROM " PROGRAMS " JOIN (SELECT compute_set, sum(flops) AS flops FROM compute_set_vertices GROUP BY "
      "1) f ON f.compute_set = p.compute_set LEFT JOIN (SELECT program, sum(times) AS times FROM executed_times GROUP "
      "BY 1) e "
      "ON e.program = p.id WHERE p.type = 'OnTileExecute' GROUP BY 1",
      NULL },
    { "live", "live bytes at the step with most", "bytes",
      LIVE("0, (SELECT l.id FROM live_lists l JOIN liveness_steps s ON s.list = l.id WHERE l.id > 0 ORDER BY l.bytes "
           "DESC, s.id LIMIT 1)"),
      NULL },
    { "alwaysLive", "bytes that are always live", "bytes", LIVE("0"), NULL },
    { "variables", "bytes of all that is ever live", "bytes",
      "SELECT " VARIABLE_PATH ", sum(v.bytes), count(*) FROM live_variables v GROUP BY 1", NULL },
    { "vertexState", "bytes of vertices' state", "bytes",
      "SELECT ifnull(nullif(name, ''), '(no name)'), sum(copy_ptr_bytes + descriptor_bytes + edge_ptr_bytes + "
      "padding_bytes + vertex_data_bytes), sum(vertices) FROM compute_sets GROUP BY 1",
      NULL },
    { "exchangeCode", "bytes of the code of exchanges", "bytes",
      "SELECT ifnull(nullif(name, ''), '(no name)'), sum(code_bytes), count(*) FROM exchanges GROUP BY 1", NULL },
};
const size_t flame_metric_count = sizeof(flame_metrics) / sizeof(flame_metrics[0]);

struct node {
    uint32_t parent;
    unsigned char depth;
    char *name;
    double self[2], times[2], total[2];
};
struct tree {
    VEC(struct node) nodes;
    uint32_t open[256]; /* nodes from the root to the last one */
};

/* The order of a tree's paths: '/' before every other character. */
static int by_parts(const void *left, const void *right)
{
    const unsigned char *a = (const unsigned char *)((const struct figure *)left)->path,
                        *b = (const unsigned char *)((const struct figure *)right)->path;
    while (*a && *a == *b)
        ++a, ++b;
    int x = *a == '/' ? 1 : *a ? *a + 1 : 0, y = *b == '/' ? 1 : *b ? *b + 1 : 0;
    return x - y;
}

static void add(struct tree *tree, const struct figure *figure)
{
    enum { DEEPEST = sizeof(tree->open) / sizeof(tree->open[0]) - 1 };
    unsigned depth = 0;
    const char *part = figure->path;
    while (*part) {
        size_t length = depth + 1 < DEEPEST ? strcspn(part, "/") : strlen(part);
        struct node *last = tree->nodes.data + tree->nodes.count - 1;
        uint32_t next = depth < last->depth ? tree->open[depth + 1] : 0;
        if (length &&
            (!next || strncmp(tree->nodes.data[next].name, part, length) != 0 || tree->nodes.data[next].name[length])) {
            struct node node = { .parent = tree->open[depth], .depth = (unsigned char)(depth + 1) };
            node.name = mem_alloc(length + 1);
            memcpy(node.name, part, length);
            node.name[length] = '\0';
            next = (uint32_t)tree->nodes.count;
            *vec_push(&tree->nodes) = node;
        }
        if (length)
            tree->open[++depth] = next;
        part += length;
        part += *part == '/';
    }
    struct node *node = &tree->nodes.data[tree->open[depth]];
    node->self[0] += figure->a;
    node->self[1] += figure->b;
    node->times[0] += figure->times_a;
    node->times[1] += figure->times_b;
}

static struct tree build(struct figures *figures)
{
    struct tree tree = { 0 };
    *vec_push(&tree.nodes) = (struct node){ .name = mem_string("") };
    if (figures->count)
        qsort(figures->data, figures->count, sizeof(*figures->data), by_parts);
    for (size_t i = 0; i < figures->count; ++i)
        if (figures->data[i].a != 0 || figures->data[i].b != 0)
            add(&tree, &figures->data[i]);
    for (size_t i = tree.nodes.count; i-- > 0;)
        for (int k = 0; k < 2; ++k) {
            struct node *node = &tree.nodes.data[i];
            node->total[k] += node->self[k];
            if (i)
                tree.nodes.data[node->parent].total[k] += node->total[k];
        }
    return tree;
}

void paths_answer(struct answer *answer, struct figures *figures, bool both)
{
    static const char *const names[2][3] = { { "self", "total", "times" }, { "selfB", "totalB", "timesB" } };
    struct tree tree = build(figures);
    size_t count = tree.nodes.count;
    uint32_t *parents = mem_zero(count, sizeof(*parents));
    unsigned char *depths = mem_zero(count, 1);
    const char **texts = mem_zero(count, sizeof(*texts));
    double *numbers = mem_zero(3 * count, sizeof(*numbers));
    for (size_t i = 0; i < count; ++i) {
        parents[i] = tree.nodes.data[i].parent;
        depths[i] = tree.nodes.data[i].depth;
        texts[i] = tree.nodes.data[i].name;
    }
    answer_column(answer, "parent", COLUMN_U32, parents, count);
    answer_column(answer, "depth", COLUMN_U8, depths, count);
    answer_texts(answer, "name", texts, count);
    for (int k = 0; k <= both; ++k) {
        for (size_t i = 0; i < count; ++i) {
            numbers[i] = tree.nodes.data[i].self[k];
            numbers[count + i] = tree.nodes.data[i].total[k];
            numbers[2 * count + i] = tree.nodes.data[i].times[k];
        }
        for (int j = 0; j < 3; ++j)
            answer_column(answer, names[k][j], COLUMN_F64, numbers + (size_t)j * count, count);
    }
    for (size_t i = 0; i < count; ++i)
        free(tree.nodes.data[i].name);
    vec_free(&tree.nodes);
    free(parents);
    free(depths);
    free(texts);
    free(numbers);
}
